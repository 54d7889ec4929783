package redact

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	homeFolder = regexp.MustCompile(`(?i)(?:/home/|/Users/|[A-Z]:\\+Users\\+)([^\s/\\:"'<>|,;\])}]+)`)
	email      = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)
	dotted     = regexp.MustCompile(`\d+(?:\.\d+){3,}`)
	publicName = regexp.MustCompile(`ec2-(\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3})`)
	twelve     = regexp.MustCompile(`\d{4}-\d{4}-\d{4}|\d{12,}`)
)

// standardUsers are names that images come with: they tell nobody's identity and help to read a path.
var standardUsers = []string{"ubuntu", "ec2-user", "rocky", "rhel", "centos", "debian", "slurm", "root", "pcluster-admin", "runner"}

func homes(s string) string {
	return replace(homeFolder, s, 1, User, func(match []string) bool {
		name := match[1]
		return slices.Contains(standardUsers, name) || strings.HasPrefix(User, name) || strings.HasPrefix(name, User) || strings.ContainsAny(name, "$*")
	})
}

func emails(s string) string { return email.ReplaceAllString(s, Email) }

// publicNames takes the addresses that EC2's public host names write out.
func publicNames(s string) string { return replace(publicName, s, 1, Address, nil) }

// addresses takes public IPv4 addresses. A version of four numbers stays where its
// neighbourhood shows that it is one.
func addresses(s string) string {
	var b strings.Builder
	end := 0
	for _, at := range dotted.FindAllStringIndex(s, -1) {
		if !isPublic(s[at[0]:at[1]], s[:at[0]], s[at[1]:]) {
			continue
		}
		b.WriteString(s[end:at[0]])
		b.WriteString(Address)
		end = at[1]
	}
	b.WriteString(s[end:])
	return b.String()
}

func isPublic(number, before, after string) bool {
	if isVersion(before, after) {
		return false
	}
	ip, err := netip.ParseAddr(number)
	if err != nil {
		return false
	}
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !sharedSpace.Contains(ip)
}

// sharedSpace is what carriers use inside (RFC 6598), and VPCs may.
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// isVersion reads what stands around four numbers: a letter, a dash or an underscore touches a version, or the word stands before it.
func isVersion(before, after string) bool {
	if after != "" && touches(after[0]) || before != "" && touches(before[len(before)-1]) {
		return true
	}
	words := strings.Fields(strings.ToLower(before))
	return len(words) > 0 && strings.HasPrefix(strings.Trim(words[len(words)-1], ":="), "version")
}

func touches(c byte) bool { return isLetter(c) || strings.IndexByte("-_+", c) >= 0 }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// accounts takes 12 digits, or three times four with dashes as the console writes them. Longer numbers, digits inside an id or a digest, decimals and sizes are no
// account.
func accounts(s string) string {
	var b strings.Builder
	end := 0
	for _, at := range twelve.FindAllStringIndex(s, -1) {
		if !isAccount(s, at[0], at[1]) {
			continue
		}
		b.WriteString(s[end:at[0]])
		b.WriteString(Account)
		end = at[1]
	}
	b.WriteString(s[end:])
	return b.String()
}

func isAccount(s string, from, to int) bool {
	number := s[from:to]
	if strings.Contains(number, "-") {
		return alone(s, from, to, "-")
	}
	if len(number) != 12 || from >= 2 && s[from-1] == '.' && isDigit(s[from-2]) {
		return false
	}
	inArn := strings.HasSuffix(s[:from], ":")
	return inArn || !inID(s, from, to) && !isSize(number)
}

// alone says that no digit and none of the other characters touches a number.
func alone(s string, from, to int, others string) bool {
	touches := func(c byte) bool { return isDigit(c) || strings.IndexByte(others, c) >= 0 }
	return (from == 0 || !touches(s[from-1])) && (to == len(s) || !touches(s[to]))
}

// inID says that a number is part of a hexadecimal id: with a 0x before it, or of the length of an AWS id or of a digest.
func inID(s string, from, to int) bool {
	for from > 0 && isAlnum(s[from-1]) {
		from--
	}
	for to < len(s) && isAlnum(s[to]) {
		to++
	}
	token := strings.ToLower(s[from:to])
	if strings.HasPrefix(token, "0x") {
		return true
	}
	return slices.Contains([]int{17, 32, 40, 64}, len(token)) && strings.Trim(token, "0123456789abcdef") == ""
}

// gib is the unit that sizes of 100 GB and more are asked for in. One account id in a thousand million is such a number.
const gib = 1 << 30

func isSize(number string) bool {
	n, err := strconv.ParseInt(number, 10, 64)
	return err == nil && n > 0 && n%gib == 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) }

// Package redact takes out of a text what must not leave its owner: account ids, keys and tokens, names of users, public addresses.
//
// What a reader of a report needs stays: ids of instances, reservations and images, names of hosts, private addresses, versions and
// sizes. A redacted text says what stood there, in square brackets, and redacting it again changes nothing.
package redact

import (
	"regexp"
	"strings"
)

// What stands in the place of what was taken out.
const (
	Account = "[account]"
	Secret  = "[secret]"
	User    = "[user]"
	Address = "[address]"
	Email   = "[email]"
)

// pass is one kind of thing to take out.
type pass struct {
	// near are texts of which one must be there, in lower case, before the pass is worth its time; none: always.
	near []string
	do   func(string) string
}

// passes run in this order: what is known by its name or its form goes first, so that nothing of it is left for the vaguer ones.
var passes = []pass{
	{[]string{"private key"}, privateKeys},
	{[]string{"://"}, urlCredentials},
	{[]string{"bearer", "basic"}, bearer},
	{[]string{"x-amz-", "signature="}, signed},
	{[]string{"pass", "secret", "token", "key", "credential"}, named},
	{knownNear, known},
	{nil, random},
	{[]string{"/home/", "/users/", `\users\`}, homes},
	{[]string{"@"}, emails},
	{[]string{"ec2-"}, publicNames},
	{[]string{"."}, addresses},
	{nil, accounts},
}

// Text gives s without what must not leave its owner.
func Text(s string) string {
	// What one pass leaves can have a form that another one knows, so they go on until nothing is found.
	for range most {
		next := once(s)
		if next == s {
			return s
		}
		s = next
	}
	return Secret
}

// most bounds the rounds over a text that something was found in. A text that still changes is made to, and gives nothing.
const most = 8

func once(s string) string {
	if len(s) < shortest {
		return s
	}
	lower := strings.ToLower(s)
	for _, p := range passes {
		if has(lower, p.near) {
			s = p.do(s)
		}
	}
	return s
}

// shortest is the length of the shortest thing that is taken out, a public address: 1.1.1.1.
const shortest = len("1.1.1.1")

func has(lower string, near []string) bool {
	for _, n := range near {
		if strings.Contains(lower, n) {
			return true
		}
	}
	return len(near) == 0
}

// replace writes mark over one group of every match of re for which keep is false; a nil keep keeps none.
func replace(re *regexp.Regexp, s string, group int, mark string, keep func(match []string) bool) string {
	var b strings.Builder
	end := 0
	for _, at := range re.FindAllStringSubmatchIndex(s, -1) {
		from, to := at[2*group], at[2*group+1]
		if from < 0 || keep != nil && keep(groups(s, at)) {
			continue
		}
		b.WriteString(s[end:from])
		b.WriteString(mark)
		end = to
	}
	b.WriteString(s[end:])
	return b.String()
}

func groups(s string, at []int) []string {
	out := make([]string, len(at)/2)
	for i := range out {
		if at[2*i] >= 0 {
			out[i] = s[at[2*i]:at[2*i+1]]
		}
	}
	return out
}

package version

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	goversion "github.com/hashicorp/go-version"
)

// maxLone is the largest lone integer that is taken for a release: driver branches have three digits.
const maxLone = 999

var (
	errEmpty    = errors.New("it is empty")
	errTooLong  = fmt.Errorf("it is longer than %d bytes", maxLength)
	errNoNumber = errors.New("it does not begin with a number")
	errLone     = fmt.Errorf("a lone integer above %d is read only as an NCCL version code, 2000 to 2899 or 20900 to 29999", maxLone)
	errOpen     = errors.New("it ends in a separator; an open range is not a version")
	errTilde    = errors.New(`a "~" must be followed by a pre-release, a number or an amzn build`)
	errWildcard = errors.New(`"x" and "*" stand for many versions`)
)

// Words that carry meaning. Single letters are pre-releases only with a number behind them, as in Python's 3.12.0b1 (PEP 440).
var (
	stageWords = map[string]stage{
		"dev": stageDev, "alpha": stageAlpha, "beta": stageBeta,
		"rc": stageCandidate, "pre": stageCandidate, "preview": stageCandidate,
	}
	stageLetters = map[string]stage{"a": stageAlpha, "b": stageBeta, "c": stageCandidate}
	// kernelFlavours follow the ABI number of a Debian or Ubuntu kernel; their letters only, so amd is amd64.
	kernelFlavours = []string{"aws", "generic", "lowlatency", "nvidia", "cloud", "amd", "arm"}
)

const (
	vendorWord = "amzn"
	separators = ".-+~_"
)

// parser takes the parts of a version from the front of rest, in the order in which they are written.
type parser struct {
	rest string
	// parts is the number of parts that the release was written with.
	parts int
	v     Version
}

func parse(text string) (Version, error) {
	if err := checkText(text); err != nil {
		return Version{}, err
	}
	if release, ok := ncclCode(text); ok {
		return Version{text: text, release: release}, nil
	}
	head, _, _ := strings.Cut(strings.ToLower(text), "+")
	p := parser{rest: strings.TrimPrefix(head, "v"), v: Version{text: text}}
	for _, step := range []func(*parser) error{
		(*parser).release, (*parser).prerelease, (*parser).vendorBuild, (*parser).mark, (*parser).revision, (*parser).end,
	} {
		if err := step(&p); err != nil {
			return Version{}, err
		}
	}
	return p.v, nil
}

// checkText refuses what no form of version holds, so that all later steps see short ASCII.
func checkText(text string) error {
	switch {
	case text == "":
		return errEmpty
	case len(text) > maxLength:
		return errTooLong
	}
	for _, r := range text {
		if r == '*' {
			return errWildcard
		}
		if !isASCIIAlphanumeric(r) && !strings.ContainsRune(separators, r) {
			return fmt.Errorf("%q is no character of a version", r)
		}
	}
	if strings.ContainsAny(text[len(text)-1:], separators) {
		return errOpen
	}
	return nil
}

// ncclCode decodes an NCCL version code. The ranges are those of the NCCL_VERSION macro for major version 2, the only one that has codes
// (https://github.com/NVIDIA/nccl/blob/master/src/nccl.h.in). Below 2.9 a code has four digits, from 2.9 on five.
func ncclCode(text string) ([]int64, bool) {
	code, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return nil, false
	}
	n := int64(code)
	switch {
	case 2000 <= n && n <= 2899:
		return trimZeros([]int64{n / 1000, n % 1000 / 100, n % 100}), true
	case 20900 <= n && n <= 29999:
		return trimZeros([]int64{n / 10000, n % 10000 / 100, n % 100}), true
	default:
		return nil, false
	}
}

func (p *parser) release() error {
	text := p.takeNumbers()
	if text == "" {
		return errNoNumber
	}
	numbers, err := parseNumbers(text)
	if err != nil {
		return err
	}
	p.parts = 1 + strings.Count(text, ".")
	if p.parts == 1 && len(numbers) == 1 && numbers[0] > maxLone {
		return errLone
	}
	p.v.release = numbers
	return nil
}

// prerelease takes 3.12.0[b1], 0.9.1[-beta.1], 1.16.0[~rc2], 1.16.0[~]amzn4.0.
func (p *parser) prerelease() error {
	separator, rest := cutSeparator(p.rest, "-.~")
	if s, after, ok := cutStage(rest); ok {
		return p.takeStage(s, after)
	}
	if separator != "~" {
		return nil
	}
	if !startsNumeric(rest) && !strings.HasPrefix(rest, vendorWord) {
		return errTilde
	}
	return p.takeStage(stageTilde, rest)
}

// takeStage records a pre-release of which only the number, if any, is still to be read from rest.
func (p *parser) takeStage(s stage, rest string) error {
	if after, ok := strings.CutPrefix(rest, "."); ok && startsNumeric(after) {
		rest = after
	}
	p.rest = rest
	p.v.stage = s
	var err error
	p.v.pre, err = parseNumbers(p.takeNumbers())
	return err
}

// vendorBuild takes 1.22.0[amzn4.0], 57[.amzn1].
func (p *parser) vendorBuild() error {
	_, rest := cutSeparator(p.rest, "-.")
	after, ok := strings.CutPrefix(rest, vendorWord)
	if !ok || !startsNumeric(after) {
		return nil
	}
	p.rest = after
	p.v.built = true
	var err error
	p.v.build, err = parseNumbers(p.takeNumbers())
	return err
}

// mark takes 1.7.1[-aws], 1.4.0[aws] and one letter, as in 3.3.0[g]. It leaves the letters that could be a pre-release or a pattern.
func (p *parser) mark() error {
	separator, rest := cutSeparator(p.rest, "-")
	word, after := cutWord(rest)
	letter := len(word) == 1 && separator == "" && !strings.Contains("abcx", word)
	if (letter || word == "aws") && !startsNumeric(after) {
		p.rest = after
	}
	return nil
}

// revision takes 2.5[-1], 595.91.07[-1ubuntu1], 24.05.0[-0rc1], 6.8.0[-1021-aws].
func (p *parser) revision() error {
	text, ok := strings.CutPrefix(p.rest, "-")
	if !ok || !startsNumeric(text) {
		return nil
	}
	// Slurm and others number the packages of a pre-release 0, so that the release's own revision 1 is above it.
	if s, rest, ok := cutStage(strings.TrimPrefix(text, "0")); ok && p.v.stage == stageRelease {
		return p.takeStage(s, rest)
	}
	if word := stageWordIn(text); word != "" {
		return fmt.Errorf("%q in the revision %q: before or after the release?", word, text)
	}
	p.rest = ""
	return p.kernelBuild(text)
}

// kernelBuild keeps the numbers of a revision that is a kernel's.
func (p *parser) kernelBuild(revision string) error {
	k := parser{rest: revision}
	text := k.takeNumbers()
	if p.parts != 3 || p.v.stage != stageRelease || p.v.built || !isKernelTail(text, k.rest) {
		return nil
	}
	p.v.built = true
	var err error
	p.v.build, err = parseNumbers(text)
	return err
}

// isKernelTail says whether what follows the numbers of a revision makes it a kernel's: 1021[-aws], 150.224[.amzn2023.x86_64].
func isKernelTail(numbers, tail string) bool {
	word, _ := cutWord(strings.TrimLeft(tail, "-."))
	switch {
	case strings.HasPrefix(tail, "-"):
		return slices.Contains(kernelFlavours, word)
	case strings.HasPrefix(tail, "."):
		return strings.Contains(numbers, ".") && (word == vendorWord || word == "el")
	default:
		return false
	}
}

func (p *parser) end() error {
	switch {
	case p.rest == "":
		return nil
	case strings.TrimLeft(p.rest, ".-") == "x":
		return errWildcard
	default:
		return fmt.Errorf("%q has no known meaning there", p.rest)
	}
}

// takeNumbers takes decimal numbers joined by dots, and no dot behind the last.
func (p *parser) takeNumbers() string {
	n := 0
	for n < len(p.rest) && (isDigit(p.rest[n]) || n > 0 && p.rest[n] == '.' && startsNumeric(p.rest[n+1:])) {
		n++
	}
	text := p.rest[:n]
	p.rest = p.rest[n:]
	return text
}

// parseNumbers reads decimal numbers joined by dots; of no text it makes no numbers.
func parseNumbers(text string) ([]int64, error) {
	if text == "" {
		return nil, nil
	}
	numbers, err := goversion.NewVersion(text)
	if err != nil {
		return nil, fmt.Errorf("reading the numbers %q: %w", text, err)
	}
	return trimZeros(numbers.Segments64()), nil
}

func trimZeros(numbers []int64) []int64 {
	for len(numbers) > 0 && numbers[len(numbers)-1] == 0 {
		numbers = numbers[:len(numbers)-1]
	}
	return numbers
}

// cutStage cuts the word of a pre-release from the front of text.
func cutStage(text string) (s stage, rest string, ok bool) {
	word, rest := cutWord(text)
	if s, ok = stageLetters[word]; ok {
		return s, rest, startsNumeric(rest)
	}
	s, ok = stageWords[word]
	return s, rest, ok
}

// stageWordIn returns the first word of a pre-release that stands anywhere in text, or "".
func stageWordIn(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || 'z' < r })
	i := slices.IndexFunc(words, func(word string) bool { _, ok := stageWords[word]; return ok })
	if i < 0 {
		return ""
	}
	return words[i]
}

// cutSeparator cuts one byte of among from the front of text, if there is one.
func cutSeparator(text, among string) (separator, rest string) {
	if text == "" || strings.IndexByte(among, text[0]) < 0 {
		return "", text
	}
	return text[:1], text[1:]
}

// cutWord cuts the lower case letters from the front of text.
func cutWord(text string) (word, rest string) {
	rest = strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz")
	return text[:len(text)-len(rest)], rest
}

func startsNumeric(text string) bool { return text != "" && isDigit(text[0]) }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isASCIIAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

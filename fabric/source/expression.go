package source

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Expressions that templating leaves in a file: Jinja and Go templates.
var (
	braces    = regexp.MustCompile(`\{\{[^\n]*?\}\}`)
	statement = regexp.MustCompile(`(?m)^[ \t]*(\{%[^\n]*?%\}[ \t]*)+\r?$`)
	inline    = regexp.MustCompile(`\{%[^\n]*?%\}`)
	variable  = regexp.MustCompile(`\$\{[A-Za-z_][^{}\n]*\}|\$[A-Z][A-Z0-9_]*\b`)
	formation = regexp.MustCompile(`(?m)^AWSTemplateFormatVersion\b|^[ \t]+Type:[ \t]*["']?AWS::`)
	hcl       = regexp.MustCompile(`(?m)^[ \t]*(resource|module|data|variable|provider|terraform|locals)\b([ \t]+"[^"\n]+")*[ \t]*\{`)
)

// maskWord fills the place of an expression, so that lines and columns stay.
const maskWord = "\u2060" // word joiner, which no configuration writes

func isMasked(text string) bool { return strings.Contains(text, maskWord) }

// hasExpression leaves CloudFormation out: its dynamic references and the documents within it look alike, and are its own.
func hasExpression(text []byte) bool {
	return !formation.Match(text) && (braces.Match(text) || inline.Match(text))
}

// expressions are the offsets of what was masked.
type expressions []int

// maskExpressions puts plain text in the place of expressions, and comments in the place of statements. The columns behind an
// expression stay as they are, in characters.
func maskExpressions(text []byte) ([]byte, expressions) {
	if !hasExpression(text) {
		return text, nil
	}
	var found expressions
	mask := func(fill func(part []byte) string) func([]byte) []byte {
		return func(part []byte) []byte { return []byte(fill(part)) }
	}
	for _, form := range []*regexp.Regexp{inline, braces} {
		for _, at := range form.FindAllIndex(text, -1) {
			found = append(found, at[0])
		}
	}
	text = statement.ReplaceAllFunc(text, mask(func(part []byte) string {
		indent := len(part) - len(bytes.TrimLeft(part, " \t"))
		return string(part[:indent]) + "#" + strings.Repeat("-", len([]rune(string(part[indent:])))-1)
	}))
	for _, form := range []*regexp.Regexp{inline, braces} {
		text = form.ReplaceAllFunc(text, mask(func(part []byte) string { return strings.Repeat(maskWord, len([]rune(string(part)))) }))
	}
	return text, found
}

// tellExpressions reports what a template leaves open. The rules say for themselves what they could not judge.
func (d *Document) tellExpressions(found expressions) {
	if len(found) == 0 {
		return
	}
	first := found[0]
	for _, at := range found {
		first = min(first, at)
	}
	d.unreadable(first, fmt.Sprintf("%d %s of a template, from here on", len(found), plural(len(found), "expression")), "the file that the template makes",
		"render the template and check what comes out; their values were taken for unknown")
}

// tellVariables reports shell and Terraform variables in texts. They are part of a text, so that the file can be read.
func (d *Document) tellVariables(paths []string) {
	if len(paths) == 0 {
		return
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(cmp.Compare(d.marks[a], d.marks[b]), cmp.Compare(a, b)) })
	d.Findings.Add(diag.Finding{
		Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: d.Name, Path: paths[0]},
		Got:  fmt.Sprintf("%d %s with variables, the first at %s", len(paths), plural(len(paths), "value"), paths[0]),
		Want: "the values themselves", Hint: "check the file that comes out when the variables are filled in (envsubst); their values were taken for unknown",
	})
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

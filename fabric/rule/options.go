package rule

import (
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Scope says which rules are judged: a policy pack sees each resource alone first, and all of them together later.
type Scope uint8

// The scopes. The zero Scope of Options is Everything.
const (
	Alone    Scope = 1 << iota // what one input decides by itself
	Together                   // what needs several inputs

	Everything = Alone | Together
)

// Options say how a Set is judged.
type Options struct {
	Scope Scope
	// Levels are the user's, by rule.
	Levels map[diag.ID]diag.Override
	// Exceptions take findings of a rule off single inputs.
	Exceptions []Exception
	// Workload asks for versions.
	Workload catalog.Workload
	// InstanceTypes are those that scripts, and templates without a type of their own, are for.
	InstanceTypes []string
}

// Exception takes findings of a rule off the inputs that a pattern matches. They stay in the list, at level note and
// with the reason.
type Exception struct {
	Rule diag.ID
	// Pattern of a URN, a resource or a file, with * for any text.
	Pattern string
	Reason  string
}

// matches compares the pattern with the whole of a resource or file.
func (e Exception) matches(p diag.Place) bool {
	parts := strings.Split(e.Pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	form, err := regexp.Compile("^" + strings.Join(parts, ".*") + "$")
	return err == nil && (p.Resource != "" && form.MatchString(p.Resource) || p.File != "" && form.MatchString(p.File))
}

// apply gives the list with the user's levels and exceptions.
func (o Options) apply(list diag.List) diag.List {
	out := list.Apply(o.Levels)
	for i, f := range out {
		for _, e := range o.Exceptions {
			if e.Rule == f.Rule && e.matches(f.Place) {
				out[i].Level, out[i].Reason = diag.Note, e.Reason
			}
		}
	}
	return out
}

package diag

import (
	"fmt"
	"slices"
	"strings"
)

// ID names a rule, for example "block/placement-group". One id has one meaning wherever it is judged.
type ID string

// Where says in which steps a rule is judged.
type Where uint8

// The steps. A rule may be judged in several of them.
const (
	Plan       Where = 1 << iota // from the config alone
	Account                      // against the account as found, before anything is registered
	Policy                       // over registered resources and files
	Image                        // when an image is built
	Boot                         // on a node at boot
	Validation                   // after deployment
)

var whereNames = []struct {
	where Where
	name  string
}{{Plan, "plan"}, {Account, "account"}, {Policy, "policy"}, {Image, "image"}, {Boot, "boot"}, {Validation, "validation"}}

// Names lists the steps in their order.
func (w Where) Names() []string {
	var out []string
	for _, n := range whereNames {
		if w&n.where != 0 {
			out = append(out, n.name)
		}
	}
	return out
}

// String joins the names of the steps with commas.
func (w Where) String() string { return strings.Join(w.Names(), ",") }

// Rule is an entry of the registry.
type Rule struct {
	ID    ID
	Level Level  // the level of its findings, where a finding does not say otherwise
	Where Where  // the steps that judge it
	Says  string // the rule in one sentence
}

// Rules lists every rule that weft judges, sorted by id.
func Rules() []Rule {
	out := slices.Clone(registry)
	slices.SortFunc(out, func(a, b Rule) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}

// Lookup finds a rule by its id.
func Lookup(id ID) (Rule, bool) {
	i := slices.IndexFunc(registry, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return registry[i], true
}

// Level is the rule's own level. A rule that the registry does not hold counts as an error: a finding must
// never get lost because somebody forgot to register its rule.
func (id ID) Level() Level {
	if r, ok := Lookup(id); ok {
		return r.Level
	}
	return Error
}

// Says is the rule in one sentence.
func (id ID) Says() string {
	if r, ok := Lookup(id); ok {
		return r.Says
	}
	return fmt.Sprintf("rule %s is not registered", string(id))
}

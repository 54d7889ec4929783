package rule

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Rule is one thing that is judged. Several rules can share an id: one id has one meaning, and more than one place.
type Rule struct {
	ID    diag.ID
	Scope Scope
	// Doc says what is judged and why, for people who ask about the rule.
	Doc string

	judge func(*view)
}

// Level is the level of the rule's findings where they do not say otherwise.
func (r Rule) Level() diag.Level { return r.ID.Level() }

// Rules lists all rules in the order in which they are judged.
func Rules() []Rule {
	return slices.Concat(blockRules, interfaceRules, launchRules, groupRules, imageRules, clusterRules, jobRules)
}

// Judge judges a set. Findings come sorted; what could not be judged is among them.
func Judge(s Set, o Options) diag.List {
	if o.Scope == 0 {
		o.Scope = Everything
	}
	v := newView(s, o)
	for _, r := range Rules() {
		if r.Scope&o.Scope != 0 {
			v.rule = r
			r.judge(v)
		}
	}
	v.tellWaiting()
	out := o.apply(v.findings)
	out.Sort()
	return out
}

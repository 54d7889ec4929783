package catalog

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/weft-hpc/weft/fabric/version"
)

// Floor is the lowest version of a component that a type or a workload works with.
type Floor struct {
	Component Component
	Min       string   // empty: any version will do, but the component must be there
	For       string   // who asks for it, as shown: "p6-b200" or "deepep-v2"
	Reason    string   // why, where the source says more than a number
	Conflicts []string // other figures that AWS gives, each with its source
	Also      []Floor  // floors of the same component that this one is above of, or equal to
	Source    Source
}

// Workload is what the software on the nodes does, as far as it asks for versions.
type Workload struct {
	Kind       string // dense or moe
	Dispatcher string // of expert-parallel traffic: the name of a Dispatcher; empty: none chosen
}

// minimums is what one group of types, or of workloads, asks for.
type minimums struct {
	asks        string   // who, as shown
	types       []string // types or families; nil: every EFA type
	gpu         bool     // of them, those with GPUs only
	dispatchers []string // workloads that they bind; nil: every workload
	source      Source   // of the floors that name no other
	floors      []Floor
}

func (m *minimums) bind(instanceType string, w Workload) bool {
	return m.bindType(instanceType) &&
		(m.dispatchers == nil || w.Kind != "dense" && slices.Contains(m.dispatchers, w.Dispatcher))
}

func (m *minimums) bindType(instanceType string) bool {
	if m.types != nil {
		return slices.Contains(m.types, instanceType) || slices.Contains(m.types, family(instanceType))
	}
	if !m.gpu {
		return true
	}
	t, ok := Instance(instanceType)
	return ok && t.Accelerator.Kind == "gpu"
}

// floorRule is one floor, with its version read.
type floorRule struct {
	Floor
	of  *minimums
	min version.Version // zero for "any"
}

// floorRules reads the minimums once, on first use.
var floorRules = sync.OnceValue(func() []floorRule {
	var rules []floorRule
	for _, m := range slices.Concat(typeMinimums, workloadMinimums) {
		for _, f := range m.floors {
			f.For = m.asks
			if f.Source == (Source{}) {
				f.Source = m.source
			}
			r := floorRule{Floor: f, of: &m}
			if f.Min != "" {
				r.min = version.MustParse(f.Min)
			}
			rules = append(rules, r)
		}
	}
	return rules
})

// Floors lists what an instance type and a workload ask for: one floor a component, sorted by component,
// the highest where several bind. What it overrides stands in its Also. A type that the catalogue does not
// know gets the floors of its family, of every EFA type and of the workload.
func Floors(instanceType string, w Workload) []Floor {
	highest := make([]floorRule, 0, 16)
	rules := floorRules()
	for n := range rules {
		r := &rules[n]
		if !r.of.bind(instanceType, w) {
			continue
		}
		i := slices.IndexFunc(highest, func(h floorRule) bool { return h.Component == r.Component })
		if i < 0 {
			highest = append(highest, *r)
			continue
		}
		highest[i] = over(highest[i], *r)
	}
	slices.SortFunc(highest, func(a, b floorRule) int { return cmp.Compare(a.Component, b.Component) })
	out := make([]Floor, len(highest))
	for i, h := range highest {
		out[i] = h.Floor
	}
	return out
}

// over gives the higher of two floors, with the other one, and what that overrode, in its Also.
func over(a, b floorRule) floorRule {
	if b.min.Compare(a.min) > 0 {
		a, b = b, a
	}
	lower := b.Floor
	lower.Also = nil
	a.Also = slices.Concat(a.Also, b.Also, []Floor{lower})
	return a
}

// String gives "efa-installer 1.42.0 or later (p6-b200)".
func (f Floor) String() string {
	var b strings.Builder
	b.WriteString(string(f.Component))
	if f.Min == "" {
		b.WriteString(", any version")
	} else {
		b.WriteString(" " + f.Min + " or later")
	}
	b.WriteString(" (" + f.For + ")")
	return b.String()
}

package catalog

import (
	"fmt"
	"maps"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

// Part says which part of a job's software a stack is.
type Part int

// The parts.
const (
	Whole         Part = iota // a node whose jobs run on it as it is
	HostPart                  // a node whose jobs run in a container: kernel, modules and services
	ContainerPart             // a container: user space
)

// Holds reports whether a component of the part counts. An EFA installer counts on both sides: it brings the host's
// kernel driver and the container's libraries. So does GDRCopy: a library in the container, a module on the host.
func (p Part) Holds(c Component) bool {
	switch p {
	case HostPart:
		return c.OfHost() || c == EFAInstaller || c == GDRCopy
	case ContainerPart:
		return !c.OfHost()
	default:
		return true
	}
}

// Stack is the software of one place: of a node, or of a container that runs on it.
type Stack struct {
	Versions map[Component]string // as the component prints its version; empty: not known
	// At tells where a version was read, for the findings; nil: nowhere in particular.
	At   func(Component) diag.Place
	Part Part // what is not of the part is left out of the judgement
}

// Judge compares a stack with floors, with the pairs that must fit together and with the denylist. It gives
// a verdict for each floor, in the floors' order, and a finding for everything that is bad or cannot be read.
//
// A known EFA installer stands for its contents too, as far as they are not given themselves. What fails
// only because the installer fails is a verdict, and no finding of its own.
func (s Stack) Judge(floors []Floor) ([]Verdict, diag.List) {
	j := judge{readings: s.readings(), at: s.At}
	j.unreadable()
	verdicts := make([]Verdict, 0, len(floors))
	for _, f := range floors {
		if s.Part.Holds(f.Component) {
			verdicts = append(verdicts, j.verdict(f))
		}
	}
	if s.Part != HostPart { // what made the installers bad is user space
		j.denied()
	}
	raised := raisedInstaller(verdicts)
	for _, v := range verdicts {
		j.floor(v, raised)
	}
	j.pairs()
	return verdicts, j.findings
}

func (s Stack) readings() readings {
	r := readings{text: map[Component]string{}, read: versions{}, filled: map[Component]bool{}}
	maps.Copy(r.text, s.Versions)
	maps.DeleteFunc(r.text, func(c Component, text string) bool { return text == "" || !s.Part.Holds(c) })
	if i, ok := Installer(r.text[EFAInstaller]); ok {
		r.bundle = i.name()
		for c, text := range i.Contents() {
			if _, given := r.text[c]; !given && s.Part.Holds(c) {
				r.text[c], r.filled[c] = text, true
			}
		}
	}
	for c, text := range r.text {
		if v, err := version.Parse(text); err == nil {
			r.read[c] = v
		}
	}
	return r
}

// On judges a container on its host: what only the two together decide. A job in the container has the container's
// user space on the host's kernel modules. What the floors refuse already is not refused again.
func (s Stack) On(host Stack, floors []Floor) diag.List {
	a := newAcross(s, host)
	for _, p := range crossTable {
		then, broken := p.broken(a.read)
		if broken && !a.refused(then, floors) {
			a.pair(ruleAcross(p), p, then)
		}
	}
	a.differences()
	return a.findings
}

// across judges the stack that a job in a container has.
type across struct {
	judge
	host, container readings
}

func newAcross(container, host Stack) *across {
	container.Part, host.Part = ContainerPart, Whole
	a := &across{host: host.readings(), container: container.readings()}
	a.text, a.read, a.filled = maps.Clone(a.container.text), maps.Clone(a.container.read), a.container.filled
	a.onHost = map[Component]bool{}
	for c, text := range a.host.text {
		if c.OfHost() {
			a.text[c], a.onHost[c] = text, true
		}
	}
	for c, v := range a.host.read {
		if c.OfHost() {
			a.read[c] = v
		}
	}
	a.bundle = a.container.bundle
	a.at = container.At
	return a
}

// refused reports whether a floor of the same component has been found broken on the host.
func (a *across) refused(then Condition, floors []Floor) bool {
	for _, f := range floors {
		if f.Component == then.Component && f.Min != "" && !a.read[f.Component].AtLeast(version.MustParse(f.Min)) {
			return true
		}
	}
	return false
}

// matters are the components that carry the traffic: where they differ, a run on the host proves nothing for the
// container.
var matters = []Component{EFAInstaller, Libfabric, OFIPlugin, NCCL}

func (a *across) differences() {
	var first Component
	var host, container []string
	for _, c := range matters {
		if !a.differs(c) {
			continue
		}
		if first == "" {
			first = c
		}
		host = append(host, string(c)+" "+a.host.text[c])
		container = append(container, string(c)+" "+a.container.text[c])
	}
	if first == "" {
		return
	}
	a.add(first, diag.Finding{
		Rule: diag.VerHostContainer,
		Got:  "in the container " + strings.Join(container, ", "),
		Want: fmt.Sprintf("as on the host (%s), or a run that shows the container's own", strings.Join(host, ", ")),
		Hint: "prove EFA and bandwidth in the training image: a good run on the host says nothing about it",
	}, trainingImage, nil)
}

// differs reports whether both sides are known and not the same. What two installers brought differs with them.
func (a *across) differs(c Component) bool {
	if !a.host.read.has(c) || !a.container.read.has(c) || a.host.filled[c] && a.container.filled[c] {
		return false
	}
	return a.host.read[c].Compare(a.container.read[c]) != 0
}

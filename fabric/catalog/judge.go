package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

// State is the outcome of comparing a component with its floor.
type State string

// The states. NotKnown is no pass: nobody said which version is there.
const (
	Met        State = "met"
	NotMet     State = "not met"
	NotKnown   State = "not known"
	Unreadable State = "unreadable"
)

// Verdict is the comparison of one component with its floor.
type Verdict struct {
	Component Component
	Installed string // as it was given; empty: not known
	Bundle    string // "efa-installer 1.50.0" when the version was concluded from the installer's; "efa-installer 1.49.0, as reported" where AWS did not tell
	Floor     Floor
	State     State
}

// Judge is [Stack.Judge] of a node's versions, with all findings at one place.
func Judge(installed map[Component]string, floors []Floor, at diag.Place) ([]Verdict, diag.List) {
	return Stack{Versions: installed, At: func(Component) diag.Place { return at }}.Judge(floors)
}

// readings are the versions of a stack, read.
type readings struct {
	text   map[Component]string // as given, and the contents of the installer
	read   versions             // what of it can be read
	bundle string               // the installer that text was filled up from; empty: none
	filled map[Component]bool   // what the installer filled up
	onHost map[Component]bool   // what is the host's, where the rest is a container's
}

// says gives "libfabric 2.4.0amzn1.0 (from efa-installer 1.47.0)".
func (r readings) says(c Component) string {
	says := string(c) + " " + r.text[c]
	if r.filled[c] {
		says += " (from " + r.bundle + ")"
	}
	if r.onHost[c] {
		says += " on the host"
	}
	return says
}

type judge struct {
	readings
	at       func(Component) diag.Place
	findings diag.List
}

// add takes a finding about a component, with the source of the rule's figure.
func (j *judge) add(c Component, f diag.Finding, source Source, conflicts []string) {
	f.Place, f.Source = j.place(c), cite(source, conflicts)
	j.findings.Add(f)
}

// place is where a component's version was read; for what the installer brought, where the installer's was.
func (j *judge) place(c Component) diag.Place {
	switch {
	case j.at == nil:
		return diag.Place{}
	case j.filled[c]:
		return j.at(EFAInstaller)
	default:
		return j.at(c)
	}
}

func cite(source Source, conflicts []string) string {
	ref := fmt.Sprintf("%s (read %s)", source.Ref, source.Date)
	if len(conflicts) > 0 {
		ref += "; other figures: " + strings.Join(conflicts, "; ")
	}
	return ref
}

func (j *judge) unreadable() {
	for _, c := range slices.Sorted(maps.Keys(j.text)) {
		if _, ok := j.read[c]; ok {
			continue
		}
		_, err := version.Parse(j.text[c])
		j.findings.Add(diag.Finding{
			Rule: diag.VerUnreadable, Place: j.place(c),
			Got:  fmt.Sprintf("%s %q: %v", c, j.text[c], err),
			Want: "a version of a known form, for example 2.31.2-1",
			Hint: "give the version as the package or the program itself prints it",
		})
	}
}

func (j *judge) verdict(f Floor) Verdict {
	v := Verdict{Component: f.Component, Installed: j.text[f.Component], Floor: f}
	if j.filled[f.Component] {
		v.Bundle = j.bundle
	}
	v.State = j.state(f)
	return v
}

func (j *judge) state(f Floor) State {
	if j.text[f.Component] == "" {
		return NotKnown
	}
	have, ok := j.read[f.Component]
	if !ok {
		return Unreadable
	}
	if f.Min == "" {
		return Met
	}
	floor, err := version.Parse(f.Min)
	switch {
	case err != nil:
		return Unreadable
	case have.AtLeast(floor):
		return Met
	default:
		return NotMet
	}
}

// raisedInstaller is the installer that the verdicts ask for instead of the one there; zero when that one
// will do.
func raisedInstaller(verdicts []Verdict) version.Version {
	var raised version.Version
	for _, v := range verdicts {
		if v.Component != EFAInstaller || v.State != NotMet {
			continue
		}
		if floor := version.MustParse(v.Floor.Min); floor.Compare(raised) > 0 {
			raised = floor
		}
	}
	return raised
}

func (j *judge) floor(v Verdict, raised version.Version) {
	f := v.Floor
	switch {
	case v.State == Unreadable && j.read.has(v.Component):
		j.add(v.Component, diag.Finding{
			Rule: diag.VerUnreadable, Got: fmt.Sprintf("floor %q of %s", f.Min, f.Component), Want: "a version of a known form",
			Hint: "write the floor as the component prints its version",
		}, f.Source, nil)
	case v.State != NotMet, v.Bundle != "" && brings(raised, f):
		// The second: raising the installer to its own floor raises this component too.
	default:
		want := f.String()
		if f.Reason != "" {
			want += ": " + f.Reason
		}
		j.add(v.Component, diag.Finding{Rule: diag.VerFloor, Got: j.says(v.Component), Want: want, Hint: wayUp(v)}, f.Source, f.Conflicts)
	}
}

// brings reports whether an installer brings enough of a component for its floor.
func brings(installer version.Version, f Floor) bool {
	first, ok := FirstInstaller(f.Component, f.Min)
	return ok && installer.AtLeast(version.MustParse(first.Version))
}

func wayUp(v Verdict) string {
	if v.Bundle == "" {
		return fmt.Sprintf("install %s %s or later", v.Component, v.Floor.Min)
	}
	i, ok := FirstInstaller(v.Component, v.Floor.Min)
	if !ok {
		return fmt.Sprintf("install %s %s or later; no known EFA installer brings it", v.Component, v.Floor.Min)
	}
	return fmt.Sprintf("install efa-installer %s or later, the first with it", i.Version)
}

// denied goes through the denylist. Where the installer itself is denied, what it brought is not denied
// again.
func (j *judge) denied() {
	installerDenied := false
	for _, d := range denyTable {
		have, ok := j.read[d.Component]
		if !ok || !d.Covers(have) || installerDenied && j.filled[d.Component] {
			continue
		}
		installerDenied = installerDenied || d.Component == EFAInstaller
		j.add(d.Component, diag.Finding{
			Rule: diag.VerDenied, Got: j.says(d.Component), Want: fmt.Sprintf("not %s %s: %s", d.Component, d.Range(), d.Reason),
			Hint: fmt.Sprintf("install %s %s or later", d.Component, d.Fixed),
		}, d.Source, nil)
	}
}

func (j *judge) pairs() {
	for _, p := range pairTable {
		if then, broken := p.broken(j.read); broken {
			j.pair(diag.VerPair, p, then)
		}
	}
}

func (j *judge) pair(rule diag.ID, p Pair, then Condition) {
	got := j.says(p.If.Component)
	if other := then.other(p.If.Component); other != "" {
		got += " with " + j.says(other)
	}
	hint := p.Hint
	if hint == "" {
		hint = j.wayTogether(then)
	}
	j.add(p.If.Component, diag.Finding{
		Rule: rule, Level: p.Level, Got: got, Want: fmt.Sprintf("%s where %s: %s", then, p.when(), p.Reason), Hint: hint,
	}, p.Source, p.Conflicts)
}

func (j *judge) wayTogether(then Condition) string {
	bound := then.Version
	if then.Than != "" {
		bound = j.text[then.Than]
	}
	if then.Op == Equal {
		return fmt.Sprintf("install %s %s", then.Component, bound)
	}
	return fmt.Sprintf("install %s %s or later", then.Component, bound)
}

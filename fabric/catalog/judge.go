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
	Bundle    string // "efa-installer 1.50.0" when the version was concluded from the installer's
	Floor     Floor
	State     State
}

// Judge compares installed versions with floors, with the pairs that must fit together and with the
// denylist. It gives a verdict for each floor, in the floors' order, and a finding for everything that is
// bad or cannot be read; at is the place of the findings.
//
// A known EFA installer stands for its contents too, as far as they are not given themselves. What fails
// only because the installer fails is a verdict, and no finding of its own.
func Judge(installed map[Component]string, floors []Floor, at diag.Place) ([]Verdict, diag.List) {
	j := judge{stack: readStack(installed), at: at}
	j.unreadable()
	verdicts := make([]Verdict, 0, len(floors))
	for _, f := range floors {
		verdicts = append(verdicts, j.verdict(f))
	}
	j.denied()
	raised := raisedInstaller(verdicts)
	for _, v := range verdicts {
		j.floor(v, raised)
	}
	j.pairs()
	return verdicts, j.findings
}

// stack is a set of versions.
type stack struct {
	text   map[Component]string // as given, and the contents of the installer
	read   versions             // what of it can be read
	bundle string               // the installer that text was filled up from; empty: none
	filled map[Component]bool   // what the installer filled up
}

func readStack(installed map[Component]string) stack {
	s := stack{text: maps.Clone(installed), read: versions{}, filled: map[Component]bool{}}
	maps.DeleteFunc(s.text, func(_ Component, text string) bool { return text == "" })
	if i, ok := Installer(s.text[EFAInstaller]); ok {
		s.bundle = string(EFAInstaller) + " " + i.Version
		for c, text := range i.Contents() {
			if _, given := s.text[c]; !given {
				s.text[c], s.filled[c] = text, true
			}
		}
	}
	for c, text := range s.text {
		if v, err := version.Parse(text); err == nil {
			s.read[c] = v
		}
	}
	return s
}

// says gives "libfabric 2.4.0amzn1.0 (from efa-installer 1.47.0)".
func (s stack) says(c Component) string {
	says := string(c) + " " + s.text[c]
	if s.filled[c] {
		says += " (from " + s.bundle + ")"
	}
	return says
}

type judge struct {
	stack
	at       diag.Place
	findings diag.List
}

func (j *judge) add(rule diag.ID, got, want, hint string, source Source, conflicts []string) {
	ref := fmt.Sprintf("%s (read %s)", source.Ref, source.Date)
	if len(conflicts) > 0 {
		ref += "; other figures: " + strings.Join(conflicts, "; ")
	}
	j.findings.Add(diag.Finding{Rule: rule, Place: j.at, Got: got, Want: want, Hint: hint, Source: ref})
}

func (j *judge) unreadable() {
	for _, c := range slices.Sorted(maps.Keys(j.text)) {
		if _, ok := j.read[c]; ok {
			continue
		}
		_, err := version.Parse(j.text[c])
		j.findings.Add(diag.Finding{
			Rule: diag.VerUnreadable, Place: j.at,
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
		j.add(diag.VerUnreadable, fmt.Sprintf("floor %q of %s", f.Min, f.Component), "a version of a known form",
			"write the floor as the component prints its version", f.Source, nil)
	case v.State != NotMet, v.Bundle != "" && brings(raised, f):
		// The second: raising the installer to its own floor raises this component too.
	default:
		want := f.String()
		if f.Reason != "" {
			want += ": " + f.Reason
		}
		j.add(diag.VerFloor, j.says(v.Component), want, wayUp(v), f.Source, f.Conflicts)
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
		j.add(diag.VerDenied, j.says(d.Component), fmt.Sprintf("not %s %s: %s", d.Component, d.Range(), d.Reason),
			fmt.Sprintf("install %s %s or later", d.Component, d.Fixed), d.Source, nil)
	}
}

func (j *judge) pairs() {
	for _, p := range pairTable {
		if ok, known := p.If.holds(j.read); !ok || !known {
			continue
		}
		for _, then := range p.Then {
			if ok, known := then.holds(j.read); ok || !known {
				continue
			}
			j.add(diag.VerPair, j.says(p.If.Component)+" with "+j.says(then.Component),
				fmt.Sprintf("%s where %s: %s", then, p.If, p.Reason), j.wayTogether(then), p.Source, p.Conflicts)
			break // further conditions show the same fault in other components
		}
	}
}

func (j *judge) wayTogether(then Condition) string {
	bound := then.Version
	if then.Than != "" {
		bound = j.text[then.Than]
	}
	return fmt.Sprintf("install %s %s or later", then.Component, bound)
}

// Package diag is what weft says about a fault: findings that know their rule, their place, both sides
// of the mismatch and the way out.
//
// A finding is for faults of the input: a config, a template, an account, a node, a log. Findings are
// collected, never first-error. An error value is for failures of the program itself.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Level says how serious a finding is.
type Level int

// The levels. The zero value means "as the rule says"; List.Add replaces it.
const (
	Unset Level = iota
	Note        // shown when asked for
	Warn        // shown
	Error       // fails the step
)

var levelNames = [...]string{Unset: "unset", Note: "note", Warn: "warn", Error: "error"}

// String gives the level's name as it is written in configs and reports: note, warn or error.
func (l Level) String() string {
	if !l.valid() {
		return fmt.Sprintf("level(%d)", int(l))
	}
	return levelNames[l]
}

// valid reports whether the level is one of the named ones, Unset included.
func (l Level) valid() bool { return l >= Unset && l <= Error }

// MarshalText writes the level's name. A number that is no level is an error.
func (l Level) MarshalText() ([]byte, error) {
	if !l.valid() {
		return nil, fmt.Errorf("%s is not one of note, warn, error", l)
	}
	return []byte(l.String()), nil
}

// UnmarshalText reads note, warn or error.
func (l *Level) UnmarshalText(b []byte) error {
	i := slices.Index(levelNames[Note:], string(b))
	if i < 0 {
		return fmt.Errorf("level %q is not one of note, warn, error", b)
	}
	*l = Note + Level(i)
	return nil
}

// Place says where a finding is. Any part may be empty.
type Place struct {
	File     string `json:"file,omitempty"`     // as the user named it
	Line     int    `json:"line,omitempty"`     // from 1
	Column   int    `json:"column,omitempty"`   // from 1, in characters
	Path     string `json:"path,omitempty"`     // in the words of the file: groups[0].capacity.block.reservation
	Resource string `json:"resource,omitempty"` // URN or id of a registered or existing resource
}

// String gives file:line:column, path and resource, as far as they are known: a column counts only with
// its line. A position without a file, as in a value that came without one, is written "line 3:7".
func (p Place) String() string {
	parts := []string{p.position(), p.Path, p.Resource}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

func (p Place) position() string {
	if p.Line <= 0 {
		return p.File
	}
	at := strconv.Itoa(p.Line)
	if p.Column > 0 {
		at += ":" + strconv.Itoa(p.Column)
	}
	if p.File == "" {
		return "line " + at
	}
	return p.File + ":" + at
}

// Finding is one fault: what rule, where, what stands there, what should, what to do, and who says so.
type Finding struct {
	Rule   ID     `json:"rule"`
	Level  Level  `json:"level"`
	Place  Place  `json:"place"`
	Got    string `json:"got"`              // what was found, with its value
	Want   string `json:"want"`             // what the rule asks for, with its value
	Hint   string `json:"hint"`             // the way out, in the words of the place
	Source string `json:"source,omitempty"` // who says so: a document, an issue, a measurement
	Reason string `json:"reason,omitempty"` // why the user lowered the level; empty when nobody did
}

// Severity is the level that the finding counts at: its own, or its rule's where it has none.
func (f Finding) Severity() Level {
	if f.Level == Unset || !f.Level.valid() {
		return f.Rule.Level()
	}
	return f.Level
}

// List collects findings. The zero value is ready to use. Every method reads a finding without a level at
// the level of its rule, so that a list written as a literal counts like one that was added up.
type List []Finding

// Add appends findings. A finding without a level takes the level of its rule.
func (l *List) Add(findings ...Finding) {
	for _, f := range findings {
		f.Level = f.Severity()
		*l = append(*l, f)
	}
}

// Sort orders the list: by file, line, column, path, resource, then the more serious first, then by rule and
// the texts. The order is total: findings that differ come out in one order, however they were collected.
func (l List) Sort() { slices.SortStableFunc(l, compare) }

func compare(a, b Finding) int {
	if c := comparePlaces(&a.Place, &b.Place); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(b.Severity(), a.Severity()),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Got, b.Got),
		cmp.Compare(a.Want, b.Want),
		cmp.Compare(a.Hint, b.Hint),
		cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Reason, b.Reason),
	)
}

func comparePlaces(a, b *Place) int {
	if c := cmp.Compare(a.File, b.File); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Path, b.Path),
		cmp.Compare(a.Resource, b.Resource),
	)
}

// Worst is the highest level in the list, Unset when the list is empty.
func (l List) Worst() Level {
	worst := Unset
	for _, f := range l {
		worst = max(worst, f.Severity())
	}
	return worst
}

// Failed reports whether a finding stands at error level.
func (l List) Failed() bool { return l.Worst() == Error }

// Count is the number of findings at a level.
func (l List) Count(level Level) int {
	n := 0
	for _, f := range l {
		if f.Severity() == level {
			n++
		}
	}
	return n
}

// AtLeast gives the findings at or above a level, in the same order.
func (l List) AtLeast(level Level) List {
	var out List
	for _, f := range l {
		if f.Severity() >= level {
			out = append(out, f)
		}
	}
	return out
}

// Override is a user's decision to judge a rule at another level. The reason is shown in every report.
type Override struct {
	Level  Level  `json:"level" yaml:"level"`
	Reason string `json:"reason" yaml:"reason"`
}

// noReason stands in reports where a level was lowered and nobody said why.
const noReason = "no reason was given"

// Apply gives the list with the user's levels; the list itself stays as it is. Only a lowered level needs
// its reason in the report, and gets one there even if the user gave none.
func (l List) Apply(overrides map[ID]Override) List {
	out := slices.Clone(l)
	for i, f := range out {
		o, ok := overrides[f.Rule]
		if !ok || o.Level == Unset {
			continue
		}
		out[i].Level = o.Level
		if o.Level < f.Severity() {
			out[i].Reason = cmp.Or(strings.TrimSpace(o.Reason), noReason)
		}
	}
	return out
}

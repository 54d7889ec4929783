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
	if l < Unset || l > Error {
		return fmt.Sprintf("level(%d)", int(l))
	}
	return levelNames[l]
}

// MarshalText writes the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

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

// String gives file:line:column, path and resource, as far as they are known.
func (p Place) String() string {
	var parts []string
	if p.File != "" {
		at := p.File
		if p.Line > 0 {
			at += fmt.Sprintf(":%d:%d", p.Line, max(p.Column, 1))
		}
		parts = append(parts, at)
	}
	for _, s := range []string{p.Path, p.Resource} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
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

// List collects findings. The zero value is ready to use.
type List []Finding

// Add appends findings. A finding without a level takes the level of its rule.
func (l *List) Add(findings ...Finding) {
	for _, f := range findings {
		if f.Level == Unset {
			f.Level = f.Rule.Level()
		}
		*l = append(*l, f)
	}
}

// Sort orders the list: by file, line, column, path, resource, then the more serious first, then by rule.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Place.File, b.Place.File),
			cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column),
			cmp.Compare(a.Place.Path, b.Place.Path),
			cmp.Compare(a.Place.Resource, b.Place.Resource),
			-cmp.Compare(a.Level, b.Level),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Got, b.Got),
		)
	})
}

// Worst is the highest level in the list, Unset when the list is empty.
func (l List) Worst() Level {
	worst := Unset
	for _, f := range l {
		worst = max(worst, f.Level)
	}
	return worst
}

// Failed reports whether a finding stands at error level.
func (l List) Failed() bool { return l.Worst() == Error }

// Count is the number of findings at a level.
func (l List) Count(level Level) int {
	n := 0
	for _, f := range l {
		if f.Level == level {
			n++
		}
	}
	return n
}

// AtLeast gives the findings at or above a level, in the same order.
func (l List) AtLeast(level Level) List {
	var out List
	for _, f := range l {
		if f.Level >= level {
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

// Apply gives the list with the user's levels. Only a lowered level needs its reason in the report.
func (l List) Apply(overrides map[ID]Override) List {
	out := slices.Clone(l)
	for i, f := range out {
		o, ok := overrides[f.Rule]
		if !ok || o.Level == Unset {
			continue
		}
		out[i].Level = o.Level
		if o.Level < f.Level {
			out[i].Reason = o.Reason
		}
	}
	return out
}

// Package render writes a list of findings for people and for machines: text, JSON, SARIF and JUnit XML.
//
// Every format sorts the findings and leaves the list that it was given as it is. Text hides notes unless
// asked for; the formats for machines always carry everything. No format passes a control character on to a
// terminal: what cannot be printed is written as an escape.
package render

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Options says how findings are shown. The zero value gives plain text without notes, excerpts and wrapping.
type Options struct {
	Color   bool              // ANSI colours in text; whether the output is a terminal is the caller's knowledge
	Notes   bool              // show notes in text, instead of counting them as hidden
	Bare    bool              // text without the line that counts, for findings that are shown one at a time
	Width   int               // cells a line of text may take; 0 or less does not wrap
	Sources map[string][]byte // content of files by Place.File; text shows the line of a finding with a caret
	Version string            // weft's version, named in SARIF; may be empty
}

// Format writes a list of findings. An error is the writer's or the encoder's, never about a finding.
type Format func(w io.Writer, l diag.List, o Options) error

var formats = map[string]Format{"text": Text, "json": JSON, "sarif": SARIF, "junit": JUnit}

// Named finds a format by its name: text, json, sarif or junit.
func Named(name string) (Format, bool) {
	f, ok := formats[name]
	return f, ok
}

// Names lists the formats in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(formats)) }

// prepared is the list that a format works on: sorted, every finding with its level, the caller's untouched.
func prepared(l diag.List) diag.List {
	out := make(diag.List, 0, len(l))
	out.Add(l...)
	out.Sort()
	return out
}

// part is one labelled line of a finding's text.
type part struct{ label, value string }

// parts gives what a finding says, in reading order, without what it leaves empty.
func parts(f diag.Finding) []part {
	all := []part{{"got", f.Got}, {"want", f.Want}, {"do", f.Hint}, {"source", f.Source}}
	if f.Reason != "" {
		all = append(all, part{"reason", fmt.Sprintf("lowered to %s: %s", f.Level, f.Reason)})
	}
	return slices.DeleteFunc(all, func(p part) bool { return p.value == "" })
}

func write(w io.Writer, format string, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("writing findings as %s: %w", format, err)
	}
	return nil
}

// Package diagtest compares lists of findings in tests, and holds every finding to what it must tell.
package diagtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Equal fails the test unless both lists hold the same findings, in any order. A wanted finding without a
// level stands for one at the level of its rule. The failure names each finding that is missing, unexpected
// or told differently, with the parts that differ.
func Equal(t testing.TB, want, got diag.List) {
	t.Helper()
	if d := difference(want, got); d != "" {
		t.Errorf("findings differ (-want +got):\n%s", d)
	}
}

// Complete fails the test for every finding that does not tell enough to act on: a registered rule, a place,
// both sides of the mismatch, a way out, and texts without a formatting accident in them. An empty list is
// complete.
func Complete(t testing.TB, l diag.List) {
	t.Helper()
	for _, f := range l {
		for _, lack := range lacks(f) {
			t.Errorf("finding %s %s", title(f), lack)
		}
	}
}

// title names a finding in a failure.
func title(f diag.Finding) string {
	place := f.Place.String()
	if place == "" {
		place = "no place"
	}
	return fmt.Sprintf("%s %s at %s", f.Severity(), f.Rule, place)
}

// accidents are traces of a text that was put together wrongly.
var accidents = []string{"%!", "<nil>"}

func lacks(f diag.Finding) []string {
	var out []string
	if _, ok := diag.Lookup(f.Rule); !ok {
		out = append(out, "has a rule that is not registered")
	}
	if strings.TrimSpace(f.Place.String()) == "" {
		out = append(out, "names no place: no file, line, path or resource")
	}
	for _, p := range []field{{"got", f.Got}, {"want", f.Want}, {"hint", f.Hint}} {
		if strings.TrimSpace(p.value) == "" {
			out = append(out, "has no "+p.name)
		}
	}
	if f.Got != "" && f.Got == f.Want {
		out = append(out, fmt.Sprintf("has two equal sides: %q", f.Got))
	}
	for _, p := range fields(f) {
		if slices.ContainsFunc(accidents, func(s string) bool { return strings.Contains(p.value, s) }) {
			out = append(out, fmt.Sprintf("has a %s that was put together wrongly: %q", p.name, p.value))
		}
	}
	return out
}

// field is a part of a finding by its name.
type field struct{ name, value string }

func fields(f diag.Finding) []field {
	heading := []field{
		{"rule", string(f.Rule)},
		{"level", f.Severity().String()},
		{"place", f.Place.String()},
	}
	return append(heading, texts(f)...)
}

// texts are the parts of a finding that its title does not hold.
func texts(f diag.Finding) []field {
	return []field{
		{"got", f.Got}, {"want", f.Want}, {"hint", f.Hint}, {"source", f.Source}, {"reason", f.Reason},
	}
}

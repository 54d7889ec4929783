package diagtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// difference describes how two lists differ; it is empty when they hold the same findings.
func difference(want, got diag.List) string {
	missing, extra := without(sorted(want), sorted(got)), without(sorted(got), sorted(want))
	var b strings.Builder
	// What differs is told by the closest pair: the same rule at the same place first, then the same rule.
	for _, alike := range []func(a, b diag.Finding) bool{sameRuleAndPlace, sameRule} {
		missing = slices.DeleteFunc(missing, func(w diag.Finding) bool {
			i := slices.IndexFunc(extra, func(g diag.Finding) bool { return alike(w, g) })
			if i < 0 {
				return false
			}
			describePair(&b, w, extra[i])
			extra = slices.Delete(extra, i, i+1)
			return true
		})
	}
	for _, f := range missing {
		describe(&b, "-", "missing", f)
	}
	for _, f := range extra {
		describe(&b, "+", "unexpected", f)
	}
	return b.String()
}

func sameRule(a, b diag.Finding) bool         { return a.Rule == b.Rule }
func sameRuleAndPlace(a, b diag.Finding) bool { return a.Rule == b.Rule && a.Place == b.Place }

func sorted(l diag.List) diag.List {
	out := make(diag.List, 0, len(l))
	out.Add(l...)
	out.Sort()
	return out
}

// without takes from a list what another holds as well, each finding as often as it stands there.
func without(l, other diag.List) diag.List {
	times := map[diag.Finding]int{}
	for _, f := range other {
		times[f]++
	}
	return slices.DeleteFunc(l, func(f diag.Finding) bool {
		times[f]--
		return times[f] >= 0
	})
}

func describePair(b *strings.Builder, want, got diag.Finding) {
	fmt.Fprintf(b, "  %s\n", title(want))
	wanted, found := fields(want), fields(got)
	for i := range wanted {
		if wanted[i] != found[i] {
			fmt.Fprintf(b, "-   %-6s %q\n+   %-6s %q\n", wanted[i].name, wanted[i].value, found[i].name, found[i].value)
		}
	}
}

func describe(b *strings.Builder, sign, what string, f diag.Finding) {
	fmt.Fprintf(b, "%s %s: %s\n", sign, what, title(f))
	for _, p := range texts(f) {
		if p.value != "" {
			fmt.Fprintf(b, "%s   %-6s %q\n", sign, p.name, p.value)
		}
	}
}

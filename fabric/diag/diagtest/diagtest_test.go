package diagtest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

// recorder is a test that keeps its failures. Nothing else of testing.TB is used.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func size() diag.Finding {
	return diag.Finding{
		Rule: diag.BlockSize, Level: diag.Error, Place: diag.Place{File: "a.yaml", Line: 3, Column: 1, Path: "groups"},
		Got: "24 instances", Want: "at most 16", Hint: "lower a count",
	}
}

func several() diag.Finding {
	return diag.Finding{
		Rule: diag.BlockSeveral, Level: diag.Warn, Place: diag.Place{Path: "groups"},
		Got: "2 blocks", Want: "1 block", Hint: "measure", Source: "a guide",
	}
}

func with(f diag.Finding, change func(*diag.Finding)) diag.Finding {
	change(&f)
	return f
}

func TestEqual(t *testing.T) {
	tests := map[string]struct {
		want, got diag.List
		failure   string
	}{
		"nothing":         {nil, diag.List{}, ""},
		"same":            {diag.List{size(), several()}, diag.List{size(), several()}, ""},
		"in other order":  {diag.List{size(), several()}, diag.List{several(), size()}, ""},
		"level of a rule": {diag.List{with(size(), func(f *diag.Finding) { f.Level = diag.Unset })}, diag.List{size()}, ""},
		"missing": {diag.List{size(), several()}, diag.List{size()}, `- missing: warn block/several at groups
-   got    "2 blocks"
-   want   "1 block"
-   hint   "measure"
-   source "a guide"
`},
		"unexpected": {nil, diag.List{size()}, `+ unexpected: error block/size at a.yaml:3:1 groups
+   got    "24 instances"
+   want   "at most 16"
+   hint   "lower a count"
`},
		"twice": {diag.List{size()}, diag.List{size(), size()}, `+ unexpected: error block/size at a.yaml:3:1 groups
+   got    "24 instances"
+   want   "at most 16"
+   hint   "lower a count"
`},
		"told differently": {
			diag.List{size()},
			diag.List{with(size(), func(f *diag.Finding) { f.Got, f.Level = "25\tinstances", diag.Warn })},
			`  error block/size at a.yaml:3:1 groups
-   level  "error"
+   level  "warn"
-   got    "24 instances"
+   got    "25\tinstances"
`,
		},
		"elsewhere": {
			diag.List{size()},
			diag.List{with(size(), func(f *diag.Finding) { f.Place = diag.Place{} })},
			`  error block/size at a.yaml:3:1 groups
-   place  "a.yaml:3:1 groups"
+   place  ""
`,
		},
		"pairs at the same place first": {
			diag.List{with(size(), func(f *diag.Finding) { f.Got = "23" })},
			diag.List{
				with(size(), func(f *diag.Finding) { f.Place.Line = 1 }),
				size(),
			},
			`  error block/size at a.yaml:3:1 groups
-   got    "23"
+   got    "24 instances"
+ unexpected: error block/size at a.yaml:1:1 groups
+   got    "24 instances"
+   want   "at most 16"
+   hint   "lower a count"
`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var r recorder
			diagtest.Equal(&r, tt.want, tt.got)
			if tt.failure == "" {
				require.Empty(t, r.failures)
				return
			}
			require.Equal(t, []string{"findings differ (-want +got):\n" + tt.failure}, r.failures)
		})
	}
}

func TestEqualIsEquality(t *testing.T) {
	finding := rapid.Custom(func(t *rapid.T) diag.Finding {
		f := rapid.SampledFrom([]diag.Finding{size(), several()}).Draw(t, "finding")
		f.Got = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "got")
		return f
	})
	rapid.Check(t, func(rt *rapid.T) {
		want := diag.List(rapid.SliceOfN(finding, 0, 4).Draw(rt, "want"))
		got := diag.List(rapid.SliceOfN(finding, 0, 4).Draw(rt, "got"))
		var r recorder
		diagtest.Equal(&r, want, got)
		sortedWant, sortedGot := slices.Clone(want), slices.Clone(got)
		sortedWant.Sort()
		sortedGot.Sort()
		require.Equal(rt, slices.Equal(sortedWant, sortedGot), len(r.failures) == 0)
	})
}

func TestComplete(t *testing.T) {
	tests := map[string]struct {
		finding diag.Finding
		lacks   []string
	}{
		"complete": {size(), nil},
		"resource only": {
			with(size(), func(f *diag.Finding) { f.Place = diag.Place{Resource: "cr-0a1"} }), nil,
		},
		"rule": {
			with(size(), func(f *diag.Finding) { f.Rule = "nowhere/registered" }),
			[]string{"finding error nowhere/registered at a.yaml:3:1 groups has a rule that is not registered"},
		},
		"place": {
			with(size(), func(f *diag.Finding) { f.Place = diag.Place{Column: 3} }),
			[]string{"finding error block/size at no place names no place: no file, line, path or resource"},
		},
		"sides and way out": {
			with(size(), func(f *diag.Finding) { f.Got, f.Want, f.Hint = "", " \n", "\t" }),
			[]string{
				"finding error block/size at a.yaml:3:1 groups has no got",
				"finding error block/size at a.yaml:3:1 groups has no want",
				"finding error block/size at a.yaml:3:1 groups has no hint",
			},
		},
		"equal sides": {
			with(size(), func(f *diag.Finding) { f.Want = f.Got }),
			[]string{`finding error block/size at a.yaml:3:1 groups has two equal sides: "24 instances"`},
		},
		"formatting": {
			with(size(), func(f *diag.Finding) { f.Got, f.Hint = "%!d(string=x) instances", "set <nil>" }),
			[]string{
				`finding error block/size at a.yaml:3:1 groups has a got that was put together wrongly: "%!d(string=x) instances"`,
				`finding error block/size at a.yaml:3:1 groups has a hint that was put together wrongly: "set <nil>"`,
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var r recorder
			diagtest.Complete(&r, diag.List{several(), tt.finding})
			require.Equal(t, tt.lacks, r.failures)
		})
	}
}

package diag_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
)

const unregistered diag.ID = "nowhere/registered"

func TestLevelTextRoundTrip(t *testing.T) {
	for name, level := range map[string]diag.Level{"note": diag.Note, "warn": diag.Warn, "error": diag.Error} {
		t.Run(name, func(t *testing.T) {
			text, err := level.MarshalText()
			require.NoError(t, err)
			require.Equal(t, name, string(text))
			require.Equal(t, name, level.String())

			var back diag.Level
			require.NoError(t, back.UnmarshalText(text))
			require.Equal(t, level, back)
		})
	}
}

func TestLevelRefusesOtherText(t *testing.T) {
	for _, text := range []string{"", "unset", "Error", "warning", "note ", "level(2)", "2"} {
		level := diag.Warn
		require.EqualError(t, level.UnmarshalText([]byte(text)),
			"level "+strconv.Quote(text)+" is not one of note, warn, error")
		require.Equal(t, diag.Warn, level, "a refused text leaves the level alone")
	}
}

func TestLevelOutOfRange(t *testing.T) {
	for _, level := range []diag.Level{-1, diag.Error + 1} {
		require.Equal(t, "level("+strconv.Itoa(int(level))+")", level.String())
		_, err := level.MarshalText()
		require.Error(t, err)
	}
	require.Equal(t, "unset", diag.Unset.String())
}

func TestLevelsRise(t *testing.T) {
	levels := []diag.Level{diag.Unset, diag.Note, diag.Warn, diag.Error}
	require.True(t, slices.IsSorted(levels))
}

func FuzzLevelUnmarshalText(f *testing.F) {
	for _, s := range []string{"note", "warn", "error", "unset", "", "err\x00r"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var level diag.Level
		if level.UnmarshalText(text) != nil {
			require.Equal(t, diag.Unset, level)
			return
		}
		back, err := level.MarshalText()
		require.NoError(t, err)
		require.Equal(t, string(text), string(back))
	})
}

func TestPlaceString(t *testing.T) {
	tests := map[string]struct {
		place diag.Place
		want  string
	}{
		"nothing known":         {diag.Place{}, ""},
		"file":                  {diag.Place{File: "cluster.yaml"}, "cluster.yaml"},
		"line":                  {diag.Place{File: "cluster.yaml", Line: 12}, "cluster.yaml:12"},
		"column":                {diag.Place{File: "cluster.yaml", Line: 12, Column: 7}, "cluster.yaml:12:7"},
		"a column needs a line": {diag.Place{File: "cluster.yaml", Column: 7}, "cluster.yaml"},
		"path":                  {diag.Place{Path: "groups[0].count"}, "groups[0].count"},
		"position without file": {diag.Place{Line: 3, Column: 7, Path: "name"}, "line 3:7 name"},
		"line without file":     {diag.Place{Line: 3}, "line 3"},
		"resource":              {diag.Place{Resource: "cr-0a1"}, "cr-0a1"},
		"file, path":            {diag.Place{File: "a.yaml", Line: 1, Column: 1, Path: "name"}, "a.yaml:1:1 name"},
		"everything": {
			diag.Place{File: "a.yaml", Line: 1, Column: 2, Path: "name", Resource: "cr-0a1"},
			"a.yaml:1:2 name cr-0a1",
		},
		"path and resource only": {diag.Place{Path: "name", Resource: "cr-0a1"}, "name cr-0a1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, tt.place.String()) })
	}
}

func TestAddGivesTheLevelOfTheRule(t *testing.T) {
	tests := map[string]struct{ finding, want diag.Level }{
		"of an error rule":  {diag.Finding{Rule: diag.ConfigKey}.Severity(), diag.Error},
		"of a warning rule": {diag.Finding{Rule: diag.BlockSeveral}.Severity(), diag.Warn},
		"of a note rule":    {diag.Finding{Rule: diag.AccountSkipped}.Severity(), diag.Note},
		"of no known rule":  {diag.Finding{Rule: unregistered}.Severity(), diag.Error},
		"of the finding":    {diag.Finding{Rule: diag.ConfigKey, Level: diag.Note}.Severity(), diag.Note},
		"out of range":      {diag.Finding{Rule: diag.BlockSeveral, Level: 9}.Severity(), diag.Warn},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, tt.finding) })
	}

	var l diag.List
	l.Add(diag.Finding{Rule: diag.BlockSeveral}, diag.Finding{Rule: diag.BlockSeveral, Level: diag.Error})
	l.Add()
	require.Equal(t, diag.List{
		{Rule: diag.BlockSeveral, Level: diag.Warn},
		{Rule: diag.BlockSeveral, Level: diag.Error},
	}, l)
}

// inOrder is a list as Sort leaves it; each finding differs from the one before in what the order looks at next.
func inOrder() diag.List {
	at := func(file string, line, column int, path, resource string) diag.Place {
		return diag.Place{File: file, Line: line, Column: column, Path: path, Resource: resource}
	}
	return diag.List{
		{Rule: diag.ConfigKey, Level: diag.Error},
		{Rule: diag.ConfigKey, Level: diag.Error, Place: at("", 0, 0, "", "cr-0a1")},
		{Rule: diag.ConfigKey, Level: diag.Error, Place: at("", 0, 0, "name", "")},
		{Rule: diag.ConfigKey, Level: diag.Error, Place: at("a.yaml", 2, 9, "", "")},
		{Rule: diag.ConfigKey, Level: diag.Error, Place: at("a.yaml", 10, 1, "", "")},
		{Rule: diag.ConfigKey, Level: diag.Error, Place: at("a.yaml", 10, 2, "a", "")},
		{Rule: diag.ConfigValue, Level: diag.Error, Place: at("a.yaml", 10, 2, "b", "")},
		{Rule: diag.BlockSeveral, Place: at("a.yaml", 10, 2, "b", "")}, // warn, by its rule
		{Rule: diag.ConfigKey, Level: diag.Warn, Place: at("a.yaml", 10, 2, "b", ""), Got: "1"},
		{Rule: diag.ConfigKey, Level: diag.Warn, Place: at("a.yaml", 10, 2, "b", ""), Got: "2"},
		{Rule: diag.ConfigKey, Level: diag.Warn, Place: at("a.yaml", 10, 2, "b", ""), Got: "2", Want: "3"},
		{Rule: diag.ConfigKey, Level: diag.Warn, Place: at("a.yaml", 10, 2, "b", ""), Got: "3", Hint: "1"},
		{Rule: diag.ConfigKey, Level: diag.Warn, Place: at("a.yaml", 10, 2, "b", ""), Got: "3", Hint: "2"},
		{Rule: diag.ConfigKey, Level: diag.Warn, Place: at("a.yaml", 10, 2, "b", ""), Got: "3", Hint: "2", Source: "1"},
		{Rule: diag.ConfigKey, Level: diag.Warn, Place: at("a.yaml", 10, 2, "b", ""), Got: "3", Hint: "2", Source: "1", Reason: "1"},
		{Rule: diag.ConfigKey, Level: diag.Note, Place: at("a.yaml", 10, 2, "b", "")},
		{Rule: diag.ConfigKey, Level: diag.Error, Place: at("b.yaml", 1, 1, "", "")},
	}
}

func TestSort(t *testing.T) {
	want := inOrder()
	backwards := inOrder()
	slices.Reverse(backwards)
	backwards.Sort()
	require.Empty(t, cmp.Diff(want, backwards))

	rapid.Check(t, func(t *rapid.T) {
		got := rapid.Permutation(want).Draw(t, "findings")
		got.Sort()
		require.Empty(t, cmp.Diff(want, got))
	})
}

func TestListLevels(t *testing.T) {
	warn := diag.Finding{Rule: diag.BlockSeveral}
	note := diag.Finding{Rule: diag.AccountSkipped}
	lowered := diag.Finding{Rule: diag.ConfigKey, Level: diag.Note}
	tests := map[string]struct {
		list   diag.List
		worst  diag.Level
		failed bool
		counts [3]int // notes, warnings, errors
		warned int    // findings at warn or above
	}{
		"none":            {nil, diag.Unset, false, [3]int{}, 0},
		"notes":           {diag.List{note, lowered}, diag.Note, false, [3]int{2, 0, 0}, 0},
		"warning":         {diag.List{note, warn}, diag.Warn, false, [3]int{1, 1, 0}, 1},
		"error in a rule": {diag.List{warn, {Rule: diag.ConfigKey}, note}, diag.Error, true, [3]int{1, 1, 1}, 2},
		"no known rule":   {diag.List{{Rule: unregistered}}, diag.Error, true, [3]int{0, 0, 1}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.worst, tt.list.Worst())
			require.Equal(t, tt.failed, tt.list.Failed())
			counts := [3]int{tt.list.Count(diag.Note), tt.list.Count(diag.Warn), tt.list.Count(diag.Error)}
			require.Equal(t, tt.counts, counts)
			require.Len(t, tt.list.AtLeast(diag.Warn), tt.warned)
			require.Len(t, tt.list.AtLeast(diag.Note), len(tt.list))
		})
	}
}

func TestAtLeastKeepsTheOrder(t *testing.T) {
	l := diag.List{
		{Rule: diag.BlockSeveral, Level: diag.Warn},
		{Rule: diag.AccountSkipped, Level: diag.Note},
		{Rule: diag.ConfigKey, Level: diag.Error},
	}
	require.Equal(t, diag.List{l[0], l[2]}, l.AtLeast(diag.Warn))
}

func TestApply(t *testing.T) {
	const why = "the vendor's image is signed off"
	tests := map[string]struct {
		from     diag.Finding
		override diag.Override
		want     diag.Finding
	}{
		"lowered": {
			diag.Finding{Rule: diag.AMIOS, Level: diag.Error},
			diag.Override{Level: diag.Warn, Reason: why},
			diag.Finding{Rule: diag.AMIOS, Level: diag.Warn, Reason: why},
		},
		"lowered from the level of the rule": {
			diag.Finding{Rule: diag.AMIOS},
			diag.Override{Level: diag.Note, Reason: why},
			diag.Finding{Rule: diag.AMIOS, Level: diag.Note, Reason: why},
		},
		"lowered without a reason": {
			diag.Finding{Rule: diag.AMIOS, Level: diag.Error},
			diag.Override{Level: diag.Warn, Reason: " "},
			diag.Finding{Rule: diag.AMIOS, Level: diag.Warn, Reason: "no reason was given"},
		},
		"raised": {
			diag.Finding{Rule: diag.BlockSeveral, Level: diag.Warn},
			diag.Override{Level: diag.Error, Reason: why},
			diag.Finding{Rule: diag.BlockSeveral, Level: diag.Error},
		},
		"same level": {
			diag.Finding{Rule: diag.AMIOS, Level: diag.Error},
			diag.Override{Level: diag.Error, Reason: why},
			diag.Finding{Rule: diag.AMIOS, Level: diag.Error},
		},
		"no level": {
			diag.Finding{Rule: diag.AMIOS, Level: diag.Error},
			diag.Override{Reason: why},
			diag.Finding{Rule: diag.AMIOS, Level: diag.Error},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			other := diag.Finding{Rule: diag.ConfigKey, Level: diag.Error}
			l := diag.List{other, tt.from}
			got := l.Apply(map[diag.ID]diag.Override{tt.from.Rule: tt.override})
			require.Equal(t, diag.List{other, tt.want}, got)
			require.Equal(t, diag.List{other, tt.from}, l, "the list itself stays as it is")
		})
	}
	require.Empty(t, diag.List(nil).Apply(map[diag.ID]diag.Override{diag.AMIOS: {Level: diag.Note}}))
}

func TestFindingJSONRoundTrip(t *testing.T) {
	want := diag.Finding{
		Rule: diag.AMIOS, Level: diag.Warn, Got: "g", Want: "w", Hint: "h", Source: "s", Reason: "r",
		Place: diag.Place{File: "a.yaml", Line: 1, Column: 2, Path: "name", Resource: "ami-0a1"},
	}
	b, err := json.Marshal(want)
	require.NoError(t, err)
	require.JSONEq(t, `{"rule":"ami/os","level":"warn",
		"place":{"file":"a.yaml","line":1,"column":2,"path":"name","resource":"ami-0a1"},
		"got":"g","want":"w","hint":"h","source":"s","reason":"r"}`, string(b))

	var got diag.Finding
	require.NoError(t, json.Unmarshal(b, &got))
	require.Equal(t, want, got)
}

func BenchmarkListSort(b *testing.B) {
	rules := diag.Rules()
	random := rand.New(rand.NewPCG(1, 2))
	shuffled := make(diag.List, 10_000)
	for i := range shuffled {
		shuffled[i] = diag.Finding{
			Rule:  rules[random.IntN(len(rules))].ID,
			Level: diag.Note + diag.Level(random.IntN(3)),
			Place: diag.Place{File: "cluster.yaml", Line: random.IntN(2_000), Column: random.IntN(80)},
		}
	}
	work := make(diag.List, len(shuffled))
	b.ReportAllocs()
	for b.Loop() {
		copy(work, shuffled)
		work.Sort()
	}
}

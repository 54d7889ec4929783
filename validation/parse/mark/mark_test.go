package mark_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/validation/parse/mark"
)

func TestFinder(t *testing.T) {
	t.Parallel()
	f, err := mark.New([][]string{{"Connection", "closed"}, {"not so", "a longer part"}, {"Connections"}, {"        "}})
	require.NoError(t, err)
	for text, want := range map[string][]int{
		"":                             nil,
		"Connect":                      nil,
		"a shorter part":               nil,
		"Connection":                   {0},
		"no Connections, no longer pa": {0, 2},
		"a longer part, a longer part": {1},
		"          ":                   {3},
	} {
		require.ElementsMatch(t, want, f.Find([]byte(text), nil), text)
	}
	require.Equal(t, []int{7, 0}, f.Find([]byte("Connection"), []int{7}))
}

func TestWhatCannotBeLookedFor(t *testing.T) {
	t.Parallel()
	_, err := mark.New([][]string{{"too few", "bytes"}})
	require.ErrorContains(t, err, `"too few*bytes" has no part of 8 bytes`)
	_, err = mark.New(make([][]string, 513))
	require.ErrorContains(t, err, "513 texts are more than 512")
	_, err = mark.NewTable(mark.Set{Inside: []string{"short"}})
	require.ErrorContains(t, err, `"short"`)
	_, err = mark.NewTable(make([]mark.Set, 33)...)
	require.ErrorContains(t, err, "33 sets are more than 32")
}

func TestATextIsFoundWhereverItStands(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[ab :]{8,14}`), 1, 40).Draw(t, "texts")
		var parts [][]string
		for _, text := range texts {
			parts = append(parts, []string{text})
		}
		f, err := mark.New(parts)
		require.NoError(t, err)
		line := rapid.StringMatching(`[ab :]{0,200}`).Draw(t, "line")
		found := f.Find([]byte(line), nil)
		for i, text := range texts {
			if strings.Contains(line, text) {
				require.Contains(t, found, i, text)
			}
		}
		seen := map[int]bool{}
		for _, i := range found {
			require.False(t, seen[i])
			seen[i] = true
		}
	})
}

func TestTable(t *testing.T) {
	t.Parallel()
	table, err := mark.NewTable(
		mark.Set{Front: []string{"srun: ", "7"}, Inside: []string{"timed out"}}, mark.Set{}, mark.Set{Front: []string{"s"}, Back: []string{":", "done:"}},
	)
	require.NoError(t, err)
	for text, want := range map[string]mark.Sets{
		"":                   0,
		"    ":               0,
		"srun":               mark.Of(2),
		"  srun: x":          mark.Of(0) | mark.Of(2),
		"7":                  mark.Of(0),
		"x srun: y":          0,
		"efa:":               mark.Of(2),
		"efa:   ":            mark.Of(2),
		"it timed out here":  mark.Of(0),
		" timed ou":          0,
		"17":                 0,
		"x timed out, done:": mark.Of(0) | mark.Of(2),
	} {
		require.Equal(t, want, table.Marked([]byte(text)), text)
	}
}

func TestARareTextIsFoundAsAnyOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab]{0,3}c[abc]{0,3}`).Draw(t, "text")
		line := rapid.SliceOf(rapid.SampledFrom([]byte("abc"))).Draw(t, "line")
		r := mark.NewRare(text, 'c')
		require.Equal(t, len(text), r.Len())
		require.Equal(t, bytes.Index(line, []byte(text)), r.Index(line), "%q in %q", text, line)
	})
}

func BenchmarkMarked(b *testing.B) {
	table, err := mark.NewTable(mark.Set{Inside: []string{"bench_all_to_all ", " kernel: ", "weft: FAIL "}})
	require.NoError(b, err)
	line := []byte("2026-11-30 10:00:00.123 rank 7 trainer: finished batch 1234 of the epoch, 17 samples were dropped")
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		table.Marked(line)
	}
}

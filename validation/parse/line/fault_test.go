package line_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	got := line.Line{Number: 3, Text: []byte("as it stands")}.Excerpt("a.log")
	require.Equal(t, evidence.Excerpt{File: "a.log", Line: 3, Text: "as it stands"}, got)
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	var f line.Faults
	require.Empty(t, f.List())
	for n := 1; n <= 25; n++ {
		f.Add("a.log", line.Line{Number: n, Text: []byte("row")}, "a row", "run again")
	}
	got := f.List()
	require.Len(t, got, 11)
	require.Equal(t, diag.Warn, got.Worst())
	require.Equal(t, "15 more such lines, the last: row", got[10].Got)
	require.Equal(t, diag.Place{File: "a.log", Line: 25}, got[10].Place)
}

func TestTheLastLineMayBeOpen(t *testing.T) {
	t.Parallel()
	r := line.New(strings.NewReader("one\ntwo"))
	require.True(t, r.Next())
	require.False(t, r.Line().Open)
	require.True(t, r.Next())
	require.True(t, r.Line().Open)
}

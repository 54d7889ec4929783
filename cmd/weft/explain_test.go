package main

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/source"
)

// What --explain calls wrong breaks its rule, and what it calls right does not.
func TestExamplesAreRight(t *testing.T) {
	n := 0
	require.NoError(t, fs.WalkDir(examples, "explain", func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		if e.IsDir() {
			return nil
		}
		n++
		id := diag.ID(strings.TrimSuffix(strings.TrimPrefix(path, "explain/"), ".txt"))
		t.Run(string(id), func(t *testing.T) {
			_, known := diag.Lookup(id)
			require.True(t, known)
			text, err := examples.ReadFile(path)
			require.NoError(t, err)
			a := txtar.Parse(text)
			require.NotEmpty(t, a.Comment, "who says so")
			require.Len(t, a.Files, 2)
			require.Contains(t, broken(a.Files[0]), id)
			require.NotContains(t, broken(a.Files[1]), id)
		})
		return nil
	}))
	require.Positive(t, n)
}

func broken(f txtar.File) []diag.ID {
	d := source.Read(f.Name, f.Data, source.Options{})
	var out []diag.ID
	for _, f := range append(d.Findings, rule.Judge(d.Set, rule.Options{})...).AtLeast(diag.Warn) {
		out = append(out, f.Rule)
	}
	return out
}

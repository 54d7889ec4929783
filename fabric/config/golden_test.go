package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// render is a list of findings as the goldens hold it.
func render(list diag.List) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%d:%d %s %s %s: %s | %s | %s\n", f.Place.Line, f.Place.Column, f.Level, f.Rule, f.Place.Path, f.Got, f.Want, f.Hint)
	}
	return b.String()
}

// TestGoldens decodes each situation of testdata and compares its findings.
func TestGoldens(t *testing.T) {
	situations, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, situation := range situations {
		if !situation.IsDir() || situation.Name() == "fuzz" {
			continue
		}
		t.Run(situation.Name(), func(t *testing.T) {
			dir := filepath.Join("testdata", situation.Name())
			_, list := decodeSituation(t, dir)
			for _, f := range list {
				require.NotEmpty(t, f.Place.Line, "%v has no line", f)
				require.NotEmpty(t, f.Got, "%v", f)
				require.NotEmpty(t, f.Want, "%v", f)
				require.NotEmpty(t, f.Hint, "%v", f)
			}
			golden(t, filepath.Join(dir, "findings.txt"), render(list))
		})
	}
}

// decodeSituation decodes what a folder holds: cluster.yaml, cluster.json or Pulumi.dev.yaml, and nothing else.
func decodeSituation(t *testing.T, dir string) (Document, diag.List) {
	t.Helper()
	inputs := map[string]func(name string, data []byte) (Document, diag.List){
		"cluster.yaml": Decode,
		"cluster.json": Decode,
		"Pulumi.dev.yaml": func(name string, data []byte) (Document, diag.List) {
			return FromStack(data, name, "training")
		},
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	var doc Document
	var list diag.List
	found := 0
	for _, f := range files {
		if f.Name() == "findings.txt" {
			continue
		}
		decode, ok := inputs[f.Name()]
		require.True(t, ok, "%s/%s belongs to no test", dir, f.Name())
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		doc, list = decode(f.Name(), data)
		found++
	}
	require.Equal(t, 1, found, "a situation has one input")
	return doc, list
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

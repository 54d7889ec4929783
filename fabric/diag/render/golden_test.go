package render_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/diag/render"
)

var update = flag.Bool("update", false, "write the goldens")

// situations are the folders of testdata, each with the ways in which text shows it.
var situations = map[string]map[string]render.Options{
	"review": {
		"text":   {},
		"notes":  {Notes: true},
		"narrow": {Notes: true, Width: 72},
		"color":  {Color: true},
	},
	"nowhere": {"text": {}},
	"wide":    {"text": {}, "narrow": {Width: 48}},
	"hostile": {"text": {}, "color": {Color: true, Width: 60}},
	"lowered": {"text": {}, "notes": {Notes: true, Width: 60}},
	"notes":   {"text": {}, "notes": {Notes: true}},
	"clean":   {"text": {}, "notes": {Notes: true}},
}

// incomplete are the situations whose findings tell too little on purpose.
var incomplete = map[string]bool{"nowhere": true, "hostile": true}

var machines = map[string]render.Format{
	"golden.json": render.JSON, "golden.sarif": render.SARIF, "golden.xml": render.JUnit,
}

func TestGoldens(t *testing.T) {
	for name, variants := range situations {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", name)
			l, sources := situation(t, dir)
			if !incomplete[name] {
				diagtest.Complete(t, l)
			}
			for variant, o := range variants {
				o.Sources = sources
				compare(t, textGolden(name, variant), rendered(t, render.Text, l, o))
			}
			for file, format := range machines {
				compare(t, filepath.Join(dir, file), rendered(t, format, l, render.Options{Version: "1.2.3"}))
			}
		})
	}
}

func textGolden(situation, variant string) string {
	return filepath.Join("testdata", situation, variant+".golden.txt")
}

func TestEveryGoldenIsCompared(t *testing.T) {
	compared := map[string]bool{}
	for name, variants := range situations {
		for variant := range variants {
			compared[textGolden(name, variant)] = true
		}
		for file := range machines {
			compared[filepath.Join("testdata", name, file)] = true
		}
	}
	require.NoError(t, filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && isGolden(path) {
			require.True(t, compared[path], "%s is a golden of no test", path)
		}
		return err
	}))
}

func isGolden(path string) bool { return strings.Contains(filepath.Base(path), "golden") }

// situation reads the findings of a folder, and the files beside them that findings point into.
func situation(t testing.TB, dir string) (l diag.List, sources map[string][]byte) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	sources = map[string][]byte{}
	for _, e := range entries {
		if isGolden(e.Name()) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		if e.Name() == "findings.json" {
			require.NoError(t, json.Unmarshal(b, &l))
			continue
		}
		sources[e.Name()] = b
	}
	return l, sources
}

func rendered(t testing.TB, format render.Format, l diag.List, o render.Options) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, format(&b, l, o))
	return b.String()
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	want, err := os.ReadFile(filepath.Clean(golden))
	require.NoError(t, err, "write it with -update")
	require.Empty(t, cmp.Diff(string(want), got), golden)
}

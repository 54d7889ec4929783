package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/report"
	"github.com/weft-hpc/weft/validation/result"
)

var update = flag.Bool("update", false, "write the goldens")

// situations are the folders of testdata.
var situations = []string{"good", "sockets", "waiting", "blocks", "moe", "empty", "hostile"}

// formats are what each situation is written as.
var formats = map[string]func(io.Writer, result.Run) error{
	"golden.html": report.HTML,
	"golden.json": report.JSON,
	"golden.xml":  report.JUnit,
	"golden.txt":  func(w io.Writer, run result.Run) error { return report.Text(w, run, false, 120) },
	"narrow.golden.txt": func(w io.Writer, run result.Run) error {
		return report.Text(w, run, true, 72)
	},
}

func TestGoldens(t *testing.T) {
	t.Parallel()
	for _, name := range situations {
		for file, format := range formats {
			t.Run(name+"/"+file, func(t *testing.T) {
				t.Parallel()
				compare(t, filepath.Join("testdata", name, file), rendered(t, format, situation(t, name)))
			})
		}
	}
}

func TestEveryGoldenIsCompared(t *testing.T) {
	t.Parallel()
	compared := map[string]bool{}
	for _, name := range situations {
		compared[filepath.Join("testdata", name, "run.json")] = true
		for file := range formats {
			compared[filepath.Join("testdata", name, file)] = true
		}
	}
	require.NoError(t, filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "README.md" && !strings.HasPrefix(path, filepath.Join("testdata", "fuzz")) {
			require.True(t, compared[path], "%s is a file of no test", path)
		}
		return err
	}))
}

// situation reads a run, and holds it to the form of its type: a key that the type does not have is a mistake in the file.
func situation(t testing.TB, name string) result.Run {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name, "run.json"))
	require.NoError(t, err)
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var run result.Run
	require.NoError(t, dec.Decode(&run))
	return run
}

func rendered(t testing.TB, format func(io.Writer, result.Run) error, run result.Run) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, format(&b, run))
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

package topology_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/diag/render"
	"github.com/weft-hpc/weft/fabric/topology"
	"github.com/weft-hpc/weft/fabric/topology/show"
)

var update = flag.Bool("update", false, "write the goldens")

const golden = "want.txt"

// situation reads the files of a folder as the command does.
func situation(t testing.TB, name string) (topology.Topology, diag.List) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", name, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all topology.Answers
	var found diag.List
	for _, file := range files {
		if filepath.Base(file) == golden {
			continue
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		answers, findings := topology.Read(filepath.Base(file), data)
		all.Add(answers)
		found = append(found, findings...)
	}
	top, findings := topology.New(all)
	found = append(found, findings...)
	found.Sort()
	return top, found
}

// TestSituations compares everything that is said of a situation with its golden.
func TestSituations(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, folder := range folders {
		if !folder.IsDir() || folder.Name() == "fuzz" {
			continue
		}
		t.Run(folder.Name(), func(t *testing.T) {
			top, found := situation(t, folder.Name())
			diagtest.Complete(t, found)
			var b bytes.Buffer
			require.NoError(t, show.Text(&b, top, false))
			b.WriteString("\n--- findings\n")
			require.NoError(t, render.Text(&b, found, render.Options{Notes: true}))
			b.WriteString("\n--- hostfile\n" + text(top.Hostfile()) + "--- topology.conf\n" + text(top.SlurmConf()))
			require.NotContains(t, b.String(), "111122223333", "an account id")
			file := filepath.Join("testdata", folder.Name(), golden)
			if *update {
				require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "write it with -update")
			require.Equal(t, string(want), b.String())
		})
	}
}

func text(out string, err error) string {
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return out
}

func rules(l diag.List) []diag.ID {
	var out []diag.ID
	for _, f := range l {
		out = append(out, f.Rule)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestColour: the same text, and colours beside it.
func TestColour(t *testing.T) {
	top, _ := situation(t, "two-blocks")
	var plain, painted bytes.Buffer
	require.NoError(t, show.Text(&plain, top, false))
	require.NoError(t, show.Text(&painted, top, true))
	require.NotContains(t, plain.String(), "\x1b[")
	require.Contains(t, painted.String(), "\x1b[")
}

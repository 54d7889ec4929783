package preflight_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
)

var update = flag.Bool("update", false, "write the findings of the situations")

// world is what a situation's world.yaml holds.
type world struct {
	Now      time.Time          `yaml:"now"`
	Stack    string             `yaml:"stack,omitempty"`
	Observed preflight.Observed `yaml:"observed"`
}

func TestSituations(t *testing.T) {
	dirs, err := filepath.Glob("testdata/situation/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			requireFiles(t, dir, "cluster.yaml", "findings.txt", "world.yaml")
			doc, found := config.Decode("cluster.yaml", read(t, dir, "cluster.yaml"))
			require.False(t, found.Failed(), "%v", found)
			var w world
			require.NoError(t, yaml.UnmarshalWithOptions(read(t, dir, "world.yaml"), &w, yaml.Strict()))
			p, _ := plan.New(doc.Cluster)

			findings := preflight.Judge(preflight.Request{Plan: p, Stack: w.Stack}, w.Observed, w.Now)
			doc.Positions.Resolve(findings)
			diagtest.Complete(t, findings)
			golden(t, filepath.Join(dir, "findings.txt"), written(findings))
		})
	}
}

// requireFiles fails for a file that no test reads.
func requireFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		require.Contains(t, names, e.Name(), "nobody reads it")
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return text
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(string(want), got))
}

func written(l diag.List) string {
	if len(l) == 0 {
		return "nothing to complain about\n"
	}
	var b strings.Builder
	for i, f := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %s at %s\n  got    %s\n  want   %s\n  hint   %s\n", f.Level, f.Rule, f.Place, f.Got, f.Want, f.Hint)
		if f.Source != "" {
			fmt.Fprintf(&b, "  source %s\n", f.Source)
		}
	}
	return b.String()
}

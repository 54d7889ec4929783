package plan_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/diag/render"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/fabric/plan/show"
	"github.com/weft-hpc/weft/internal/golden"
)

// The plan of every example and of each named situation, as text, and what the planner finds.
func TestGoldens(t *testing.T) {
	golden.NoneUnused(t, "testdata/plans", ".txt")
	for _, pattern := range []string{"../../examples/*/cluster.yaml", "testdata/situations/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			name := situation(file)
			t.Run(name, func(t *testing.T) {
				golden.Check(t, "testdata/plans/"+name+".txt", planText(t, file))
			})
		}
	}
}

// situation is the name of an example's folder, or of a file.
func situation(file string) string {
	if filepath.Base(file) == "cluster.yaml" {
		return filepath.Base(filepath.Dir(file))
	}
	return strings.TrimSuffix(filepath.Base(file), ".yaml")
}

func planText(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	doc, findings := config.Decode(filepath.Base(file), data)
	p, planned := plan.New(doc.Cluster)
	findings = append(findings, doc.Place(planned)...)
	diagtest.Complete(t, findings)
	var out bytes.Buffer
	require.NoError(t, show.Text(&out, p))
	if len(findings) > 0 {
		out.WriteString("\n")
		require.NoError(t, render.Text(&out, findings.AtLeast(diag.Note), render.Options{Notes: true}))
	}
	return out.Bytes()
}

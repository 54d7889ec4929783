package pcconfig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

// planned reads and plans the config of a situation, which must have no fault at error level.
func planned(t testing.TB, situation string) plan.Cluster {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", situation, "cluster.yaml"))
	require.NoError(t, err)
	doc, findings := config.Decode("cluster.yaml", text)
	require.Empty(t, findings.AtLeast(diag.Error))
	p, findings := plan.New(doc.Cluster)
	require.Empty(t, findings.AtLeast(diag.Error))
	return p
}

func situations(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*/cluster.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var out []string
	for _, path := range paths {
		out = append(out, filepath.Base(filepath.Dir(path)))
	}
	return out
}

func TestEverySituationRenders(t *testing.T) {
	golden.NoneUnused(t, "testdata", "pcluster.yaml")
	for _, situation := range situations(t) {
		t.Run(situation, func(t *testing.T) {
			p := planned(t, situation)
			preview := Preview(p)
			text, err := preview.YAML()
			require.NoError(t, err)
			golden.Check(t, filepath.Join("testdata", situation, "pcluster.yaml"), text)

			keys, err := CheckKeys(p.ParallelCluster, preview)
			require.NoError(t, err)
			require.Empty(t, keys)
			size, err := CheckSize(p.Name, preview)
			require.NoError(t, err)
			require.Empty(t, size)
			require.Empty(t, Check(p))

			again, err := Preview(p).YAML()
			require.NoError(t, err)
			require.Equal(t, string(text), string(again))
			changes, err := Update(p.ParallelCluster, text, again)
			require.NoError(t, err)
			require.Empty(t, changes, "a configuration is no change of itself")
		})
	}
}

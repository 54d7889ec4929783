package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/source"
)

// What weft renders itself is right by the rules for everybody's files.
func TestOwnConfigurationsAreRight(t *testing.T) {
	names, err := filepath.Glob("../../examples/*/cluster.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(filepath.Base(filepath.Dir(name)), func(t *testing.T) {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			doc, _ := config.Decode(name, data)
			p, _ := plan.New(doc.Cluster)
			text, err := pcconfig.Preview(p).YAML()
			require.NoError(t, err)

			d := source.Read("cluster.yaml", text, source.Options{ParallelCluster: doc.Cluster.ParallelCluster})
			require.Equal(t, source.ParallelCluster, d.Kind)
			findings := append(d.Findings, rule.Judge(d.Set, rule.Options{})...)
			require.Empty(t, findings.AtLeast(diag.Warn))
		})
	}
}

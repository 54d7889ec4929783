package confirmation

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// A stopped fleet takes some changes, and nobody sees from here that it is stopped: the way out must lead past this check.
func TestWayOutOfAStoppedFleet(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*plan.Cluster)
		key    string // empty: nothing is refused
		skip   bool
	}{
		"nothing":      {func(*plan.Cluster) {}, "", false},
		"stopped only": {func(p *plan.Cluster) { p.Config.Slurm.ScaledownIdleMinutes = 30 }, "Scheduling.SlurmSettings.ScaledownIdletime", true},
		"never":        {func(p *plan.Cluster) { p.Config.HeadNode.InstanceType = "m6i.8xlarge" }, "HeadNode.InstanceType", false},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("../../../examples/p5-existing-network/cluster.yaml")
			require.NoError(t, err)
			doc, _ := config.Decode("cluster.yaml", text)
			p, _ := plan.New(doc.Cluster)
			running, err := pcconfig.Preview(p).YAML()
			require.NoError(t, err)
			c.change(&p)
			found := compare(p, running)
			if c.key == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, c.key, found[0].Place.Path)
			require.Equal(t, diag.PCUpdate, found[0].Rule)
			const way = "preflight.skip: {pc/update: the fleet is stopped}"
			if c.skip {
				require.Contains(t, found[0].Hint, way)
			} else {
				require.NotContains(t, found[0].Hint, way)
			}
		})
	}
}

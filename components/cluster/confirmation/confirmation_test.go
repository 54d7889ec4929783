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

// What a change needs is held against the fleet as it is: a stopped one takes more, and some changes none.
func TestStoppedFleetTakesMore(t *testing.T) {
	for name, c := range map[string]struct {
		change           func(*plan.Cluster)
		running, stopped string // the key that is refused; empty: none
	}{
		"nothing":      {func(*plan.Cluster) {}, "", ""},
		"stopped only": {func(p *plan.Cluster) { p.Config.Slurm.ScaledownIdleMinutes = 30 }, "Scheduling.SlurmSettings.ScaledownIdletime", ""},
		"never":        {func(p *plan.Cluster) { p.Config.HeadNode.InstanceType = "m6i.8xlarge" }, "HeadNode.InstanceType", "HeadNode.InstanceType"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("../../../examples/p5-existing-network/cluster.yaml")
			require.NoError(t, err)
			doc, _ := config.Decode("cluster.yaml", text)
			p, _ := plan.New(doc.Cluster)
			running, err := pcconfig.Preview(p).YAML()
			require.NoError(t, err)
			c.change(&p)
			for fleetRuns, key := range map[bool]string{true: c.running, false: c.stopped} {
				found := compare(p, running, fleetRuns)
				if key == "" {
					require.Empty(t, found, "the fleet runs: %t", fleetRuns)
					continue
				}
				require.Len(t, found, 1)
				require.Equal(t, key, found[0].Place.Path)
				require.Equal(t, diag.PCUpdate, found[0].Rule)
			}
		})
	}
}

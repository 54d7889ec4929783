package verdict_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/verdict"
)

// What AWS and others published, with the share of the ceiling as they or simple arithmetic give it.
func TestPublishedRuns(t *testing.T) {
	t.Parallel()
	tests := []struct {
		instanceType string
		nodes        int
		collective   catalog.Collective
		bytes        int64
		bus          float64
		percent      float64 // of the ceiling, or of the node's cards
	}{
		{"p5.48xlarge", 4, catalog.AllToAll, 4 * gib, 53.9, 83},
		{"p5.48xlarge", 8, catalog.AllToAll, 4 * gib, 51.1, 91},
		{"p6-b300.48xlarge", 2, catalog.AllToAll, 4 * gib, 179.6, 96},
		{"p6-b300.48xlarge", 4, catalog.AllToAll, 4 * gib, 116.9, 90},
		{"p6-b300.48xlarge", 8, catalog.AllToAll, 4 * gib, 103.2, 92},
		{"p6-b300.48xlarge", 16, catalog.AllToAll, 4 * gib, 84.0, 79},
		{"p6-b300.48xlarge", 32, catalog.AllToAll, 4 * gib, 74.4, 72},
		{"p5en.48xlarge", 4, catalog.AllReduce, 4 * gib, 364.9, 91},
		{"p5en.48xlarge", 16, catalog.AllReduce, 16 * gib, 369.9, 92},
		{"p6-b200.48xlarge", 4, catalog.AllReduce, 16 * gib, 377, 94},
		{"p6-b200.48xlarge", 4, catalog.AllReduce, 16 * gib, 382, 95.5},
		// Two nodes beat the cards' bandwidth as bus bandwidth: they are compared with the published runs, here with themselves.
		{"p4d.24xlarge", 2, catalog.AllReduce, 2 * gib, 78.3, 100},
		{"p5.48xlarge", 2, catalog.AllReduce, 16 * gib, 487, 100},
		{"p6-b200.48xlarge", 2, catalog.AllReduce, 16 * gib, 701.25, 100},
		{"p6-b300.48xlarge", 2, catalog.AllReduce, 64 * gib, 751, 100},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s of %d %s at %g", tt.collective, tt.nodes, tt.instanceType, tt.bus), func(t *testing.T) {
			t.Parallel()
			g := group(t, tt.instanceType, tt.nodes)
			nodes := nodeNames(tt.nodes)
			s := hostStep(g, proof(nodes, g.Healthy.EFADevices), table(tt.collective, nodes, result.Point{Bytes: tt.bytes, BusGBps: tt.bus}))
			f := judgedFigure(t, verdict.Judge(s), tt.collective)
			require.LessOrEqual(t, math.Abs(100*f.Share-tt.percent), 1.0, f.Formula)
			require.Equal(t, result.Passed, f.Outcome, f.Formula)
			require.Equal(t, f.Measured/f.Expected, f.Share)
		})
	}
}

// A public health check's floors lie above what the cards carry. Weft's own floors lie below it for every type, and at every number of nodes
// a run of sockets fails them.
func TestFloorsLieBelowPhysics(t *testing.T) {
	t.Parallel()
	for _, instanceType := range []string{"p4d.24xlarge", "p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge"} {
		for _, nodes := range []int{2, 3, 4, 8, 16} {
			for _, c := range []catalog.Collective{catalog.AllReduce, catalog.AllToAll} {
				g := group(t, instanceType, nodes)
				names := nodeNames(nodes)
				got := verdict.Judge(hostStep(g, table(c, names, result.Point{Bytes: 16 * gib, BusGBps: 3})))
				f := judgedFigure(t, got, c)
				n, ranks := float64(nodes), float64(8*nodes)
				physics := g.Expect.NodeGBps * n / (n - 1) * (ranks - 1) / ranks
				if c == catalog.AllToAll {
					physics = g.Expect.AllToAllBusGBps
				}
				require.Less(t, f.Least*f.Expected, physics, "%s × %d", instanceType, nodes)
				require.Equal(t, result.Failed, f.Outcome, "%s × %d: %s", instanceType, nodes, f.Formula)
			}
		}
	}
}

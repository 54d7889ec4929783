package catalog

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEFABandwidth(t *testing.T) {
	for name, want := range map[string][2]float64{ // node, accelerator: GB/s
		"p4d.24xlarge":       {50, 6.25},
		"p5.48xlarge":        {400, 50},
		"p5en.48xlarge":      {400, 50},
		"p6-b200.48xlarge":   {400, 50},
		"p6-b300.48xlarge":   {800, 100},
		"p6e-gb200.36xlarge": {200, 50},
	} {
		it, ok := Instance(name)
		require.True(t, ok)
		require.InDelta(t, want[0], it.EFAGBps(), 1e-9, name)
		require.InDelta(t, want[1], it.EFAGBpsPerAccelerator(), 1e-9, name)
	}
}

// The ceilings as published with the measured runs.
func TestAllToAllCeiling(t *testing.T) {
	for _, tt := range []struct {
		perRank   float64
		ranks, on int
		want      float64
	}{
		{50, 16, 8, 93.75},
		{50, 32, 8, 64.583},
		{50, 64, 8, 56.25},
		{100, 16, 8, 187.5},
		{100, 32, 8, 129.167},
		{100, 64, 8, 112.5},
		{100, 128, 8, 105.833},
		{100, 256, 8, 102.823},
		{6.25, 16, 8, 11.719},
		{6.25, 32, 8, 8.073},
	} {
		got, ok := AllToAllCeiling(tt.perRank, tt.ranks, tt.on)
		require.True(t, ok)
		require.InDelta(t, tt.want, got, 0.001)
	}
	for _, bad := range [][3]int{{50, 8, 8}, {50, 4, 8}, {0, 16, 8}, {50, 16, 0}, {-1, 16, 8}} {
		_, ok := AllToAllCeiling(float64(bad[0]), bad[1], bad[2])
		require.False(t, ok, bad)
	}
}

func TestAllToAllCeilingFallsTowardsTheRanksShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.Float64Range(1, 200).Draw(t, "share")
		on := rapid.IntRange(1, 16).Draw(t, "ranks per node")
		nodes := rapid.IntRange(2, 500).Draw(t, "nodes")
		a, ok := AllToAllCeiling(share, on*nodes, on)
		b, okMore := AllToAllCeiling(share, on*(nodes+1), on)
		const rounding = 1e-9 // of the division: with one rank a node, ceiling and share are equal
		if !ok || !okMore || a < b-rounding || b < share-rounding {
			t.Fatalf("%v then %v, share %v", a, b, share)
		}
	})
}

// No published run beats the ceiling: else ceiling or run is wrong.
func TestReferenceTable(t *testing.T) {
	for _, r := range referenceTable {
		require.NotEmpty(t, r.Points)
		requireDay(t, r.Source.Date)
		require.True(t, slices.IsSortedFunc(r.Points, func(a, b Point) int { return int((a.GBps - b.GBps) * 1000) }), "bandwidth grows with size")
		for _, name := range r.InstanceTypes {
			it, ok := Instance(name)
			require.True(t, ok, name)
			best := r.Points[len(r.Points)-1].GBps
			switch {
			case r.Collective == AllToAll:
				ceiling, ok := AllToAllCeiling(it.EFAGBpsPerAccelerator(), r.Nodes*it.Accelerator.Count, it.Accelerator.Count)
				require.True(t, ok)
				require.LessOrEqual(t, best, ceiling, "%s on %d nodes", name, r.Nodes)
			case r.Nodes >= AllReduceCeilingNodes:
				require.LessOrEqual(t, best, it.EFAGBps(), "%s on %d nodes", name, r.Nodes)
			}
		}
	}
}

func TestReferences(t *testing.T) {
	runs := References(AllReduce, "p4de.24xlarge")
	require.Len(t, runs, 1)
	got, ok := runs[0].At(2 << 30)
	require.True(t, ok)
	require.InDelta(t, 78.3, got, 0)
	_, ok = runs[0].At(3)
	require.False(t, ok)
	require.Len(t, References(AllToAll, "p6-b300.48xlarge"), 5)
	require.Empty(t, References(AllToAll, "p4d.24xlarge"))
}

func TestGates(t *testing.T) {
	for _, tt := range []struct {
		collective Collective
		nodes      int
		share      float64
		of         string
	}{
		{AllToAll, 2, 0.75, GateCeiling},
		{AllToAll, 8, 0.75, GateCeiling},
		{AllToAll, 9, 0.60, GateCeiling},
		{AllReduce, 2, 0.85, GateReference},
		{AllReduce, 3, 0.85, GateReference},
		{AllReduce, 4, 0.85, GateNode},
		{AllReduce, 400, 0.85, GateNode},
	} {
		g, ok := GateOf(tt.collective, tt.nodes)
		require.True(t, ok)
		require.InDelta(t, tt.share, g.Share, 0)
		require.Equal(t, tt.of, g.Of)
	}
	_, ok := GateOf(AllReduce, 1)
	require.False(t, ok)
	for nodes := 2; nodes < 100; nodes++ {
		for _, c := range []Collective{AllReduce, AllToAll} {
			_, ok := GateOf(c, nodes)
			require.True(t, ok, "no gap between gates")
		}
	}
}

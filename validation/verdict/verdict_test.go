package verdict_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/verdict"
)

// Two nodes of p6-b200 at 16 GiB: algorithm bandwidths of 374 and 95 GB/s are 94 % of the node's 400 and 95 % of the GPUs' share.
func TestMeasuredPairPasses(t *testing.T) {
	t.Parallel()
	got := verdict.Judge(good(t))
	require.Empty(t, got.Findings)
	require.Equal(t, result.Passed, got.Outcome, got.Why)
	var node, toAll result.Figure
	for _, f := range got.Figures {
		switch {
		case strings.HasPrefix(f.What, "all_reduce, algorithm bandwidth"):
			node = f
		case strings.HasPrefix(f.What, "alltoall") && f.Least > 0:
			toAll = f
		}
	}
	require.InDelta(t, 0.94, node.Share, 0.005)
	require.InDelta(t, 400, node.Expected, 0)
	require.Contains(t, node.Formula, "374 / 400 = 94 %")
	require.InDelta(t, 0.95, toAll.Share, 0.005)
	require.Contains(t, toAll.Formula, "50 GB/s a rank · 15 / (16 − 8) = 93.75 GB/s")
	require.Contains(t, got.Why, "EFA proved on 2 nodes")
}

// One core a rank: all-reduce at 92 instead of 368 GB/s, all-to-all at 8.7 instead of 95.
func TestOneCPUIsTheFirstSuspect(t *testing.T) {
	t.Parallel()
	g := group(t, "p6-b200.48xlarge", 2)
	nodes := nodeNames(2)
	s := hostStep(g, proof(nodes, 8),
		table(catalog.AllReduce, nodes, at(catalog.AllReduce, 8*gib, 92, 16)), table(catalog.AllToAll, nodes, at(catalog.AllToAll, 8*gib, 8.7, 16)))
	got := verdict.Judge(s)
	require.Equal(t, result.Failed, got.Outcome)
	require.Equal(t, []diag.ID{diag.CPUPerRank, diag.PerfBelow, diag.PerfBelow}, rules(got.Findings, diag.Error))
	require.Contains(t, got.Findings[0].Got, "suspected")
	require.Contains(t, got.Findings[0].Hint, "--cpus-per-task=24")
	diagtest.Complete(t, got.Findings)

	s.Jobs[0].Seen = []verdict.NodeFacts{{Node: nodes[0], CPUsPerRank: 1}, {Node: nodes[1], CPUsPerRank: 1}}
	got = verdict.Judge(s)
	require.Equal(t, []diag.ID{diag.CPUPerRank, diag.CPUPerRank, diag.PerfBelow, diag.PerfBelow}, rules(got.Findings, diag.Error))
	require.Equal(t, nodes[0], got.Findings[0].Place.Resource)
	require.Equal(t, "a rank may run on 1 CPU", got.Findings[0].Got)

	s.Jobs[0].Seen = []verdict.NodeFacts{{Node: nodes[0], CPUsPerRank: 24}}
	got = verdict.Judge(s)
	require.Equal(t, []diag.ID{diag.PerfBelow, diag.PerfBelow}, rules(got.Findings, diag.Error), "the CPUs are known to be there")
}

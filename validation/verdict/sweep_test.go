package verdict_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/verdict"
)

func TestSweepThatIsNotSound(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mutate func(s *evidence.Sweep) // of the all-reduce
		rule   diag.ID
		got    string
	}{
		"built without MPI":  {func(s *evidence.Sweep) { s.Worlds = 16 }, diag.PerfImpossible, "16 separate runs"},
		"without its footer": {func(s *evidence.Sweep) { s.Complete = false }, diag.PerfData, "without its footer"},
		"aborted": {func(s *evidence.Sweep) {
			s.Complete = false
			s.Failures = []evidence.Excerpt{{File: "all_reduce.txt", Line: 60, Text: "Test NCCL failure common.cu:303 'unhandled system error'"}}
		}, diag.PerfData, "Test NCCL failure"},
		"wrong values": {func(s *evidence.Sweep) { *s.Rows[1].OutOfPlace.Wrong = 3 }, diag.PerfData, "3 wrong values at 16 GiB"},
		"wrong by the footer": {func(s *evidence.Sweep) {
			*s.Wrong = 2
		}, diag.PerfData, "2 values out of bounds"},
		"too few ranks":       {func(s *evidence.Sweep) { s.Ranks = s.Ranks[:8] }, diag.PerfData, "ran with 8 ranks on 1 host"},
		"no number":           {func(s *evidence.Sweep) { s.Rows[0].OutOfPlace.BusGBps = math.NaN() }, diag.PerfData, "NaN"},
		"above the ceiling":   {func(s *evidence.Sweep) { s.Rows[1].OutOfPlace.BusGBps = 800 }, diag.PerfImpossible, "107 % of what the network carries"},
		"too small":           {func(s *evidence.Sweep) { s.Rows = s.Rows[:1]; s.Rows[0].Bytes = 256 << 20 }, diag.PerfUnjudged, "256 MiB, too small"},
		"no rows":             {func(s *evidence.Sweep) { s.Rows = nil }, diag.PerfUnjudged, "no row"},
		"slow":                {func(s *evidence.Sweep) { halve(s.Rows) }, diag.PerfBelow, "50 % of 701 GB/s"},
		"it breaks at 16 GiB": {func(s *evidence.Sweep) { halve(s.Rows[1:]) }, diag.PerfBelow, "at 16 GiB, after"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := good(t)
			tt.mutate(s.Jobs[0].Outputs[1].Documents[0].Sweep)
			got := verdict.Judge(s)
			diagtest.Complete(t, got.Findings)
			require.NotEqual(t, result.Passed, got.Outcome)
			require.Equal(t, tt.rule, got.Findings[0].Rule, got.Why)
			require.Contains(t, got.Findings[0].Got, tt.got)
			require.Len(t, got.Findings.AtLeast(diag.Warn), 1, "one fault, one finding")
		})
	}
}

func halve(rows []evidence.Row) {
	for i := range rows {
		rows[i].OutOfPlace.BusGBps /= 2
		rows[i].OutOfPlace.AlgGBps /= 2
	}
}

// The average that nccl-tests prints decides nothing.
func TestAverageIsNotJudged(t *testing.T) {
	t.Parallel()
	s := good(t)
	low := 1.0
	s.Jobs[0].Outputs[1].Documents[0].Sweep.AverageGBps = &low
	require.Equal(t, verdict.Judge(good(t)), verdict.Judge(s))
}

// From four nodes on the median of the rows from 4 GiB counts: neither one bad row nor one good one decides.
func TestMedianOfLargeRows(t *testing.T) {
	t.Parallel()
	g := group(t, "p6-b200.48xlarge", 4)
	nodes := nodeNames(4)
	points := []result.Point{{Bytes: gib, BusGBps: 500}, {Bytes: 4 * gib, BusGBps: 375}, {Bytes: 8 * gib, BusGBps: 100}, {Bytes: 16 * gib, BusGBps: 377}}
	got := verdict.Judge(hostStep(g, proof(nodes, 8), table(catalog.AllReduce, nodes, points...)))
	f := judgedFigure(t, got, catalog.AllReduce)
	require.InDelta(t, 375, f.Measured, 0)
	require.InDelta(t, 375.0/400, f.Share, 1e-9)
	require.Equal(t, result.Passed, f.Outcome)
	require.Contains(t, f.Formula, "median of 375, 100, 377 = 375 GB/s")
	require.Contains(t, rules(got.Findings, diag.Warn), diag.PerfBelow, "the bad row is told")
}

// The user's thresholds stand above the catalogue's.
func TestOwnThresholds(t *testing.T) {
	t.Parallel()
	s := good(t)
	s.Thresholds.AllToAll = 0.97
	got := verdict.Judge(s)
	require.Equal(t, []diag.ID{diag.PerfBelow}, rules(got.Findings, diag.Error))
	f := judgedFigure(t, got, catalog.AllToAll)
	require.InDelta(t, 0.97, f.Least, 0)
	require.Contains(t, f.Source, "the cluster's own threshold, 97 %")
}

// Without a published run of as many nodes the comparison is told to be a weak one.
func TestNoPublishedRun(t *testing.T) {
	t.Parallel()
	g := group(t, "p5en.48xlarge", 2)
	nodes := nodeNames(2)
	got := verdict.Judge(hostStep(g, proof(nodes, 16),
		table(catalog.AllReduce, nodes, at(catalog.AllReduce, 16*gib, 370, 16)), table(catalog.AllToAll, nodes, at(catalog.AllToAll, 16*gib, 90, 16))))
	require.Equal(t, result.Passed, got.Outcome, got.Why)
	require.Equal(t, []diag.ID{diag.PerfUnjudged}, rules(got.Findings, diag.Note))
	require.Contains(t, got.Findings[0].Got, "nobody published 2 nodes of p5en.48xlarge")
}

// A size beyond the peak's tolerance is impossible, one within it is a good measurement.
func TestCeilingHasItsTolerance(t *testing.T) {
	t.Parallel()
	for gbps, rule := range map[float64]diag.ID{93.75 * 1.019: "", 93.75 * 1.021: diag.PerfImpossible} {
		s := good(t)
		s.Jobs[0].Outputs[2].Documents[0].Sweep.Rows[1].OutOfPlace.BusGBps = gbps
		got := verdict.Judge(s)
		if rule == "" {
			require.Empty(t, got.Findings)
			continue
		}
		require.Equal(t, rule, got.Findings[0].Rule)
	}
}

package verdict_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/verdict"
)

// stepOf is a step of two p6-b200 nodes with the given outputs.
func stepOf(t testing.TB, name string, outputs ...verdict.Output) verdict.Step {
	t.Helper()
	g := group(t, "p6-b200.48xlarge", 2)
	s := hostStep(g)
	s.Name, s.Jobs[0].Outputs = name, outputs
	return s
}

func pingpong(us float64) *evidence.Pingpong {
	p := &evidence.Pingpong{Provider: "efa"}
	for i, bytes := range []int64{64, 256, 1024, 4096, 65536} {
		p.Rows = append(p.Rows, evidence.PingpongRow{
			Bytes: bytes, Sent: 1000, Acked: 1000, OneWayUS: us + float64(i), Warm: i > 0,
			Excerpt: evidence.Excerpt{File: "pingpong.txt", Line: 2 + i, Text: fmt.Sprintf("%d 1k =1k", bytes)},
		})
	}
	p.Rows[0].OneWayUS = 2049 // carries the set-up of the connection
	return p
}

func TestLatency(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mutate  func(p *evidence.Pingpong)
		outcome result.Outcome
		rule    diag.ID
		level   diag.Level
	}{
		"good":            {func(*evidence.Pingpong) {}, result.Passed, "", 0},
		"slow":            {func(p *evidence.Pingpong) { p.Rows = pingpong(40).Rows }, result.Warned, diag.PerfLatency, diag.Warn},
		"lost answers":    {func(p *evidence.Pingpong) { p.Rows[2].Acked = 990 }, result.Failed, diag.PerfData, diag.Error},
		"another road":    {func(p *evidence.Pingpong) { p.Provider = "tcp" }, result.Failed, diag.NetProvider, diag.Error},
		"only the set-up": {func(p *evidence.Pingpong) { p.Rows = p.Rows[:1] }, result.Failed, diag.PerfUnjudged, diag.Error},
		"no device": {func(p *evidence.Pingpong) {
			p.Failure = &evidence.Excerpt{File: "pingpong.txt", Line: 1, Text: "fi_getinfo(): util/pingpong.c:1843, ret=-61 (No data available)"}
		}, result.Failed, diag.NetProvider, diag.Error},
		"no server": {func(p *evidence.Pingpong) {
			p.Failure = &evidence.Excerpt{File: "pingpong.txt", Line: 1, Text: "failed to connect: Connection refused"}
		}, result.Failed, diag.PerfData, diag.Error},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pingpong(17)
			tt.mutate(p)
			got := verdict.Judge(stepOf(t, plan.StepLatency, verdict.Output{Documents: []evidence.Document{{File: "pingpong.txt", Pingpong: p}}}))
			diagtest.Complete(t, got.Findings)
			require.Equal(t, tt.outcome, got.Outcome, got.Why)
			if tt.rule == "" {
				require.Empty(t, got.Findings)
				require.InDelta(t, 19, got.Figures[0].Measured, 0, "median of 18, 19, 20: without the first row and the large ones")
				return
			}
			require.Equal(t, []diag.ID{tt.rule}, rules(got.Findings, tt.level))
		})
	}
}

func TestDevicesOfFabricInfo(t *testing.T) {
	t.Parallel()
	info := &evidence.FabricInfo{}
	for i := range 7 {
		for _, kind := range []string{"-rdm", "-dgrm"} {
			info.Endpoints = append(info.Endpoints, evidence.Endpoint{Provider: "efa", Domain: fmt.Sprintf("rdmap%ds0%s", i, kind)})
		}
	}
	docs := []evidence.Document{{File: "fi_info.txt", Info: info}, {File: "pingpong.txt", Pingpong: pingpong(17)}}
	got := verdict.Judge(stepOf(t, plan.StepLatency, verdict.Output{Documents: docs}))
	require.Equal(t, []diag.ID{diag.NodeEFACount}, rules(got.Findings, diag.Error))
	require.Contains(t, got.Why, "7 EFA devices")
	diagtest.Complete(t, got.Findings)
}

func iterations(n int, ms float64, loss func(i int) float64) *evidence.Training {
	t := &evidence.Training{Framework: "megatron-lm", Of: n, Concluded: true}
	for i := range n {
		l := evidence.Float(loss(i))
		t.Iterations = append(t.Iterations, evidence.Iteration{
			Number: i + 1, Covers: 1, MS: ms, Loss: &l,
			Excerpt: evidence.Excerpt{File: "train.log", Line: 100 + i, Text: fmt.Sprintf("iteration %d/%d", i+1, n)},
		})
	}
	t.Iterations[0].MS = 311870 // compiles
	return t
}

func falling(i int) float64 { return 13 - 0.2*float64(i) }

func TestTraining(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		training *evidence.Training
		rule     diag.ID
		level    diag.Level
		got      string
	}{
		"good":                {iterations(24, 5800, falling), "", 0, ""},
		"NaN":                 {iterations(24, 5800, func(i int) float64 { return []float64{falling(i), math.NaN()}[i/12] }), diag.TrainLoss, diag.Error, "NaN at iteration 13"},
		"infinite":            {iterations(24, 5800, func(int) float64 { return math.Inf(1) }), diag.TrainLoss, diag.Error, "+Inf at iteration 1"},
		"it does not fall":    {iterations(24, 5800, func(int) float64 { return 13 }), diag.TrainLoss, diag.Error, "from 13 to 13"},
		"it rises":            {iterations(24, 5800, func(i int) float64 { return 5 + float64(i) }), diag.TrainLoss, diag.Error, "the loss goes from"},
		"a stall":             {stalled(), diag.TrainStall, diag.Warn, "12 (20000 ms)"},
		"too short":           {iterations(6, 5800, falling), diag.PerfUnjudged, diag.Error, "2 iterations after the first 4"},
		"it ends in mid-run":  {cut(), diag.PerfData, diag.Error, "iteration 20 of 24"},
		"NaN by the counter":  {counted(), diag.TrainLoss, diag.Error, "iteration 3 counts 1"},
		"no loss in its line": {silent(), diag.PerfUnjudged, diag.Warn, "the loss stands in 0 lines"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := verdict.Judge(stepOf(t, plan.StepTraining, verdict.Output{Documents: []evidence.Document{{File: "train.log", Training: tt.training}}}))
			diagtest.Complete(t, got.Findings)
			require.Len(t, got.Iterations, len(tt.training.Iterations))
			if tt.rule == "" {
				require.Empty(t, got.Findings)
				return
			}
			require.Equal(t, []diag.ID{tt.rule}, rules(got.Findings, tt.level))
			require.Contains(t, got.Findings[0].Got, tt.got)
		})
	}
}

func stalled() *evidence.Training {
	t := iterations(24, 5800, falling)
	t.Iterations[11].MS = 20000
	return t
}

func cut() *evidence.Training {
	t := iterations(24, 5800, falling)
	t.Iterations, t.Concluded = t.Iterations[:20], false
	return t
}

func counted() *evidence.Training {
	t := iterations(24, 5800, falling)
	t.Iterations[2].NaN = 1
	return t
}

func silent() *evidence.Training {
	t := iterations(24, 5800, falling)
	for i := range t.Iterations {
		t.Iterations[i].Loss = nil
	}
	return t
}

func dispatch(backend string, gbps ...float64) *evidence.Dispatch {
	d := &evidence.Dispatch{Program: "deepep-v2", Ranks: 16, Nodes: 2, Backend: backend}
	for i, v := range gbps {
		d.Figures = append(d.Figures, evidence.DispatchFigure{
			Operation: "dispatch", Rank: i, ScaleOutGBps: v, ScaleUpGBps: 199, TimeUS: 1010,
			Excerpt: evidence.Excerpt{File: "ep.txt", Line: 20 + i, Text: fmt.Sprintf("* EP: %d/16 | dispatch: %g GB/s (SO)", i, v)},
		})
	}
	return d
}

// before is a host step with an all-to-all of 50 GB/s at 64 MiB.
func before() result.Step {
	return result.Step{Name: plan.StepHost, Group: "train", Outcome: result.Passed, Curves: []result.Curve{{
		Collective: string(catalog.AllToAll), Nodes: 2, Ranks: 16, Points: []result.Point{{Bytes: 32 << 20, BusGBps: 40}, {Bytes: 64 << 20, BusGBps: 50}},
	}}}
}

func TestDispatcher(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		dispatcher string
		dispatch   *evidence.Dispatch
		gin        *evidence.GIN
		rule       diag.ID
		level      diag.Level
		got        string
	}{
		"the GPU's own road":         {"deepep-v2", dispatch("GDAKI", 52, 50), nil, "", 0, ""},
		"proved by NCCL's log":       {"deepep-v2", dispatch("", 52, 50), &evidence.GIN{Plugin: "Libfabric_GDAKI", Type: 5}, "", 0, ""},
		"fell to the CPU's proxy":    {"deepep-v2", dispatch("GIN proxy", 52, 50), nil, diag.MoEDispatcher, diag.Error, "deepep-v2 went by GIN proxy"},
		"proxy by NCCL's log":        {"deepep-v2", dispatch("", 52), &evidence.GIN{Type: 2}, diag.MoEDispatcher, diag.Error, "went by GIN proxy"},
		"nothing proves it":          {"deepep-v2", dispatch("", 52, 50), nil, diag.MoEDispatcher, diag.Error, "nothing in the log proves"},
		"slower than the all-to-all": {"deepep-v2", dispatch("GDAKI", 52, 30), nil, diag.MoEDispatcher, diag.Warn, "30 GB/s over the network, 60 %"},
		"faster than can be":         {"deepep-v2", dispatch("GDAKI", 117, 116), nil, diag.PerfImpossible, diag.Warn, "232 %"},
		"a check failed": {"deepep-v2", func() *evidence.Dispatch {
			d := dispatch("GDAKI", 52)
			d.Failed = []evidence.Excerpt{{File: "ep.txt", Line: 9, Text: "AssertionError"}}
			return d
		}(), nil, diag.PerfData, diag.Error, "AssertionError"},
		"no figure": {"deepep-v2", dispatch("GDAKI"), nil, diag.PerfUnjudged, diag.Error, "printed no figure"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			docs := []evidence.Document{{File: "ep.txt", Dispatch: tt.dispatch}}
			if tt.gin != nil {
				docs = append(docs, evidence.Document{File: "nccl.log", Path: &evidence.Path{GIN: *tt.gin}})
			}
			s := stepOf(t, plan.StepDispatcher, verdict.Output{Documents: docs})
			s.Workload.Kind, s.Workload.Dispatcher = "moe", tt.dispatcher
			got := verdict.Judge(s, before())
			diagtest.Complete(t, got.Findings)
			if tt.rule == "" {
				require.Empty(t, got.Findings)
				require.Equal(t, result.Passed, got.Outcome)
				return
			}
			require.Equal(t, []diag.ID{tt.rule}, rules(got.Findings, tt.level))
			require.Contains(t, got.Findings[0].Got, tt.got)
		})
	}
}

// A container is compared with its host at the largest size that both ran.
func TestContainerBesideHost(t *testing.T) {
	t.Parallel()
	s := good(t)
	host := verdict.Judge(s)
	s.Name, s.Workload.Container = plan.StepContainer, "nvcr.io#nvidia/pytorch:26.08-py3"
	got := verdict.Judge(s, host)
	require.Equal(t, result.Passed, got.Outcome, got.Why)
	halve(s.Jobs[0].Outputs[2].Documents[0].Sweep.Rows)
	got = verdict.Judge(s, host)
	diagtest.Complete(t, got.Findings)
	require.Equal(t, []diag.ID{diag.PerfBelow}, rules(got.Findings, diag.Error))
	require.Equal(t, []diag.ID{diag.VerHostContainer}, rules(got.Findings, diag.Warn))
	require.Contains(t, got.Findings[1].Got, "alltoall at 16 GiB: 44.53 GB/s in the container, 50 % of the host's")
}

func pairOf(a, b string, round int, gbps float64) verdict.Output {
	return verdict.Output{
		Nodes: []string{a, b}, Round: round,
		Documents: []evidence.Document{table(catalog.AllReduce, []string{a, b}, result.Point{Bytes: 8 * gib, BusGBps: gbps, AlgGBps: gbps * 8 / 15})},
	}
}

// Four nodes below their gate; two rounds of pairs name the second, and accuse nobody else.
func TestSlowNodeOfFour(t *testing.T) {
	t.Parallel()
	g := group(t, "p6-b200.48xlarge", 4)
	n := nodeNames(4)
	s := hostStep(g, proof(n, 8), table(catalog.AllReduce, n, result.Point{Bytes: 8 * gib, BusGBps: 200}), table(catalog.AllToAll, n, result.Point{Bytes: 8 * gib, BusGBps: 60}))
	s.Jobs = append(s.Jobs, verdict.Job{ID: "13", State: verdict.Completed, Nodes: n, Outputs: []verdict.Output{
		pairOf(n[0], n[1], 1, 350), pairOf(n[2], n[3], 1, 690), pairOf(n[0], n[2], 2, 695), pairOf(n[1], n[3], 2, 345),
	}})
	got := verdict.Judge(s)
	diagtest.Complete(t, got.Findings)
	require.Equal(t, []diag.ID{diag.PerfStraggler, diag.PerfBelow}, rules(got.Findings, diag.Error))
	require.Equal(t, "train-st-gpu-2", got.Findings[0].Place.Resource)
	require.Contains(t, got.Findings[0].Got, "350 GB/s with train-st-gpu-1, 345 GB/s with train-st-gpu-4")
	for _, f := range got.Findings {
		require.NotContains(t, []string{n[0], n[2], n[3]}, f.Place.Resource)
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	n := nodeNames(4)
	places := []result.Place{
		{Node: n[0], Block: "cr-1", Path: []string{"nn-1", "nn-2", "nn-3"}},
		{Node: n[1], Block: "cr-1", Path: []string{"nn-1", "nn-2", "nn-3"}},
		{Node: n[2], Block: "cr-2", Path: []string{"nn-1", "nn-5", "nn-6"}},
		{Node: n[3], Block: "cr-2", Path: []string{"nn-1", "nn-5", "nn-6"}},
	}
	step := func(between float64) verdict.Step {
		s := stepOf(t, plan.StepBlocks, pairOf(n[0], n[1], 0, 690), pairOf(n[2], n[3], 0, 700), pairOf(n[0], n[2], 0, between), pairOf(n[1], n[3], 0, between))
		s.Places = places
		return s
	}
	got := verdict.Judge(step(680))
	require.Equal(t, result.Passed, got.Outcome, got.Why)
	require.Contains(t, got.Figures[0].Formula, "680 / 695 = 98 %")

	got = verdict.Judge(step(400))
	require.Equal(t, result.Warned, got.Outcome)
	require.Equal(t, []diag.ID{diag.TopoBetween}, rules(got.Findings, diag.Warn))
	diagtest.Complete(t, got.Findings)

	s := step(400)
	s.Thresholds.BetweenBlocks = 0.5
	require.Equal(t, result.Passed, verdict.Judge(s).Outcome, "the user's threshold")

	s.Places = nil
	got = verdict.Judge(s)
	require.Equal(t, []diag.ID{diag.PerfUnjudged}, rules(got.Findings, diag.Error))
	diagtest.Complete(t, got.Findings)

	distance := verdict.Distance(places)
	require.Equal(t, 0, distance(n[0], n[1]))
	require.Equal(t, 2, distance(n[0], n[2]))
	require.Equal(t, 3, distance(n[0], "nobody"))
	require.Nil(t, verdict.Distance(nil))
}

package verdict_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/verdict"
)

func order(t testing.TB, steps ...verdict.Step) verdict.Order {
	t.Helper()
	o := verdict.Order{
		Plan: plan.Cluster{Name: "llama", Region: "us-east-2", Groups: []plan.NodeGroup{group(t, "p6-b200.48xlarge", 2)}},
		Weft: "1.0.0", ID: "20261130-120000", Started: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Steps: steps,
		Places: []result.Place{
			{Node: "train-st-gpu-1", Block: "cr-1", Path: []string{"nn-1", "nn-2"}}, {Node: "train-st-gpu-2", Block: "cr-1", Path: []string{"nn-1", "nn-2"}},
		},
	}
	return o
}

func skipped(name, why string) verdict.Step { return verdict.Step{Name: name, Skipped: why} }

func TestRunPasses(t *testing.T) {
	t.Parallel()
	host := good(t)
	container := good(t)
	container.Name, container.Workload.Container = plan.StepContainer, "nvcr.io#nvidia/pytorch:26.08-py3"
	container.Jobs[0].Outputs[0].Documents[0].Path.NCCL = "2.30.4"
	latency := stepOf(t, plan.StepLatency, verdict.Output{Documents: []evidence.Document{{File: "pingpong.txt", Pingpong: pingpong(17)}}})
	got := verdict.Run(order(t, host, container, latency, skipped(plan.StepDispatcher, "the model is dense")))
	require.Equal(t, result.Passed, got.Outcome)
	require.Nil(t, got.Cause)
	require.Equal(t, result.Version, got.Schema)
	require.Len(t, got.Steps, 4)
	require.Equal(t, result.NotRun, got.Steps[3].Outcome)
	require.Equal(t, []result.Pair{{A: "train-st-gpu-1", B: "train-st-gpu-2", Distance: "same leaf", LatencyUS: 19}}, got.Pairs)
	require.Len(t, got.Nodes, 2)
	for _, n := range got.Nodes {
		require.Equal(t, result.Passed, n.Outcome)
		require.Equal(t, 8, n.NICs)
		require.Equal(t, 8, n.Want)
		require.Equal(t, "efa", n.Provider)
		require.Equal(t, "cr-1", n.Block)
		require.Equal(t, 32, n.Channels.GDR, "of both steps")
	}
	var nccl result.Component
	for _, c := range got.Versions {
		if c.Name == string(catalog.NCCL) {
			nccl = c
		}
	}
	require.Equal(t, result.Component{Name: "nccl", Host: "2.31.2", Container: "2.30.4", Floor: "2.26.2-1", Outcome: result.Passed}, nccl)
	require.Equal(t, []diag.ID{diag.VerHostContainer}, rules(got.Steps[1].Findings, diag.Note), "the container's own road is proved")
	text, err := json.Marshal(got)
	require.NoError(t, err)
	require.NotContains(t, string(text), "null", "lists are left out or written")
}

// The cause is the lowest one, whichever step found it.
func TestCauseIsTheLowest(t *testing.T) {
	t.Parallel()
	host := good(t)
	halve(host.Jobs[0].Outputs[2].Documents[0].Sweep.Rows)
	container := good(t)
	container.Name, container.Workload.Container = plan.StepContainer, "image"
	n := &container.Jobs[0].Outputs[0].Documents[0].Path.Nodes[1]
	n.Providers = map[string]int{"tcp": 8}
	got := verdict.Run(order(t, host, container, skipped(plan.StepLatency, "step container failed")))
	require.Equal(t, result.Failed, got.Outcome)
	require.Equal(t, diag.NetProvider, got.Cause.Rule)
	require.Equal(t, "train-st-gpu-2", got.Cause.Place.Resource)
	require.Equal(t, result.Passed, got.Nodes[0].Outcome)
	require.Equal(t, result.Failed, got.Nodes[1].Outcome)
	require.Contains(t, got.Nodes[1].Why, "tcp")
}

func TestRunWaits(t *testing.T) {
	t.Parallel()
	host := good(t)
	host.Jobs = []verdict.Job{{ID: "7", State: verdict.Pending, Reservation: "pcluster-cr-1", Nodes: nodeNames(2)}}
	o := order(t, host, skipped(plan.StepLatency, "waits for step host"))
	o.Until = time.Date(2026, 12, 1, 11, 30, 0, 0, time.UTC)
	got := verdict.Run(o)
	require.Equal(t, result.Waiting, got.Outcome)
	require.Nil(t, got.Cause)
	require.Equal(t, o.Until, got.Until)
	require.Equal(t, -1, got.Nodes[0].NICs)
	require.Equal(t, result.NotRun, verdict.Run(order(t, skipped(plan.StepHost, "not asked for"))).Outcome)
}

// The same input gives the same document.
func TestRunIsDeterministic(t *testing.T) {
	t.Parallel()
	build := func() []byte {
		s := good(t)
		for i := range 2 {
			s.Jobs[0].Outputs[0].Documents[0].Path.Nodes[i].Providers = map[string]int{"tcp": 1, "sockets": 2, "efa": 3}
		}
		text, err := json.Marshal(verdict.Run(order(t, s)))
		require.NoError(t, err)
		return text
	}
	want := build()
	for range 20 {
		require.Equal(t, string(want), string(build()))
	}
}

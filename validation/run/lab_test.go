package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/slurm"
	"github.com/weft-hpc/weft/offline/slurm/replay"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/run"
	"github.com/weft-hpc/weft/validation/step"
)

// situation is a cluster of one queue on a real Slurm, and what is wrong with it.
type situation struct {
	instanceType string // p5en.48xlarge where empty
	workload     string // lines of the config
	faults       []replay.Fault
}

// stage is a running lab with a runner for it.
type stage struct {
	lab     *slurm.Lab
	runner  *run.Runner
	request run.Request
	nodes   []string
	events  *[]string
}

// set starts a lab of four nodes that claim 192 CPUs and 8 GPUs each.
func set(t *testing.T, at situation) stage {
	t.Helper()
	slurm.Need(t)
	kind := at.instanceType
	if kind == "" {
		kind = "p5en.48xlarge"
	}
	nodes := slurm.Nodes("train", strings.ReplaceAll(strings.TrimSuffix(kind, ".48xlarge"), "-", ""), 4)
	lab, err := slurm.Start(t.Context(), slurm.Options{
		Replay: program(t), DeadAfter: deadAfter(at.faults),
		Queues: []slurm.Queue{{Name: "train", Nodes: nodes, CPUs: 192, GPUs: 8, Scenario: replay.Scenario{InstanceType: kind, Faults: at.faults}}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lab.Stop(context.WithoutCancel(t.Context()))) })
	var events []string
	s := stage{lab: lab, nodes: nodes, events: &events}
	s.request = request(t, kind, at.workload)
	s.runner = s.client(t)
	return s
}

func deadAfter(faults []replay.Fault) time.Duration {
	if slices.ContainsFunc(faults, func(f replay.Fault) bool { return f.Kind == replay.Dies }) {
		return 4 * time.Second
	}
	return time.Minute
}

// client is a runner of its own: as if on another machine.
func (s stage) client(t *testing.T) *run.Runner {
	t.Helper()
	r := run.New(run.Local{Env: s.lab.Env()}, t.TempDir())
	r.Poll = 200 * time.Millisecond
	r.Weft = "test"
	r.Say = func(e run.Event) {
		*s.events = append(*s.events, e.Job+": "+e.Text)
		t.Logf("%-20s %s", e.Job, e.Text)
	}
	return r
}

// program is the stand-in for benchmarks, built once for all tests of the package.
func program(t *testing.T) string {
	t.Helper()
	require.NotEmpty(t, standIn)
	return standIn
}

var standIn string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "weft-replay-")
	if err == nil && len(slurm.Missing()) == 0 {
		standIn, err = slurm.Build(context.Background(), dir)
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	_ = os.RemoveAll(dir)
	os.Exit(code) //nolint:forbidigo // a test's main
}

func request(t *testing.T, kind, workload string) run.Request {
	t.Helper()
	doc, findings := config.Decode("weft.yaml", []byte(`name: lab
region: us-west-2
network:
  create: {}
groups:
  - name: train
    instanceType: `+kind+`
    count: 4
    zone: us-west-2b
    capacity:
      block:
        reservation: cr-0aa00000000000001
`+workload))
	require.Empty(t, findings)
	p, _ := plan.New(doc.Cluster)
	o := step.Options{MPI: "none"}
	key, err := run.Key(p, o)
	require.NoError(t, err)
	return run.Request{Key: key, Plan: p, Options: o, AwaitBlock: true, Timeout: 10 * time.Minute}
}

const mixture = `workload:
  kind: moe
  framework: megatron-lm
  expertParallel: 16
  dispatcher: deepep-v2
  container: /fsx/train.sqsh
`

func (s stage) run(t *testing.T) result.Run {
	t.Helper()
	r, err := s.runner.Run(t.Context(), s.request)
	require.NoError(t, err)
	return r
}

// outcomes tells each step's outcome in a line.
func outcomes(r result.Run) string {
	var out []string
	for _, s := range r.Steps {
		out = append(out, s.Name+" "+string(s.Outcome))
	}
	return strings.Join(out, ", ")
}

// accused are the nodes that findings at error level name.
func accused(r result.Run, nodes []string) []string {
	var out []string
	for _, s := range r.Steps {
		for _, f := range s.Findings {
			if f.Severity() != diag.Error {
				continue
			}
			for _, n := range nodes {
				if !slices.Contains(out, n) && strings.Contains(f.Place.Resource, n) {
					out = append(out, n)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

func explain(r result.Run) string {
	var b strings.Builder
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "\n%s: %s %s", s.Name, s.Outcome, s.Why)
		for _, f := range s.Findings {
			fmt.Fprintf(&b, "\n    %s %s [%s%s] got %.200s want %.200s", f.Severity(), f.Rule, f.Place.File, f.Place.Resource, f.Got, f.Want)
		}
	}
	return b.String()
}

// good holds that nothing is wrong. Latency may be warned of: its figures are those of this machine's loopback, under whatever load.
func good(t *testing.T, r result.Run) {
	t.Helper()
	require.Contains(t, []result.Outcome{result.Passed, result.Warned}, r.Outcome, explain(r))
	require.Nil(t, r.Cause)
	for _, s := range r.Steps {
		if s.Name != plan.StepLatency {
			require.Equal(t, result.Passed, s.Outcome, explain(r))
		}
		for _, f := range s.Findings {
			require.Equal(t, diag.PerfLatency, f.Rule, explain(r))
		}
	}
}

// fails holds that a run failed for one cause, and that only some nodes are accused.
func fails(t *testing.T, r result.Run, cause diag.ID, nodes []string, wrong ...string) {
	t.Helper()
	require.Equal(t, result.Failed, r.Outcome, explain(r))
	require.NotNil(t, r.Cause, explain(r))
	require.Equal(t, cause, r.Cause.Rule, explain(r))
	require.Equal(t, wrong, accused(r, nodes), explain(r))
}

func TestGoodCluster(t *testing.T) {
	t.Parallel()
	s := set(t, situation{workload: mixture})
	r := s.run(t)
	good(t, r)
	require.Len(t, r.Steps, 5)
	require.FileExists(t, filepath.Join(s.runner.Dir, r.ID, "result.json"))
}

func TestNodeOnSockets(t *testing.T) {
	t.Parallel()
	s := set(t, situation{faults: []replay.Fault{{Kind: replay.NoDevices, Nodes: []string{"train-st-p5en-3"}}}})
	fails(t, s.run(t), diag.NetProvider, s.nodes, "train-st-p5en-3")
}

func TestSevenNICs(t *testing.T) {
	t.Parallel()
	s := set(t, situation{instanceType: "p6-b200.48xlarge", faults: []replay.Fault{{Kind: replay.TooFewNICs, NICs: 7, Nodes: []string{"train-st-p6b200-2"}}}})
	fails(t, s.run(t), diag.NetNICs, s.nodes, "train-st-p6b200-2")
}

func TestSlowNode(t *testing.T) {
	t.Parallel()
	s := set(t, situation{faults: []replay.Fault{{Kind: replay.Slow, Share: 0.6, Nodes: []string{"train-st-p5en-4"}}}})
	fails(t, s.run(t), diag.PerfStraggler, s.nodes, "train-st-p5en-4")
}

func TestOneCPUForEachRank(t *testing.T) {
	t.Parallel()
	s := set(t, situation{faults: []replay.Fault{{Kind: replay.OneCPU}}})
	fails(t, s.run(t), diag.CPUPerRank, s.nodes, s.nodes...)
}

func TestContainerWithoutPlugin(t *testing.T) {
	t.Parallel()
	s := set(t, situation{workload: mixture, faults: []replay.Fault{{Kind: replay.NoPlugin, Where: "container"}}})
	r := s.run(t)
	require.Equal(t, diag.NetPlugin, r.Cause.Rule, explain(r))
	require.Equal(t, "host passed, container failed, latency not-run, dispatcher not-run, training not-run", outcomes(r))
}

func TestDispatcherThroughTheCPU(t *testing.T) {
	t.Parallel()
	s := set(t, situation{workload: mixture, faults: []replay.Fault{{Kind: replay.Proxy}}})
	r := s.run(t)
	require.Equal(t, result.Failed, r.Outcome, explain(r))
	require.Equal(t, diag.MoEDispatcher, r.Cause.Rule, explain(r))
	require.Equal(t, result.NotRun, r.Steps[4].Outcome)
}

func TestLossIsNoNumber(t *testing.T) {
	t.Parallel()
	s := set(t, situation{faults: []replay.Fault{{Kind: replay.NaN}}})
	fails(t, s.run(t), diag.TrainLoss, s.nodes)
}

func TestNodeDies(t *testing.T) {
	t.Parallel()
	s := set(t, situation{faults: []replay.Fault{{Kind: replay.Dies, Program: "alltoall_perf", Nodes: []string{"train-st-p5en-2"}}}})
	fails(t, s.run(t), diag.JobNode, s.nodes, "train-st-p5en-2")
}

// The client is killed in the middle; another one, elsewhere, goes on, and nothing is submitted twice.
func TestClientIsKilledAndAnotherGoesOn(t *testing.T) {
	t.Parallel()
	s := set(t, situation{})
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	first := s.runner
	say := first.Say
	first.Say = func(e run.Event) {
		say(e)
		if e.Job == "host-train" && strings.HasPrefix(e.Text, "runs") {
			kill()
		}
	}
	_, err := first.Run(ctx, s.request)
	require.ErrorIs(t, err, context.Canceled)

	second := s.client(t)
	status, err := second.Status(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, status.Done)
	require.Equal(t, "host-train", status.Jobs[0].Name)
	require.Equal(t, "not submitted", status.Jobs[1].State)

	other := request(t, "p5en.48xlarge", "workload:\n  kind: moe\n")
	_, err = second.Run(t.Context(), other)
	require.ErrorContains(t, err, "another validation goes on", "of another plan")

	r, err := second.Run(t.Context(), s.request)
	require.NoError(t, err)
	good(t, r)
	require.Equal(t, status.ID, r.ID)
	submitted := slices.DeleteFunc(slices.Clone(*s.events), func(e string) bool { return !strings.Contains(e, "submitted as job") })
	require.Equal(t, []string{
		"host-train: submitted as job 1", "latency-train: submitted as job 2", "training-train: submitted as job 3",
	}, submitted)
}

// A block that has not started holds the nodes back. The run waits with its whole order in the queue; when the block starts, Slurm runs it
// with nobody watching, and the next client reads what came out.
func TestBlockThatStartsLater(t *testing.T) {
	t.Parallel()
	s := set(t, situation{})
	require.NoError(t, s.lab.Reserve(t.Context(), "pcluster-cr-0aa00000000000001", s.nodes))
	s.request.AwaitBlock = false
	r := s.run(t)
	require.Equal(t, result.Waiting, r.Outcome, explain(r))
	require.Contains(t, strings.Join(*s.events, "\n"), "waits for capacity block cr-0aa00000000000001, which has not started")
	status, err := s.runner.Status(t.Context(), r.ID)
	require.NoError(t, err)
	for _, j := range status.Jobs {
		require.Equal(t, "PENDING", j.State, "%v", status)
	}

	require.NoError(t, s.lab.Release(t.Context(), "pcluster-cr-0aa00000000000001"))
	later := s.client(t)
	again, err := later.Run(t.Context(), s.request)
	require.NoError(t, err)
	good(t, again)
	require.Equal(t, r.ID, again.ID)
}

// Nobody watches: the gate of a script stops the order where a later step would have run on a failed foundation.
func TestGateOfAnUnwatchedRun(t *testing.T) {
	t.Parallel()
	s := set(t, situation{faults: []replay.Fault{{Kind: replay.Slow, Share: 0.5, Nodes: []string{"train-st-p5en-1"}}}})
	s.request.Detached = true
	r := s.run(t)
	require.Equal(t, result.Waiting, r.Outcome, explain(r))
	later := s.client(t)
	s.request.Detached = false
	again, err := later.Run(t.Context(), s.request)
	require.NoError(t, err)
	require.Equal(t, result.Failed, again.Outcome, explain(again))
	require.Equal(t, "host failed, latency not-run, training not-run", outcomes(again))
	require.Equal(t, []string{"train-st-p5en-1"}, accused(again, s.nodes), explain(again))
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := set(t, situation{})
	require.NoError(t, s.lab.Reserve(t.Context(), "pcluster-cr-0aa00000000000001", s.nodes))
	s.request.AwaitBlock = false
	r := s.run(t)
	require.NoError(t, s.runner.Cancel(t.Context(), r.ID))
	status, err := s.runner.Status(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, "cancelled", status.Done)
	for _, j := range status.Jobs {
		require.Equal(t, "CANCELLED", j.State)
	}
}

// Nodes that are out of service are named, and the run does not wait for them for ever.
func TestDrainedNode(t *testing.T) {
	t.Parallel()
	s := set(t, situation{})
	require.NoError(t, s.lab.Drain(t.Context(), "train-st-p5en-3", "Xid 79: GPU has fallen off the bus"))
	s.runner.Patience = 2 * time.Second
	r := s.run(t)
	fails(t, r, diag.JobNode, s.nodes, "train-st-p5en-3")
	require.Contains(t, r.Cause.Got, "Xid 79")
}

// Pairs inside and between two blocks: a job that spans two queues.
func TestTwoBlocks(t *testing.T) {
	t.Parallel()
	slurm.Need(t)
	queue := func(name string) slurm.Queue {
		return slurm.Queue{
			Name: name, Nodes: slurm.Nodes(name, "b200", 2), CPUs: 192, GPUs: 8, Scenario: replay.Scenario{InstanceType: "p6-b200.48xlarge"},
		}
	}
	lab, err := slurm.Start(t.Context(), slurm.Options{Replay: program(t), DeadAfter: time.Minute, Queues: []slurm.Queue{queue("one"), queue("two")}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lab.Stop(context.WithoutCancel(t.Context()))) })
	group := func(name, block string) string {
		return "  - name: " + name + "\n    instanceType: p6-b200.48xlarge\n    count: 2\n    zone: us-west-2b\n    capacity:\n      block:\n        reservation: " + block + "\n"
	}
	doc, findings := config.Decode("weft.yaml", []byte("name: twice\nregion: us-west-2\nnetwork:\n  create: {}\ngroups:\n"+
		group("one", "cr-0aa00000000000001")+group("two", "cr-0aa00000000000002")+"validation:\n  steps: [host, blocks]\n"))
	require.Empty(t, findings)
	p, _ := plan.New(doc.Cluster)
	s := stage{lab: lab, events: &[]string{}, request: run.Request{Key: "two", Plan: p, Options: step.Options{MPI: "none"}, Timeout: 10 * time.Minute}}
	s.runner = s.client(t)
	r := s.run(t)
	require.Equal(t, result.Passed, r.Outcome, explain(r))
	require.NotEmpty(t, r.Pairs)
}

package provider_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/slurm"
	"github.com/weft-hpc/weft/offline/slurm/replay"
)

// A cluster from its block's start to its repair: the real engine, the plugin with its real runner, a real Slurm.
func TestUpOnASlurmCluster(t *testing.T) {
	t.Parallel()
	slurm.Need(t)
	ctx := t.Context()
	const reservation = "cr-05e0000000000000a"
	nodes := slurm.Nodes("train", "p5en", 4)
	stand, err := slurm.Build(ctx, t.TempDir())
	require.NoError(t, err)
	broken := replay.Scenario{InstanceType: "p5en.48xlarge", Faults: []replay.Fault{{Kind: replay.NoDevices, Nodes: nodes[2:3]}}}
	lab, err := slurm.Start(ctx, slurm.Options{
		Replay: stand, DeadAfter: time.Minute, Queues: []slurm.Queue{{Name: "train", Nodes: nodes, CPUs: 192, GPUs: 8, Scenario: broken}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lab.Stop(context.WithoutCancel(ctx))) })
	require.NoError(t, lab.Reserve(ctx, "pcluster-"+reservation, nodes))

	dir := project(t, filepath.Dir(program(t, "pulumi-resource-weft")))
	s := &stack{t: t, Workspace: workspace(t, dir, append(own(lab.Env()), "RUNNER_SCRIPT=")...)}
	s.set("local", "true")
	s.set("first", cluster("llama")+"validation: {steps: [host]}\n")

	s.ended(0, "the validation waits", "nothing is proved yet")(s.Up(ctx))
	require.Equal(t, "waiting", s.outputs()["outcome"])
	s.ended(0, "~ 1 updated")(s.Up(ctx))
	require.Equal(t, "waiting", s.outputs()["outcome"])

	require.NoError(t, lab.Release(ctx, "pcluster-"+reservation))
	for range 2 {
		failed := s.ended(1, "the validation failed: llama", "mend this first", nodes[2])(s.Up(ctx))
		require.FileExists(t, reportIn(t, failed.Output))
		require.Equal(t, "waiting", s.outputs()["outcome"], "the state is the one before")
	}
	require.NoError(t, lab.SetScenario("train", replay.Scenario{InstanceType: "p5en.48xlarge"}))
	s.ended(0, "validated: llama", "~ 1 updated")(s.Up(ctx))
	require.Equal(t, "passed", s.outputs()["outcome"], s.outputs()["summary"])
	require.FileExists(t, s.outputs()["report"].(string))
	s.ended(0, "unchanged")(s.Up(ctx, "--expect-no-changes"))
	s.ended(0, "the report stays in")(s.Destroy(ctx))
}

// own are the variables that an environment has in other words than this process's.
func own(environment []string) []string {
	have := map[string]bool{}
	for _, v := range os.Environ() {
		have[v] = true
	}
	var out []string
	for _, v := range environment {
		// The engine puts its own tools in front of PATH; the lab's programs must be found as well.
		if !have[v] {
			out = append(out, v)
		}
	}
	return out
}

// reportIn is the path of the report that an output names.
func reportIn(t *testing.T, output string) string {
	t.Helper()
	_, rest, found := strings.Cut(output, "report   ")
	require.True(t, found, output)
	path, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(path)
}

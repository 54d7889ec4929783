package slurm_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/slurm"
	"github.com/weft-hpc/weft/offline/slurm/replay"
)

// start gives a lab that ends with the test.
func start(t *testing.T, deadAfter time.Duration, queues ...slurm.Queue) *slurm.Lab {
	t.Helper()
	slurm.Need(t)
	program, err := slurm.Build(t.Context(), t.TempDir())
	require.NoError(t, err)
	lab, err := slurm.Start(t.Context(), slurm.Options{Queues: queues, Replay: program, DeadAfter: deadAfter})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lab.Stop(context.WithoutCancel(t.Context()))) })
	return lab
}

func p5en(queue string, count int, faults ...replay.Fault) slurm.Queue {
	return slurm.Queue{
		Name: queue, Nodes: slurm.Nodes(queue, "p5en", count), CPUs: 192, GPUs: 8,
		Scenario: replay.Scenario{InstanceType: "p5en.48xlarge", Faults: faults},
	}
}

// batch runs a script as a job and gives its output and exit code.
func batch(t *testing.T, lab *slurm.Lab, script string) (output string, code int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out")
	id := command(t, lab, script, "sbatch", "--parsable", "--output="+file)
	for {
		state := command(t, lab, "", "scontrol", "show", "job", "--oneliner", id)
		if field(state, "EndTime") != "Unknown" && !slices.Contains([]string{"PENDING", "RUNNING", "COMPLETING"}, field(state, "JobState")) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			code, err := strconv.Atoi(strings.Split(field(state, "ExitCode"), ":")[0])
			require.NoError(t, err)
			if field(state, "JobState") == "NODE_FAIL" {
				code = 1
			}
			return string(data), code
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func field(line, name string) string {
	_, rest, _ := strings.Cut(line, " "+name+"=")
	value, _, _ := strings.Cut(rest, " ")
	return value
}

func command(t *testing.T, lab *slurm.Lab, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env, cmd.Stdin = lab.Env(), strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

// has tells of a long output only which text it lacks.
func has(t *testing.T, output string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.True(t, strings.Contains(output, text), "the output lacks %q", text)
	}
}

func hasNot(t *testing.T, output, text string) {
	t.Helper()
	require.False(t, strings.Contains(output, text), "the output has %q", text)
}

const job = `#!/bin/bash
#SBATCH --partition=train --nodes=2 --ntasks-per-node=8 --gpus-per-node=8 --cpus-per-task=24 --exclusive
export NCCL_DEBUG=INFO NCCL_NET=Libfabric FI_PROVIDER=efa
`

// TestTasksGetTheCPUsThatTheyAskFor shows for real what Slurm 22.05 changed: a step does not take the job's CPUs for a task.
func TestTasksGetTheCPUsThatTheyAskFor(t *testing.T) {
	t.Parallel()
	lab := start(t, 0, p5en("train", 2))
	directives := "#!/bin/bash\n#SBATCH --partition=train --nodes=2 --ntasks-per-node=8 --gpus-per-node=8\n"
	show := ` bash -c 'echo "$SLURM_CPUS_ON_NODE of $SLURMD_NODENAME"' | sort | uniq -c` + "\n"
	got, code := batch(t, lab, directives+"srun"+show)
	require.Zero(t, code)
	require.Equal(t, "      8 8 of train-st-p5en-1\n      8 8 of train-st-p5en-2\n", got, "one CPU for each of eight tasks")
	got, code = batch(t, lab, job+"srun --cpus-per-task=24 --gpus-per-node=8"+show)
	require.Zero(t, code)
	require.Equal(t, "      8 192 of train-st-p5en-1\n      8 192 of train-st-p5en-2\n", got)

	t.Run("bandwidth follows", func(t *testing.T) {
		t.Parallel()
		sweep := "all_reduce_perf -b 8G -e 8G -f 2"
		one, _ := batch(t, lab, directives+"export NCCL_DEBUG=INFO\nsrun --cpus-per-task=1 --gpus-per-node=8 "+sweep)
		many, _ := batch(t, lab, job+"srun --cpus-per-task=24 --gpus-per-node=8 "+sweep)
		has(t, one, "CPU affinity = 3)")
		has(t, many, "CPU affinity = 72-95)")
		has(t, many, "Avg bus bandwidth    : 69")
		has(t, one, "Avg bus bandwidth    : 17")
	})
}

func TestOnlyRankZeroPrintsTheTableAndAllTheirRoads(t *testing.T) {
	t.Parallel()
	lab := start(t, 0, p5en("train", 2))
	got, code := batch(t, lab, job+"srun --label --cpus-per-task=24 --gpus-per-node=8 alltoall_perf -b 1M -e 1G -f 2")
	require.Zero(t, code)
	require.Equal(t, 1, strings.Count(got, "# Out of bounds values : 0 OK"))
	require.Equal(t, 16, strings.Count(got, "(found 16 nics)"))
	require.Equal(t, 64, strings.Count(got, "/GDRDMA"))
	hasNot(t, got, "NET/Socket/")
}

func TestFallbackIsLoudWhereBothNamesArePinned(t *testing.T) {
	t.Parallel()
	lab := start(t, 0, p5en("train", 2, replay.Fault{Kind: replay.NoDevices, Nodes: []string{"train-st-p5en-2"}}))
	run := "srun --label --kill-on-bad-exit=1 --cpus-per-task=24 --gpus-per-node=8 all_reduce_perf -b 8G -e 8G -f 2"
	got, code := batch(t, lab, job+run)
	require.NotZero(t, code)
	has(t, got, "train-st-p5en-2: Test NCCL failure common.cu:222 'invalid usage")
	hasNot(t, got, "Out of bounds")

	got, code = batch(t, lab, job+"unset NCCL_NET FI_PROVIDER\n"+run)
	require.Zero(t, code, "silence is NCCL's way")
	has(t, got, "Using network Socket")
	has(t, got, "Avg bus bandwidth    : 5.9")
}

func TestRealPingpong(t *testing.T) {
	t.Parallel()
	lab := start(t, 0, p5en("train", 2))
	got, code := batch(t, lab, job+`
srun --overlap -N1 -n1 -w train-st-p5en-1 fi_pingpong -p efa -e rdm -I 100 -S all -B 29471 &
for _ in $(seq 50); do
  srun --overlap -N1 -n1 -w train-st-p5en-2 fi_pingpong -p efa -e rdm -I 100 -S all -P 29471 127.0.0.1 && break
  sleep 0.1
done
wait`)
	require.Zero(t, code)
	require.Equal(t, 2, strings.Count(got, "usec/xfer"), "one table for each side")
}

func TestNodeDies(t *testing.T) {
	t.Parallel()
	lab := start(t, 4*time.Second, p5en("train", 2, replay.Fault{Kind: replay.Dies, Nodes: []string{"train-st-p5en-2"}}))
	got, code := batch(t, lab, "#!/bin/bash\n#SBATCH --no-requeue\n"+strings.TrimPrefix(job, "#!/bin/bash\n")+
		"srun --label --kill-on-bad-exit=1 --cpus-per-task=24 --gpus-per-node=8 all_reduce_perf -b 1M -e 8G -f 2")
	require.NotZero(t, code)
	hasNot(t, got, "Out of bounds")
	has(t, got, "train-st-p5en-2")
	require.NoError(t, lab.StartNode(t.Context(), "train-st-p5en-2"))
}

package step_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/step"
	"github.com/weft-hpc/weft/validation/suspect"
)

func planOf(t *testing.T, situation string) plan.Cluster {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", situation, "weft.yaml"))
	require.NoError(t, err)
	doc, findings := config.Decode("weft.yaml", data)
	require.Empty(t, findings)
	c, _ := plan.New(doc.Cluster)
	return c
}

// options of a situation: the nodes of p6-b200-dense are known by name, with their places.
func options(situation string) step.Options {
	if situation != "p6-b200-dense" {
		return step.Options{}
	}
	return step.Options{
		Hosts: map[string][]string{"train": {"train-st-train-1", "train-st-train-2", "train-st-train-3", "train-st-train-4"}},
		Places: []result.Place{
			{Node: "train-st-train-1", Path: []string{"nn-1", "nn-2", "nn-4"}},
			{Node: "train-st-train-2", Path: []string{"nn-1", "nn-3", "nn-5"}},
			{Node: "train-st-train-3", Path: []string{"nn-1", "nn-2", "nn-4"}},
			{Node: "train-st-train-4", Path: []string{"nn-1", "nn-3", "nn-5"}},
		},
	}
}

func TestGoldens(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".sh")
	golden.NoneUnused(t, "testdata", "order.txt")
	for _, situation := range []string{"p5en", "p6-b200-dense", "p6-b300-moe", "two-blocks", "own-commands"} {
		t.Run(situation, func(t *testing.T) {
			order := step.New(planOf(t, situation), options(situation))
			var shown bytes.Buffer
			require.NoError(t, order.Show(&shown))
			list, _, _ := strings.Cut(shown.String(), "\n==>")
			golden.Check(t, filepath.Join("testdata", situation, "order.txt"), []byte(list))
			for _, j := range order.Jobs {
				golden.Check(t, filepath.Join("testdata", situation, j.Name+".sh"), []byte(j.Script))
				clean(t, j)
			}
		})
	}
}

// Places alone tell the nodes too, so that pairs are chosen by them; places of some nodes tell nothing.
func TestPlacesNameTheNodes(t *testing.T) {
	c, all := planOf(t, "p6-b200-dense"), options("p6-b200-dense")
	require.Equal(t, step.New(c, all), step.New(c, step.Options{Places: all.Places}))
	require.Equal(t, step.New(c, step.Options{}), step.New(c, step.Options{Places: all.Places[:3]}))
	other := slices.Clone(all.Places)
	other[0].Node = "trainer-st-train-1"
	require.Equal(t, step.New(c, step.Options{}), step.New(c, step.Options{Places: other}))
}

func TestSuspects(t *testing.T) {
	rounds := []suspect.Round{
		{Groups: [][]string{{"train-st-p5en-1", "train-st-p5en-2"}, {"train-st-p5en-3", "train-st-p5en-4"}}},
		{Groups: [][]string{{"train-st-p5en-1", "train-st-p5en-3"}}},
	}
	j := step.Suspect(planOf(t, "p5en"), "train", rounds, 3, step.Options{})
	require.Equal(t, []string{"train-st-p5en-1", "train-st-p5en-2", "train-st-p5en-3", "train-st-p5en-4"}, j.Hosts)
	golden.Check(t, filepath.Join("testdata", "suspects-train-3.txt"), []byte(j.Script))
	clean(t, j)
}

// clean holds a script against bash and shellcheck.
func clean(t *testing.T, j step.Job) {
	t.Helper()
	checks := [][]string{{"bash", "-n"}}
	if path, err := exec.LookPath("shellcheck"); err == nil {
		checks = append(checks, []string{path, "--severity=style", "--shell=bash", "-"})
	} else {
		require.NotEqual(t, "true", os.Getenv("CI"), "shellcheck is not there")
	}
	for _, check := range checks {
		cmd := exec.CommandContext(t.Context(), check[0], check[1:]...)
		cmd.Stdin = strings.NewReader(j.Script)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s of %s: %s", check[0], j.Name, out)
	}
}

// Every rank program of a script says CPUs and GPUs itself: a step takes neither from its job.
func TestStepsSayTheirShare(t *testing.T) {
	for _, j := range step.New(planOf(t, "p5en"), step.Options{}).Jobs {
		require.Contains(t, j.Script, "#SBATCH --cpus-per-task=24\n#SBATCH --exclusive\n")
		require.Contains(t, j.Script, "#SBATCH --no-requeue\n")
		for line := range strings.Lines(strings.ReplaceAll(j.Script, "\\\n", "")) {
			if strings.Contains(line, " srun ") && !strings.Contains(line, "#") {
				require.Contains(t, line, "--cpus-per-task=")
			}
		}
	}
}

func TestBothNamesArePinned(t *testing.T) {
	for _, j := range step.New(planOf(t, "p6-b300-moe"), step.Options{}).Jobs {
		if j.Step != plan.StepLatency {
			require.Contains(t, j.Script, "NCCL_NET=Libfabric FI_PROVIDER=efa", j.Name)
			require.Contains(t, j.Script, "NCCL_DEBUG_SUBSYS=INIT,ENV,NET", j.Name)
		}
	}
}

func TestWhatCannotRunIsTold(t *testing.T) {
	c := planOf(t, "p6-b300-moe")
	for name, change := range map[string]func(*config.Workload){
		"hybridep has no road over nodes":                                                     func(w *config.Workload) { w.Dispatcher = "hybridep" },
		"an expert-parallel group spans 8 nodes, the group has 4":                             func(w *config.Workload) { w.ExpertParallel = 64 },
		"32 ranks can't be split by tensor × pipeline parallel 1 × 3":                         func(w *config.Workload) { w.PipelineParallel = 3 },
		"weft knows no training of framework other: name one in validation.commands.training": func(w *config.Workload) { w.Framework = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			c := c
			change(&c.Config.Workload)
			order := step.New(c, step.Options{})
			require.True(t, slices.ContainsFunc(order.Skipped, func(s step.Skipped) bool { return s.Why == name }), "%v", order.Skipped)
		})
	}
}

// Whatever the number of nodes: in a round no node is in two pairs, no pair comes twice, and of few nodes all pairs come.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "nodes")
		seen := map[string]bool{}
		for _, round := range step.Matchings(n) {
			busy := map[int]bool{}
			for _, p := range round {
				if p[0] >= p[1] || p[1] >= n || busy[p[0]] || busy[p[1]] {
					t.Fatalf("round %v of %d nodes", round, n)
				}
				busy[p[0]], busy[p[1]] = true, true
				seen[fmt.Sprint(p)] = true
			}
		}
		if n <= 8 && len(seen) != n*(n-1)/2 {
			t.Fatalf("%d pairs of %d nodes", len(seen), n)
		}
	})
}

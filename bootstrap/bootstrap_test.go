package bootstrap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

// expectations of a script, as they stand in it.
func expectations(s bootstrap.Script) string {
	header, _, _ := strings.Cut(string(s.Content), "\n\n# shellcheck")
	return header + "\n"
}

// What the nodes of every example run, and what they are compared with.
func TestActionsOfExamples(t *testing.T) {
	golden.NoneUnused(t, "testdata/actions", ".txt")
	files, err := filepath.Glob("../examples/*/cluster.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			doc, findings := config.Decode(file, data)
			require.False(t, findings.Failed())
			p, _ := plan.New(doc.Cluster)
			var out strings.Builder
			for _, n := range bootstrap.For(p, bootstrap.Options{}) {
				fmt.Fprintf(&out, "== %s %s\n", n.Kind, n.Name)
				require.Empty(t, n.OnStart)
				for _, a := range n.OnConfigured {
					require.Equal(t, []string{"--sha256", a.Script.SHA256}, a.Args)
					fmt.Fprintf(&out, "-- %s, %d s\n%s", a.Script.Name, a.Seconds, expectations(a.Script))
				}
			}
			golden.Check(t, filepath.Join("testdata/actions", name+".txt"), []byte(out.String()))
		})
	}
}

func TestActionsByType(t *testing.T) {
	tests := map[string]struct {
		instanceType string
		change       func(c *config.Cluster)
		want         []bootstrap.Name
	}{
		"gpu and efa":         {"p5en.48xlarge", nil, []bootstrap.Name{bootstrap.GDRCopy, bootstrap.NodeCheck, bootstrap.NCCLEnv}},
		"gpu without efa":     {"p5en.48xlarge", func(c *config.Cluster) { c.Groups[0].EFA = false }, []bootstrap.Name{bootstrap.GDRCopy, bootstrap.NodeCheck}},
		"neuron":              {"trn1.32xlarge", nil, []bootstrap.Name{bootstrap.NodeCheck}},
		"cpu with efa":        {"hpc7a.96xlarge", nil, []bootstrap.Name{bootstrap.NodeCheck}},
		"type of no row":      {"zz9.48xlarge", nil, []bootstrap.Name{bootstrap.NodeCheck}},
		"gdrcopy is optional": {"g5.48xlarge", nil, []bootstrap.Name{bootstrap.GDRCopy, bootstrap.NodeCheck, bootstrap.NCCLEnv}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			nodes := bootstrap.For(planOf(t, tt.instanceType, tt.change), bootstrap.Options{})
			require.Len(t, nodes, 2)
			require.Equal(t, bootstrap.Head, nodes[0].Kind)
			require.Equal(t, bootstrap.Compute, nodes[1].Kind)
			require.Equal(t, "train", nodes[1].Name)
			require.Empty(t, nodes[0].OnConfigured, "no job runs on the head node")
			var got []bootstrap.Name
			for _, a := range nodes[1].OnConfigured {
				got = append(got, a.Script.Name)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// Of a type that nobody knows only facts are told: what is not expected does not fail a node.
func TestUnknownTypeReports(t *testing.T) {
	a := action(t, planOf(t, "zz9.48xlarge", nil), bootstrap.Options{}, bootstrap.NodeCheck)
	require.Contains(t, expectations(a.Script), "expect_mode='report'\n")
	require.Contains(t, expectations(a.Script), "expect_gpus=''\n")
}

// A type without a floor of GDRCopy works without it: its action warns, and installs nothing.
func TestGDRCopyThatNobodyAsksFor(t *testing.T) {
	pin := bootstrap.Archive{Version: "2.6", URL: "https://mirror.example.com/gdrcopy.tar.gz", SHA256: strings.Repeat("A", 64)}
	optional := expectations(action(t, planOf(t, "g5.48xlarge", nil), bootstrap.Options{GDRCopy: pin}, bootstrap.GDRCopy).Script)
	require.Contains(t, optional, "expect_lowered='boot/gdrcopy'\n")
	require.Contains(t, optional, "expect_gdrcopy_url=''\n")

	needed := expectations(action(t, planOf(t, "p6-b200.48xlarge", nil), bootstrap.Options{GDRCopy: pin}, bootstrap.GDRCopy).Script)
	require.Contains(t, needed, "expect_lowered=''\n")
	require.Contains(t, needed, "expect_gdrcopy_min='2.5'\n")
	require.Contains(t, needed, "expect_gdrcopy_sha256='"+strings.Repeat("a", 64)+"'\n")
}

func TestRulesOfTheUser(t *testing.T) {
	p := planOf(t, "p5en.48xlarge", func(c *config.Cluster) {
		c.Rules = map[diag.ID]diag.Override{
			diag.VerFloor:    {Level: diag.Warn, Reason: "tried"},
			diag.NodeMemlock: {Level: diag.Note, Reason: "tried"},
			diag.BootURL:     {Level: diag.Error},
		}
	})
	require.Contains(t, expectations(action(t, p, bootstrap.Options{}, bootstrap.NodeCheck).Script), "expect_lowered='node/memlock ver/floor'\n")
}

// Groups of one type share their scripts: one object in the bucket, whatever the number of nodes.
func TestScriptsAreShared(t *testing.T) {
	p := planOf(t, "p5en.48xlarge", func(c *config.Cluster) {
		second := c.Groups[0]
		second.Name, second.Count = "more", 9
		c.Groups = append(c.Groups, second)
		c.LoginNodes = []config.LoginPool{{Name: "people", InstanceType: "m7i.xlarge", Count: 1}}
	})
	nodes := bootstrap.For(p, bootstrap.Options{})
	require.Len(t, nodes, 4)
	require.Equal(t, bootstrap.Login, nodes[1].Kind)
	require.Equal(t, "people", nodes[1].Name)
	scripts := bootstrap.Scripts(nodes)
	require.Len(t, scripts, 3)
	for i, a := range nodes[3].OnConfigured {
		require.Equal(t, scripts[i].Key(), a.Script.Key())
	}
}

// All actions together leave more than half of the bootstrap timeout, whatever it is.
func TestSecondsFitTheTimeout(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		minutes := rapid.IntRange(5, 360).Draw(r, "timeout")
		p := planOf(t, "p6-b300.48xlarge", func(c *config.Cluster) { c.Bootstrap.TimeoutMinutes = minutes })
		sum := 0
		for _, a := range bootstrap.For(p, bootstrap.Options{})[1].OnConfigured {
			require.Positive(r, a.Seconds)
			require.Contains(r, expectations(a.Script), fmt.Sprintf("expect_seconds='%d'\n", a.Seconds))
			sum += a.Seconds
		}
		require.LessOrEqual(r, sum, minutes*60/2)
	})
}

// The scripts know each component that a floor, a pair or the denylist is about, or leave it to the job.
func TestComponentsOnTheHost(t *testing.T) {
	for _, name := range []string{"nvidia-driver", "efa-installer", "efa-driver", "libfabric", "aws-ofi-nccl", "gdrcopy", "kernel", "cuda", "enroot", "pyxis"} {
		require.Contains(t, string(bootstrap.Render(bootstrap.NodeCheck, bootstrap.Expectation{}).Content), "\n    "+name+") echo ")
		require.Contains(t, catalog.Components(), catalog.Component(name))
	}
	for _, instance := range catalog.Instances() {
		if instance.MaxEFA == 0 || instance.Accelerator.Kind != "gpu" {
			continue
		}
		header := expectations(action(t, planOf(t, instance.Name, nil), bootstrap.Options{}, bootstrap.NodeCheck).Script)
		for _, f := range catalog.Floors(instance.Name, catalog.Workload{}) {
			job := strings.Contains("nccl openmpi dcgm efa-k8s-plugin", string(f.Component))
			require.Equal(t, !job, strings.Contains(header, string(f.Component)+"|"+f.Min+"|"), "%s: %s", instance.Name, f)
		}
	}
}

package bootstrap_test

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

// planOf plans a cluster of one group of two nodes.
func planOf(t testing.TB, instanceType string, change func(c *config.Cluster)) plan.Cluster {
	t.Helper()
	c := config.Default()
	c.Name, c.Region = "test", "us-east-2"
	g := config.Group{Name: "train", InstanceType: instanceType, Count: 2, Capacity: config.Capacity{OnDemand: true}, Zone: "us-east-2a"}
	config.SetDefaults(&g)
	c.Groups = []config.Group{g}
	if change != nil {
		change(&c)
	}
	p, _ := plan.New(c)
	return p
}

// action finds an action of the compute nodes.
func action(t testing.TB, p plan.Cluster, o bootstrap.Options, name bootstrap.Name) bootstrap.Action {
	t.Helper()
	for _, n := range bootstrap.For(p, o) {
		for _, a := range n.OnConfigured {
			if a.Script.Name == name {
				return a
			}
		}
	}
	t.Fatalf("no action %s", name)
	return bootstrap.Action{}
}

var wholeNodes = map[string]struct {
	os           system
	instanceType string
}{
	"p5en-al2023":    {al2023, "p5en.48xlarge"},
	"p6-b200-ubuntu": {ubuntu, "p6-b200.48xlarge"},
	"p6-b300-ubuntu": {ubuntu, "p6-b300.48xlarge"},
}

// A node that is what the plan expects: facts, no finding.
func TestNodeCheck(t *testing.T) {
	golden.NoneUnused(t, "testdata/nodecheck", ".txt")
	for name, node := range wholeNodes {
		instanceType := node.instanceType
		t.Run(name, func(t *testing.T) {
			a := action(t, planOf(t, instanceType, nil), bootstrap.Options{}, bootstrap.NodeCheck)
			inShells(t, func(t *testing.T, shell string) {
				t.Helper()
				s := newSandbox(t)
				s.accelerated(node.os, instanceType)
				s.writeAll("etc/nccl.conf", "NCCL_IB_HCA=mlx5_0\nSECRET_TOKEN=hunter2\n# NCCL_ALGO=Ring\n")
				s.writeAll("etc/enroot/environ.d/10-site.env", "export FI_PROVIDER=\"tcp\"\nOMP_NUM_THREADS=1\n")
				got := s.run(shell, a.Script, a.Args...)
				require.Zero(t, got.code, got.String())
				requireRules(t, got, nil)
				require.NotContains(t, got.stdout, "hunter2")
				require.NotContains(t, got.stdout, "tcp", "names, never values")
				golden.Check(t, path.Join("testdata/nodecheck", name+".txt"), []byte(got.String()))

				kept, err := os.ReadFile(s.path("var/lib/weft/facts.jsonl"))
				require.NoError(t, err)
				require.True(t, strings.HasPrefix(got.stdout, string(kept)), "the facts stay on the node")
				facts, err := bootstrap.ReadFacts(strings.NewReader(got.stdout))
				require.NoError(t, err)
				requireFacts(t, facts, instanceType)
			})
		})
	}
}

func requireFacts(t *testing.T, facts bootstrap.Facts, instanceType string) {
	t.Helper()
	instance, _ := catalog.Instance(instanceType)
	require.Equal(t, instance.Accelerator.Count, *facts.GPU.PCI)
	require.Equal(t, instance.MaxEFA, *facts.EFA.Devices)
	require.Equal(t, instance.MaxEFA+bridges[instanceType], *facts.EFA.RDMA)
	require.Equal(t, instance.MaxEFA, *facts.EFA.Domains)
	require.Equal(t, []string{"ncclGinPlugin_v13", "ncclGinPlugin_v14"}, facts.Plugins[0].GIN)
	require.Equal(t, []string{"50-slurm-pytorch.sh"}, facts.Containers.Hooks)
	verdicts, findings := catalog.Judge(facts.Installed(), catalog.Floors(instanceType, catalog.Workload{}), diag.Place{File: "facts"})
	require.Empty(t, findings, "the catalogue judges the node's facts as the node does")
	require.NotEmpty(t, verdicts)
}

// One fault gives one finding, and the node does not boot.
func TestNodeFaults(t *testing.T) {
	golden.NoneUnused(t, "testdata/nodefault", ".txt")
	for name, c := range nodeFaults {
		t.Run(name, func(t *testing.T) {
			if c.instanceType == "" {
				c.instanceType = "p5en.48xlarge"
			}
			a := action(t, planOf(t, c.instanceType, c.config), c.options, bootstrap.NodeCheck)
			s := newSandbox(t)
			s.accelerated(ubuntu, c.instanceType)
			c.change(s)
			got := s.run(needShell(name), a.Script, a.Args...)
			require.Equal(t, !c.passes, got.code != 0, got.String())
			requireRules(t, got, c.rules)
			requireInOrder(t, got.calls, c.calls)
			golden.Check(t, path.Join("testdata/nodefault", name+".txt"), []byte(said(got)))
		})
	}
}

// needShell shares the cases out over the shells; TestNodeCheck runs the whole script in each.
func needShell(name string) string { return shells[len(name)%len(shells)] }

// said is what a run said beside the facts.
func said(r result) string {
	var out strings.Builder
	fmt.Fprintf(&out, "exit %d\n", r.code)
	for _, line := range strings.SplitAfter(r.stdout, "\n") {
		if !strings.HasPrefix(line, "{") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// EFA devices that appear late are waited for.
func TestEFAAppearsLate(t *testing.T) {
	a := action(t, planOf(t, "p5en.48xlarge", nil), bootstrap.Options{}, bootstrap.NodeCheck)
	s := newSandbox(t)
	s.accelerated(ubuntu, "p5en.48xlarge")
	s.remove("sys/class/infiniband/rdmap80s0")
	s.without("sleep")
	s.writeAll("fake/appears", "sys/class/infiniband/rdmap80s0/device")
	s.tools("sleep-until-efa")
	require.NoError(t, os.Rename(s.bin+"/sleep-until-efa", s.bin+"/sleep"))
	got := s.run("dash", a.Script, a.Args...)
	require.Zero(t, got.code, got.String())
	requireInOrder(t, got.calls, []string{"sleep-until-efa 1", "sleep-until-efa 2", "sleep-until-efa 4"})
}

// caseValue reads "key: value" of a public case.
func caseValue(t *testing.T, file, key string) string {
	t.Helper()
	_, after, found := strings.Cut(caseText(t, file), key+": ")
	require.True(t, found)
	return strings.Fields(after)[0]
}

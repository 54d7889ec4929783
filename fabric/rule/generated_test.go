package rule_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
	"github.com/weft-hpc/weft/fabric/version"
)

// generated is a compute launch template that ParallelCluster itself wrote, and the queue that it wrote it for; the plan
// is tested with the same files.
type generated struct {
	ParallelCluster string `json:"parallelcluster"`
	InstanceType    string `json:"instanceType"`
	Variants        map[string]struct {
		Queue              map[string]any `json:"queue"`
		LaunchTemplateData map[string]any `json:"launchTemplateData"`
	} `json:"variants"`
}

func recordings(t *testing.T) []generated {
	t.Helper()
	names, err := filepath.Glob("../plan/testdata/generated/*/*.json")
	require.NoError(t, err)
	require.Len(t, names, 32, "eight types, four versions")
	var out []generated
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var g generated
		require.NoError(t, json.Unmarshal(text, &g))
		out = append(out, g)
	}
	return out
}

// template and queue of a variant, as one set.
func (g generated) set(variant string) rule.Set {
	v := g.Variants[variant]
	data := tree.New("LaunchTemplateData", v.LaunchTemplateData)
	launch := read.Launch(data, read.Pascal)
	cluster := read.ParallelCluster(
		tree.New("", map[string]any{"Scheduling": map[string]any{"SlurmQueues": []any{v.Queue}}}),
		rule.Input{Place: diag.Place{File: "cluster.yaml"}})
	cluster.Version = rule.Known(g.ParallelCluster)
	return rule.Set{
		Templates: []rule.LaunchTemplate{{Input: rule.Input{Place: diag.Place{File: variant}}, Launch: launch, Maker: read.MakerOf(launch.Tags)}},
		Clusters:  []rule.ParallelCluster{cluster},
	}
}

// What ParallelCluster itself makes for nodes with EFA is right from 3.15 on. Interfaces of type efa beside the primary
// one are there only on request, and take addresses.
func TestNoFalseAlarmOnWhatParallelClusterMakes(t *testing.T) {
	for _, g := range recordings(t) {
		if !version.MustParse(g.ParallelCluster).AtLeast(version.MustParse("3.15.0")) {
			continue
		}
		for variant := range g.Variants {
			if strings.HasSuffix(variant, "EfaOff") {
				continue
			}
			t.Run(g.ParallelCluster+"/"+g.InstanceType+"/"+variant, func(t *testing.T) {
				for _, f := range rule.Judge(g.set(variant), rule.Options{}) {
					if strings.HasSuffix(variant, "EfaInterfaceTypeEfa") && f.Rule == diag.NICCombinedType {
						require.Equal(t, diag.Note, f.Level)
						continue
					}
					t.Error(f)
				}
			})
		}
	}
}

// Before 3.15 every card gets EFA, and p6-b300 cannot start; the other types are right, and burn addresses.
func TestOldTemplateOfP6B300IsCaught(t *testing.T) {
	for _, g := range recordings(t) {
		if version.MustParse(g.ParallelCluster).AtLeast(version.MustParse("3.15.0")) {
			continue
		}
		for variant := range g.Variants {
			if strings.HasSuffix(variant, "EfaOff") {
				continue
			}
			t.Run(g.ParallelCluster+"/"+g.InstanceType+"/"+variant, func(t *testing.T) {
				got := told(rule.Judge(g.set(variant), rule.Options{}).AtLeast(diag.Warn))
				if g.InstanceType != "p6-b300.48xlarge" {
					require.Empty(t, got)
					return
				}
				require.Contains(t, got, "error nic/efa-card "+variant+" LaunchTemplateData.NetworkInterfaces[0].InterfaceType")
				require.Contains(t, got, "error nic/efa-card cluster.yaml Scheduling.SlurmQueues[0].ComputeResources[0].InstanceType")
			})
		}
	}
}

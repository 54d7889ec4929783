package slurm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/slurm"
	"github.com/weft-hpc/weft/offline/slurm/replay"
)

func TestQueuesOfAPlan(t *testing.T) {
	t.Parallel()
	doc, findings := config.Decode("cluster.yaml", []byte(`
name: vision
region: us-east-1
network: {create: {}}
groups:
  - {name: a100, instanceType: p4d.24xlarge, count: 3, minCount: 1, zone: us-east-1c, capacity: {onDemand: true}}
  - {name: h200, instanceType: p5en.48xlarge, count: 2, zone: us-east-1c, capacity: {block: {reservation: cr-05e0000000000000a}}}
  - {name: prepare, instanceType: c6i.4xlarge, count: 1, zone: us-east-1c, efa: false, capacity: {onDemand: true}}
`))
	require.Empty(t, findings)
	p, _ := plan.New(doc.Cluster)
	require.Equal(t, []slurm.Queue{
		{
			Name: "a100", Nodes: []string{"a100-st-nodes-1", "a100-dy-nodes-1", "a100-dy-nodes-2"}, CPUs: 96, GPUs: 8,
			Scenario: replay.Scenario{InstanceType: "p4d.24xlarge"},
		},
		{
			Name: "h200", Nodes: []string{"h200-st-nodes-1", "h200-st-nodes-2"}, CPUs: 192, GPUs: 8,
			Scenario: replay.Scenario{InstanceType: "p5en.48xlarge"},
		},
		{Name: "prepare", Nodes: []string{"prepare-dy-nodes-1"}, CPUs: 4, Scenario: replay.Scenario{InstanceType: "c6i.4xlarge"}},
	}, slurm.Of(p))
}

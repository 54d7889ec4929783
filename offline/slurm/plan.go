package slurm

import (
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/slurm/replay"
)

// plainCPUs is what a node claims whose type the catalogue does not have: one for plain work.
const plainCPUs = 4

// Of gives the queues of a planned cluster: the nodes that ParallelCluster makes, by their names there, with nothing wrong.
func Of(p plan.Cluster) []Queue {
	var out []Queue
	for _, g := range p.Groups {
		q := Queue{Name: g.Name, CPUs: plainCPUs, Scenario: replay.Scenario{InstanceType: g.InstanceType}}
		if t, ok := catalog.Instance(g.InstanceType); ok {
			q.CPUs = t.VCPUs
		}
		if g.Healthy.Kind == "gpu" {
			q.GPUs = g.Healthy.Accelerators
		}
		for i := range g.Nodes {
			if i < g.MinNodes {
				q.Nodes = append(q.Nodes, pcconfig.StaticNode(g.Name, i+1))
			} else {
				q.Nodes = append(q.Nodes, pcconfig.DynamicNode(g.Name, i-g.MinNodes+1))
			}
		}
		out = append(out, q)
	}
	return out
}

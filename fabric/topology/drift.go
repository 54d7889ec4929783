package topology

import (
	"fmt"

	"github.com/weft-hpc/weft/fabric/diag"
)

// judgeDrift compares what Slurm believes with what EC2 tells.
func (j *joiner) judgeDrift(t Topology) {
	at := map[string]Place{}
	for _, p := range t.Places {
		at[first(p.Name())] = p
	}
	listed := map[string]bool{}
	for _, s := range j.Switches {
		var apart []string
		for _, n := range s.Nodes {
			listed[n] = true
			if head, one := at[s.Nodes[0]], at[n]; head.Known() && one.Known() && !t.together(s, head, one) {
				apart = append(apart, n)
			}
		}
		if len(apart) > 0 {
			j.drift(s, apart)
		}
	}
	if len(j.Switches) > 0 {
		j.dropped(t, listed)
	}
}

// together reports that two nodes belong where Slurm has them: under one leaf, or in one block. A block is an UltraServer where there are such;
// elsewhere the nodes under one network node of the second layer may be one.
func (t Topology) together(s Switched, a, b Place) bool {
	kind := t.Between(a, b).Kind
	if s.Block && a.UltraServer+b.UltraServer != "" {
		return a.UltraServer == b.UltraServer
	}
	return kind == Same || s.Block && kind == Near
}

func (j *joiner) drift(s Switched, apart []string) {
	f := diag.Finding{
		Rule: diag.TopoDrift, Place: diag.Place{File: s.File, Line: s.Line, Resource: s.Name},
		Got:  fmt.Sprintf("%s under one switch with %s, and under another leaf in EC2", few(apart), s.Nodes[0]),
		Want: "under each switch of the lowest layer the nodes of one leaf", Hint: "write topology.conf anew: weft topology -o slurm", Source: sourceTopology,
	}
	if s.Block {
		f.Got = fmt.Sprintf("%s in one block with %s, and neither in its UltraServer nor under its spine in EC2", few(apart), s.Nodes[0])
		f.Want, f.Hint = "in each block the nodes of one UltraServer, or of one spine", "move them to a block of their own in topology.conf or topology.yaml"
	}
	j.findings.Add(f)
}

// dropped names nodes that Slurm's topology does not have.
func (j *joiner) dropped(t Topology, listed map[string]bool) {
	var lost []string
	for _, p := range t.Places {
		if p.Node != "" && !listed[p.Node] {
			lost = append(lost, p.Node)
		}
	}
	if len(lost) == 0 {
		return
	}
	j.findings.Add(diag.Finding{
		Rule: diag.TopoDrift, Place: diag.Place{File: j.Switches[0].File, Resource: few(lost)},
		Got: count(len(lost), "node") + " of Slurm in no block and under no switch", Want: "every node in Slurm's topology",
		Hint:   "compare with topology.conf, and run scontrol reconfigure: nodes drop out of blocks when they are powered down; or write it anew: weft topology -o slurm",
		Source: "aws/aws-parallelcluster-cookbook#3122, #3123",
	})
}

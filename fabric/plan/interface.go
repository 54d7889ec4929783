package plan

import (
	"fmt"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// checkEFA says whether a group can use EFA, and names it where it was asked for and can't.
func (p *planner) checkEFA(t catalog.InstanceType, known bool, c config.Group, path string) bool {
	if known && len(t.EFACards()) > 0 {
		return true
	}
	if c.InstanceType == "" {
		p.add(diag.ConfigRequired, path+".instanceType", "no instance type", "a type of the catalogue", "give one, for example p5en.48xlarge", "")
		return false
	}
	got := fmt.Sprintf("%q, which the catalogue does not know", c.InstanceType)
	want, hint := "a type of the catalogue", "set efa to false if the nodes need none"
	switch {
	case known:
		got, want = t.Name+", which takes no EFA", "a type that takes EFA, or efa: false"
	case catalog.EFASupport(c.InstanceType) == catalog.Supported:
		got = fmt.Sprintf("%q takes EFA, but the catalogue has no card facts of it", c.InstanceType)
	default:
		hint = fmt.Sprintf("did you mean %s? Else %s", catalog.NearestInstance(c.InstanceType), hint)
	}
	p.add(diag.NICNotSupported, path+".instanceType", got, want, hint, "EC2 DescribeInstanceTypes, NetworkInfo.EfaInfo")
	return false
}

// checkInterfaces judges what the nodes of a group get, against what the type could have.
func (p *planner) checkInterfaces(g NodeGroup, t catalog.InstanceType, path string) {
	have, full := countEFA(g.Interfaces), countEFA(Interfaces(t, g.Layout, true))
	switch {
	case !g.EFA && full > 0 && g.Nodes > 1:
		p.add(diag.NICEFAOff, path+".efa", fmt.Sprintf("EFA off on %d nodes of %s", g.Nodes, t.Name),
			fmt.Sprintf("%d EFA interfaces, %.0f Gbps a node: without them NCCL goes over TCP", full, t.EFA.Gbps),
			"leave efa out, unless the nodes never talk to each other", "EC2 User Guide, efa")
	case g.EFA && have < full:
		p.add(diag.NICEFACount, path+".layout", fmt.Sprintf("%d EFA interfaces", have),
			fmt.Sprintf("%d: %.0f %% of the bandwidth is lost", full, 100*(1-float64(have)/float64(full))),
			"take a ParallelCluster version that makes them", "EC2 User Guide, efa-acc-inst-types")
	}
}

package preflight

import (
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// judgeUpdate looks at a cluster that runs: whether its stack takes an update at all, and what ParallelCluster would
// refuse of the change.
func judgeUpdate(v *view) {
	s := v.observed.Stack
	if s == nil {
		return
	}
	place := at("name", s.Name)
	why, hint := s.settled()
	switch {
	case why != "":
		v.add(place, "stack "+s.Name+" "+why, "a stack that takes an update", hint, "AWS CloudFormation User Guide, stack status codes")
	case s.Config == "":
		v.addAt(diag.Warn, place, "the template of stack "+s.Name+" holds no configuration of a cluster that can be read",
			"the configuration of the running cluster, in a resource of type "+clusterResource,
			"look at the template; what ParallelCluster refuses of this change is found during the update only", "ParallelCluster, custom resource")
	case s.Version != "" && s.Version != v.plan.ParallelCluster:
		// Nothing is compared: the update makes another cluster.
		v.addAt(diag.Warn, at("parallelcluster", s.Name), "stack "+s.Name+" runs ParallelCluster "+s.Version, v.plan.ParallelCluster+", as parallelcluster says",
			"let its jobs end, and save what stands on the head node and on volumes: the update deletes this cluster and makes another. Set parallelcluster to "+s.Version+" to change it in place",
			"AWS ParallelCluster User Guide, update-cluster: a release updates only clusters of its own")
	case v.compare != nil:
		v.findings.Add(v.compare([]byte(s.Config), v.observed.fleetRuns())...)
	}
	v.judgeHome()
}

// judgeHome compares zones, since the subnet that this stack makes for the head node has no id in the plan, and looks whether the
// head node stands in such a subnet at all. By its name only, which somebody may have changed.
func (v *view) judgeHome() {
	home := v.observed.Home
	if home == nil {
		return
	}
	moved := v.plan.Network.MovesHead(home.Zone, home.ZoneID)
	v.findings.Add(moved...)
	if len(moved) == 0 && !strings.HasPrefix(home.Name, v.plan.Name+"-") {
		v.addAt(diag.Warn, at("network.create", home.ID), fmt.Sprintf("the head node stands in %s, named %q", home.ID, home.Name),
			fmt.Sprintf("a subnet that this stack has made, named %s-…", v.plan.Name),
			"a running cluster can't leave its subnets: if it stands in a network that exists, name that under network.existing",
			plan.HeadStays)
	}
}

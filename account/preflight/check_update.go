package preflight

import (
	"github.com/weft-hpc/weft/fabric/diag"
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
		v.findings.Add(v.compare([]byte(s.Config), s.fleetRuns())...)
	}
	v.findings.Add(v.movedHead()...)
}

// movedHead compares zones, since the subnet that this stack makes for the head node has no id in the plan.
func (v *view) movedHead() diag.List {
	home := v.observed.Home
	if home == nil {
		return nil
	}
	return v.plan.Network.MovesHead(home.Zone, home.ZoneID)
}

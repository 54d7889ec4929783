package rule

import (
	"fmt"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

var launchRules = []Rule{
	{
		diag.NICSubnet, Together,
		"Amazon EKS chooses the subnet of a managed node itself, and refuses a template whose interfaces name one.",
		judgeEKSSubnet,
	},
	{
		diag.PlacementType, Everything,
		"A cluster placement group takes most types, but no burstable ones: EC2 refuses the launch.",
		judgePlacementType,
	},
}

// judgeEKSSubnet: one finding a template, at its first interface with a subnet.
func judgeEKSSubnet(v *view) {
	for _, l := range v.launches {
		for _, u := range l.users {
			if u.kind == EKSNodeGroup {
				v.refuseSubnet(l, u)
			}
		}
	}
}

func (v *view) refuseSubnet(l *launch, u user) {
	for _, i := range l.Interfaces.Items {
		if subnet, given := need(v, l.Input, i.Subnet); given && subnet != "" {
			v.add(at(l.Input, i.Subnet.Path), fmt.Sprintf("subnet %s in an interface of the template of %s %s", Show(i.Subnet), u.noun, u.name()),
				"no subnet in the template", "remove the subnet from every interface of the template, and name the subnets in the node group",
				"Amazon EKS User Guide, launch-templates; aws-samples/aws-efa-eks#19")
			return
		}
	}
}

// judgePlacementType compares placement groups with the types that launch into them.
func judgePlacementType(v *view) {
	for _, l := range v.launches {
		for _, t := range v.typesOf(l) {
			v.placeable(l.Input, l.PlacementGroup, t.name)
		}
		for _, u := range l.users {
			if u.group == nil || !v.is(Together) {
				continue
			}
			for _, t := range v.typesOf(l) {
				v.placeable(u.Input, u.group.PlacementGroup, t.name)
			}
		}
	}
	v.eachResource(v.placeableQueue)
}

// placeable judges a type that launches into a group. A group of which nothing but the name is known may be one for another strategy.
func (v *view) placeable(in Input, group Value[string], instanceType string) {
	takes, _, source := catalog.ClusterPlacement(instanceType)
	made, seen := v.placementGroup(group)
	if takes || !HasText(group) && !seen {
		return
	}
	level, noun := diag.Warn, "placement group "+Show(group)+", if that is a cluster placement group"
	if strategy, known := made.Strategy.Get(); known {
		if strategy != "cluster" {
			return
		}
		level, noun = diag.Error, "cluster placement group "+made.name()
	}
	v.refusePlaced(level, at(in, group.Path), instanceType+" in "+noun, source)
}

func (v *view) refusePlaced(level diag.Level, place diag.Place, got string, source catalog.Source) {
	v.addAt(level, place, got, "a type that a cluster placement group takes, or no group", "remove the placement group, or take a type with fixed performance",
		fmt.Sprintf("%s (read %s); dstackai/dstack#2872", source.Ref, source.Date))
}

// placeableQueue: ParallelCluster makes cluster placement groups.
func (v *view) placeableQueue(c clusterResource) {
	p := c.placement()
	if !v.is(Alone) || !IsTrue(p.Enabled) {
		return
	}
	for _, t := range c.resource.types().Items {
		if takes, _, source := catalog.ClusterPlacement(t.Or("")); !takes {
			v.refusePlaced(diag.Error, at(c.Input, p.Path), t.Or("")+" in the cluster placement group that ParallelCluster makes", source)
		}
	}
}

package config

import (
	"fmt"

	"github.com/weft-hpc/weft/fabric/diag"
)

// groupPlace: a made network gets a private subnet in the zone of each group; an existing one has subnets, which know
// their zone, so that zone is then only a statement that the preflight compares.
func (v *view) groupPlace() {
	n := v.cluster.Network
	created := n.Create != nil && !v.given("network.existing")
	existing := n.Existing != nil && !v.given("network.create")
	each("groups", v.cluster.Groups, func(path string, g *Group) {
		switch {
		case created:
			v.placeInCreated(path, g)
		case existing && g.Subnet == "" && v.sound(path+".subnet", "network.existing.computeSubnet") && n.Existing.ComputeSubnet == "":
			v.report(diag.ConfigRequired, path+".subnet", "neither subnet nor network.existing.computeSubnet", "the subnet of the nodes",
				"add subnet: to the group, or computeSubnet: to network.existing for all groups")
		}
	})
}

func (v *view) placeInCreated(path string, g *Group) {
	if g.Zone == "" && v.sound(path+".zone") {
		v.report(diag.ConfigRequired, path+".zone", "no zone", "the zone of the nodes, since the network is made",
			"add zone: with the zone of the block or reservation, for example us-east-2a or use2-az1")
	}
	if v.given(path + ".subnet") {
		v.report(diag.ConfigConflict, path+".subnet", "a subnet beside network.create", "subnets are made, one for each zone", "remove subnet, or take the network over with network.existing")
	}
}

func (v *view) groupCount() {
	each("groups", v.cluster.Groups, func(path string, g *Group) {
		at := path + ".minCount"
		switch {
		case !v.given(at) || !v.sound(at):
		case g.Capacity.Block != nil:
			v.report(diag.BlockCount, at, fmt.Sprintf("minCount %d on a capacity block", g.MinCount), "count alone: all nodes of a block always run", "remove minCount")
		case v.sound(path+".count") && g.MinCount > g.Count:
			v.report(diag.ConfigConflict, at, fmt.Sprintf("minCount %d with count %d", g.MinCount, g.Count), "minCount of at most count", fmt.Sprintf("raise count to %d or lower minCount", g.MinCount))
		}
	})
}

func (v *view) capacityOne() {
	each("groups", v.cluster.Groups, func(path string, g *Group) {
		at, c := path+".capacity", g.Capacity
		if !v.sound(at) {
			return
		}
		given := v.chosen(at, choice{"block", c.Block != nil}, choice{"reservation", c.Reservation != ""}, choice{"onDemand", c.OnDemand})
		if len(given) == 0 {
			v.report(diag.ConfigRequired, at, "no kind of capacity", "one of block, reservation or onDemand: true", "say where the instances come from, for example block: {reservation: cr-…}")
		}
		v.exclusive(at, "one kind of capacity for a group", given)
	})
}

// blocks hands out the capacity blocks of all groups.
func (v *view) blocks(use func(path string, b *Block)) {
	each("groups", v.cluster.Groups, func(path string, g *Group) {
		if b := g.Capacity.Block; b != nil && v.sound(path+".capacity.block") {
			use(path+".capacity.block", b)
		}
	})
}

func (v *view) blockOne() {
	v.blocks(func(path string, b *Block) {
		v.exclusive(path, "one block: bought, or to be bought",
			v.chosen(path, choice{"reservation", b.Reservation != ""}, choice{"offering", b.Offering != nil}))
	})
}

func (v *view) imageOne() {
	v.image("image", &v.cluster.Image)
	each("groups", v.cluster.Groups, func(path string, g *Group) {
		if g.Image != nil {
			v.image(path+".image", g.Image)
		}
	})
}

func (v *view) image(path string, i *Image) {
	v.exclusive(path, "at most one of official, ami and recipe",
		v.chosen(path, choice{"official", i.Official}, choice{"ami", i.AMI != ""}, choice{"recipe", i.Recipe != ""}))
}

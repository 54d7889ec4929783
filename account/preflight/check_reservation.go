package preflight

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

const (
	kindBlock = "capacity-block" // EC2's reservation types
	kindODCR  = "default"

	sourceBlocks = "EC2 User Guide, ec2-capacity-blocks"
	sourceLaunch = "EC2 User Guide, capacity-blocks-launch"
	sourceODCR   = "EC2 User Guide, ec2-capacity-reservations"
)

// target is a group and the reservation that it targets.
type target struct {
	index       int
	group       plan.NodeGroup
	reservation Reservation
	path        string // of the reservation in the config
}

// targets lists the groups whose reservation exists. A reservation that does not is the business of account/missing.
func (v *view) targets() []target {
	var out []target
	for i, g := range v.plan.Groups {
		if r, ok := v.observed.reservation(g.Capacity.Reservation); ok {
			out = append(out, target{i, g, r, reservationPath(i, g)})
		}
	}
	return out
}

// pools lists the reservations that exist, each with the groups that share it.
func (v *view) pools() [][]target {
	var out [][]target
	for _, t := range v.targets() {
		same := func(p []target) bool { return p[0].reservation.ID == t.reservation.ID }
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i] = append(out[i], t)
		} else {
			out = append(out, []target{t})
		}
	}
	return out
}

func reservationPath(i int, g plan.NodeGroup) string {
	if g.Capacity.Market == plan.CapacityBlock {
		return groupPath(i) + ".capacity.block.reservation"
	}
	return groupPath(i) + ".capacity.reservation"
}

func (r Reservation) isBlock() bool { return r.Kind == kindBlock }

// noun is what the reservation is, in a sentence.
func (r Reservation) noun() string {
	switch r.Kind {
	case kindBlock:
		return "a capacity block"
	case kindODCR:
		return "an on-demand reservation"
	default:
		return fmt.Sprintf("a reservation of type %q", r.Kind)
	}
}

// String tells what the reservation holds: "cr-0abc (p5.48xlarge, us-east-2a, active)".
func (r Reservation) String() string {
	return fmt.Sprintf("%s (%s, %s, %s)", r.ID, r.Type, r.Zone, r.State)
}

func (r Reservation) zone() zone { return zone{r.Zone, r.ZoneID} }

// size is the number of instances that the reservation holds: what EC2 shows, or what the tag says was bought where
// that is more. False: EC2 shows none and the tag can't be read.
func (r Reservation) size() (int, bool) {
	requested, err := strconv.Atoi(strings.TrimSpace(r.Requested))
	if err != nil || requested < 0 {
		return r.Total, r.Total > 0
	}
	return max(r.Total, requested), max(r.Total, requested) > 0
}

// judgeKind: an id does not tell a block from an on-demand reservation; only the account does.
func judgeKind(v *view) {
	for _, t := range v.targets() {
		asBlock := t.group.Capacity.Market == plan.CapacityBlock
		if asBlock == t.reservation.isBlock() {
			continue
		}
		want, hint := "a capacity block, as group "+t.group.Name+" asks", "write it as capacity.reservation, or name the block that you bought"
		if !asBlock {
			want = "an on-demand reservation, as group " + t.group.Name + " asks"
			hint = "write it as capacity.block.reservation: instances of a block start only with market type capacity-block"
		}
		v.add(at(t.path, t.reservation.ID), t.reservation.ID+" is "+t.reservation.noun(), want, hint, sourceLaunch)
	}
}

func judgeType(v *view) {
	for _, t := range v.targets() {
		if t.reservation.Type == t.group.InstanceType {
			continue
		}
		v.add(at(t.path, t.reservation.ID),
			fmt.Sprintf("%s is for %s in %s", t.reservation.ID, t.reservation.Type, t.reservation.zone()),
			fmt.Sprintf("%s, as group %s asks", t.group.InstanceType, t.group.Name),
			fmt.Sprintf("set %s.instanceType to %s, or name a reservation of %s", groupPath(t.index), t.reservation.Type, t.group.InstanceType),
			sourceBlocks)
	}
}

func judgeZone(v *view) {
	for _, t := range v.targets() {
		nodes, why := v.zoneOf(t.group)
		if nodes.differs(t.reservation.zone()) {
			v.add(at(t.path, t.reservation.ID),
				fmt.Sprintf("%s lies in %s", t.reservation.ID, t.reservation.zone()),
				fmt.Sprintf("%s, %s", nodes, why),
				fmt.Sprintf("put group %s into %s: a reservation can't be moved", t.group.Name, t.reservation.zone()), sourceLaunch)
		}
	}
}

// judgePlatform compares with the platform of the image where that is known, else with what the operating system has.
func judgePlatform(v *view) {
	for _, t := range v.targets() {
		want, why := v.plan.OS.Platform, "the platform of "+v.plan.OS.Name
		if id, _ := groupImage(v.plan, t.index); id != "" {
			if image, ok := v.observed.image(id); ok && image.Platform != "" {
				want, why = image.Platform, "the platform of "+id
			}
		}
		if want == "" || want == t.reservation.Platform {
			continue
		}
		v.add(at(t.path, t.reservation.ID),
			fmt.Sprintf("%s is for %s", t.reservation.ID, t.reservation.Platform), want+", "+why,
			"take an operating system of the reservation's platform, or a reservation of this one: EC2 starts no other in it", sourceLaunch)
	}
}

func judgeTenancy(v *view) {
	for _, pool := range v.pools() {
		t := pool[0]
		if tenancy := t.reservation.Tenancy; tenancy != "" && tenancy != "default" {
			v.add(at(t.path, t.reservation.ID), fmt.Sprintf("%s has %s tenancy", t.reservation.ID, tenancy),
				"default tenancy, which the nodes have", "name a reservation with default tenancy", sourceBlocks)
		}
	}
}

// judgeSize sums up over all groups that share a reservation.
func judgeSize(v *view) {
	for _, pool := range v.pools() {
		asked, names := 0, []string{}
		for _, t := range pool {
			asked += t.group.Nodes
			names = append(names, t.group.Name)
		}
		t, r := pool[0], pool[0].reservation
		size, known := r.size()
		place := at(groupPath(t.index)+".count", r.ID)
		want := fmt.Sprintf("%d instances, as %s ask for together", asked, strings.Join(names, ", "))
		if len(names) == 1 {
			want = fmt.Sprintf("%d instances, as group %s asks", asked, names[0])
		}
		switch {
		case !known && ended(r.State): // block/state names it, and an ended one holds nothing any more
		case !known:
			v.add(place, fmt.Sprintf("%s shows no size: %d instances, %q in tag %s", r.ID, r.Total, r.Requested, requestedTag), want,
				"find the size in the console, then leave this check out with that as the reason", sourceBlocks)
		case asked > size:
			v.add(place, fmt.Sprintf("%s holds %d instances", r.ID, size), want,
				fmt.Sprintf("lower the counts by %d, or use a larger reservation", asked-size), sourceBlocks)
		}
	}
}

// judgePlacementGroup holds for on-demand reservations; a block takes no placement group, which the plan sees to.
func judgePlacementGroup(v *view) {
	for _, t := range v.targets() {
		made, asked := t.reservation.PlacementGroup, t.group.Capacity.Placement.Name
		if t.reservation.isBlock() || made == asked {
			continue
		}
		hint := "remove placementGroup: instances in a group can't use a reservation that was made outside of it"
		if made != "" {
			hint = "set " + groupPath(t.index) + ".placementGroup to " + made
		}
		v.add(at(groupPath(t.index)+".placementGroup", t.reservation.ID),
			fmt.Sprintf("%s was made in %s", t.reservation.ID, groupOrNone(made)),
			fmt.Sprintf("%s, which group %s starts in", groupOrNone(asked), t.group.Name), hint, "EC2 User Guide, cr-cpg")
	}
}

func groupOrNone(name string) string {
	if name == "" {
		return "no placement group"
	}
	return "placement group " + name
}

// zone is an Availability Zone by its name in the account (us-east-2a), its id (use2-az1), or both.
type zone struct{ name, id string }

func zoneNamed(s string) zone {
	if config.IsZoneID(s) {
		return zone{id: s}
	}
	return zone{name: s}
}

// differs reports that two zones are known not to be the same.
func (z zone) differs(other zone) bool {
	if z.name != "" && other.name != "" {
		return z.name != other.name
	}
	return z.id != "" && other.id != "" && z.id != other.id
}

func (z zone) known() bool { return z != zone{} }

func (z zone) String() string {
	if z.name != "" && z.id != "" {
		return z.name + " (" + z.id + ")"
	}
	return cmp.Or(z.name, z.id, "no zone")
}

// zoneOf is the zone that a group's nodes stand in, as far as it is known, and why.
func (v *view) zoneOf(g plan.NodeGroup) (zone, string) {
	if s, ok := v.observed.subnet(g.Subnet); ok {
		return zone{s.Zone, s.ZoneID}, "where " + s.ID + " of group " + g.Name + " lies"
	}
	if g.Zone != "" {
		return zoneNamed(g.Zone), "as group " + g.Name + " asks"
	}
	return zone{}, ""
}

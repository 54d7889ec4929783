package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Market is how EC2 sells the instances of a group, in its own words.
type Market string

// The markets that weft plans for.
const (
	OnDemand      Market = "on-demand"
	CapacityBlock Market = "capacity-block"
)

// Capacity says where the instances of a group come from and what their launch must say about it.
type Capacity struct {
	Market Market `json:"market"`
	// Reservation is the targeted reservation, cr-…. Empty on demand, and for an offering: its reservation is the output of
	// the purchase.
	Reservation string `json:"reservation,omitempty"`
	// Offering is the pinned offering that the stack buys, or has bought.
	Offering *config.Offering `json:"offering,omitempty"`
	// Purchase is what else was said about buying it; nil: nothing.
	Purchase *config.Purchase `json:"purchase,omitempty"`
	// Placement of the instances.
	Placement Placement `json:"placement"`
}

// Key names the pool of instances that groups may share: the reservation or the offering; empty on demand.
func (c Capacity) Key() string {
	if c.Offering != nil {
		return c.Offering.ID
	}
	return c.Reservation
}

// Placement says which placement group the instances go to.
type Placement struct {
	// Managed asks ParallelCluster for a cluster placement group of the group's own.
	Managed bool `json:"managed"`
	// Name of an existing placement group.
	Name string `json:"name,omitempty"`
	// Reason in one clause.
	Reason string `json:"reason"`
}

// None reports that instances go to no placement group.
func (p Placement) None() bool { return !p.Managed && p.Name == "" }

// capacity decides market, target and placement. A block takes no placement group, by any road: its
// instances sit close together already, and a group would ask EC2 for other capacity (EC2 User Guide,
// ec2-capacity-blocks). A reservation needs the group it was made in, if any, and no other.
func (p *planner) capacity(c config.Group, efa bool) Capacity {
	switch k := c.Capacity; {
	case k.Block != nil:
		return Capacity{
			Market: CapacityBlock, Reservation: k.Block.Reservation, Offering: k.Block.Offering, Purchase: k.Block.Purchase,
			Placement: Placement{Reason: "a capacity block takes none"},
		}
	case k.Reservation != "" && c.PlacementGroup != "":
		return Capacity{
			Market: OnDemand, Reservation: k.Reservation,
			Placement: Placement{Name: c.PlacementGroup, Reason: "the reservation was made in this group"},
		}
	case k.Reservation != "":
		return Capacity{
			Market: OnDemand, Reservation: k.Reservation,
			Placement: Placement{Reason: "the reservation was made in no placement group"},
		}
	case c.PlacementGroup != "":
		return Capacity{Market: OnDemand, Placement: Placement{Name: c.PlacementGroup, Reason: "named in the config"}}
	case efa:
		return Capacity{Market: OnDemand, Placement: Placement{Managed: true, Reason: "on-demand nodes with EFA should stand close together"}}
	default:
		return Capacity{Market: OnDemand, Placement: Placement{Reason: "the nodes use no EFA"}}
	}
}

// pool is the groups that share one reservation or offering.
type pool struct {
	key    string
	groups []int
}

// pools lists reservations and offerings in the order of their first group.
func (p *planner) pools(market Market) []pool {
	var out []pool
	for i, g := range p.plan.Groups {
		key := g.Capacity.Key()
		if g.Capacity.Market != market || key == "" {
			continue
		}
		at := slices.IndexFunc(out, func(s pool) bool { return s.key == key })
		if at < 0 {
			at = len(out)
			out = append(out, pool{key: key})
		}
		out[at].groups = append(out[at].groups, i)
	}
	return out
}

// checkBlocks judges what several groups and blocks have to do with each other.
func (p *planner) checkBlocks() {
	p.checkPlacement()
	p.checkTarget()
	blocks, reservations := p.pools(CapacityBlock), p.pools(OnDemand)
	for _, r := range slices.Concat(blocks, reservations) {
		p.checkAgreement(r)
	}
	for _, r := range reservations {
		p.checkOneKind(r, blocks)
	}
	for _, b := range blocks {
		p.checkOneOffering(b)
		p.checkOfferingSize(b)
	}
	if len(blocks) > 1 {
		second := blocks[1].groups[0]
		p.add(diag.BlockSeveral, groupPath(second)+".capacity.block",
			fmt.Sprintf("%d blocks: %s", len(blocks), joinKeys(blocks)),
			"one block, or knowledge of the bandwidth between them",
			"keep a job within one block where you can; validation compares pairs inside and between the blocks",
			"EC2 User Guide, ec2-capacity-blocks")
	}
}

func (p *planner) checkPlacement() {
	for i, c := range p.config.Groups {
		if c.Capacity.Block != nil && c.PlacementGroup != "" {
			p.add(diag.BlockPlacementGroup, groupPath(i)+".placementGroup",
				fmt.Sprintf("placement group %s on a capacity block", c.PlacementGroup), "no placement group",
				"remove placementGroup: the block's instances already sit close together",
				"EC2 User Guide, ec2-capacity-blocks; terraform-aws-modules/terraform-aws-eks#3730")
		}
	}
}

// checkTarget names blocks that no launch could target: neither bought nor to be bought.
func (p *planner) checkTarget() {
	for i, g := range p.plan.Groups {
		if c := g.Capacity; c.Market == CapacityBlock && c.Reservation == "" && c.Offering == nil {
			p.add(diag.BlockPairing, groupPath(i)+".capacity.block", "a capacity block without a reservation or an offering",
				"the id of the block's reservation, cr-…, or an offering that the stack buys",
				"set reservation to the id that describe-capacity-reservations shows, or pin an offering: weft capacity find",
				"EC2 User Guide, capacity-blocks-launch")
		}
	}
}

// checkOneOffering refuses groups that say different things about one purchase.
func (p *planner) checkOneOffering(b pool) {
	first := p.plan.Groups[b.groups[0]]
	for _, i := range b.groups[1:] {
		g := p.plan.Groups[i]
		if g.Capacity.Offering != nil && (!reflect.DeepEqual(g.Capacity.Offering, first.Capacity.Offering) || !reflect.DeepEqual(g.Capacity.Purchase, first.Capacity.Purchase)) {
			p.add(diag.ConfigConflict, groupPath(i)+".capacity.block", fmt.Sprintf("offering %s, pinned otherwise than in group %s", b.key, first.Name),
				"one offering, price and purchase for all groups of a block", "copy block: from group "+first.Name+" as it is there", "EC2 User Guide, capacity-blocks-purchase")
		}
	}
}

// checkAgreement refuses groups of one reservation that name different zones or types: it lies in one, and holds one.
func (p *planner) checkAgreement(r pool) {
	first := p.plan.Groups[r.groups[0]]
	as := ", as group " + first.Name + " says of the same reservation"
	for _, i := range r.groups[1:] {
		g := p.plan.Groups[i]
		if g.Zone != first.Zone {
			p.add(diag.EFAOneZone, groupPath(i)+".zone", fmt.Sprintf("%s in zone %q", r.key, g.Zone), fmt.Sprintf("zone %q%s", first.Zone, as),
				"give both groups the zone that the reservation lies in", "EC2 User Guide, ec2-capacity-blocks")
		}
		if g.InstanceType != first.InstanceType {
			p.add(diag.BlockType, groupPath(i)+".instanceType", fmt.Sprintf("%s of %s", g.InstanceType, r.key), first.InstanceType+as,
				"give both groups the type that the reservation holds", "EC2 API Reference, CapacityReservation")
		}
	}
}

// checkOneKind refuses a reservation that one group takes for a block and another for an on-demand reservation.
func (p *planner) checkOneKind(r pool, blocks []pool) {
	at := slices.IndexFunc(blocks, func(b pool) bool { return b.key == r.key })
	if at < 0 {
		return
	}
	asBlock := p.plan.Groups[blocks[at].groups[0]]
	for _, i := range r.groups {
		p.add(diag.BlockKind, groupPath(i)+".capacity.reservation",
			r.key+" as an on-demand reservation", "a capacity block, as group "+asBlock.Name+" says of the same id",
			"write capacity: block: {reservation: "+r.key+"} in both groups, or reservation in both", "EC2 User Guide, capacity-blocks-launch")
	}
}

// checkOfferingSize compares groups with a pinned offering. The size of a bought block is read in the account.
func (p *planner) checkOfferingSize(b pool) {
	offering := p.plan.Groups[b.groups[0]].Capacity.Offering
	if offering == nil {
		return
	}
	asked, names := 0, []string{}
	for _, i := range b.groups {
		asked += p.plan.Groups[i].Nodes
		names = append(names, p.plan.Groups[i].Name)
	}
	if asked > offering.Count {
		p.add(diag.BlockSize, groupPath(b.groups[0])+".count",
			fmt.Sprintf("%d instances asked for by %s", asked, strings.Join(names, ", ")),
			fmt.Sprintf("at most %d, the size of offering %s", offering.Count, offering.ID),
			"lower the counts, or pin a larger offering", "EC2 User Guide, ec2-capacity-blocks")
	}
}

func joinKeys(pools []pool) string {
	var keys []string
	for _, p := range pools {
		keys = append(keys, p.key)
	}
	return strings.Join(keys, ", ")
}

package rule

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

const (
	sourceBlocks = "EC2 User Guide, ec2-capacity-blocks"
	sourceLaunch = "EC2 User Guide, capacity-blocks-launch"
	sourceODCR   = "EC2 User Guide, cr-cpg"
)

var blockRules = []Rule{
	{
		diag.BlockPairing, Everything,
		"Instances of a Capacity Block start only with market type capacity-block and the block's reservation as target. One without the other is refused at launch, or starts instances outside of the block at another price.",
		judgePairing,
	},
	{
		diag.BlockKind, Together,
		"An id does not tell a Capacity Block from an on-demand reservation. Where the reservation is known, it must be what the launch asks for.",
		judgeKind,
	},
	{
		diag.BlockPlacementGroup, Everything,
		"A Capacity Block's instances sit close together already. A placement group, from whichever side it comes, asks EC2 for other capacity: the launch fails though the block has room.",
		judgeBlockPlacement,
	},
	{
		diag.BlockSize, Together,
		"All groups that launch into one reservation share its instances: together they can have no more than it holds.",
		judgeSize,
	},
	{
		diag.BlockIDForm, Alone,
		"Only a reservation, cr-…, can be the target of a launch. Ids of a block (cb-…) or of an offering (cbo-…) name other things.",
		judgeIDForm,
	},
	{
		diag.BlockState, Together,
		"A reservation that has expired, failed or was cancelled launches nothing; ParallelCluster does not even read a configuration that leaves its InstanceType to such a block.",
		judgeState,
	},
	{
		diag.ODCRPlacementGroup, Together,
		"An on-demand reservation that was made in a placement group serves launches into that group only; any other serves launches without a group only.",
		judgeODCRPlacement,
	},
}

// wantsBlock reports that a launch asks for a Capacity Block by its market type. An unknown market is waited for.
func (v *view) wantsBlock(l *launch) bool {
	market, ok := need(v, l.Input, l.Market)
	return ok && strings.EqualFold(market, MarketBlock)
}

// AsksForBlock reports that a group's own capacity type is a Capacity Block, in the words of EKS, PCS or a fleet.
func (g NodeGroup) AsksForBlock() bool { return isBlockWord(g.CapacityType) }

func isBlockWord(value Value[string]) bool {
	word := strings.ToLower(strings.ReplaceAll(value.Or(""), "_", "-"))
	return word == MarketBlock
}

func judgePairing(v *view) {
	for _, l := range v.launches {
		if v.is(Alone) {
			v.pairMarket(l)
		}
		if v.is(Together) {
			v.pairTarget(l)
			v.pairGroups(l)
		}
	}
}

// pairMarket: market type capacity-block needs a target.
func (v *view) pairMarket(l *launch) {
	if !v.wantsBlock(l) || !l.Reservation.IsAbsent() && l.Reservation.Or("x") != "" || !l.ReservationGroup.IsAbsent() {
		return
	}
	v.add(at(l.Input, l.Market.Path), "market type capacity-block without a target", "the id of the block's reservation, cr-…, as capacity reservation target",
		"set the capacity reservation target to the id that describe-capacity-reservations shows for the block", sourceLaunch)
}

// pairTarget: a target that is known to be a block needs the market type.
func (v *view) pairTarget(l *launch) {
	r, ok := v.reservation(l.Reservation)
	if !ok || r.Kind.Or("") != KindBlock || l.Market.IsUnknown() || strings.EqualFold(l.Market.Or(""), MarketBlock) {
		return
	}
	v.add(at(l.Input, l.Reservation.Path), fmt.Sprintf("%s is a capacity block, and the market type is %s", r.name(), orOnDemand(l.Market)),
		"market type capacity-block", "set the market type of the instance market options to capacity-block",
		"terraform-aws-modules/terraform-aws-ec2-instance#383; "+sourceLaunch)
}

// pairGroups: a group that asks for a block launches by a template that does.
func (v *view) pairGroups(l *launch) {
	for _, u := range l.users {
		if u.group == nil || !u.group.AsksForBlock() || u.kind == Fleet || v.wantsBlock(l) || l.Market.IsUnknown() {
			continue
		}
		v.add(at(l.Input, l.Market.Path), fmt.Sprintf("market type %s, while %s %s asks for a capacity block", orOnDemand(l.Market), u.noun, u.name()),
			"market type capacity-block", "set the market type of the template's instance market options to capacity-block, and target the block's reservation",
			"Amazon EKS User Guide, capacity-blocks-mng")
	}
}

func orOnDemand(market Value[string]) string {
	if HasText(market) {
		return market.Or("")
	}
	return "on demand"
}

func judgeKind(v *view) {
	for _, l := range v.launches {
		r, ok := v.reservation(l.Reservation)
		if !ok || !v.wantsBlock(l) || r.Kind.Or(KindBlock) == KindBlock {
			continue
		}
		v.add(at(l.Input, l.Reservation.Path), r.name()+" is an on-demand reservation", "a capacity block, as market type capacity-block asks",
			"leave the market type out, or target the block that you bought", sourceLaunch)
	}
	v.eachTarget(v.kindOfTarget)
}

// kindOfTarget is about ParallelCluster, which compares the kind of a reservation in one direction only.
func (v *view) kindOfTarget(t target) {
	r, ok := v.reservation(t.ID)
	if !ok || !r.Kind.IsKnown() {
		return
	}
	isBlock := r.Kind.Or("") == KindBlock
	switch asked := t.queue.CapacityType.Or("ONDEMAND"); {
	case t.queue.CapacityType.IsUnknown():
		v.wait(t.Input, t.queue.CapacityType.Path)
	case isBlock && !t.queue.onBlock():
		v.add(at(t.Input, t.ID.Path), fmt.Sprintf("%s is a capacity block, and the queue's CapacityType is %s", r.name(), asked), "CapacityType: CAPACITY_BLOCK",
			"set CapacityType: CAPACITY_BLOCK in the queue: instances of a block start in no other market, and ParallelCluster does not check it", sourceLaunch)
	case !isBlock && t.queue.onBlock():
		v.add(at(t.Input, t.ID.Path), r.name()+" is an on-demand reservation", "a capacity block, as CapacityType: CAPACITY_BLOCK asks",
			"set CapacityType: ONDEMAND, or target the block that you bought", "ParallelCluster, CapacityReservationValidator")
	}
}

// reservationForm is wide: AWS lengthened its ids once.
var reservationForm = regexp.MustCompile(`^cr-[0-9a-z-]+$`)

func judgeIDForm(v *view) {
	check := func(in Input, id Value[string]) {
		text, ok := id.Get()
		if !ok || text == "" || reservationForm.MatchString(text) {
			return
		}
		got := fmt.Sprintf("%s is no reservation's id", Show(id))
		switch {
		case strings.HasPrefix(text, "cbo-"):
			got = text + " is an offering's id"
		case strings.HasPrefix(text, "cb-"):
			got = text + " is the id of a block or of an offering"
		}
		v.add(at(in, id.Path), got, "the id of the reservation, cr-…", "aws ec2 describe-capacity-reservations shows it beside the block", "EC2 API, DescribeCapacityBlocks")
	}
	for _, l := range v.launches {
		check(l.Input, l.Reservation)
	}
	v.eachTarget(func(t target) { check(t.Input, t.ID) })
}

// ended are the states from which a reservation does not come back.
var ended = []string{"expired", "cancelled", "failed", "unavailable", "payment-failed", "unsupported"}

func judgeState(v *view) {
	check := func(in Input, id Value[string], noType bool) {
		r, found := v.reservation(id)
		state := r.State.Or("")
		hint := "target a reservation that is active or scheduled"
		if noType {
			hint += ", and write InstanceType: without it ParallelCluster cannot read this configuration any more"
		}
		switch {
		case found && slices.Contains(ended, state):
			v.add(at(in, id.Path), r.name()+" is "+state, "active, or a state that becomes it", hint, "EC2 API, CapacityReservation; aws/aws-parallelcluster#6870")
		case !found && v.WholeAccount && HasText(id):
			v.add(at(in, id.Path), "the account has no reservation "+Show(id), "a reservation that exists: this one is mistyped, or ended long ago", hint,
				"EC2 error InvalidCapacityReservationId.NotFound; aws/aws-parallelcluster#6870")
		}
	}
	for _, l := range v.launches {
		check(l.Input, l.Reservation, false)
	}
	v.eachTarget(func(t target) { check(t.Input, t.ID, t.resource != nil && t.resource.InstanceType.IsAbsent()) })
}

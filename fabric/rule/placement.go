package rule

import (
	"fmt"
	"strings"
)

const sourcePlacement = sourceBlocks + "; terraform-aws-modules/terraform-aws-eks#3730"

func judgeBlockPlacement(v *view) {
	for _, l := range v.launches {
		v.launchPlacement(l)
		for _, u := range l.users {
			if u.group != nil && v.is(Together) {
				v.groupPlacement(l, *u.group)
			}
		}
	}
	for _, g := range v.Groups {
		if v.is(Alone) && g.AsksForBlock() {
			v.refusePlacement(g.Input, g.PlacementGroup, string(g.Kind)+" "+g.name())
		}
	}
}

// onBlock says why a launch is one into a block, as far as the scope tells; empty: it is not, or nobody knows. A market
// that is unknown matters only where a placement group stands beside it.
func (v *view) onBlock(l *launch) string {
	switch {
	case strings.EqualFold(l.Market.Or(""), MarketBlock):
		return "market type capacity-block"
	case v.is(Together) && v.targetsBlock(l.Reservation):
		return "target " + Show(l.Reservation) + ", a capacity block"
	}
	if v.is(Together) {
		for _, u := range l.users {
			if u.group != nil && u.group.AsksForBlock() {
				return fmt.Sprintf("%s %s, which asks for a capacity block", u.noun, u.name())
			}
		}
	}
	return ""
}

func (v *view) targetsBlock(id Value[string]) bool {
	r, ok := v.reservation(id)
	return ok && r.Kind.Or("") == KindBlock
}

// launchPlacement judges a placement group of the launch itself.
func (v *view) launchPlacement(l *launch) {
	if why := v.onBlock(l); why != "" {
		// What the launch says by itself is said once, when it is judged alone.
		if v.is(Alone) || !strings.HasPrefix(why, "market type") || l.PlacementGroup.IsUnknown() {
			v.refusePlacement(l.Input, l.PlacementGroup, why)
		}
		return
	}
	if l.Market.IsUnknown() && (HasText(l.PlacementGroup) || l.PlacementGroup.IsUnknown()) {
		v.wait(l.Input, l.Market.Path)
	}
}

// groupPlacement judges a placement group that a group of nodes adds to a template on a block.
func (v *view) groupPlacement(l *launch, g NodeGroup) {
	if v.is(Alone) && g.AsksForBlock() {
		return // judged with the group
	}
	if why := v.onBlock(l); why != "" && !g.AsksForBlock() {
		v.refusePlacement(g.Input, g.PlacementGroup, fmt.Sprintf("launch template %s with %s", l.name(), why))
	}
}

// refusePlacement names a placement group. One that is still to be made has no name yet, and is one all the same.
func (v *view) refusePlacement(in Input, group Value[string], why string) {
	named := HasText(group)
	if made, ok := v.placementGroup(group); ok {
		named = true
		group = Known(made.name()).At(group.Path)
	}
	switch {
	case named:
		v.add(at(in, group.Path), fmt.Sprintf("placement group %s, with %s", Show(group), why), "no placement group",
			"remove the placement group: the block's instances already sit close together", sourcePlacement)
	case group.IsUnknown():
		v.wait(in, group.Path)
	}
}

func (v *view) placementGroup(ref Value[string]) (PlacementGroup, bool) {
	return find(v.PlacementGroups, func(p PlacementGroup) Input { return p.Input }, ref)
}

func judgeODCRPlacement(v *view) {
	for _, l := range v.launches {
		r, ok := v.reservation(l.Reservation)
		if !ok || r.Kind.Or("") != KindODCR {
			continue
		}
		group, asked := l.PlacementGroup, ""
		if made, ok := v.placementGroup(group); ok {
			group, asked = Known(made.name()).At(group.Path), made.Key
		}
		if name, known := need(v, l.Input, group); known || group.IsAbsent() {
			v.compareODCR(l.Input, group.Path, r, name, asked)
		}
	}
	v.eachTarget(v.placementOfTarget)
}

func (v *view) placementOfTarget(t target) {
	r, ok := v.reservation(t.ID)
	if !ok || r.Kind.Or("") != KindODCR {
		return
	}
	p := t.placement()
	name := p.Name.Or("")
	if name == "" && IsTrue(p.Enabled) {
		name = "that ParallelCluster makes"
	}
	if IsFalse(p.Enabled) {
		name = ""
	}
	if p.Name.IsUnknown() || p.Enabled.IsUnknown() {
		v.wait(t.Input, p.Path)
		return
	}
	v.compareODCR(t.Input, p.Path, r, name, "")
}

// compareODCR compares the group that a reservation was made in with the group that instances start in, by name or by
// the key of a group of the same set.
func (v *view) compareODCR(in Input, path string, r Reservation, asked, askedKey string) {
	if r.PlacementGroup.IsUnknown() {
		if len(r.PlacementGroup.refers) != 1 || r.PlacementGroup.refers[0] != askedKey {
			v.wait(r.Input, r.PlacementGroup.Path)
		}
		return
	}
	made := r.PlacementGroup.Or("")
	made = made[strings.LastIndex(made, "/")+1:]
	if made == asked {
		return
	}
	hint := "remove the placement group: instances in a group can't use a reservation that was made outside of it"
	if made != "" {
		hint = "set the placement group to " + made
	}
	v.add(at(in, path), fmt.Sprintf("%s, while %s was made in %s", groupOrNone(asked), r.name(), groupOrNone(made)), groupOrNone(made), hint, sourceODCR)
}

func groupOrNone(name string) string {
	if name == "" {
		return "no placement group"
	}
	return "placement group " + name
}

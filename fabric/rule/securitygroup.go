package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

const sourceSelf = "EC2 User Guide, efa-start; aws/aws-ofi-nccl#663; gardener/gardener-extension-provider-aws#1832"

var groupRules = []Rule{
	{
		diag.SGSelfIngress, Together,
		"EFA traffic is let in only by a rule that names a group's own members, for all protocols. Ranges of addresses do not count, not even 0.0.0.0/0.",
		func(v *view) { judgeSelf(v, ingress) },
	},
	{
		diag.SGSelfEgress, Together,
		"EFA traffic is let out only by a rule that names a group's own members, for all protocols. Ranges of addresses do not count, not even 0.0.0.0/0: TCP works, EFA fails with error 4126.",
		func(v *view) { judgeSelf(v, egress) },
	},
	{
		diag.EFAOneZone, Everything,
		"EFA does not cross Availability Zones or VPCs. Nodes of one job that stand in two talk over TCP, or do not find each other.",
		judgeOneZone,
	},
}

// direction of a security group's rules.
type direction string

const (
	ingress direction = "in from"
	egress  direction = "out to"
)

// group is a security group with all rules that are known of it.
type group struct {
	SecurityGroup
	ingress, egress []Permission
	// Whether each direction lets all traffic pass by the group itself, or a rule that cannot be read now could.
	in, out verdict
}

type verdict struct{ yes, maybe bool }

func (g group) verdict(d direction) verdict {
	if d == egress {
		return g.out
	}
	return g.in
}

func judgeSelf(v *view, d direction) {
	for _, use := range v.attachments() {
		var groups []group
		outside := false
		for _, ref := range use.groups.Items {
			found := v.groupsOf(ref)
			groups = append(groups, found...)
			outside = outside || len(found) == 0
			if len(found) == 0 && ref.IsUnknown() && !use.own {
				v.wait(use.Input, ref.Path)
			}
		}
		v.judgeAttached(use.Input, groups, outside, d)
	}
	if len(v.launches)+len(v.Groups)+len(v.Clusters)+len(v.Unread) == 0 {
		v.judgeUnattached(d)
	}
}

// judgeAttached wants one of the groups of an EFA interface open in both directions; the one that comes nearest is
// named. A group that is not in the set may be the one: then the finding is a warning.
func (v *view) judgeAttached(in Input, groups []group, outside bool, d direction) {
	if len(groups) == 0 {
		return
	}
	best := slices.MaxFunc(groups, func(a, b group) int { return a.openness() - b.openness() })
	switch {
	case best.verdict(d).yes:
	case best.verdict(d).maybe:
		v.wait(best.Input, best.rulesPath(d))
	case outside:
		v.refuseGroup(best, d, diag.Warn, ", unless another group of "+in.name()+" does")
	default:
		v.refuseGroup(best, d, v.rule.Level(), "")
	}
}

// judgeUnattached is for sets that hold nothing but groups: the only one, and those that are open in one direction.
func (v *view) judgeUnattached(d direction) {
	for _, g := range v.groups() {
		half := g.in.yes != g.out.yes
		switch {
		case g.verdict(d).yes:
		case g.verdict(d).maybe:
			v.wait(g.Input, g.rulesPath(d))
		case half || len(v.SecurityGroups) == 1:
			v.refuseGroup(g, d, v.rule.Level(), "")
		}
	}
}

func (g group) openness() int {
	n := 0
	for _, v := range []verdict{g.in, g.out} {
		switch {
		case v.yes:
			n += 2
		case v.maybe:
			n++
		}
	}
	return n
}

func (g group) rulesPath(d direction) string {
	if d == egress {
		return g.Egress.Path
	}
	return g.Ingress.Path
}

func (v *view) refuseGroup(g group, d direction, level diag.Level, unless string) {
	place := at(g.Input, g.rulesPath(d))
	for _, f := range v.findings {
		if f.Rule == v.rule.ID && f.Place == place {
			return // said already, of another node group
		}
	}
	verb := "an ingress"
	if d == egress {
		verb = "an egress"
	}
	way, _, _ := strings.Cut(string(d), " ")
	v.addAt(level, place, fmt.Sprintf("security group %s lets %s: %s", g.name(), way, g.describe(d)), fmt.Sprintf("all traffic (-1) %s the group itself, by its id%s", d, unless),
		fmt.Sprintf("add %s rule with protocol -1 that names the group itself; a range does not count", verb), sourceSelf)
}

// describe tells the rules of a direction: "all traffic 0.0.0.0/0; tcp sg-0b1".
func (g group) describe(d direction) string {
	rules := g.ingress
	if d == egress {
		rules = g.egress
	}
	out := make([]string, 0, len(rules))
	for _, p := range rules {
		words := []string{p.protocol()}
		if IsTrue(p.Self) {
			words = append(words, "itself")
		}
		for _, value := range slices.Concat(p.Groups.Items, p.CIDRs.Items) {
			words = append(words, Show(value))
		}
		out = append(out, strings.Join(words, " "))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, "; ")
}

func (p Permission) protocol() string {
	if p.allTraffic() {
		return "all traffic"
	}
	return Show(p.Protocol)
}

// allTraffic: providers write -1 also as all.
func (p Permission) allTraffic() bool {
	protocol := strings.ToLower(p.Protocol.Or(""))
	return protocol == "-1" || protocol == "all"
}

// groups are the security groups of the set, each with all its rules; they are put together once.
func (v *view) groups() []group {
	if v.withRules == nil {
		for _, s := range v.SecurityGroups {
			v.withRules = append(v.withRules, v.putTogether(s))
		}
	}
	return v.withRules
}

// groupsOf lists the groups of the set that a reference names: one, or all that it may come from.
func (v *view) groupsOf(ref Value[string]) []group {
	input := func(g group) Input { return g.Input }
	if g, ok := find(v.groups(), input, ref); ok {
		return []group{g}
	}
	var out []group
	for _, g := range v.groups() {
		if g.mayBe(ref) {
			out = append(out, g)
		}
	}
	return out
}

func groupInput(g SecurityGroup) Input { return g.Input }

// putTogether puts a group and its separate rules together, and judges each direction entry by entry.
func (v *view) putTogether(s SecurityGroup) group {
	g := group{SecurityGroup: s, ingress: s.Ingress.Items, egress: s.Egress.Items}
	g.in.maybe, g.out.maybe = s.Ingress.IsUnknown(), s.Egress.IsUnknown()
	for _, r := range v.SecurityGroupRules {
		if !v.isGroup(s, r.Group) {
			// A rule whose group cannot be told may be this one's.
			if r.Group.IsUnknown() && len(r.Group.refers) == 0 && !s.Whole {
				g.in.maybe, g.out.maybe = true, true
			}
			continue
		}
		if IsTrue(r.Egress) {
			g.egress = append(slices.Clip(g.egress), r.Permission)
		} else {
			g.ingress = append(slices.Clip(g.ingress), r.Permission)
		}
	}
	g.in, g.out = v.opens(s, g.ingress, g.in), v.opens(s, g.egress, g.out)
	return g
}

// opens reports whether one entry lets all traffic pass by the group itself, or could.
func (v *view) opens(s SecurityGroup, rules []Permission, out verdict) verdict {
	for _, p := range rules {
		self, maybe := v.namesItself(s, p)
		switch {
		case self && p.allTraffic():
			out.yes = true
		case (self || maybe) && (p.allTraffic() || p.Protocol.IsUnknown()):
			out.maybe = true
		}
	}
	return out
}

// namesItself reports whether an entry names the group that it belongs to, or could.
func (v *view) namesItself(s SecurityGroup, p Permission) (self, maybe bool) {
	self, maybe = IsTrue(p.Self), p.Self.IsUnknown() || p.Groups.IsUnknown()
	for _, ref := range p.Groups.Items {
		self = self || v.isGroup(s, ref)
		_, elsewhere := find(v.SecurityGroups, groupInput, ref)
		maybe = maybe || ref.IsUnknown() && !elsewhere
	}
	return self, maybe
}

func (v *view) isGroup(s SecurityGroup, ref Value[string]) bool {
	return same(v.SecurityGroups, groupInput, ref, s.Input)
}

// attachment is the security groups that EFA interfaces of one launch or compute resource carry.
type attachment struct {
	Input
	groups List[Value[string]]
	// own: what is unknown of them is ParallelCluster's own group, which is open to itself.
	own bool
}

// attachments lists whose groups EFA needs. ParallelCluster's own group is open to itself; SecurityGroups take it off.
func (v *view) attachments() []attachment {
	var out []attachment
	for _, l := range v.launches {
		for _, i := range l.Interfaces.Items {
			if i.isEFA() {
				out = append(out, attachment{l.Input, i.SecurityGroups, l.maker.Tool == MakerParallelCluster})
			}
		}
	}
	v.eachResource(func(c clusterResource) {
		if IsTrue(c.resource.EFA) && c.resource.Override.IsAbsent() {
			out = append(out, attachment{c.Input, c.queue.SecurityGroups, false})
		}
	})
	return out
}

func judgeOneZone(v *view) {
	for i := range v.Groups {
		if v.is(Together) {
			v.oneZoneGroup(v.Groups[i])
		}
	}
	v.eachQueue(func(q clusterQueue) {
		if v.is(Together) {
			v.oneVPC(q)
		}
		if q.usesEFA() {
			v.oneZoneQueue(q)
		}
	})
}

// oneZoneGroup warns of a group over several subnets whose launch nothing holds in one zone.
func (v *view) oneZoneGroup(g NodeGroup) {
	l, ok := find(v.launches, launchInput, g.Template)
	if !ok || !l.hasEFA() || g.Subnets.Len() < 2 || v.pinned(l, g) {
		return
	}
	zones := v.zones(g.Input, g.Subnets)
	switch {
	case len(zones) == 1:
	case len(zones) > 1:
		v.addAt(diag.Warn, at(g.Input, g.Subnets.Path), fmt.Sprintf("nodes with EFA over zones %s", strings.Join(zones, ", ")), "one zone, in which all nodes of a job stand",
			"name subnets of one zone, or pin the launch to a reservation or a cluster placement group", sourceEFA)
	default:
		v.addAt(diag.Warn, at(g.Input, g.Subnets.Path), fmt.Sprintf("nodes with EFA over %d subnets, whose zones are not known here", g.Subnets.Len()), "subnets of one zone",
			"name one subnet, or pin the launch to a reservation or a cluster placement group", sourceEFA)
	}
}

// pinned: a block, a targeted reservation, a cluster placement group and a zone each hold all nodes in one zone.
func (v *view) pinned(l *launch, g NodeGroup) bool {
	return v.onBlock(l) != "" || g.AsksForBlock() || !l.Reservation.IsAbsent() || !l.PlacementGroup.IsAbsent() || !g.PlacementGroup.IsAbsent() ||
		!l.Zone.IsAbsent() || !l.Subnet.IsAbsent()
}

// zones lists the zones of the subnets, as far as they are known; nil where one is not.
func (v *view) zones(in Input, subnets List[Value[string]]) []string {
	var out []string
	for _, ref := range subnets.Items {
		s, ok := v.subnet(ref)
		if !ok {
			if ref.IsUnknown() {
				v.wait(in, ref.Path)
			}
			return nil
		}
		zone := s.ZoneID
		if !zone.IsKnown() {
			zone = s.Zone
		}
		name, known := need(v, s.Input, zone)
		if !known {
			return nil
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (v *view) oneZoneQueue(q clusterQueue) {
	if q.queue.Subnets.Len() < 2 {
		return
	}
	zones := v.zones(q.Input, q.queue.Subnets)
	place := at(q.Input, q.queue.Subnets.Path)
	switch {
	case len(zones) > 1 && v.is(Together):
		v.add(place, "an EFA queue over zones "+strings.Join(zones, ", "), "one zone", "name subnets of one zone", "ParallelCluster, EfaMultiAzValidator; "+sourceEFA)
	case len(zones) == 0 && v.is(Together):
		v.addAt(diag.Warn, place, fmt.Sprintf("an EFA queue over %d subnets, whose zones are not known here", q.queue.Subnets.Len()), "subnets of one zone",
			"name one subnet: ParallelCluster refuses an EFA queue over two zones", "ParallelCluster, EfaMultiAzValidator")
	}
}

// oneVPC: head node and queues stand in one VPC; ParallelCluster does not check it.
func (v *view) oneVPC(q clusterQueue) {
	head, ok := v.subnet(q.cluster.Head.Subnet)
	if !ok || !head.VPC.IsKnown() {
		return
	}
	for _, ref := range q.queue.Subnets.Items {
		s, ok := v.subnet(ref)
		if ok && s.VPC.IsKnown() && s.VPC.Or("") != head.VPC.Or("") {
			v.add(at(q.Input, ref.Path), fmt.Sprintf("subnet %s of %s", s.name(), s.VPC.Or("")), head.VPC.Or("")+", where the head node stands",
				"name a subnet of "+head.VPC.Or("")+": ParallelCluster does not check it, and the nodes never reach the head node", sourceEFA)
		}
	}
}

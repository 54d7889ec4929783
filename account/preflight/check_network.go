package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// judgeVPC: EFA does not cross VPCs, and nodes find each other and their file systems by name.
func judgeVPC(v *view) {
	vpc := v.plan.Network.VPC
	for _, u := range subnetUses(v.plan) {
		if s, ok := v.observed.subnet(u.id); ok && s.VPC != vpc {
			v.outside(u, "subnet", s.VPC, vpc)
		}
	}
	for _, u := range securityGroupUses(v.plan) {
		if g, ok := v.observed.securityGroup(u.id); ok && g.VPC != vpc {
			v.outside(u, "security group", g.VPC, vpc)
		}
	}
	if found := v.observed.VPC; found != nil {
		v.attribute(found.DNSSupport, vpc, "DNS resolution (enableDnsSupport)", "--enable-dns-support")
		v.attribute(found.DNSHostnames, vpc, "DNS hostnames (enableDnsHostnames)", "--enable-dns-hostnames")
	}
	v.judgeMountTargets()
}

func (v *view) outside(u use, noun, got, want string) {
	v.add(at(u.path, u.id), fmt.Sprintf("%s %s belongs to %s", noun, u.id, got), want+", as network.existing.vpc says",
		fmt.Sprintf("name a %s of %s, or set network.existing.vpc to %s", noun, want, got), "EC2 User Guide, efa")
}

func (v *view) attribute(on bool, vpc, name, flag string) {
	if !on {
		v.add(at("network.existing.vpc", vpc), fmt.Sprintf("%s has %s off", vpc, name), "on: nodes and file systems are found by name",
			fmt.Sprintf("aws ec2 modify-vpc-attribute --vpc-id %s %s", vpc, flag), "ParallelCluster, SubnetsValidator")
	}
}

// judgePublicIP: EC2 gives no public address of itself to an instance with several interfaces, and refuses the launch.
func judgePublicIP(v *view) {
	for i, g := range v.plan.Groups {
		s, ok := v.observed.subnet(g.Subnet)
		if !ok || !s.MapPublicIP || len(g.Interfaces) < 2 {
			continue
		}
		v.add(at(v.subnetPath(i), s.ID), fmt.Sprintf("%s gives new instances a public address (MapPublicIpOnLaunch)", s.ID),
			fmt.Sprintf("a subnet that does not: nodes of group %s have %d interfaces", g.Name, len(g.Interfaces)),
			"name a private subnet behind a NAT gateway, or: aws ec2 modify-subnet-attribute --subnet-id "+s.ID+" --no-map-public-ip-on-launch",
			"EC2 User Guide, efa-acc-inst-types; ParallelCluster, MultiNetworkInterfacesInstancesValidator")
	}
}

// subnetPath is where the config names a group's subnet.
func (v *view) subnetPath(i int) string {
	if v.plan.Config.Groups[i].Subnet != "" {
		return groupPath(i) + ".subnet"
	}
	return "network.existing.computeSubnet"
}

// need is how many addresses a cluster takes of a subnet, and for whom.
type need struct {
	use
	addresses int
	who       []string
	spread    bool // whether nodes take more addresses than they must
}

// needs adds up all nodes of each existing subnet. The head node and each login node take one address.
func needs(p plan.Cluster) []need {
	var out []need
	for _, u := range subnetUses(p) {
		n := need{use: u}
		n.take(p.Network.Head, 1, "the head node")
		for _, pool := range p.Config.LoginNodes {
			n.take(p.Network.Login, pool.Count, "login nodes "+pool.Name)
		}
		for _, g := range p.Groups {
			n.take(g.Subnet, g.Addresses*g.Nodes, "group "+g.Name)
			n.spread = n.spread || g.Subnet == u.id && g.Layout == plan.MostBandwidth
		}
		out = append(out, n)
	}
	return out
}

func (n *need) take(subnet string, addresses int, who string) {
	if subnet == n.id && addresses > 0 {
		n.addresses += addresses
		n.who = append(n.who, fmt.Sprintf("%s %d", who, addresses))
	}
}

// crowded lists the subnets that have fewer free addresses than a cluster needs in all.
func crowded(p plan.Cluster, o Observed) []string {
	var out []string
	for _, n := range needs(p) {
		if s, ok := o.subnet(n.id); ok && s.Free < n.addresses {
			out = append(out, s.ID)
		}
	}
	return out
}

// judgeAddresses counts what the cluster's own nodes hold already as free: they need no second address.
func judgeAddresses(v *view) {
	if v.observed.denied(readHeld) {
		return
	}
	for _, n := range needs(v.plan) {
		s, ok := v.observed.subnet(n.id)
		held := v.observed.Held[n.id]
		if !ok || s.Free+held >= n.addresses {
			continue
		}
		got := fmt.Sprintf("%s has %d free addresses", s.ID, s.Free)
		if held > 0 {
			got += fmt.Sprintf(", and nodes of the cluster hold %d", held)
		}
		hint := "name a larger subnet, or lower the counts"
		if n.spread {
			hint = "take layout save-addresses, name a larger subnet, or lower the counts"
		}
		v.add(at(n.path, s.ID), got, fmt.Sprintf("%d: %s", n.addresses, strings.Join(n.who, ", ")), hint,
			"EC2 User Guide, efa-acc-inst-types; EC2 error InsufficientFreeAddressesInSubnet")
	}
}

// judgeOneZone: a group stands in the zone that it names, and a job over several groups needs them all in one.
func judgeOneZone(v *view) {
	var firstZone zone
	var firstGroup string
	for i, g := range v.plan.Groups {
		v.judgeNamedZone(i, g)
		z, ok := v.efaZone(g)
		switch {
		case !ok:
		case !firstZone.known():
			firstZone, firstGroup = z, g.Name
		case z.differs(firstZone):
			v.addAt(diag.Warn, at(groupPath(i), ""), fmt.Sprintf("group %s stands in %s", g.Name, z),
				fmt.Sprintf("%s, where group %s stands", firstZone, firstGroup),
				"keep every job within one group: between the two there is no EFA, only TCP", "EC2 User Guide, efa")
		}
	}
}

func (v *view) judgeNamedZone(i int, g plan.NodeGroup) {
	s, ok := v.observed.subnet(g.Subnet)
	if !ok || g.Zone == "" || !zoneNamed(g.Zone).differs(zone{s.Zone, s.ZoneID}) {
		return
	}
	v.add(at(groupPath(i)+".zone", s.ID), fmt.Sprintf("%s of group %s lies in %s", s.ID, g.Name, zone{s.Zone, s.ZoneID}),
		g.Zone+", as the group's zone says", fmt.Sprintf("remove the zone, or name a subnet in %s", g.Zone), "EC2 User Guide, efa")
}

// efaZone is the zone of a group whose accelerators talk over EFA: of its subnet or config, else of its reservation.
func (v *view) efaZone(g plan.NodeGroup) (zone, bool) {
	if !g.EFA || g.Healthy.Accelerators == 0 {
		return zone{}, false
	}
	z, _ := v.zoneOf(g)
	if r, ok := v.observed.reservation(g.Capacity.Reservation); ok && !z.known() {
		z = r.zone()
	}
	return z, z.known()
}

// Directions of a security group's rules.
const (
	ingress = "in from"
	egress  = "out to"
)

func judgeSelfIngress(v *view) { v.judgeSelf(ingress) }
func judgeSelfEgress(v *view)  { v.judgeSelf(egress) }

// judgeSelf: EFA traffic passes only by rules that name the group itself, for all protocols; a CIDR rule, even
// 0.0.0.0/0, does not count. ParallelCluster wants both directions on one group, so the group that comes nearest is
// judged.
func (v *view) judgeSelf(direction string) {
	best, ok := v.bestGroup()
	if !ok || best.allowsSelf(direction) {
		return
	}
	hint := "aws ec2 authorize-security-group-ingress --group-id " + best.ID + " --protocol -1 --source-group " + best.ID
	if direction == egress {
		hint = fmt.Sprintf("aws ec2 authorize-security-group-egress --group-id %s --ip-permissions 'IpProtocol=-1,UserIdGroupPairs=[{GroupId=%s}]'", best.ID, best.ID)
	}
	v.add(at(v.groupUsePath(best.ID), best.ID), fmt.Sprintf("%s lets %s: %s", best.ID, direction, best.describe(direction)),
		fmt.Sprintf("all traffic (-1) %s %s itself, by its id", direction, best.ID), hint,
		"EC2 User Guide, efa-start; ParallelCluster, EfaSecurityGroupValidator; aws/aws-ofi-nccl#663")
}

// bestGroup is the compute nodes' security group with most of the two self rules. False: no node uses EFA, or no
// group was found.
func (v *view) bestGroup() (SecurityGroup, bool) {
	var best SecurityGroup
	most := -1
	if !slices.ContainsFunc(v.plan.Groups, func(g plan.NodeGroup) bool { return g.EFA }) {
		return best, false
	}
	for _, id := range v.plan.Network.SecurityGroups {
		g, ok := v.observed.securityGroup(id)
		if n := g.selfRules(); ok && n > most {
			best, most = g, n
		}
	}
	return best, most >= 0
}

func (g SecurityGroup) selfRules() int {
	n := 0
	for _, direction := range []string{ingress, egress} {
		if g.allowsSelf(direction) {
			n++
		}
	}
	return n
}

func (g SecurityGroup) rules(direction string) []Permission {
	if direction == egress {
		return g.Egress
	}
	return g.Ingress
}

// allowsSelf walks the rules entry by entry: one rule can name ranges, other groups and the group itself.
func (g SecurityGroup) allowsSelf(direction string) bool {
	return slices.ContainsFunc(g.rules(direction), func(p Permission) bool {
		return p.Protocol == "-1" && slices.Contains(p.Groups, g.ID)
	})
}

// describe tells the rules of a direction: "all traffic 0.0.0.0/0; tcp sg-0b1".
func (g SecurityGroup) describe(direction string) string {
	var out []string
	for _, p := range g.rules(direction) {
		protocol := p.Protocol
		if protocol == "-1" {
			protocol = "all traffic"
		}
		out = append(out, strings.Join(slices.Concat([]string{protocol}, p.Groups, p.Ranges), " "))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, "; ")
}

func (v *view) groupUsePath(id string) string {
	u, _ := first(securityGroupUses(v.plan), func(u use) bool { return u.id == id })
	return u.path
}

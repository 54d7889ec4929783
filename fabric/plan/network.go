package plan

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Network is where the nodes stand.
type Network struct {
	// Create says that the network is made; else it exists.
	Create bool `json:"create"`
	// VPC id of an existing network.
	VPC string `json:"vpc,omitempty"`
	// CIDR of a VPC that is made.
	CIDR string `json:"cidr,omitempty"`
	// Public is the subnet of the internet and NAT gateways; only where the network is made.
	Public *Subnet `json:"public,omitempty"`
	// HeadPublic puts the head node into the public subnet.
	HeadPublic bool `json:"headPublic"`
	// Head and Login subnets of an existing network.
	Head  string `json:"head,omitempty"`
	Login string `json:"login,omitempty"`
	// Compute subnets: one for each zone where they are made, the home zone first; else one for each id.
	Compute []Subnet `json:"compute"`
	// SecurityGroups of the compute nodes and of the head node that exist; empty: groups are made.
	SecurityGroups     []string `json:"securityGroups,omitempty"`
	HeadSecurityGroups []string `json:"headSecurityGroups,omitempty"`
}

// Subnet is one subnet and what the cluster's nodes take of it.
type Subnet struct {
	ID        string   `json:"id,omitempty"`        // of an existing subnet
	Zone      string   `json:"zone,omitempty"`      // of a subnet that is made
	CIDR      string   `json:"cidr,omitempty"`      // of a subnet that is made
	Groups    []string `json:"groups,omitempty"`    // whose nodes stand here
	Addresses int      `json:"addresses,omitempty"` // that all their nodes together take
}

// A VPC that weft makes is cut into eight equal parts: the first is public, each other one is for a zone.
const (
	subnetBits = 3
	maxZones   = 1<<subnetBits - 1
	// EC2 keeps the first four addresses of a subnet and the last one.
	reservedAddresses = 5
)

func (p *planner) planNetwork() {
	switch n := p.config.Network; {
	case n.Existing != nil:
		p.plan.Network = p.existingNetwork(*n.Existing)
	case n.Create != nil:
		p.plan.Network = p.createdNetwork(*n.Create)
	}
}

func (p *planner) existingNetwork(c config.NetworkExisting) Network {
	n := Network{
		VPC: c.VPC, Head: c.HeadSubnet, Login: c.LoginSubnet,
		SecurityGroups: c.SecurityGroups, HeadSecurityGroups: c.HeadSecurityGroups,
	}
	if n.Login == "" {
		n.Login = n.Head
	}
	for _, g := range p.plan.Groups {
		n.place(Subnet{ID: g.Subnet}, g, func(s Subnet) bool { return s.ID == g.Subnet })
	}
	return n
}

// createdNetwork lays a network out. The home zone comes first: what stands there can't move, so it is asked for by name,
// or the first group's.
func (p *planner) createdNetwork(c config.NetworkCreate) Network {
	n := Network{Create: true, CIDR: c.CIDR, HeadPublic: c.HeadSubnet == "public"}
	if c.Zone != "" {
		n.Compute = []Subnet{{Zone: c.Zone}}
	}
	for _, g := range p.plan.Groups {
		n.place(Subnet{Zone: g.Zone}, g, func(s Subnet) bool { return s.Zone == g.Zone })
	}
	if len(n.Compute) > maxZones {
		p.add(diag.ConfigValue, "groups", fmt.Sprintf("groups in %d zones", len(n.Compute)),
			fmt.Sprintf("at most %d zones in a network that weft makes", maxZones),
			"make the network yourself and name it under network.existing", "")
		return n
	}
	parts := cut(c.CIDR)
	if parts == nil { // the config's own check has named it
		return n
	}
	n.Public = &Subnet{CIDR: parts[0].String()}
	for i, at := range slots(n.Compute) {
		n.Compute[i].CIDR = parts[at].String()
		p.checkRoom(n.Compute[i], parts[at])
	}
	if len(n.Compute) > 0 {
		n.Public.Zone = n.Compute[0].Zone
	}
	return n
}

// slots gives each zone its part of the VPC, from 1: by the letter or number of the zone, so that subnets stay where they
// are when groups come and go; where two zones have the same, by name, the next that is free.
func slots(subnets []Subnet) []int {
	order := make([]int, len(subnets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(subnets[a].Zone, subnets[b].Zone) })
	out, taken := make([]int, len(subnets)), map[int]bool{}
	for _, i := range order {
		at := slot(subnets[i].Zone)
		for taken[at] {
			at = at%maxZones + 1
		}
		out[i], taken[at] = at, true
	}
	return out
}

// slot is 1 for us-east-2a and use2-az1.
func slot(zone string) int {
	if zone == "" {
		return 1
	}
	last := int(zone[len(zone)-1])
	first := int('a')
	if last <= '9' {
		first = '1'
	}
	return max(last-first, 0)%maxZones + 1
}

// LeavesSubnets names a change of the network that a running cluster can't follow, by what the two plans say.
func (n Network) LeavesSubnets(before Network) diag.List {
	if n.Create == before.Create {
		if before.Public == nil {
			return nil
		}
		return n.MovesHead(before.Public.Zone)
	}
	path, kinds := "network.create", []string{"a network of the stack's own", "the network that exists"}
	if before.Create {
		path = "network.existing"
		slices.Reverse(kinds)
	}
	return diag.List{{
		Rule: diag.PCUpdate, Place: diag.Place{Path: path}, Got: kinds[0], Want: kinds[1] + ", in which the cluster stands: it can't leave its subnets",
		Hint: "keep the network, or make a cluster of another name", Source: HeadStays,
	}}
}

// HeadStays is the source of what is said of head nodes that would move.
const HeadStays = "ParallelCluster update policy UNSUPPORTED of HeadNode/Networking/SubnetId"

// MovesHead names the zone in which a cluster's head node stands, where the plan puts it into another: ParallelCluster
// never moves a head node, and no subnet can leave its zone. The zone is given by all its names.
func (n Network) MovesHead(standsIn ...string) diag.List {
	if n.Public == nil || len(standsIn) == 0 || slices.Contains(standsIn, n.Public.Zone) {
		return nil
	}
	return diag.List{{
		Rule: diag.PCUpdate, Place: diag.Place{Path: "network.create.zone"},
		Got:  "head node, NAT gateway and FSx for Lustre in " + n.Public.Zone,
		Want: standsIn[0] + ", where they stand: none of them can move",
		Hint: "add zone: " + standsIn[0] + " to network.create; groups may lie in other zones", Source: HeadStays,
	}}
}

// place adds a group's nodes to their subnet.
func (n *Network) place(fresh Subnet, g NodeGroup, here func(Subnet) bool) {
	at := slices.IndexFunc(n.Compute, here)
	if at < 0 {
		at = len(n.Compute)
		n.Compute = append(n.Compute, fresh)
	}
	n.Compute[at].Groups = append(n.Compute[at].Groups, g.Name)
	n.Compute[at].Addresses += g.Addresses * g.Nodes
}

func (p *planner) checkRoom(s Subnet, prefix netip.Prefix) {
	room := 1<<(32-prefix.Bits()) - reservedAddresses
	if s.Addresses > room {
		p.add(diag.NICAddresses, "network.create.cidr",
			fmt.Sprintf("%d addresses needed in %s by %v", s.Addresses, s.Zone, s.Groups),
			fmt.Sprintf("at most %d, what %s holds", room, prefix),
			"take a larger VPC (a shorter prefix), or layout save-addresses", "EC2 User Guide, subnet sizing")
	}
}

// cut divides an IPv4 prefix into eight; nil if it is none or too small.
func cut(cidr string) []netip.Prefix {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil || !prefix.Addr().Is4() || prefix.Bits() > 32-subnetBits {
		return nil
	}
	prefix = prefix.Masked()
	bits := prefix.Bits() + subnetBits
	base := prefix.Addr().As4()
	start := binary.BigEndian.Uint32(base[:])
	var out []netip.Prefix
	for i := range uint32(1 << subnetBits) {
		var addr [4]byte
		binary.BigEndian.PutUint32(addr[:], start+i<<(32-bits))
		out = append(out, netip.PrefixFrom(netip.AddrFrom4(addr), bits))
	}
	return out
}

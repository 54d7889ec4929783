package plan

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

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
	// Compute subnets: one for each zone where they are made, else one for each id.
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

// A VPC that weft makes is cut into eight equal parts: the first is public, the others are for one zone each.
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

func (p *planner) createdNetwork(c config.NetworkCreate) Network {
	n := Network{Create: true, CIDR: c.CIDR, HeadPublic: c.HeadSubnet == "public"}
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
	for i := range n.Compute {
		n.Compute[i].CIDR = parts[i+1].String()
		p.checkRoom(n.Compute[i], parts[i+1])
	}
	if len(n.Compute) > 0 {
		n.Public.Zone = n.Compute[0].Zone
	}
	return n
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

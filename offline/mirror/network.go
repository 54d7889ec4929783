package mirror

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/offline/account"
)

// An existing VPC is cut into subnets of /22, as many as a cluster can name.
const (
	vpcCIDR = "10.0.0.0/16"
	// subnetRoom is what EC2 leaves of a /22.
	subnetRoom = 1024 - 5
	// spare addresses are for what is not the cluster's: file systems, endpoints.
	spare = 64
)

// network makes the existing network that the config names. One that weft makes is not there yet.
func (m *maker) network() {
	n := m.plan.Network
	if n.Create || n.VPC == "" {
		return
	}
	m.world.VPCs = append(m.world.VPCs, account.VPC{ID: n.VPC, CIDR: vpcCIDR, DNSSupport: true, DNSHostnames: true})
	zones := m.groupZones()
	for _, s := range n.Compute {
		m.subnet(s.ID, zones[s.Groups[0]], s.Addresses)
	}
	logins := 0
	for _, pool := range m.config.LoginNodes {
		logins += pool.Count
	}
	m.subnet(n.Head, m.headZone(), 1)
	m.subnet(n.Login, m.headZone(), logins)
	m.securityGroups()
}

// subnet adds a subnet, or room for more nodes to one that is there.
func (m *maker) subnet(id string, z zone, addresses int) {
	if id == "" {
		return
	}
	at := slices.IndexFunc(m.world.Subnets, func(s account.Subnet) bool { return s.ID == id })
	if at < 0 {
		at = len(m.world.Subnets)
		free := subnetRoom
		m.world.Subnets = append(m.world.Subnets, account.Subnet{
			ID: id, VPC: m.plan.Network.VPC, Zone: z.name, ZoneID: z.id, FreeAddresses: &free,
			CIDR: fmt.Sprintf("10.0.%d.0/22", 4*at),
		})
	}
	free := max(*m.world.Subnets[at].FreeAddresses, spare+addresses)
	m.world.Subnets[at].FreeAddresses = &free
}

// securityGroups makes the groups that the config names: each lets all traffic in from and out to all of them, by their
// ids, and everything out.
func (m *maker) securityGroups() {
	ids := slices.Concat(m.plan.Network.SecurityGroups, m.plan.Network.HeadSecurityGroups)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	each := account.Rule{Protocol: "-1", Groups: ids}
	for _, id := range ids {
		m.world.SecurityGroups = append(m.world.SecurityGroups, account.SecurityGroup{
			ID: id, VPC: m.plan.Network.VPC, Ingress: []account.Rule{each}, Egress: []account.Rule{each, out()},
		})
	}
}

// out lets everything out.
func out() account.Rule { return account.Rule{Protocol: "-1", CIDRs: []string{"0.0.0.0/0"}} }

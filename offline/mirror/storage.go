package mirror

import (
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/offline/account"
)

// The network of file systems that exist where the cluster's own network is made: the nodes do not reach it.
const (
	elsewhereVPC    = "vpc-0e15e000000000000"
	elsewhereSubnet = "subnet-0e15e000000000000"
	// mountGroup lets the whole VPC mount the file systems that exist.
	mountGroup = "sg-0f500000000000000"
)

// storage makes the file systems that the config says exist, and the buckets that new ones are linked with.
func (m *maker) storage() {
	for _, s := range m.config.Storage {
		switch {
		case s.EFS != nil && s.EFS.Existing != "":
			m.fileSystem(account.FileSystem{ID: s.EFS.Existing, Kind: account.EFS})
		case s.FSxLustre != nil && s.FSxLustre.Existing != "":
			m.fileSystem(account.FileSystem{
				ID: s.FSxLustre.Existing, Kind: account.Lustre, Capacity: 4800, Deployment: "PERSISTENT_2", MountName: "mount",
			})
		case s.FSxLustre != nil:
			m.repositories(s.FSxLustre.S3)
		}
	}
}

func (m *maker) repositories(links []config.DataRepository) {
	for _, link := range links {
		if bucket, _, ok := splitS3(link.Bucket); ok {
			m.bucket(bucket)
		}
	}
}

// fileSystem puts a file system into the compute subnets: FSx for Lustre into the first, EFS with a mount target in each
// zone.
func (m *maker) fileSystem(f account.FileSystem) {
	subnets := m.mountSubnets()
	if f.Kind == account.Lustre {
		subnets = subnets[:1]
	}
	f.Subnets, f.SecurityGroups = subnets, m.mountGroups(subnets[0])
	m.world.FileSystems = append(m.world.FileSystems, f)
}

// mountSubnets gives one compute subnet for each zone.
func (m *maker) mountSubnets() []string {
	if len(m.world.Subnets) == 0 {
		m.elsewhere()
	}
	var out []string
	zones := map[string]bool{}
	for _, s := range m.world.Subnets {
		if !zones[s.Zone] {
			zones[s.Zone] = true
			out = append(out, s.ID)
		}
	}
	return out
}

func (m *maker) elsewhere() {
	z := m.headZone()
	m.world.VPCs = append(m.world.VPCs, account.VPC{ID: elsewhereVPC, CIDR: vpcCIDR, DNSSupport: true, DNSHostnames: true})
	m.world.Subnets = append(m.world.Subnets, account.Subnet{ID: elsewhereSubnet, VPC: elsewhereVPC, Zone: z.name, ZoneID: z.id, CIDR: "10.0.0.0/22"})
}

// mountGroups are the cluster's groups that exist, else one that lets the whole VPC in.
func (m *maker) mountGroups(subnet string) []string {
	if groups := m.plan.Network.SecurityGroups; len(groups) > 0 {
		return groups
	}
	for _, g := range m.world.SecurityGroups {
		if g.ID == mountGroup {
			return []string{mountGroup}
		}
	}
	for _, s := range m.world.Subnets {
		if s.ID == subnet {
			m.world.SecurityGroups = append(m.world.SecurityGroups, account.SecurityGroup{
				ID: mountGroup, VPC: s.VPC, Ingress: []account.Rule{{Protocol: "-1", CIDRs: []string{vpcCIDR}}}, Egress: []account.Rule{out()},
			})
		}
	}
	return []string{mountGroup}
}

package config

import (
	"net/netip"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

func (v *view) networkOne() {
	n := v.cluster.Network
	if !v.sound("network") {
		return
	}
	given := v.chosen("network", choice{"create", n.Create != nil}, choice{"existing", n.Existing != nil})
	if len(given) == 0 {
		v.report(diag.ConfigRequired, "network", "neither create nor existing", "one of them",
			"add network: create: {} for a network of its own, or network: existing: with vpc and headSubnet")
	}
	v.exclusive("network", "one network: made or existing", given)
}

// networkCIDR: ParallelCluster and weft lay a public and several private subnets into the range; a VPC takes a
// prefix of 16 to 28 bits.
func (v *view) networkCIDR() {
	const path, want = "network.create.cidr", "a private IPv4 range of 16 to 20 bits, for example 10.0.0.0/16"
	n := v.cluster.Network.Create
	if n == nil || !v.sound(path) {
		return
	}
	prefix, err := netip.ParsePrefix(n.CIDR)
	switch {
	case err != nil || !prefix.Addr().Is4():
		v.report(diag.ConfigValue, path, quote(n.CIDR), want, "write address/bits")
	case prefix.Bits() < 16 || prefix.Bits() > 20:
		v.report(diag.ConfigValue, path, n.CIDR, want, "choose 16 to 20 bits: fewer leave no room for a subnet in each zone, more are no VPC")
	case prefix.Masked() != prefix:
		v.report(diag.ConfigValue, path, n.CIDR, want, "write the range by its first address: "+prefix.Masked().String())
	case !isPrivate(prefix):
		v.report(diag.ConfigValue, path, n.CIDR, want, "choose a range in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10")
	}
}

// isPrivate: RFC 1918, and RFC 6598, which VPCs take as well. No prefix of 16 bits or more crosses their borders.
func isPrivate(prefix netip.Prefix) bool {
	return prefix.Addr().IsPrivate() || netip.MustParsePrefix("100.64.0.0/10").Contains(prefix.Addr())
}

func (v *view) networkHeadGroups() {
	n := v.cluster.Network.Existing
	if n == nil || len(n.HeadSecurityGroups) == 0 || len(n.SecurityGroups) > 0 || v.given("network.existing.securityGroups") {
		return
	}
	v.report(diag.ConfigConflict, "network.existing.headSecurityGroups", "headSecurityGroups without securityGroups", "both, or none",
		"add securityGroups for the compute nodes, which must reach the head node, or leave both out and groups are made")
}

func (v *view) headAllowedIPs() {
	each("headNode.allowedIPs", v.cluster.HeadNode.AllowedIPs, func(path string, source *string) {
		if !v.sound(path) || strings.HasPrefix(*source, "pl-") {
			return
		}
		const want = "a CIDR or a prefix list, for example 203.0.113.7/32 or pl-…"
		prefix, err := netip.ParsePrefix(*source)
		switch {
		case err != nil:
			v.report(diag.ConfigValue, path, quote(*source), want, "write address/bits; /32 is one address")
		case prefix.Masked() != prefix:
			v.report(diag.ConfigValue, path, *source, want, "write the range by its first address: "+prefix.Masked().String())
		}
	})
}

// namesUnique: group names are queue names, pool and storage names are logical ids of one template.
func (v *view) namesUnique() {
	c := v.cluster
	seen := map[string]string{}
	named := func(kind string) func(path, name string) {
		return func(path, name string) {
			path = child(path, "name")
			if name == "" || !v.sound(path) {
				return
			}
			if first, ok := seen[kind+name]; ok {
				v.report(diag.ConfigConflict, path, "a second "+kind+" "+quote(name), "each "+kind+" with a name of its own", "rename it, or join it with "+first)
				return
			}
			seen[kind+name] = parent(path)
		}
	}
	group, pool, storage := named("group"), named("login pool"), named("file system")
	each("groups", c.Groups, func(path string, g *Group) { group(path, g.Name) })
	each("loginNodes", c.LoginNodes, func(path string, p *LoginPool) { pool(path, p.Name) })
	each("storage", c.Storage, func(path string, s *Storage) { storage(path, s.Name) })
}

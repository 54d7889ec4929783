package read

import (
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// SecurityGroup reads a security group with the rules that it lists itself, as infrastructure tools write them.
func SecurityGroup(n tree.Node, spell Spelling, in rule.Input) rule.SecurityGroup {
	s := source{n, spell}
	return rule.SecurityGroup{
		Input:   in,
		VPC:     s.get("vpcId").Text(),
		Ingress: each(s.first("ingress", "securityGroupIngress"), inlinePermissionFrom),
		Egress:  each(s.first("egress", "securityGroupEgress"), inlinePermissionTo),
	}
}

func inlinePermissionFrom(s source) rule.Permission { return permission(s, "sourceSecurityGroupId") }

func inlinePermissionTo(s source) rule.Permission { return permission(s, "destinationSecurityGroupId") }

// permission reads one entry. A peer is a list of groups, one group, or the group itself.
func permission(s source, peer string) rule.Permission {
	groups := s.first("securityGroups")
	if !groups.Is() {
		groups = s.first(peer, "referencedSecurityGroupId", "sourceSecurityGroupId", "destinationSecurityGroupId")
	}
	p := rule.Permission{
		Path:     s.Path,
		Protocol: s.first("protocol", "ipProtocol").Text(),
		Groups:   groups.Texts(),
		Self:     s.get("self").Bool(),
		CIDRs:    s.first("cidrBlocks", "cidrIpv4", "cidrIp").Texts(),
	}
	for _, name := range []string{"ipv6CidrBlocks", "cidrIpv6"} {
		p.CIDRs.Items = append(p.CIDRs.Items, s.get(name).Texts().Items...)
	}
	return p
}

// SecurityGroupRule reads a rule that is a resource of its own. Where egress is absent, the resource says its direction
// by its type property.
func SecurityGroupRule(n tree.Node, spell Spelling, egress rule.Value[bool], in rule.Input) rule.SecurityGroupRule {
	s := source{n, spell}
	peer := "sourceSecurityGroupId"
	if rule.IsTrue(egress) {
		peer = "destinationSecurityGroupId"
	}
	if egress.IsAbsent() {
		egress = rule.Unknown[bool]().At(s.get("type").Path)
		if direction, ok := s.get("type").Text().Get(); ok {
			egress = rule.Known(direction == "egress").At(s.get("type").Path)
		}
	}
	return rule.SecurityGroupRule{
		Input:      in,
		Permission: permission(s, peer),
		Group:      s.first("securityGroupId", "groupId").Text(),
		Egress:     egress,
	}
}

// Subnet reads a subnet.
func Subnet(n tree.Node, spell Spelling, in rule.Input) rule.Subnet {
	s := source{n, spell}
	return rule.Subnet{
		Input:       in,
		VPC:         s.get("vpcId").Text(),
		Zone:        s.get("availabilityZone").Text(),
		ZoneID:      s.get("availabilityZoneId").Text(),
		MapPublicIP: s.get("mapPublicIpOnLaunch").Bool(),
	}
}

// Reservation reads a reservation of a kind, as a resource that makes or buys it.
func Reservation(n tree.Node, spell Spelling, kind string, in rule.Input) rule.Reservation {
	s := source{n, spell}
	return rule.Reservation{
		Input:          in,
		Kind:           rule.Known(kind),
		InstanceType:   s.get("instanceType").Text(),
		Zone:           s.get("availabilityZone").Text(),
		Count:          s.first("instanceCount", "totalInstanceCount").Int(),
		State:          s.get("state").Text(),
		Tenancy:        s.get("tenancy").Text(),
		PlacementGroup: s.get("placementGroupArn").Text(),
	}
}

// Image reads an AMI.
func Image(n tree.Node, spell Spelling, in rule.Input) rule.Image {
	s := source{n, spell}
	image := rule.Image{
		Input:        in,
		Name:         s.get("name").Text(),
		Architecture: s.get("architecture").Text(),
		State:        s.get("state").Text(),
		Tags:         map[string]rule.Value[string]{},
	}
	for key, value := range Tags(s.get("tags").Node) {
		image.Tags[key] = rule.Known(value)
	}
	return image
}

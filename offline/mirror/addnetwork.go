package mirror

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/standin"
)

func (a *adder) vpc(id string, r standin.Resource) error {
	put(&a.world.VPCs, account.VPC{
		ID: id, CIDR: r.Outputs.Text("cidrBlock"),
		DNSSupport: r.Outputs.True("enableDnsSupport"), DNSHostnames: r.Outputs.True("enableDnsHostnames"),
	}, func(v account.VPC) bool { return v.ID == id })
	return nil
}

func (a *adder) subnet(id string, r standin.Resource) error {
	text := r.Inputs.Text("availabilityZone")
	if text == "" {
		text = r.Inputs.Text("availabilityZoneId")
	}
	z, err := zoneOf(a.world.Region, text)
	if err != nil {
		return err
	}
	put(&a.world.Subnets, account.Subnet{
		ID: id, VPC: r.Outputs.Text("vpcId"), Zone: z.name, ZoneID: z.id, CIDR: r.Outputs.Text("cidrBlock"),
		MapPublicIP: r.Outputs.True("mapPublicIpOnLaunch"),
	}, func(s account.Subnet) bool { return s.ID == id })
	return nil
}

// securityGroup makes a group without a rule: the provider takes EC2's first rule, which lets everything out, away.
func (a *adder) securityGroup(id string, r standin.Resource) error {
	put(&a.world.SecurityGroups, account.SecurityGroup{ID: id, VPC: r.Outputs.Text("vpcId"), Name: r.Outputs.Text("name")},
		func(g account.SecurityGroup) bool { return g.ID == id })
	return lost(r.Inputs, "ingress", "egress")
}

// rule adds one rule to its group.
func (a *adder) rule(id string, r standin.Resource) error {
	owner := r.Inputs.Text("securityGroupId")
	at := slices.IndexFunc(a.world.SecurityGroups, func(g account.SecurityGroup) bool { return g.ID == owner })
	if at < 0 {
		return fmt.Errorf("its group %s is not there", owner)
	}
	rule := account.Rule{
		Protocol: r.Inputs.Text("ipProtocol"),
		Groups:   r.Inputs.Texts("referencedSecurityGroupId"), CIDRs: r.Inputs.Texts("cidrIpv4"),
		IPv6CIDRs: r.Inputs.Texts("cidrIpv6"), PrefixLists: r.Inputs.Texts("prefixListId"),
	}
	rule.FromPort, _ = r.Inputs.Number("fromPort")
	rule.ToPort, _ = r.Inputs.Number("toPort")
	group := &a.world.SecurityGroups[at]
	if _, in := a.made.Get(ingressType, id); in {
		group.Ingress = append(group.Ingress, rule)
	} else {
		group.Egress = append(group.Egress, rule)
	}
	return nil
}

func (a *adder) placementGroup(name string, r standin.Resource) error {
	put(&a.world.PlacementGroups, account.PlacementGroup{
		ID: r.Outputs.Text("placementGroupId"), Name: name, Strategy: r.Outputs.Text("strategy"),
	}, func(g account.PlacementGroup) bool { return g.Name == name })
	return nil
}

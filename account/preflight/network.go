package preflight

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/fabric/plan"
)

const (
	actSubnets        = "ec2:DescribeSubnets"
	actVPCAttribute   = "ec2:DescribeVpcAttribute"
	actSecurityGroups = "ec2:DescribeSecurityGroups"
	actInstances      = "ec2:DescribeInstances"
)

// ParallelCluster puts this tag on every instance of a cluster.
const clusterTag = "parallelcluster:cluster-name"

// use is an id that a plan names, and the place in the config that names it.
type use struct{ id, path string }

// subnetUses lists the subnets of an existing network, each once, at the first place that names it.
func subnetUses(p plan.Cluster) []use {
	existing := p.Config.Network.Existing
	if existing == nil {
		return nil
	}
	const at = "network.existing."
	out := named(nil, use{existing.HeadSubnet, at + "headSubnet"})
	out = named(out, use{existing.ComputeSubnet, at + "computeSubnet"})
	out = named(out, use{existing.LoginSubnet, at + "loginSubnet"})
	for i, g := range p.Groups {
		out = named(out, use{g.Subnet, groupPath(i) + ".subnet"})
	}
	return out
}

// named adds an id that is given and new.
func named(uses []use, one use) []use {
	if _, known := first(uses, func(u use) bool { return u.id == one.id }); known || one.id == "" {
		return uses
	}
	return append(uses, one)
}

func ids(uses []use) []string {
	var out []string
	for _, u := range uses {
		out = append(out, u.id)
	}
	return out
}

func securityGroupUses(p plan.Cluster) []use {
	var out []use
	for i, id := range p.Network.SecurityGroups {
		out = named(out, use{id, fmt.Sprintf("network.existing.securityGroups[%d]", i)})
	}
	for i, id := range p.Network.HeadSecurityGroups {
		out = named(out, use{id, fmt.Sprintf("network.existing.headSecurityGroups[%d]", i)})
	}
	return out
}

func securityGroupIDs(p plan.Cluster) []string { return ids(securityGroupUses(p)) }

// by is a filter. Objects are asked for by filter and not by their ids: one id that does not exist would make EC2
// refuse the whole call.
func by(name string, values ...string) types.Filter {
	return types.Filter{Name: aws.String(name), Values: values}
}

func loadSubnets(ctx context.Context, c Clients, r Request, o *Observed) (err error) {
	o.Subnets, err = subnets(ctx, c, ids(subnetUses(r.Plan))...)
	return err
}

// loadHome finds the subnet of a head node that runs. One that is gone is none: the account has nothing to compare with.
func loadHome(ctx context.Context, c Clients, _ Request, seen Observed, o *Observed) error {
	found, err := subnets(ctx, c, seen.Stack.headSubnet())
	if len(found) > 0 {
		o.Home = &found[0]
	}
	return err
}

func subnets(ctx context.Context, c Clients, ids ...string) ([]Subnet, error) {
	p := ec2.NewDescribeSubnetsPaginator(c.EC2, &ec2.DescribeSubnetsInput{Filters: []types.Filter{by("subnet-id", ids...)}})
	return pages(ctx, actSubnets, p, func(page *ec2.DescribeSubnetsOutput) []Subnet {
		var out []Subnet
		for i := range page.Subnets {
			s := &page.Subnets[i]
			out = append(out, Subnet{
				ID: aws.ToString(s.SubnetId), VPC: aws.ToString(s.VpcId),
				Zone: aws.ToString(s.AvailabilityZone), ZoneID: aws.ToString(s.AvailabilityZoneId),
				Free: int(aws.ToInt32(s.AvailableIpAddressCount)), MapPublicIP: aws.ToBool(s.MapPublicIpOnLaunch),
				Name: tagged(s.Tags, "Name"),
			})
		}
		return out
	})
}

func tagged(tags []types.Tag, key string) string {
	tag, _ := first(tags, func(t types.Tag) bool { return aws.ToString(t.Key) == key })
	return aws.ToString(tag.Value)
}

// loadVPC reads the two attributes that name resolution needs; EC2 gives one a call.
func loadVPC(ctx context.Context, c Clients, r Request, o *Observed) error {
	vpc := VPC{ID: r.Plan.Network.VPC}
	support, err := vpcAttribute(ctx, c, vpc.ID, types.VpcAttributeNameEnableDnsSupport)
	if awserror.IsNotFound(err) || awserror.IsMalformed(err) {
		return nil
	}
	if err != nil {
		return err
	}
	hostnames, err := vpcAttribute(ctx, c, vpc.ID, types.VpcAttributeNameEnableDnsHostnames)
	if err != nil {
		return err
	}
	vpc.DNSSupport, vpc.DNSHostnames = enabled(support.EnableDnsSupport), enabled(hostnames.EnableDnsHostnames)
	o.VPC = &vpc
	return nil
}

func vpcAttribute(ctx context.Context, c Clients, id string, name types.VpcAttributeName) (*ec2.DescribeVpcAttributeOutput, error) {
	out, err := c.EC2.DescribeVpcAttribute(ctx, &ec2.DescribeVpcAttributeInput{VpcId: aws.String(id), Attribute: name})
	return out, failed(actVPCAttribute, err)
}

func enabled(v *types.AttributeBooleanValue) bool { return v != nil && aws.ToBool(v.Value) }

func loadSecurityGroups(ctx context.Context, c Clients, r Request, o *Observed) (err error) {
	p := ec2.NewDescribeSecurityGroupsPaginator(c.EC2, &ec2.DescribeSecurityGroupsInput{Filters: []types.Filter{by("group-id", securityGroupIDs(r.Plan)...)}})
	o.SecurityGroups, err = pages(ctx, actSecurityGroups, p, func(page *ec2.DescribeSecurityGroupsOutput) []SecurityGroup {
		var out []SecurityGroup
		for i := range page.SecurityGroups {
			g := &page.SecurityGroups[i]
			out = append(out, SecurityGroup{
				ID: aws.ToString(g.GroupId), VPC: aws.ToString(g.VpcId),
				Ingress: permissions(g.IpPermissions), Egress: permissions(g.IpPermissionsEgress),
			})
		}
		return out
	})
	return err
}

func permissions(list []types.IpPermission) []Permission {
	var out []Permission
	for i := range list {
		p := Permission{Protocol: aws.ToString(list[i].IpProtocol)}
		for j := range list[i].UserIdGroupPairs {
			p.Groups = append(p.Groups, aws.ToString(list[i].UserIdGroupPairs[j].GroupId))
		}
		p.Ranges = ranges(&list[i])
		out = append(out, p)
	}
	return out
}

func ranges(p *types.IpPermission) []string {
	var out []string
	for _, r := range p.IpRanges {
		out = append(out, aws.ToString(r.CidrIp))
	}
	for _, r := range p.Ipv6Ranges {
		out = append(out, aws.ToString(r.CidrIpv6))
	}
	for _, l := range p.PrefixListIds {
		out = append(out, aws.ToString(l.PrefixListId))
	}
	return out
}

// loadHeld counts the addresses that instances of the cluster hold in the subnets that seem too small: an update of a
// running cluster needs no second address for a node that runs.
func loadHeld(ctx context.Context, c Clients, r Request, seen Observed, o *Observed) error {
	p := ec2.NewDescribeInstancesPaginator(c.EC2, &ec2.DescribeInstancesInput{Filters: []types.Filter{
		by("tag:"+clusterTag, r.Plan.Name), by("network-interface.subnet-id", crowded(r.Plan, seen)...),
		by("instance-state-name", "pending", "running", "stopping", "stopped"),
	}})
	found, err := pages(ctx, actInstances, p, func(page *ec2.DescribeInstancesOutput) []types.InstanceNetworkInterface {
		var out []types.InstanceNetworkInterface
		for i := range page.Reservations {
			for j := range page.Reservations[i].Instances {
				out = append(out, page.Reservations[i].Instances[j].NetworkInterfaces...)
			}
		}
		return out
	})
	if err != nil {
		return err
	}
	o.Held = map[string]int{}
	for i := range found {
		o.Held[aws.ToString(found[i].SubnetId)] += len(found[i].PrivateIpAddresses)
	}
	return nil
}

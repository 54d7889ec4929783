// Package network is the Pulumi component of a cluster's network: a VPC made for it, or an existing one taken
// over.
//
// A network that is made has a public subnet with a NAT gateway, a private subnet in each zone of a compute
// group, an S3 gateway endpoint, and one security group whose members reach each other by all protocols. EFA
// needs that group: EFA traffic matches rules that name the group itself, in both directions, and no CIDR
// rule, not even 0.0.0.0/0.
package network

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Token is the component's type.
const Token = "weft:index:Network"

// Args of a network.
type Args struct {
	// Plan of the network.
	Plan plan.Network `pulumi:"plan"`
	// Region, for the S3 endpoint.
	Region string `pulumi:"region"`
	// Keep the VPC, its compute subnets and the security group when the stack is destroyed: what stays behind, such as
	// a file system, stands in them.
	Keep bool `pulumi:"keep"`
	// Tags of every resource.
	Tags map[string]string `pulumi:"tags"`
}

// Network is the component. Whoever uses one of its outputs waits until the whole network stands, and goes before any of it does.
type Network struct {
	pulumi.ResourceState

	// VPCID of the network.
	VPCID pulumi.StringOutput `pulumi:"vpcId"`
	// HeadSubnetID and LoginSubnetID of head and login nodes.
	HeadSubnetID  pulumi.StringOutput `pulumi:"headSubnetId"`
	LoginSubnetID pulumi.StringOutput `pulumi:"loginSubnetId"`
	// ComputeSubnetIDs by name of the group.
	ComputeSubnetIDs pulumi.StringMapOutput `pulumi:"computeSubnetIds"`
	// SubnetIDs of the compute subnets in the plan's order, the home zone's first.
	SubnetIDs pulumi.StringArrayOutput `pulumi:"subnetIds"`
	// SecurityGroupID of the group that was made; empty where the config names groups.
	SecurityGroupID pulumi.StringOutput `pulumi:"securityGroupId"`

	made []pulumi.Resource
}

// Resources are all that were made, for DependsOn. The component itself stands there for the children that the SDK has come to
// know by then, which is a race.
func (n *Network) Resources() []pulumi.Resource { return n.made }

// validate finds what would end in the middle: plans with findings at error level, and no plan at all.
func (a *Args) validate() error {
	switch {
	case a == nil:
		return errors.New("none")
	case !a.Plan.Create:
		return nil
	case a.Plan.Public == nil:
		return errors.New("plan makes a network and has no public subnet: see its findings")
	case !a.Plan.HeadPublic && len(a.Plan.Compute) == 0:
		return errors.New("plan puts the head node into a private subnet, and has none: no groups")
	case a.Region == "":
		return errors.New("region is missing: the S3 endpoint is named after it")
	default:
		return nil
	}
}

// New registers the component. It fails before anything is registered if the arguments do not make a whole network.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*Network, error) {
	if err := args.validate(); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", name, err)
	}
	n := &Network{}
	if err := ctx.RegisterComponentResource(Token, name, n, opts...); err != nil {
		return nil, fmt.Errorf("registering %s: %w", name, err)
	}
	m := &maker{ctx: ctx, name: name, args: args, parent: pulumi.Parent(n)}
	if args.Plan.Create {
		m.create(n)
	} else {
		m.adopt(n)
	}
	m.securityGroup(n)
	if m.err != nil {
		return nil, m.err
	}
	n.made = m.made
	m.wait(n)
	return n, ctx.RegisterResourceOutputs(n, pulumi.Map{
		"vpcId":            n.VPCID,
		"headSubnetId":     n.HeadSubnetID,
		"loginSubnetId":    n.LoginSubnetID,
		"computeSubnetIds": n.ComputeSubnetIDs,
		"subnetIds":        n.SubnetIDs,
		"securityGroupId":  n.SecurityGroupID,
	})
}

// maker registers the parts of one network and keeps the first error, so that the parts read as a list.
type maker struct {
	ctx    *pulumi.Context
	name   string
	args   *Args
	parent pulumi.ResourceOption
	made   []pulumi.Resource
	err    error
}

// wait has each output depend on everything that was made: on the id's own resource alone, a node would boot before its subnet
// has a route, FSx would refuse a group whose rules are not there yet, and a destroy would take both away from a cluster that still
// stands. An id that is known stays known in a preview: so are URNs.
func (m *maker) wait(n *Network) {
	var urns []any
	for _, r := range m.made {
		urns = append(urns, r.URN())
	}
	for _, id := range []*pulumi.StringOutput{&n.VPCID, &n.HeadSubnetID, &n.LoginSubnetID, &n.SecurityGroupID} {
		*id = after[string](*id, urns)
	}
	n.SubnetIDs = after[[]string](n.SubnetIDs, urns)
	n.ComputeSubnetIDs = after[map[string]string](n.ComputeSubnetIDs, urns)
}

// after is an output, whose values are of type T, that depends on others too.
func after[T any, O pulumi.Output](output O, others []any) O {
	return pulumi.All(append([]any{output}, others...)...).ApplyT(func(v []any) T {
		return v[0].(T) //nolint:forcetypeassert // an O holds nothing else
	}).(O) //nolint:forcetypeassert // ApplyT of a function to T gives the output of T's type
}

func (m *maker) adopt(n *Network) {
	p := m.args.Plan
	n.VPCID = pulumi.String(p.VPC).ToStringOutput()
	n.HeadSubnetID = pulumi.String(p.Head).ToStringOutput()
	n.LoginSubnetID = pulumi.String(p.Login).ToStringOutput()
	subnets, all := pulumi.StringMap{}, pulumi.StringArray{}
	for _, s := range p.Compute {
		all = append(all, pulumi.String(s.ID))
		for _, group := range s.Groups {
			subnets[group] = pulumi.String(s.ID)
		}
	}
	n.ComputeSubnetIDs, n.SubnetIDs = subnets.ToStringMapOutput(), all.ToStringArrayOutput()
}

func (m *maker) create(n *Network) {
	p := m.args.Plan
	v := m.vpc()
	public := m.subnet(v, "public", *p.Public, true)
	gateway := m.internetGateway(v)
	nat := m.natGateway(public, gateway)
	outside := m.routeTable(v, "public", ec2.RouteTableRouteArgs{CidrBlock: anywhere, GatewayId: id(gateway)}, public)

	subnets, all, private := pulumi.StringMap{}, pulumi.StringArray{}, []part{}
	for _, s := range p.Compute {
		subnet := m.subnet(v, "private-"+s.Zone, s, false)
		private, all = append(private, subnet), append(all, id(subnet.subnet))
		for _, group := range s.Groups {
			subnets[group] = id(subnet.subnet)
		}
	}
	inside := m.routeTable(v, "private", ec2.RouteTableRouteArgs{CidrBlock: anywhere, NatGatewayId: id(nat)}, private...)
	m.s3Endpoint(v, outside, inside)
	if m.err != nil {
		return
	}
	n.VPCID = v.ID().ToStringOutput()
	n.HeadSubnetID = id(public.subnet)
	if !p.HeadPublic {
		n.HeadSubnetID = id(private[0].subnet)
	}
	n.LoginSubnetID = n.HeadSubnetID
	n.ComputeSubnetIDs, n.SubnetIDs = subnets.ToStringMapOutput(), all.ToStringArrayOutput()
}

const anywhere = pulumi.String("0.0.0.0/0")

func (m *maker) vpc() *ec2.Vpc {
	return made(m, "", func(name string, opts ...pulumi.ResourceOption) (*ec2.Vpc, error) {
		return ec2.NewVpc(m.ctx, name, &ec2.VpcArgs{
			CidrBlock: pulumi.String(m.args.Plan.CIDR), Tags: m.tags(name),
			// ParallelCluster's nodes find each other by name.
			EnableDnsSupport: pulumi.Bool(true), EnableDnsHostnames: pulumi.Bool(true),
		}, append(opts, m.kept())...)
	})
}

// part is a subnet, and what it is called in the network.
type part struct {
	name   string
	subnet *ec2.Subnet
}

// subnet makes a subnet. Compute nodes have several interfaces, and EC2 gives such nodes no automatic public
// address, so only the head node's subnet assigns one.
func (m *maker) subnet(v *ec2.Vpc, called string, s plan.Subnet, public bool) part {
	return part{called, made(m, called, func(name string, opts ...pulumi.ResourceOption) (*ec2.Subnet, error) {
		args := &ec2.SubnetArgs{
			VpcId: id(v), CidrBlock: pulumi.String(s.CIDR),
			MapPublicIpOnLaunch: pulumi.Bool(public), Tags: m.tags(name),
		}
		if config.IsZoneID(s.Zone) {
			args.AvailabilityZoneId = pulumi.String(s.Zone)
		} else {
			args.AvailabilityZone = pulumi.String(s.Zone)
		}
		if !public {
			opts = append(opts, m.kept())
		}
		return ec2.NewSubnet(m.ctx, name, args, opts...)
	})}
}

func (m *maker) internetGateway(v *ec2.Vpc) *ec2.InternetGateway {
	return made(m, "internet", func(name string, opts ...pulumi.ResourceOption) (*ec2.InternetGateway, error) {
		return ec2.NewInternetGateway(m.ctx, name, &ec2.InternetGatewayArgs{VpcId: id(v), Tags: m.tags(name)}, opts...)
	})
}

func (m *maker) natGateway(public part, gateway *ec2.InternetGateway) *ec2.NatGateway {
	address := made(m, "nat", func(name string, opts ...pulumi.ResourceOption) (*ec2.Eip, error) {
		return ec2.NewEip(m.ctx, name, &ec2.EipArgs{Domain: pulumi.String("vpc"), Tags: m.tags(name)}, opts...)
	})
	return made(m, "nat", func(name string, opts ...pulumi.ResourceOption) (*ec2.NatGateway, error) {
		return ec2.NewNatGateway(m.ctx, name, &ec2.NatGatewayArgs{
			AllocationId: id(address), SubnetId: id(public.subnet), Tags: m.tags(name),
		}, append(opts, pulumi.DependsOn([]pulumi.Resource{gateway}))...)
	})
}

// routeTable makes a route table for subnets. Each association has its subnet's name, so that it stays where other zones come
// and go.
func (m *maker) routeTable(v *ec2.Vpc, called string, route ec2.RouteTableRouteArgs, subnets ...part) *ec2.RouteTable {
	table := made(m, called, func(name string, opts ...pulumi.ResourceOption) (*ec2.RouteTable, error) {
		return ec2.NewRouteTable(m.ctx, name, &ec2.RouteTableArgs{
			VpcId: id(v), Routes: ec2.RouteTableRouteArray{route}, Tags: m.tags(name),
		}, opts...)
	})
	for _, s := range subnets {
		made(m, s.name, func(name string, opts ...pulumi.ResourceOption) (*ec2.RouteTableAssociation, error) {
			return ec2.NewRouteTableAssociation(m.ctx, name, &ec2.RouteTableAssociationArgs{
				RouteTableId: id(table), SubnetId: id(s.subnet),
			}, opts...)
		})
	}
	return table
}

// s3Endpoint keeps traffic with S3 off the NAT gateway, which bills each byte.
func (m *maker) s3Endpoint(v *ec2.Vpc, tables ...*ec2.RouteTable) {
	made(m, "s3", func(name string, opts ...pulumi.ResourceOption) (*ec2.VpcEndpoint, error) {
		ids := pulumi.StringArray{}
		for _, t := range tables {
			ids = append(ids, id(t))
		}
		return ec2.NewVpcEndpoint(m.ctx, name, &ec2.VpcEndpointArgs{
			VpcId: id(v), ServiceName: pulumi.String("com.amazonaws." + m.args.Region + ".s3"),
			VpcEndpointType: pulumi.String("Gateway"), RouteTableIds: ids, Tags: m.tags(name),
		}, opts...)
	})
}

// securityGroup makes the group in which the cluster's nodes reach each other, unless the config names groups.
func (m *maker) securityGroup(n *Network) {
	n.SecurityGroupID = pulumi.String("").ToStringOutput()
	if m.err != nil || len(m.args.Plan.SecurityGroups) > 0 {
		return
	}
	group := made(m, "cluster", func(name string, opts ...pulumi.ResourceOption) (*ec2.SecurityGroup, error) {
		return ec2.NewSecurityGroup(m.ctx, name, &ec2.SecurityGroupArgs{
			VpcId: n.VPCID, Description: pulumi.String("all traffic between the nodes of the cluster, EFA included"), Tags: m.tags(name),
		}, append(opts, m.kept())...)
	})
	const all = pulumi.String("-1")
	made(m, "self-in", func(name string, opts ...pulumi.ResourceOption) (*vpc.SecurityGroupIngressRule, error) {
		return vpc.NewSecurityGroupIngressRule(m.ctx, name, &vpc.SecurityGroupIngressRuleArgs{
			SecurityGroupId: id(group), ReferencedSecurityGroupId: id(group), IpProtocol: all, Tags: m.tags(name),
		}, append(opts, m.kept())...)
	})
	made(m, "self-out", func(name string, opts ...pulumi.ResourceOption) (*vpc.SecurityGroupEgressRule, error) {
		return vpc.NewSecurityGroupEgressRule(m.ctx, name, &vpc.SecurityGroupEgressRuleArgs{
			SecurityGroupId: id(group), ReferencedSecurityGroupId: id(group), IpProtocol: all, Tags: m.tags(name),
		}, append(opts, m.kept())...)
	})
	made(m, "out", func(name string, opts ...pulumi.ResourceOption) (*vpc.SecurityGroupEgressRule, error) {
		return vpc.NewSecurityGroupEgressRule(m.ctx, name, &vpc.SecurityGroupEgressRuleArgs{
			SecurityGroupId: id(group), CidrIpv4: anywhere, IpProtocol: all, Tags: m.tags(name),
		}, append(opts, m.kept())...)
	})
	if m.err == nil {
		n.SecurityGroupID = group.ID().ToStringOutput()
	}
}

// kept leaves a resource behind when the stack is destroyed, where the network is to stay.
func (m *maker) kept() pulumi.ResourceOption { return pulumi.RetainOnDelete(m.args.Keep) }

func (m *maker) tags(name string) pulumi.StringMap {
	tags := pulumi.ToStringMap(m.args.Tags)
	tags["Name"] = pulumi.String(name)
	return tags
}

// made registers one part, named after the component and the part, and keeps the first error.
func made[R pulumi.CustomResource](m *maker, part string, register func(name string, opts ...pulumi.ResourceOption) (R, error)) R {
	name := m.name
	if part != "" {
		name += "-" + part
	}
	var none R
	if m.err != nil {
		return none
	}
	resource, err := register(name, m.parent)
	if err != nil {
		m.err = fmt.Errorf("registering %s: %w", name, err)
		return none
	}
	m.made = append(m.made, resource)
	return resource
}

// id gives a resource's id; nil for a part that was not made because an earlier one failed.
func id(r pulumi.CustomResource) pulumi.StringOutput {
	return r.ID().ToStringOutput()
}

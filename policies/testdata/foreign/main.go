// Command foreign is a Pulumi program without any of weft's components, for the tests of the policy pack: a network, a
// launch template for p6-b300 on a Capacity Block and an EKS node group, as people write them. Its configuration "faults"
// lists what is done wrong.
package main

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

// awsVersion of the provider, for resources that are registered by their tokens.
const awsVersion = "6.83.4"

func main() { pulumi.Run(program) }

type builder struct {
	*pulumi.Context
	faults []string
}

func (b builder) has(fault string) bool { return slices.Contains(b.faults, fault) }

func program(ctx *pulumi.Context) error {
	b := builder{ctx, strings.Split(config.New(ctx, "").Get("faults"), ",")}
	network, err := ec2.NewVpc(ctx, "network", &ec2.VpcArgs{CidrBlock: pulumi.String("10.0.0.0/16")})
	if err != nil {
		return err
	}
	subnet, err := ec2.NewSubnet(ctx, "nodes", &ec2.SubnetArgs{VpcId: network.ID(), CidrBlock: pulumi.String("10.0.0.0/20")})
	if err != nil {
		return err
	}
	group, err := b.group(network)
	if err != nil {
		return err
	}
	template, err := b.template(group)
	if err != nil {
		return err
	}
	if err := b.component(); err != nil {
		return err
	}
	return b.register("aws:eks/nodeGroup:NodeGroup", "workers", pulumi.Map{
		"clusterName": pulumi.String("training"), "nodeRoleArn": pulumi.String("arn:aws:iam::123456789012:role/nodes"),
		"capacityType": pulumi.String("CAPACITY_BLOCK"), "subnetIds": pulumi.StringArray{subnet.ID()},
		"launchTemplate": pulumi.Map{"id": template.ID(), "version": template.LatestVersion.ApplyT(func(int) string { return "1" })},
		"scalingConfig":  pulumi.IntMap{"minSize": pulumi.Int(4), "maxSize": pulumi.Int(4), "desiredSize": pulumi.Int(4)},
	})
}

// register makes a resource whose package is not compiled in.
func (b builder) register(token, name string, properties pulumi.Map) error {
	var r pulumi.CustomResourceState
	return b.RegisterResource(token, name, properties, &r, pulumi.Version(awsVersion))
}

// group makes the security group with rules of their own.
func (b builder) group(network *ec2.Vpc) (*ec2.SecurityGroup, error) {
	group, err := ec2.NewSecurityGroup(b.Context, "efa", &ec2.SecurityGroupArgs{VpcId: network.ID()})
	if err != nil {
		return nil, err
	}
	if _, err := vpc.NewSecurityGroupIngressRule(b.Context, "in", &vpc.SecurityGroupIngressRuleArgs{
		SecurityGroupId: group.ID(), ReferencedSecurityGroupId: group.ID(), IpProtocol: pulumi.String("-1"),
	}); err != nil {
		return nil, err
	}
	if _, err := vpc.NewSecurityGroupEgressRule(b.Context, "everywhere", &vpc.SecurityGroupEgressRuleArgs{
		SecurityGroupId: group.ID(), CidrIpv4: pulumi.String("0.0.0.0/0"), IpProtocol: pulumi.String("-1"),
	}); err != nil {
		return nil, err
	}
	if b.has("egress") {
		return group, nil
	}
	_, err = vpc.NewSecurityGroupEgressRule(b.Context, "out", &vpc.SecurityGroupEgressRuleArgs{
		SecurityGroupId: group.ID(), ReferencedSecurityGroupId: group.ID(), IpProtocol: pulumi.String("-1"),
	})
	return group, err
}

func (b builder) template(group *ec2.SecurityGroup) (*ec2.LaunchTemplate, error) {
	args := &ec2.LaunchTemplateArgs{
		InstanceType:          pulumi.String("p6-b300.48xlarge"),
		InstanceMarketOptions: ec2.LaunchTemplateInstanceMarketOptionsArgs{MarketType: pulumi.String("capacity-block")},
		NetworkInterfaces:     b.interfaces(group),
	}
	if !b.has("target") {
		args.CapacityReservationSpecification = ec2.LaunchTemplateCapacityReservationSpecificationArgs{
			CapacityReservationTarget: ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs{
				CapacityReservationId: pulumi.String("cr-0123456789abcdef0"),
			},
		}
	}
	if b.has("placement") {
		args.Placement = ec2.LaunchTemplatePlacementArgs{GroupName: pulumi.String("training")}
	}
	if b.has("forced") { // as tools do that make a group for every template with EFA
		placement, err := ec2.NewPlacementGroup(b.Context, "forced", &ec2.PlacementGroupArgs{Strategy: pulumi.String("cluster")})
		if err != nil {
			return nil, err
		}
		args.Placement = ec2.LaunchTemplatePlacementArgs{GroupName: placement.Name.ApplyT(func(name string) string { return name }).(pulumi.StringOutput)}
	}
	return ec2.NewLaunchTemplate(b.Context, "nodes", args)
}

func (b builder) interfaces(group *ec2.SecurityGroup) ec2.LaunchTemplateNetworkInterfaceArray {
	var out ec2.LaunchTemplateNetworkInterfaceArray
	for card := range 17 {
		kind := "efa-only"
		if card == 0 {
			kind = "interface"
		}
		if card == 0 && b.has("card0") {
			kind = "efa"
		}
		nic := ec2.LaunchTemplateNetworkInterfaceArgs{
			NetworkCardIndex: pulumi.Int(card), DeviceIndex: pulumi.Int(0), InterfaceType: pulumi.String(kind),
			DeleteOnTermination: pulumi.String("true"), SecurityGroups: pulumi.StringArray{group.ID()},
		}
		if card == 0 && b.has("public") {
			nic.AssociatePublicIpAddress = pulumi.String("true")
		}
		out = append(out, nic)
	}
	return out
}

// component makes a component of an image that installs EFA.
func (b builder) component() error {
	installer := "1.51.0"
	if b.has("installer") {
		installer = "1.35.0"
	}
	return b.register("aws:imagebuilder/component:Component", "efa", pulumi.Map{
		"name": pulumi.String("efa"), "platform": pulumi.String("Linux"), "version": pulumi.String("1.0.0"),
		"data": pulumi.String("curl -O https://efa-installer.amazonaws.com/aws-efa-installer-" + installer + ".tar.gz"),
	})
}

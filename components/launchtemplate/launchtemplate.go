// Package launchtemplate is the Pulumi component of an EC2 launch template whose network interfaces carry EFA.
//
// The plan of a group has decided every interface; the component translates it. It has two uses: a whole
// template for nodes that you start yourself (EKS node groups, PCS, Batch, plain EC2), and a template of
// network interfaces only, which ParallelCluster takes as LaunchTemplateOverrides.
package launchtemplate

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/fabric/plan"
)

// Token is the component's type.
const Token = "weft:index:LaunchTemplate"

// Use says what the template is for.
type Use string

// The uses of a template.
const (
	// Whole makes a template that launches nodes by itself.
	Whole Use = "whole"
	// Interfaces makes a template of nothing but network interfaces: all that ParallelCluster's
	// LaunchTemplateOverrides may hold. It replaces ParallelCluster's interfaces with their security groups,
	// so the groups given here must let head node and compute nodes reach each other.
	Interfaces Use = "interfaces"
)

// Args of a launch template. What decides its shape is plain; ids of other resources are inputs.
type Args struct {
	// Group is the plan of the nodes.
	Group plan.NodeGroup `pulumi:"group"`
	// Use of the template.
	Use Use `pulumi:"use"`
	// Combined puts EFA and IP on one interface (efa instead of efa-only), as PCS and eksctl ask for. It takes
	// an address for each EFA interface.
	Combined bool `pulumi:"combined"`
	// SubnetID of every interface. Leave it out for EKS, which sets subnets itself.
	SubnetID pulumi.StringPtrInput `pulumi:"subnetId"`
	// SecurityGroupIDs of every interface. One of them must let all traffic in from and out to itself.
	SecurityGroupIDs pulumi.StringArrayInput `pulumi:"securityGroupIds"`

	// ReservationID of the targeted reservation; left out, the one that the plan names.
	ReservationID pulumi.StringPtrInput `pulumi:"reservationId"`
	// ImageID, InstanceProfileARN, KeyName and UserData (base64) of a whole template.
	ImageID            pulumi.StringPtrInput `pulumi:"imageId"`
	InstanceProfileARN pulumi.StringPtrInput `pulumi:"instanceProfileArn"`
	KeyName            pulumi.StringPtrInput `pulumi:"keyName"`
	UserData           pulumi.StringPtrInput `pulumi:"userData"`
	// Tags of the template, its instances and their volumes.
	Tags map[string]string `pulumi:"tags"`
}

// LaunchTemplate is the component.
type LaunchTemplate struct {
	pulumi.ResourceState

	// TemplateID is the template's id, lt-….
	TemplateID pulumi.StringOutput `pulumi:"templateId"`
	// Version is the number of the newest version.
	Version pulumi.IntOutput `pulumi:"version"`
}

// New registers the component. It fails before anything is registered if the plan has no interfaces, the use is unknown, or
// a block has no reservation.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*LaunchTemplate, error) {
	if err := args.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	component := &LaunchTemplate{}
	if err := ctx.RegisterComponentResource(Token, name, component, opts...); err != nil {
		return nil, fmt.Errorf("registering %s: %w", name, err)
	}
	template := &ec2.LaunchTemplateArgs{
		Description:          pulumi.String(fmt.Sprintf("%s: %s of %s", args.Group.Name, plan.Describe(args.interfaces()), args.Group.InstanceType)),
		NetworkInterfaces:    args.networkInterfaces(),
		UpdateDefaultVersion: pulumi.Bool(true),
		Tags:                 pulumi.ToStringMap(args.Tags),
	}
	if args.Use == Whole {
		args.launch(template)
		if err := args.place(ctx, name, template, pulumi.Parent(component)); err != nil {
			return nil, err
		}
	}
	lt, err := ec2.NewLaunchTemplate(ctx, name, template, pulumi.Parent(component))
	if err != nil {
		return nil, fmt.Errorf("registering the template of %s: %w", name, err)
	}
	component.TemplateID = lt.ID().ToStringOutput()
	component.Version = lt.LatestVersion
	return component, ctx.RegisterResourceOutputs(component, pulumi.Map{
		"templateId": component.TemplateID,
		"version":    component.Version,
	})
}

func (a *Args) check() error {
	switch {
	case a == nil:
		return errors.New("no arguments")
	case a.Use != Whole && a.Use != Interfaces:
		return fmt.Errorf("use is %q, want %q or %q", a.Use, Whole, Interfaces)
	case len(a.Group.Interfaces) == 0:
		return fmt.Errorf("the plan of group %s has no interfaces: %s", a.Group.Name, a.Group.Rendering.Reason)
	case a.Group.Capacity.Market == plan.CapacityBlock && !a.Group.Capacity.Placement.None():
		return fmt.Errorf("group %s is on a capacity block, which takes no placement group", a.Group.Name)
	case a.untargeted():
		return fmt.Errorf("group %s is on a capacity block, and nothing says which: EC2 starts its nodes only with a targeted reservation; give reservationId", a.Group.Name)
	case a.Use == Interfaces && (a.SubnetID == nil || a.SecurityGroupIDs == nil):
		return fmt.Errorf("a template of interfaces carries subnet and security groups itself: give both")
	}
	return nil
}

// untargeted reports that the template launches nodes of a block that neither the plan nor the arguments name.
func (a *Args) untargeted() bool {
	c := a.Group.Capacity
	return a.Use == Whole && c.Market == plan.CapacityBlock && c.Reservation == "" && a.ReservationID == nil
}

// interfaces gives the planned interfaces, or their combined form: then the primary interface of card 0 takes
// over that card's EFA interface.
func (a *Args) interfaces() []plan.Interface {
	if !a.Combined {
		return a.Group.Interfaces
	}
	var out []plan.Interface
	for _, i := range a.Group.Interfaces {
		switch {
		case i.Type == plan.EFAOnly && i.Card == 0:
			out[0].Type = plan.EFA
		case i.Type == plan.EFAOnly:
			out = append(out, plan.Interface{Card: i.Card, Device: i.Device, Type: plan.EFA})
		default:
			out = append(out, i)
		}
	}
	return out
}

func (a *Args) networkInterfaces() ec2.LaunchTemplateNetworkInterfaceArray {
	var out ec2.LaunchTemplateNetworkInterfaceArray
	for _, i := range a.interfaces() {
		n := ec2.LaunchTemplateNetworkInterfaceArgs{
			NetworkCardIndex: pulumi.Int(i.Card),
			DeviceIndex:      pulumi.Int(i.Device),
			InterfaceType:    pulumi.String(i.Type),
			SubnetId:         a.SubnetID,
			SecurityGroups:   a.SecurityGroupIDs,
			// Left out, EC2 keeps the interfaces of further cards after the instance is gone.
			DeleteOnTermination: pulumi.String("true"),
		}
		if len(a.Group.Interfaces) > 1 {
			// EC2 gives no automatic public address to an instance with several interfaces.
			n.AssociatePublicIpAddress = pulumi.String("false")
		}
		out = append(out, n)
	}
	return out
}

// launch adds what a template needs to launch nodes by itself.
func (a *Args) launch(t *ec2.LaunchTemplateArgs) {
	t.InstanceType = pulumi.String(a.Group.InstanceType)
	t.ImageId, t.KeyName, t.UserData = a.ImageID, a.KeyName, a.UserData
	t.InstanceInitiatedShutdownBehavior = pulumi.String("terminate")
	t.MetadataOptions = ec2.LaunchTemplateMetadataOptionsArgs{HttpTokens: pulumi.String("required")}
	if a.InstanceProfileARN != nil {
		t.IamInstanceProfile = ec2.LaunchTemplateIamInstanceProfileArgs{Arn: a.InstanceProfileARN}
	}
	t.TagSpecifications = a.tagSpecifications()
	a.capacity(t)
}

// capacity pairs the market with its target: EC2 takes capacity-block only with a targeted reservation, and a
// block only with that market. A block gets no placement group.
func (a *Args) capacity(t *ec2.LaunchTemplateArgs) {
	capacity := a.Group.Capacity
	if capacity.Market == plan.CapacityBlock {
		t.InstanceMarketOptions = ec2.LaunchTemplateInstanceMarketOptionsArgs{MarketType: pulumi.String("capacity-block")}
	}
	reservation := a.ReservationID
	if reservation == nil && capacity.Reservation != "" {
		reservation = pulumi.String(capacity.Reservation)
	}
	if reservation != nil {
		t.CapacityReservationSpecification = ec2.LaunchTemplateCapacityReservationSpecificationArgs{
			CapacityReservationTarget: ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs{
				CapacityReservationId: reservation,
			},
		}
	}
}

// place puts the nodes into the placement group of the plan: an existing one, or one made for them. A block has
// none, by the check before.
func (a *Args) place(ctx *pulumi.Context, name string, t *ec2.LaunchTemplateArgs, parent pulumi.ResourceOption) error {
	placement := a.Group.Capacity.Placement
	switch {
	case placement.Name != "":
		t.Placement = ec2.LaunchTemplatePlacementArgs{GroupName: pulumi.String(placement.Name)}
	case placement.Managed:
		group, err := ec2.NewPlacementGroup(ctx, name, &ec2.PlacementGroupArgs{
			Strategy: pulumi.String("cluster"), Tags: pulumi.ToStringMap(a.Tags),
		}, parent)
		if err != nil {
			return fmt.Errorf("registering the placement group of %s: %w", name, err)
		}
		t.Placement = ec2.LaunchTemplatePlacementArgs{GroupName: group.Name}
	}
	return nil
}

// tagSpecifications tags what a launch makes; nil without tags.
func (a *Args) tagSpecifications() ec2.LaunchTemplateTagSpecificationArrayInput {
	if len(a.Tags) == 0 {
		return nil
	}
	var out ec2.LaunchTemplateTagSpecificationArray
	for _, kind := range []string{"instance", "volume", "network-interface"} {
		out = append(out, ec2.LaunchTemplateTagSpecificationArgs{
			ResourceType: pulumi.String(kind), Tags: pulumi.ToStringMap(a.Tags),
		})
	}
	return out
}

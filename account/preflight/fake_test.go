package preflight_test

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	cfntypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	tables "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	quotatypes "github.com/aws/aws-sdk-go-v2/service/servicequotas/types"
	"github.com/aws/smithy-go"

	"github.com/weft-hpc/weft/account/preflight"
)

// fake is an account in memory. It answers as AWS does: one item a page, filters honoured, unknown ids refused where
// AWS refuses them.
type fake struct {
	Reservations   []types.CapacityReservation
	Subnets        []types.Subnet
	VPCs           []types.Vpc
	DNS            map[types.VpcAttributeName]bool // of every VPC
	SecurityGroups []types.SecurityGroup
	Images         []types.Image
	Offerings      []types.InstanceTypeOffering
	Instances      []types.Instance
	Addresses      []types.Address
	Applied        map[string]float64 // quotas by service/code
	Defaults       map[string]float64
	Stack          *cfntypes.Stack
	Template       string
	Provider       string // the template of the stack weft-cluster-provider; empty: there is no such stack

	Fleet map[string]tables.AttributeValue // the item of the compute fleet; nil: the cluster has no table

	Fail map[string]error // by IAM action

	mu    sync.Mutex
	calls []string // IAM actions, a page each
}

func (f *fake) clients() preflight.Clients {
	return preflight.Clients{EC2: f, Quotas: f, Stacks: f, Tables: f}
}

// call records a call, and gives the error that it is to end with.
func (f *fake) call(action string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, action)
	return f.Fail[action]
}

// called lists the actions that were called, each once, sorted.
func (f *fake) called() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(f.calls)))
}

func (f *fake) count(action string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, c := range f.calls {
		if c == action {
			n++
		}
	}
	return n
}

func refusal(code, message string) error {
	return &smithy.GenericAPIError{Code: code, Message: message}
}

// page gives the item that a token points at, and the token of the next one.
func page[T any](list []T, token *string) ([]T, *string) {
	i, _ := strconv.Atoi(aws.ToString(token))
	if i >= len(list) {
		return nil, nil
	}
	if i+1 == len(list) {
		return list[i:], nil
	}
	return list[i : i+1], aws.String(strconv.Itoa(i + 1))
}

// filtered keeps what a filter lets through; value gives an item's value of it.
func filtered[T any](list []T, filters []types.Filter, name string, value func(T) string) []T {
	i := slices.IndexFunc(filters, func(f types.Filter) bool { return aws.ToString(f.Name) == name })
	if i < 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !slices.Contains(filters[i].Values, value(item)) })
}

func (f *fake) DescribeCapacityReservations(_ context.Context, in *ec2.DescribeCapacityReservationsInput, _ ...func(*ec2.Options)) (*ec2.DescribeCapacityReservationsOutput, error) {
	if err := f.call("ec2:DescribeCapacityReservations"); err != nil {
		return nil, err
	}
	list := f.Reservations
	if in.CapacityReservationIds != nil {
		id := func(r types.CapacityReservation) string { return aws.ToString(r.CapacityReservationId) }
		list = filtered(list, []types.Filter{{Name: aws.String("id"), Values: in.CapacityReservationIds}}, "id", id)
		if len(list) < len(in.CapacityReservationIds) {
			return nil, refusal("InvalidCapacityReservationId.NotFound", "The specified capacity reservation does not exist")
		}
	}
	out, next := page(list, in.NextToken)
	return &ec2.DescribeCapacityReservationsOutput{CapacityReservations: out, NextToken: next}, nil
}

func (f *fake) DescribeSubnets(_ context.Context, in *ec2.DescribeSubnetsInput, _ ...func(*ec2.Options)) (*ec2.DescribeSubnetsOutput, error) {
	if err := f.call("ec2:DescribeSubnets"); err != nil {
		return nil, err
	}
	list := filtered(f.Subnets, in.Filters, "subnet-id", func(s types.Subnet) string { return aws.ToString(s.SubnetId) })
	out, next := page(list, in.NextToken)
	return &ec2.DescribeSubnetsOutput{Subnets: out, NextToken: next}, nil
}

func (f *fake) DescribeVpcAttribute(_ context.Context, in *ec2.DescribeVpcAttributeInput, _ ...func(*ec2.Options)) (*ec2.DescribeVpcAttributeOutput, error) {
	if err := f.call("ec2:DescribeVpcAttribute"); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(f.VPCs, func(v types.Vpc) bool { return aws.ToString(v.VpcId) == aws.ToString(in.VpcId) }) {
		return nil, refusal("InvalidVpcID.NotFound", "The vpc ID does not exist")
	}
	value := &types.AttributeBooleanValue{Value: aws.Bool(f.DNS[in.Attribute])}
	if in.Attribute == types.VpcAttributeNameEnableDnsSupport {
		return &ec2.DescribeVpcAttributeOutput{EnableDnsSupport: value}, nil
	}
	return &ec2.DescribeVpcAttributeOutput{EnableDnsHostnames: value}, nil
}

func (f *fake) DescribeVpcs(_ context.Context, in *ec2.DescribeVpcsInput, _ ...func(*ec2.Options)) (*ec2.DescribeVpcsOutput, error) {
	if err := f.call("ec2:DescribeVpcs"); err != nil {
		return nil, err
	}
	out, next := page(f.VPCs, in.NextToken)
	return &ec2.DescribeVpcsOutput{Vpcs: out, NextToken: next}, nil
}

func (f *fake) DescribeAddresses(context.Context, *ec2.DescribeAddressesInput, ...func(*ec2.Options)) (*ec2.DescribeAddressesOutput, error) {
	if err := f.call("ec2:DescribeAddresses"); err != nil {
		return nil, err
	}
	return &ec2.DescribeAddressesOutput{Addresses: f.Addresses}, nil
}

func (f *fake) DescribeSecurityGroups(_ context.Context, in *ec2.DescribeSecurityGroupsInput, _ ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupsOutput, error) {
	if err := f.call("ec2:DescribeSecurityGroups"); err != nil {
		return nil, err
	}
	list := filtered(f.SecurityGroups, in.Filters, "group-id", func(g types.SecurityGroup) string { return aws.ToString(g.GroupId) })
	out, next := page(list, in.NextToken)
	return &ec2.DescribeSecurityGroupsOutput{SecurityGroups: out, NextToken: next}, nil
}

func (f *fake) DescribeImages(_ context.Context, in *ec2.DescribeImagesInput, _ ...func(*ec2.Options)) (*ec2.DescribeImagesOutput, error) {
	if err := f.call("ec2:DescribeImages"); err != nil {
		return nil, err
	}
	list := filtered(f.Images, in.Filters, "image-id", func(i types.Image) string { return aws.ToString(i.ImageId) })
	out, next := page(list, in.NextToken)
	return &ec2.DescribeImagesOutput{Images: out, NextToken: next}, nil
}

func (f *fake) DescribeInstanceTypeOfferings(_ context.Context, in *ec2.DescribeInstanceTypeOfferingsInput, _ ...func(*ec2.Options)) (*ec2.DescribeInstanceTypeOfferingsOutput, error) {
	if err := f.call("ec2:DescribeInstanceTypeOfferings"); err != nil {
		return nil, err
	}
	list := filtered(f.Offerings, in.Filters, "instance-type", func(o types.InstanceTypeOffering) string { return string(o.InstanceType) })
	list = slices.DeleteFunc(slices.Clone(list), func(o types.InstanceTypeOffering) bool { return o.LocationType != in.LocationType })
	out, next := page(list, in.NextToken)
	return &ec2.DescribeInstanceTypeOfferingsOutput{InstanceTypeOfferings: out, NextToken: next}, nil
}

func (f *fake) DescribeInstances(_ context.Context, in *ec2.DescribeInstancesInput, _ ...func(*ec2.Options)) (*ec2.DescribeInstancesOutput, error) {
	if err := f.call("ec2:DescribeInstances"); err != nil {
		return nil, err
	}
	const tag = "parallelcluster:cluster-name"
	list := filtered(f.Instances, in.Filters, "tag:"+tag, func(i types.Instance) string {
		for _, t := range i.Tags {
			if aws.ToString(t.Key) == tag {
				return aws.ToString(t.Value)
			}
		}
		return ""
	})
	list = filtered(list, in.Filters, "instance-state-name", func(i types.Instance) string { return string(i.State.Name) })
	out, next := page(list, in.NextToken)
	return &ec2.DescribeInstancesOutput{Reservations: []types.Reservation{{Instances: out}}, NextToken: next}, nil
}

func (f *fake) GetServiceQuota(_ context.Context, in *servicequotas.GetServiceQuotaInput, _ ...func(*servicequotas.Options)) (*servicequotas.GetServiceQuotaOutput, error) {
	if err := f.call("servicequotas:GetServiceQuota"); err != nil {
		return nil, err
	}
	value, ok := f.Applied[*in.ServiceCode+"/"+*in.QuotaCode]
	if !ok {
		return nil, refusal("NoSuchResourceException", "The request failed because the specified quota does not exist")
	}
	return &servicequotas.GetServiceQuotaOutput{Quota: &quotatypes.ServiceQuota{Value: aws.Float64(value)}}, nil
}

func (f *fake) GetAWSDefaultServiceQuota(_ context.Context, in *servicequotas.GetAWSDefaultServiceQuotaInput, _ ...func(*servicequotas.Options)) (*servicequotas.GetAWSDefaultServiceQuotaOutput, error) {
	if err := f.call("servicequotas:GetAWSDefaultServiceQuota"); err != nil {
		return nil, err
	}
	value, ok := f.Defaults[*in.ServiceCode+"/"+*in.QuotaCode]
	if !ok {
		return nil, refusal("NoSuchResourceException", "The request failed because the specified quota does not exist")
	}
	return &servicequotas.GetAWSDefaultServiceQuotaOutput{Quota: &quotatypes.ServiceQuota{Value: aws.Float64(value)}}, nil
}

func (f *fake) DescribeStacks(_ context.Context, in *cloudformation.DescribeStacksInput, _ ...func(*cloudformation.Options)) (*cloudformation.DescribeStacksOutput, error) {
	if err := f.call("cloudformation:DescribeStacks"); err != nil {
		return nil, err
	}
	if f.Stack == nil || aws.ToString(f.Stack.StackName) != aws.ToString(in.StackName) {
		return nil, refusal("ValidationError", "Stack with id "+aws.ToString(in.StackName)+" does not exist")
	}
	return &cloudformation.DescribeStacksOutput{Stacks: []cfntypes.Stack{*f.Stack}}, nil
}

func (f *fake) GetTemplate(_ context.Context, in *cloudformation.GetTemplateInput, _ ...func(*cloudformation.Options)) (*cloudformation.GetTemplateOutput, error) {
	if err := f.call("cloudformation:GetTemplate"); err != nil {
		return nil, err
	}
	if name := aws.ToString(in.StackName); name == "weft-cluster-provider" {
		if f.Provider == "" {
			return nil, refusal("ValidationError", "Stack with id "+name+" does not exist")
		}
		return &cloudformation.GetTemplateOutput{TemplateBody: aws.String(f.Provider)}, nil
	}
	return &cloudformation.GetTemplateOutput{TemplateBody: aws.String(f.Template)}, nil
}

func (f *fake) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if err := f.call("dynamodb:GetItem"); err != nil {
		return nil, err
	}
	if f.Fleet == nil || aws.ToString(in.TableName) != "parallelcluster-weft" {
		return nil, refusal("ResourceNotFoundException", "Requested resource not found: Table: "+aws.ToString(in.TableName)+" not found")
	}
	if key, _ := in.Key["Id"].(*tables.AttributeValueMemberS); key == nil || key.Value != "COMPUTE_FLEET" {
		return &dynamodb.GetItemOutput{}, nil
	}
	return &dynamodb.GetItemOutput{Item: f.Fleet}, nil
}

// account serves what was observed in EC2's words, so that it can be read back.
func account(o preflight.Observed) *fake {
	f := &fake{Fail: map[string]error{}, Applied: map[string]float64{}}
	for _, r := range slices.Concat(o.Reservations, o.Neighbours) {
		f.Reservations = append(f.Reservations, apiReservation(r))
	}
	for _, s := range o.Subnets {
		f.Subnets = append(f.Subnets, types.Subnet{
			SubnetId: aws.String(s.ID), VpcId: aws.String(s.VPC), AvailabilityZone: aws.String(s.Zone), AvailabilityZoneId: aws.String(s.ZoneID),
			AvailableIpAddressCount: aws.Int32(int32(s.Free)), MapPublicIpOnLaunch: aws.Bool(s.MapPublicIP),
			Tags: []types.Tag{{Key: aws.String("team"), Value: aws.String("a")}, {Key: aws.String("Name"), Value: aws.String(s.Name)}},
		})
	}
	if o.VPC != nil {
		f.VPCs = []types.Vpc{{VpcId: aws.String(o.VPC.ID), CidrBlock: aws.String("10.1.0.0/16")}}
		f.DNS = map[types.VpcAttributeName]bool{
			types.VpcAttributeNameEnableDnsSupport: o.VPC.DNSSupport, types.VpcAttributeNameEnableDnsHostnames: o.VPC.DNSHostnames,
		}
	}
	for _, g := range o.SecurityGroups {
		f.SecurityGroups = append(f.SecurityGroups, types.SecurityGroup{
			GroupId: aws.String(g.ID), VpcId: aws.String(g.VPC), IpPermissions: apiPermissions(g.Ingress), IpPermissionsEgress: apiPermissions(g.Egress),
		})
	}
	for _, i := range o.Images {
		f.Images = append(f.Images, apiImage(i))
	}
	for _, q := range o.Quotas {
		f.Applied[q.Service+"/"+q.Code] = q.Value
	}
	f.offer(o.Offerings)
	return f
}

func (f *fake) offer(offerings []preflight.Offering) {
	for _, o := range offerings {
		kind := types.LocationTypeAvailabilityZone
		if strings.Contains(o.Zone, "-az") {
			kind = types.LocationTypeAvailabilityZoneId
		}
		f.Offerings = append(f.Offerings, types.InstanceTypeOffering{InstanceType: types.InstanceType(o.Type), Location: aws.String(o.Zone), LocationType: kind})
	}
}

func apiReservation(r preflight.Reservation) types.CapacityReservation {
	out := types.CapacityReservation{
		CapacityReservationId: aws.String(r.ID), ReservationType: types.CapacityReservationType(r.Kind), InstanceType: aws.String(r.Type),
		CapacityReservationArn: aws.String("arn:aws:ec2:us-east-2:111122223333:capacity-reservation/" + r.ID), OwnerId: aws.String("111122223333"),
		AvailabilityZone: aws.String(r.Zone), AvailabilityZoneId: aws.String(r.ZoneID),
		InstancePlatform: types.CapacityReservationInstancePlatform(r.Platform), Tenancy: types.CapacityReservationTenancy(cmp.Or(r.Tenancy, "default")),
		State: types.CapacityReservationState(r.State), TotalInstanceCount: aws.Int32(int32(r.Total)),
	}
	if r.Requested != "" {
		out.Tags = []types.Tag{{Key: aws.String("aws:ec2capacityreservation:incrementalRequestedQuantity"), Value: aws.String(r.Requested)}}
	}
	if !r.Start.IsZero() {
		out.StartDate = aws.Time(r.Start)
	}
	if !r.End.IsZero() {
		out.EndDate = aws.Time(r.End)
	}
	if r.PlacementGroup != "" {
		out.PlacementGroupArn = aws.String("arn:aws:ec2:us-east-2:111122223333:placement-group/" + r.PlacementGroup)
	}
	return out
}

func apiPermissions(list []preflight.Permission) []types.IpPermission {
	var out []types.IpPermission
	for _, p := range list {
		permission := types.IpPermission{IpProtocol: aws.String(p.Protocol)}
		for _, g := range p.Groups {
			permission.UserIdGroupPairs = append(permission.UserIdGroupPairs, types.UserIdGroupPair{GroupId: aws.String(g), UserId: aws.String("111122223333")})
		}
		for _, r := range p.Ranges {
			switch {
			case strings.HasPrefix(r, "pl-"):
				permission.PrefixListIds = append(permission.PrefixListIds, types.PrefixListId{PrefixListId: aws.String(r)})
			case strings.Contains(r, ":"):
				permission.Ipv6Ranges = append(permission.Ipv6Ranges, types.Ipv6Range{CidrIpv6: aws.String(r)})
			default:
				permission.IpRanges = append(permission.IpRanges, types.IpRange{CidrIp: aws.String(r)})
			}
		}
		out = append(out, permission)
	}
	return out
}

func apiImage(i preflight.Image) types.Image {
	out := types.Image{
		ImageId: aws.String(i.ID), Name: aws.String(i.Name), OwnerId: aws.String("111122223333"), State: types.ImageState(i.State),
		Architecture: types.ArchitectureValues(i.Architecture), PlatformDetails: aws.String(i.Platform),
	}
	if i.Amazon {
		out.ImageOwnerAlias = aws.String("amazon")
	}
	for key, value := range i.Tags {
		out.Tags = append(out.Tags, types.Tag{Key: aws.String(key), Value: aws.String(value)})
	}
	return out
}

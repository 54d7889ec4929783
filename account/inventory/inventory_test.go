package inventory_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/inventory"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/source"
)

// account answers from memory, subnets on two pages.
type account struct {
	fail  string
	calls *[]string // where calls are noted; nil notes none
}

func (a account) err(call string) error {
	if a.calls != nil {
		*a.calls = append(*a.calls, "ec2:"+call)
	}
	if a.fail == call {
		return errors.New("UnauthorizedOperation")
	}
	return nil
}

func (a account) DescribeCapacityReservations(context.Context, *ec2.DescribeCapacityReservationsInput, ...func(*ec2.Options)) (*ec2.DescribeCapacityReservationsOutput, error) {
	return &ec2.DescribeCapacityReservationsOutput{CapacityReservations: []types.CapacityReservation{{
		CapacityReservationId: aws.String("cr-0"), OwnerId: aws.String("123456789012"), ReservationType: types.CapacityReservationTypeCapacityBlock,
		CapacityReservationArn: aws.String("arn:aws:ec2:us-east-2:123456789012:capacity-reservation/cr-0"), InstanceType: aws.String("p5.48xlarge"),
		State: types.CapacityReservationStateActive, TotalInstanceCount: aws.Int32(4),
	}}}, a.err("DescribeCapacityReservations")
}

func (a account) DescribeImages(_ context.Context, in *ec2.DescribeImagesInput, _ ...func(*ec2.Options)) (*ec2.DescribeImagesOutput, error) {
	if len(in.Owners) != 1 || in.Owners[0] != "self" {
		return nil, errors.New("all images of the world")
	}
	return &ec2.DescribeImagesOutput{Images: []types.Image{{ImageId: aws.String("ami-0"), Architecture: types.ArchitectureValuesArm64}}}, a.err("DescribeImages")
}

func (a account) DescribeInstances(context.Context, *ec2.DescribeInstancesInput, ...func(*ec2.Options)) (*ec2.DescribeInstancesOutput, error) {
	return &ec2.DescribeInstancesOutput{Reservations: []types.Reservation{{OwnerId: aws.String("123456789012"), Instances: []types.Instance{{
		InstanceId: aws.String("i-0"), InstanceType: types.InstanceTypeP548xlarge, State: &types.InstanceState{Name: types.InstanceStateNameRunning},
	}}}}}, a.err("DescribeInstances")
}

func (a account) DescribeLaunchTemplateVersions(context.Context, *ec2.DescribeLaunchTemplateVersionsInput, ...func(*ec2.Options)) (*ec2.DescribeLaunchTemplateVersionsOutput, error) {
	version := types.LaunchTemplateVersion{
		LaunchTemplateId: aws.String("lt-0"), CreatedBy: aws.String("arn:aws:iam::123456789012:user/somebody"),
		LaunchTemplateData: &types.ResponseLaunchTemplateData{
			UserData: aws.String("c2VjcmV0"), InstanceType: types.InstanceTypeP548xlarge,
			Placement: &types.LaunchTemplatePlacement{GroupName: aws.String("pg")},
		},
	}
	return &ec2.DescribeLaunchTemplateVersionsOutput{LaunchTemplateVersions: []types.LaunchTemplateVersion{version, version}}, a.err("DescribeLaunchTemplateVersions")
}

func (a account) DescribePlacementGroups(context.Context, *ec2.DescribePlacementGroupsInput, ...func(*ec2.Options)) (*ec2.DescribePlacementGroupsOutput, error) {
	return &ec2.DescribePlacementGroupsOutput{PlacementGroups: []types.PlacementGroup{{GroupName: aws.String("pg"), Strategy: types.PlacementStrategyCluster}}}, a.err("DescribePlacementGroups")
}

func (a account) DescribeSecurityGroups(context.Context, *ec2.DescribeSecurityGroupsInput, ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupsOutput, error) {
	self := []types.IpPermission{{IpProtocol: aws.String("-1"), UserIdGroupPairs: []types.UserIdGroupPair{{GroupId: aws.String("sg-0"), UserId: aws.String("123456789012")}}}}
	return &ec2.DescribeSecurityGroupsOutput{SecurityGroups: []types.SecurityGroup{{GroupId: aws.String("sg-0"), IpPermissions: self, IpPermissionsEgress: self}}}, a.err("DescribeSecurityGroups")
}

func (a account) DescribeSubnets(_ context.Context, in *ec2.DescribeSubnetsInput, _ ...func(*ec2.Options)) (*ec2.DescribeSubnetsOutput, error) {
	if in.NextToken == nil {
		return &ec2.DescribeSubnetsOutput{Subnets: []types.Subnet{{SubnetId: aws.String("subnet-0"), AvailableIpAddressCount: aws.Int32(9)}}, NextToken: aws.String("2")}, a.err("DescribeSubnets")
	}
	return &ec2.DescribeSubnetsOutput{Subnets: []types.Subnet{{SubnetId: aws.String("subnet-1")}}}, a.err("DescribeSubnets")
}

// What is written down is what weft check reads, and tells nothing of whose account it is.
func TestWhatIsWrittenIsRead(t *testing.T) {
	answers, err := inventory.Read(t.Context(), account{})
	require.NoError(t, err)
	text, err := json.Marshal(answers)
	require.NoError(t, err)
	for _, private := range []string{"123456789012", "c2VjcmV0", "somebody", "null"} {
		require.NotContains(t, string(text), private)
	}
	d := source.Read("account.json", text, source.Options{})
	require.Equal(t, source.Account, d.Kind)
	require.Empty(t, d.Findings)
	s := d.Set
	require.True(t, s.WholeAccount)
	require.Equal(t, rule.KindBlock, s.Reservations[0].Kind.Or(""))
	require.Equal(t, 4, s.Reservations[0].Count.Or(0))
	require.Equal(t, "arm64", s.Images[0].Architecture.Or(""))
	require.Equal(t, "p5.48xlarge", s.Instances[0].InstanceType.Or(""))
	require.Len(t, s.Templates, 1, "the default version is the latest")
	require.Equal(t, "pg", s.Templates[0].PlacementGroup.Or(""))
	require.Equal(t, "cluster", s.PlacementGroups[0].Strategy.Or(""))
	require.Equal(t, "sg-0", s.SecurityGroups[0].Egress.Items[0].Groups.Items[0].Or(""))
	require.Len(t, s.Subnets, 2, "all pages")
	require.Equal(t, 9, s.Subnets[0].Free.Or(0))
}

// Part of an account is not given out for the whole.
func TestAFailedCallIsAnError(t *testing.T) {
	for _, call := range []string{
		"DescribeCapacityReservations", "DescribeImages", "DescribeInstances", "DescribeLaunchTemplateVersions", "DescribePlacementGroups", "DescribeSecurityGroups", "DescribeSubnets",
	} {
		answers, err := inventory.Read(t.Context(), account{fail: call})
		require.ErrorContains(t, err, "calling "+call+": UnauthorizedOperation")
		require.Nil(t, answers)
	}
}

// TestActions holds the listed IAM actions equal to the calls that are made.
func TestActions(t *testing.T) {
	var calls []string
	_, err := inventory.Read(t.Context(), account{calls: &calls})
	require.NoError(t, err)
	slices.Sort(calls)
	require.Equal(t, inventory.Actions(), slices.Compact(calls))
	for _, action := range inventory.Actions() {
		require.Regexp(t, `^ec2:Describe`, action)
	}
}

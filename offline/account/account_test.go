package account_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

const region = "us-east-2"

func credentials(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
}

func client(a *account.Account) *ec2.Client {
	return ec2.New(ec2.Options{
		Region: region, BaseEndpoint: aws.String(a.Endpoint()), Credentials: aws.CredentialsProviderFunc(credentials),
	})
}

var (
	start = time.Date(2026, 12, 7, 11, 30, 0, 0, time.UTC)
	end   = time.Date(2026, 12, 21, 11, 30, 0, 0, time.UTC)
)

func world() account.World {
	return account.World{
		Region: region,
		VPCs: []account.VPC{
			{ID: "vpc-a", CIDR: "10.0.0.0/16", DNSSupport: true, DNSHostnames: true},
			{ID: "vpc-b", CIDR: "10.1.0.0/16", DNSSupport: true},
		},
		Subnets: []account.Subnet{
			{ID: "subnet-public", VPC: "vpc-a", Zone: "us-east-2a", CIDR: "10.0.0.0/24", MapPublicIP: true},
			{ID: "subnet-tight", VPC: "vpc-a", Zone: "us-east-2b", ZoneID: "use2-az9", CIDR: "10.0.1.0/24", FreeAddresses: aws.Int(3)},
		},
		SecurityGroups: []account.SecurityGroup{{
			ID: "sg-efa", VPC: "vpc-a", Name: "efa",
			Ingress: []account.Rule{{Protocol: "-1", Groups: []string{"sg-efa"}}},
			Egress: []account.Rule{
				{Protocol: "-1", Groups: []string{"sg-efa"}},
				{Protocol: "tcp", FromPort: 443, ToPort: 443, CIDRs: []string{"0.0.0.0/0"}, PrefixLists: []string{"pl-1"}},
			},
		}, {ID: "sg-closed", VPC: "vpc-b"}},
		Reservations: []account.Reservation{
			{ID: "cr-soon", Kind: account.Block, Type: "p5en.48xlarge", Zone: "us-east-2a", Count: 4, State: "scheduled", Start: start, End: end},
			{ID: "cr-now", Kind: account.Block, Type: "p5en.48xlarge", Zone: "us-east-2b", Count: 8, Used: 3, State: "active", Start: start, End: end},
			{
				ID: "cr-odcr", Kind: account.ODCR, Type: "g6e.48xlarge", Zone: "us-east-2a", Count: 2, State: "active", Tenancy: "dedicated",
				Platform: "Red Hat Enterprise Linux", PlacementGroupARN: "arn:aws:ec2:us-east-2:123456789012:placement-group/pg",
			},
		},
		PlacementGroups: []account.PlacementGroup{{ID: "pg-1", Name: "pg", Strategy: "cluster"}},
		Images:          []account.Image{account.CustomImage("mine", "3.16.1", "ubuntu2204", "arm64")},
		LaunchTemplates: []account.LaunchTemplate{{ID: "lt-two", Versions: []map[string]any{
			{"InstanceType": "p5.48xlarge"}, {"InstanceType": "p5en.48xlarge"},
		}}},
		Offerings: map[string][]string{"us-east-2b": {"p6-b300.48xlarge"}},
		Quotas:    []account.Quota{{Service: "ec2", Code: "L-417A185B", Name: "P instances", Value: 768}},
		Clusters: []account.Cluster{{
			Name: "weft", Version: "3.16.1", Configuration: "Region: us-east-2", Fleet: account.Running,
			Subnet: "subnet-public", InstanceType: "m6i.2xlarge",
		}},
		RunInstancesErrors: map[string]account.Error{
			"p5.48xlarge": {Code: "InsufficientInstanceCapacity", Message: "There is none."},
		},
	}
}

// load starts an account with the world above.
func load(t *testing.T) (*account.Account, *ec2.Client) {
	t.Helper()
	a := judgetest.Account(t)
	require.NoError(t, a.Load(t.Context(), world()))
	return a, client(a)
}

func TestSDKReadsTheWorld(t *testing.T) {
	t.Parallel()
	a, c := load(t)
	t.Run("capacity reservations", func(t *testing.T) { reservations(t, c) })
	t.Run("network", func(t *testing.T) { network(t, c) })
	t.Run("security groups", func(t *testing.T) { securityGroups(t, c) })
	t.Run("images", func(t *testing.T) { images(t, c) })
	t.Run("instance types", func(t *testing.T) { instanceTypes(t, c) })
	t.Run("offerings", func(t *testing.T) { offerings(t, c) })
	t.Run("launch templates", func(t *testing.T) { launchTemplates(t, c) })
	t.Run("placement groups", func(t *testing.T) { placementGroups(t, c) })
	t.Run("refused launch", func(t *testing.T) { refusedLaunch(t, c) })
	t.Run("clusters", func(t *testing.T) { clusters(t, c) })
	t.Run("quotas", func(t *testing.T) { quotas(t, a) })
}

func reservations(t *testing.T, c *ec2.Client) {
	t.Helper()
	out, err := c.DescribeCapacityReservations(t.Context(), &ec2.DescribeCapacityReservationsInput{})
	require.NoError(t, err)
	require.Len(t, out.CapacityReservations, 3)
	soon, now, odcr := out.CapacityReservations[0], out.CapacityReservations[1], out.CapacityReservations[2]

	require.Equal(t, types.CapacityReservationTypeCapacityBlock, soon.ReservationType)
	require.Equal(t, types.CapacityReservationStateScheduled, soon.State)
	require.Zero(t, *soon.TotalInstanceCount, "EC2 shows no instances of a block that has not started")
	require.Equal(t, "aws:ec2capacityreservation:incrementalRequestedQuantity", *soon.Tags[0].Key)
	require.Equal(t, "4", *soon.Tags[0].Value)
	require.Equal(t, start, soon.StartDate.UTC())
	require.Equal(t, end, soon.EndDate.UTC())
	require.Equal(t, "use2-az1", *soon.AvailabilityZoneId)
	require.Equal(t, types.CapacityReservationInstancePlatformLinuxUnix, soon.InstancePlatform)

	require.EqualValues(t, 8, *now.TotalInstanceCount)
	require.EqualValues(t, 5, *now.AvailableInstanceCount)

	require.Equal(t, types.CapacityReservationTypeDefault, odcr.ReservationType)
	require.Equal(t, types.CapacityReservationTenancyDedicated, odcr.Tenancy)
	require.Equal(t, "arn:aws:ec2:us-east-2:123456789012:placement-group/pg", *odcr.PlacementGroupArn)
	require.Equal(t, types.EndDateTypeUnlimited, odcr.EndDateType)

	_, err = c.DescribeCapacityReservations(t.Context(), &ec2.DescribeCapacityReservationsInput{CapacityReservationIds: []string{"cr-none"}})
	require.ErrorContains(t, err, "InvalidCapacityReservationId.NotFound")

	filter := types.Filter{Name: aws.String("instance-type"), Values: []string{"g6e.48xlarge"}}
	out, err = c.DescribeCapacityReservations(t.Context(), &ec2.DescribeCapacityReservationsInput{Filters: []types.Filter{filter}})
	require.NoError(t, err)
	require.Len(t, out.CapacityReservations, 1)
}

func network(t *testing.T, c *ec2.Client) {
	t.Helper()
	vpcs, err := c.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{})
	require.NoError(t, err)
	require.Len(t, vpcs.Vpcs, 2, "no default VPC besides those of the world")

	hostnames, err := c.DescribeVpcAttribute(t.Context(), &ec2.DescribeVpcAttributeInput{
		VpcId: aws.String("vpc-b"), Attribute: types.VpcAttributeNameEnableDnsHostnames,
	})
	require.NoError(t, err)
	require.False(t, *hostnames.EnableDnsHostnames.Value)
	support, err := c.DescribeVpcAttribute(t.Context(), &ec2.DescribeVpcAttributeInput{
		VpcId: aws.String("vpc-b"), Attribute: types.VpcAttributeNameEnableDnsSupport,
	})
	require.NoError(t, err)
	require.True(t, *support.EnableDnsSupport.Value)

	out, err := c.DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{SubnetIds: []string{"subnet-public", "subnet-tight"}})
	require.NoError(t, err)
	require.Len(t, out.Subnets, 2)
	public, tight := out.Subnets[0], out.Subnets[1]
	require.True(t, *public.MapPublicIpOnLaunch)
	require.EqualValues(t, 250, *public.AvailableIpAddressCount, "of 251 the head node takes one")
	require.Equal(t, "use2-az1", *public.AvailabilityZoneId)
	require.False(t, *tight.MapPublicIpOnLaunch)
	require.EqualValues(t, 3, *tight.AvailableIpAddressCount)
	require.Equal(t, "use2-az9", *tight.AvailabilityZoneId)
	require.Equal(t, "us-east-2b", *tight.AvailabilityZone)
}

func securityGroups(t *testing.T, c *ec2.Client) {
	t.Helper()
	out, err := c.DescribeSecurityGroups(t.Context(), &ec2.DescribeSecurityGroupsInput{GroupIds: []string{"sg-efa", "sg-closed"}})
	require.NoError(t, err)
	require.Len(t, out.SecurityGroups, 2)
	efa, closed := out.SecurityGroups[0], out.SecurityGroups[1]
	require.Len(t, efa.IpPermissions, 1)
	require.Equal(t, "-1", *efa.IpPermissions[0].IpProtocol)
	require.Equal(t, "sg-efa", *efa.IpPermissions[0].UserIdGroupPairs[0].GroupId)
	require.Len(t, efa.IpPermissionsEgress, 2)
	https := efa.IpPermissionsEgress[1]
	require.EqualValues(t, 443, *https.FromPort)
	require.Equal(t, "0.0.0.0/0", *https.IpRanges[0].CidrIp)
	require.Equal(t, "pl-1", *https.PrefixListIds[0].PrefixListId)
	require.Empty(t, closed.IpPermissions)
	require.Empty(t, closed.IpPermissionsEgress, "a group has the rules that are given, and no default ones")
}

func images(t *testing.T, c *ec2.Client) {
	t.Helper()
	id := account.ImageID("mine")
	out, err := c.DescribeImages(t.Context(), &ec2.DescribeImagesInput{ImageIds: []string{id}})
	require.NoError(t, err)
	require.Len(t, out.Images, 1)
	image := out.Images[0]
	require.Equal(t, types.ArchitectureValuesArm64, image.Architecture)
	require.Equal(t, types.ImageStateAvailable, image.State)
	require.EqualValues(t, 45, *image.BlockDeviceMappings[0].Ebs.VolumeSize)
	require.Equal(t, account.ID, *image.OwnerId)
	tags := map[string]string{}
	for _, tag := range image.Tags {
		tags[*tag.Key] = *tag.Value
	}
	require.Equal(t, "3.16.1", tags["parallelcluster:version"])
	require.Equal(t, "ubuntu2204", tags["parallelcluster:os"])
}

func instanceTypes(t *testing.T, c *ec2.Client) {
	t.Helper()
	out, err := c.DescribeInstanceTypes(t.Context(), &ec2.DescribeInstanceTypesInput{
		InstanceTypes: []types.InstanceType{"p6-b300.48xlarge", "p6e-gb200.36xlarge"},
	})
	require.NoError(t, err)
	require.Len(t, out.InstanceTypes, 2)
	for _, got := range out.InstanceTypes {
		require.Len(t, got.NetworkInfo.NetworkCards, 17, got.InstanceType)
		require.EqualValues(t, 16, *got.NetworkInfo.EfaInfo.MaximumEfaInterfaces, got.InstanceType)
	}
}

func offerings(t *testing.T, c *ec2.Client) {
	t.Helper()
	ask := func(location types.LocationType, instanceType string) []string {
		out, err := c.DescribeInstanceTypeOfferings(t.Context(), &ec2.DescribeInstanceTypeOfferingsInput{
			LocationType: location,
			Filters:      []types.Filter{{Name: aws.String("instance-type"), Values: []string{instanceType}}},
		})
		require.NoError(t, err)
		var places []string
		for _, offering := range out.InstanceTypeOfferings {
			places = append(places, *offering.Location)
		}
		return places
	}
	require.Equal(t, []string{"us-east-2b"}, ask(types.LocationTypeAvailabilityZone, "p6-b300.48xlarge"))
	require.Equal(t, []string{"use2-az2"}, ask(types.LocationTypeAvailabilityZoneId, "p6-b300.48xlarge"))
	require.Equal(t, []string{"us-east-2"}, ask(types.LocationTypeRegion, "p6-b300.48xlarge"))
	require.NotEmpty(t, ask(types.LocationTypeAvailabilityZone, "m6i.2xlarge"), "a type that the world does not name is as recorded")
}

func launchTemplates(t *testing.T, c *ec2.Client) {
	t.Helper()
	out, err := c.DescribeLaunchTemplateVersions(t.Context(), &ec2.DescribeLaunchTemplateVersionsInput{
		LaunchTemplateId: aws.String("lt-two"), Versions: []string{"2"},
	})
	require.NoError(t, err)
	require.Len(t, out.LaunchTemplateVersions, 1)
	require.Equal(t, types.InstanceType("p5en.48xlarge"), out.LaunchTemplateVersions[0].LaunchTemplateData.InstanceType)
}

func placementGroups(t *testing.T, c *ec2.Client) {
	t.Helper()
	out, err := c.DescribePlacementGroups(t.Context(), &ec2.DescribePlacementGroupsInput{GroupNames: []string{"pg"}})
	require.NoError(t, err)
	require.Equal(t, "pg-1", *out.PlacementGroups[0].GroupId)
	_, err = c.DescribePlacementGroups(t.Context(), &ec2.DescribePlacementGroupsInput{GroupNames: []string{"nope"}})
	require.ErrorContains(t, err, "InvalidPlacementGroup.Unknown")
}

func refusedLaunch(t *testing.T, c *ec2.Client) {
	t.Helper()
	launch := func(instanceType types.InstanceType) error {
		_, err := c.RunInstances(t.Context(), &ec2.RunInstancesInput{
			DryRun: aws.Bool(true), MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
			InstanceType: instanceType, ImageId: aws.String(account.ImageID("mine")), SubnetId: aws.String("subnet-public"),
		})
		return err
	}
	require.ErrorContains(t, launch("p5.48xlarge"), "InsufficientInstanceCapacity")
	require.ErrorContains(t, launch("p5en.48xlarge"), "DryRunOperation")
}

func clusters(t *testing.T, c *ec2.Client) {
	t.Helper()
	out, err := c.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{Filters: []types.Filter{
		{Name: aws.String("tag:parallelcluster:cluster-name"), Values: []string{"weft"}},
		{Name: aws.String("tag:parallelcluster:node-type"), Values: []string{"HeadNode"}},
		{Name: aws.String("instance-state-name"), Values: []string{"running"}},
	}})
	require.NoError(t, err)
	require.Len(t, out.Reservations, 1)
	head := out.Reservations[0].Instances[0]
	require.Equal(t, types.InstanceType("m6i.2xlarge"), head.InstanceType)
	require.Equal(t, "subnet-public", *head.SubnetId)
}

func quotas(t *testing.T, a *account.Account) {
	t.Helper()
	c := servicequotas.New(servicequotas.Options{
		Region: region, BaseEndpoint: aws.String(a.Endpoint()), Credentials: aws.CredentialsProviderFunc(credentials),
	})
	out, err := c.GetServiceQuota(t.Context(), &servicequotas.GetServiceQuotaInput{
		ServiceCode: aws.String("ec2"), QuotaCode: aws.String("L-417A185B"),
	})
	require.NoError(t, err)
	require.InDelta(t, 768, *out.Quota.Value, 0)
	all, err := c.ListServiceQuotas(t.Context(), &servicequotas.ListServiceQuotasInput{ServiceCode: aws.String("ec2")})
	require.NoError(t, err)
	require.Len(t, all.Quotas, 1)
	_, err = c.GetServiceQuota(t.Context(), &servicequotas.GetServiceQuotaInput{
		ServiceCode: aws.String("ec2"), QuotaCode: aws.String("L-00000000"),
	})
	require.ErrorContains(t, err, "NoSuchResource")
}

func TestLoadReplacesTheWorld(t *testing.T) {
	t.Parallel()
	a, c := load(t)
	_, err := c.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{})
	require.NoError(t, err)
	_, err = c.DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{SubnetIds: []string{"subnet-none"}})
	require.Error(t, err)
	calls, err := a.Calls(t.Context())
	require.NoError(t, err)
	require.Equal(t, []account.Call{
		{Service: "ec2", Action: "DescribeVpcs", Status: 200},
		{Service: "ec2", Action: "DescribeSubnets", Status: 400, Error: "InvalidSubnetID.NotFound"},
	}, calls)

	require.NoError(t, a.Load(t.Context(), account.World{Region: "eu-west-1"}))
	calls, err = a.Calls(t.Context())
	require.NoError(t, err)
	require.Empty(t, calls)
	out, err := c.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{VpcIds: []string{"vpc-a"}})
	require.ErrorContains(t, err, "InvalidVpcID.NotFound", "%v", out)
}

func TestLoadRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	a := judgetest.Account(t)
	vpc := account.VPC{ID: "vpc-a", CIDR: "10.0.0.0/16"}
	for name, test := range map[string]struct {
		world account.World
		want  string
	}{
		"subnet of no VPC": {
			account.World{Region: region, Subnets: []account.Subnet{{ID: "subnet-a", VPC: "vpc-none", Zone: "us-east-2a", CIDR: "10.0.0.0/24"}}},
			"subnets[0] subnet-a: VpcID vpc-none does not exist.",
		},
		"overlapping subnets": {
			account.World{Region: region, VPCs: []account.VPC{vpc}, Subnets: []account.Subnet{
				{ID: "subnet-a", VPC: "vpc-a", Zone: "us-east-2a", CIDR: "10.0.0.0/24"},
				{ID: "subnet-b", VPC: "vpc-a", Zone: "us-east-2a", CIDR: "10.0.0.0/25"},
			}},
			"subnets[1] subnet-b: ",
		},
		"unknown kind of file system": {
			account.World{Region: region, FileSystems: []account.FileSystem{{ID: "fs-1", Kind: "floppy"}}},
			"fileSystems[0] fs-1: KeyError: 'floppy'",
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, a.Load(t.Context(), test.world), test.want)
			out, err := client(a).DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{})
			require.NoError(t, err)
			require.Empty(t, out.Vpcs, "what was loaded before the fault is gone")
		})
	}
}

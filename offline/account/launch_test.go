package account_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
)

// into launches instances into a block in subnet-public, which lies in us-east-2a.
func into(reservation string, least, most int32) *ec2.RunInstancesInput {
	return &ec2.RunInstancesInput{
		MinCount: aws.Int32(least), MaxCount: aws.Int32(most), InstanceType: p6,
		ImageId: aws.String(account.ImageID("mine")), SubnetId: aws.String("subnet-public"),
		InstanceMarketOptions: &types.InstanceMarketOptionsRequest{MarketType: types.MarketTypeCapacityBlock},
		CapacityReservationSpecification: &types.CapacityReservationSpecification{
			CapacityReservationTarget: &types.CapacityReservationTarget{CapacityReservationId: aws.String(reservation)},
		},
	}
}

func launch(t *testing.T, c *ec2.Client, reservation string, count int32) []string {
	t.Helper()
	out, err := c.RunInstances(t.Context(), into(reservation, count, count))
	require.NoError(t, err)
	var ids []string
	for _, i := range out.Instances {
		ids = append(ids, *i.InstanceId)
	}
	return ids
}

func capacityWorld() account.World {
	w := trade()
	w.Now = monday
	w.LaunchTemplates = []account.LaunchTemplate{{ID: "lt-block", Versions: []map[string]any{{
		"InstanceType": p6, "ImageId": account.ImageID("mine"),
		"InstanceMarketOptions":            map[string]any{"MarketType": "capacity-block"},
		"CapacityReservationSpecification": map[string]any{"CapacityReservationTarget": map[string]any{"CapacityReservationId": "cr-now"}},
	}}}}
	block := func(id, state string, used int) account.Reservation {
		return account.Reservation{ID: id, BlockID: "cb-" + id, Kind: account.Block, Type: p6, Zone: "us-east-2a", Count: 4, Used: used, State: state, Start: monday, End: last}
	}
	soon := block("cr-soon", "scheduled", 0)
	soon.Start = monday.AddDate(0, 0, 1)
	w.Reservations = []account.Reservation{
		block("cr-now", "active", 1), block("cr-full", "active", 4), soon, block("cr-over", "expired", 0), block("cr-broken", "unavailable", 0),
		block("cr-unpaid", "payment-pending", 0),
		{ID: "cr-odcr", Kind: account.ODCR, Type: p6, Zone: "us-east-2a", Count: 2, State: "active"},
	}
	w.ReservationGroups = []account.ReservationGroup{{ARN: "arn:aws:resource-groups:us-east-2:123456789012:group/g", Reservations: []string{"cr-full", "cr-now"}}}
	return w
}

func launchRefused(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	loaded(t, a, capacityWorld())
	for name, test := range map[string]struct {
		reservation string
		change      func(*ec2.RunInstancesInput)
		code        string
	}{
		"the on-demand market":      {"cr-now", func(in *ec2.RunInstancesInput) { in.InstanceMarketOptions = nil }, "InvalidParameterValue"},
		"the spot market":           {"cr-now", func(in *ec2.RunInstancesInput) { in.InstanceMarketOptions.MarketType = types.MarketTypeSpot }, "InvalidParameterValue"},
		"blocks' market, no block":  {"cr-odcr", nil, "InvalidParameterValue"},
		"blocks' market, no target": {"", func(in *ec2.RunInstancesInput) { in.CapacityReservationSpecification = nil }, "InvalidParameterCombination"},
		"no id":                     {"block", nil, "InvalidCapacityReservationId.Malformed"},
		"an unknown id":             {"cr-none", nil, "InvalidCapacityReservationId.NotFound"},
		"another type":              {"cr-now", func(in *ec2.RunInstancesInput) { in.InstanceType = "p5en.48xlarge" }, "InvalidParameterValue"},
		"another zone":              {"cr-now", func(in *ec2.RunInstancesInput) { in.SubnetId = aws.String("subnet-tight") }, "InvalidParameterValue"},
		"a placement group": {
			"cr-now", func(in *ec2.RunInstancesInput) { in.Placement = &types.Placement{GroupName: aws.String("pg")} }, "InvalidParameterCombination",
		},
		"before the start":   {"cr-soon", nil, "InvalidCapacityReservationState.PendingActivation"},
		"before the payment": {"cr-unpaid", nil, "InvalidCapacityReservationState.PendingActivation"},
		"after the end":      {"cr-over", nil, "InvalidCapacityReservationState.Unavailable"},
		"unavailable":        {"cr-broken", nil, "InvalidCapacityReservationState.Unavailable"},
		"no room":            {"cr-full", nil, "ReservationCapacityExceeded"},
		"too little room":    {"cr-now", func(in *ec2.RunInstancesInput) { in.MinCount, in.MaxCount = aws.Int32(4), aws.Int32(4) }, "ReservationCapacityExceeded"},
		"no room for more than ordered on demand": {"cr-odcr", func(in *ec2.RunInstancesInput) {
			in.InstanceMarketOptions, in.MinCount, in.MaxCount = nil, aws.Int32(3), aws.Int32(3)
		}, "ReservationCapacityExceeded"},
		"dry run before the start": {"cr-soon", func(in *ec2.RunInstancesInput) { in.DryRun = aws.Bool(true) }, "DryRunOperation"},
		"dry run in another zone": {"cr-soon", func(in *ec2.RunInstancesInput) {
			in.DryRun, in.SubnetId = aws.Bool(true), aws.String("subnet-tight")
		}, "DryRunOperation"},
		"dry run": {"cr-now", func(in *ec2.RunInstancesInput) { in.DryRun = aws.Bool(true) }, "DryRunOperation"},
	} {
		t.Run(name, func(t *testing.T) {
			in := into(test.reservation, 1, 1)
			if test.change != nil {
				test.change(in)
			}
			_, err := c.RunInstances(t.Context(), in)
			refused(t, err, test.code)
		})
	}
	require.EqualValues(t, 3, *described(t, c, "cr-now").AvailableInstanceCount, "nothing was launched")
}

func launches(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	loaded(t, a, capacityWorld())

	out, err := c.RunInstances(t.Context(), into("cr-now", 1, 2))
	require.NoError(t, err)
	require.Len(t, out.Instances, 2, "as many as fit, up to the larger number")
	first := out.Instances[0]
	require.Equal(t, "cr-now", *first.CapacityReservationId)
	require.Equal(t, types.InstanceLifecycleTypeCapacityBlock, first.InstanceLifecycle)
	require.Equal(t, "cb-cr-now", *first.CapacityBlockId)
	require.Equal(t, "cr-now", *first.CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId)
	require.Equal(t, monday, first.LaunchTime.UTC())
	require.EqualValues(t, 1, *described(t, c, "cr-now").AvailableInstanceCount)

	_, err = c.TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{*first.InstanceId}})
	require.NoError(t, err)
	require.EqualValues(t, 2, *described(t, c, "cr-now").AvailableInstanceCount, "an instance that ends gives its place back")

	in := into("", 1, 1)
	in.CapacityReservationSpecification.CapacityReservationTarget = &types.CapacityReservationTarget{
		CapacityReservationResourceGroupArn: aws.String("arn:aws:resource-groups:us-east-2:123456789012:group/g"),
	}
	out, err = c.RunInstances(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, "cr-now", *out.Instances[0].CapacityReservationId, "the one of the group that has room")

	out, err = c.RunInstances(t.Context(), &ec2.RunInstancesInput{
		MinCount: aws.Int32(1), MaxCount: aws.Int32(1), SubnetId: aws.String("subnet-public"),
		LaunchTemplate: &types.LaunchTemplateSpecification{LaunchTemplateId: aws.String("lt-block")},
	})
	require.NoError(t, err)
	require.Equal(t, "cr-now", *out.Instances[0].CapacityReservationId, "as its launch template says")
	require.Zero(t, *described(t, c, "cr-now").AvailableInstanceCount)

	at(t, a, last.Add(-30*time.Minute))
	_, err = c.RunInstances(t.Context(), into("cr-now", 1, 1))
	refused(t, err, "ReservationCapacityExceeded")
}

func topology(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	w := capacityWorld()
	w.Reservations[0].Count, w.Reservations[0].Used = 16, 0
	w.Reservations[1].Used = 0
	w.Reservations[1].Places = [][]string{{"nn-1", "nn-2", "nn-3", "nn-4"}, {"nn-1", "nn-2", "nn-5", "nn-6"}}
	loaded(t, a, w)
	near, far := launch(t, c, "cr-now", 9), launch(t, c, "cr-full", 2)

	read := func(in *ec2.DescribeInstanceTopologyInput) map[string][]string {
		out := map[string][]string{}
		p := ec2.NewDescribeInstanceTopologyPaginator(c, in)
		for p.HasMorePages() {
			page, err := p.NextPage(t.Context())
			require.NoError(t, err)
			for _, i := range page.Instances {
				out[*i.InstanceId] = i.NetworkNodes
			}
		}
		return out
	}
	all := read(&ec2.DescribeInstanceTopologyInput{MaxResults: aws.Int32(5)})
	require.Len(t, all, 11)
	require.Equal(t, w.Reservations[1].Places[1], all[far[1]])
	require.Len(t, all[near[0]], 4)
	require.Equal(t, all[near[0]], all[near[7]])
	require.Equal(t, all[near[0]][:3], all[near[8]][:3])
	require.NotEqual(t, all[near[0]][3], all[near[8]][3])

	_, err := c.TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{far[0]}})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{far[0]: {}, far[1]: all[far[1]]}, read(&ec2.DescribeInstanceTopologyInput{InstanceIds: far}), "only what runs has a place, and it keeps it")
	_, err = c.DescribeInstanceTopology(t.Context(), &ec2.DescribeInstanceTopologyInput{InstanceIds: far, MaxResults: aws.Int32(5)})
	refused(t, err, "InvalidParameterCombination")
	_, err = c.DescribeInstanceTopology(t.Context(), &ec2.DescribeInstanceTopologyInput{InstanceIds: make([]string, 101)})
	refused(t, err, "InvalidParameterValue")

	shown, err := c.DescribeCapacityReservationTopology(t.Context(), &ec2.DescribeCapacityReservationTopologyInput{CapacityReservationIds: []string{"cr-full", "cr-soon"}})
	require.NoError(t, err)
	require.Len(t, shown.CapacityReservations, 1, "only what is active")
	require.Equal(t, []string{"nn-1", "nn-2"}, shown.CapacityReservations[0].NetworkNodes)
	_, err = c.DescribeCapacityReservationTopology(t.Context(), &ec2.DescribeCapacityReservationTopologyInput{CapacityReservationIds: make([]string, 11)})
	refused(t, err, "InvalidParameterValue")
}

package topology_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/topology"
	"github.com/weft-hpc/weft/fabric/diag"
	fabric "github.com/weft-hpc/weft/fabric/topology"
	emulated "github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// TestEmulatedAccount reads the topology of 180 instances in two blocks with the SDK's own client, in an account that refuses what EC2 refuses.
func TestEmulatedAccount(t *testing.T) {
	a := judgetest.Account(t)
	client := ec2.New(ec2.Options{
		Region: "us-east-2", BaseEndpoint: aws.String(a.Endpoint()),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
		}),
	})
	monday := time.Date(2026, 12, 7, 11, 30, 0, 0, time.UTC)
	block := func(id, state string, places ...[]string) emulated.Reservation {
		return emulated.Reservation{
			ID: id, BlockID: "cb-" + id, Kind: emulated.Block, Type: "p6-b200.48xlarge", Zone: "us-east-2a", Count: 90, State: state,
			Start: monday, End: monday.AddDate(0, 0, 14), Places: places,
		}
	}
	require.NoError(t, a.Load(t.Context(), emulated.World{
		Region:  "us-east-2",
		VPCs:    []emulated.VPC{{ID: "vpc-1", CIDR: "10.0.0.0/16"}},
		Subnets: []emulated.Subnet{{ID: "subnet-1", VPC: "vpc-1", Zone: "us-east-2a", CIDR: "10.0.0.0/20"}},
		Images:  []emulated.Image{emulated.CustomImage("mine", "3.16.1", "ubuntu2204", "x86_64")},
		Reservations: []emulated.Reservation{
			block("cr-one", "active", []string{"nn-1", "nn-2", "nn-3", "nn-4"}, []string{"nn-1", "nn-2", "nn-3", "nn-5"}),
			block("cr-two", "active", []string{"nn-1", "nn-6", "nn-7", "nn-8"}),
			block("cr-soon", "scheduled"),
		},
	}))
	for _, reservation := range []string{"cr-one", "cr-two"} {
		_, err := client.RunInstances(t.Context(), &ec2.RunInstancesInput{
			MinCount: aws.Int32(90), MaxCount: aws.Int32(90), InstanceType: types.InstanceTypeP6B20048xlarge,
			ImageId: aws.String(emulated.ImageID("mine")), SubnetId: aws.String("subnet-1"),
			InstanceMarketOptions: &types.InstanceMarketOptionsRequest{MarketType: types.MarketTypeCapacityBlock},
			CapacityReservationSpecification: &types.CapacityReservationSpecification{
				CapacityReservationTarget: &types.CapacityReservationTarget{CapacityReservationId: aws.String(reservation)},
			},
		})
		require.NoError(t, err)
	}

	answers, err := topology.Read(t.Context(), client, topology.Ask{Reservations: []string{"cr-one", "cr-two", "cr-soon"}})
	require.NoError(t, err)
	got, found := fabric.New(answers)
	require.Len(t, got.Places, 180)
	require.Empty(t, got.Unplaced())
	require.Equal(t, []string{"cr-one", "cr-two"}, got.Blocks())
	var kinds []string
	for _, c := range got.Classes() {
		kinds = append(kinds, c.Says)
	}
	require.Equal(t, []string{"same leaf", "same spine, other leaf", "3 levels apart"}, kinds)
	require.Equal(t, "1 network node in common, from the top; apart below", got.Compare()[0].Says)
	require.Equal(t, []string{"cr-one", "cr-two"}, []string{got.Compare()[0].A, got.Compare()[0].B})
	var unknown []string
	for _, f := range found {
		if f.Rule == diag.TopoUnknown {
			unknown = append(unknown, f.Place.Resource)
		}
	}
	require.Equal(t, []string{"cr-soon"}, unknown)
}

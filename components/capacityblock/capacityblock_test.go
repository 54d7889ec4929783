package capacityblock_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/capacityblock"
	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

func program(c plan.Capacity) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		block, err := capacityblock.New(ctx, "block", &capacityblock.Args{Capacity: c})
		if err != nil {
			return err
		}
		ctx.Export("reservation", block.ReservationID)
		return nil
	}
}

// Adopting a block registers nothing that an update or a destroy could touch.
func TestAdopt(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".json")
	for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
		t.Run(mode.String(), func(t *testing.T) {
			run := program(plan.Capacity{Market: plan.CapacityBlock, Reservation: "cr-0123456789abcdef0"})
			first := componenttest.Record(t, run, mode)
			componenttest.Golden(t, "adopted-"+mode.String(), first)
			require.Equal(t, first, componenttest.Record(t, run, mode), "a second run")
			for _, r := range first {
				require.False(t, r.Custom, "%s is a resource of AWS", r.URN)
			}
		})
	}
}

func TestReservationReachesItsUsers(t *testing.T) {
	for _, mode := range []componenttest.Mode{componenttest.Update, componenttest.Preview} {
		componenttest.Record(t, func(ctx *pulumi.Context) error {
			block, err := capacityblock.New(ctx, "block", &capacityblock.Args{
				Capacity: plan.Capacity{Market: plan.CapacityBlock, Reservation: "cr-0123456789abcdef0"},
			})
			require.NoError(t, err)
			require.Equal(t, "cr-0123456789abcdef0", componenttest.Await(t, ctx, block.ReservationID), "%s", mode)
			return nil
		}, mode)
	}
}

func TestRefuses(t *testing.T) {
	offered, err := componenttest.Try(program(plan.Capacity{Market: plan.CapacityBlock, Offering: &config.Offering{ID: "cb-1"}}), componenttest.Update)
	require.ErrorIs(t, err, capacityblock.ErrNotBought)
	require.Empty(t, offered)
	other, err := componenttest.Try(program(plan.Capacity{Market: plan.OnDemand, Reservation: "cr-1"}), componenttest.Update)
	require.ErrorContains(t, err, "market is on-demand, want capacity-block")
	require.Empty(t, other)
	nothing, err := componenttest.Try(func(ctx *pulumi.Context) error {
		_, adopted := capacityblock.New(ctx, "block", nil)
		_, bought := capacityblock.Buy(ctx, "block", nil)
		require.ErrorContains(t, bought, "arguments of block: none")
		return adopted
	}, componenttest.Update)
	require.ErrorContains(t, err, "arguments of block: none")
	require.Empty(t, nothing)
}

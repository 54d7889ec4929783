// Package capacityblock is the Pulumi component of a Capacity Block for ML: where a group's reservation id
// comes from.
//
// A block that the config pins an offering of is bought (Buy), by the plugin's resource weft:index:CapacityBlock.
// A block that was bought is adopted by the id of its reservation, as text. Its kind, type, zone, size and
// state are read and compared before anything is registered (package account/preflight); the component itself
// owns nothing, so no update and no destroy can touch what was paid for.
package capacityblock

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/fabric/plan"
)

// Token is the component's type.
const Token = "weft:index:AdoptedCapacityBlock"

// ErrNotBought says that a plan names an offering instead of a bought block.
var ErrNotBought = errors.New("there is no reservation to adopt: an offering is bought by " + PurchaseToken)

// Args of a capacity block.
type Args struct {
	// Capacity of the group, as planned.
	Capacity plan.Capacity `pulumi:"capacity"`
}

// CapacityBlock is the component.
type CapacityBlock struct {
	pulumi.ResourceState

	// ReservationID is the capacity reservation that launches target, cr-….
	ReservationID pulumi.StringOutput `pulumi:"reservationId"`
}

// New registers the component. It fails with ErrNotBought for a pinned offering, and for capacity that is no
// block.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*CapacityBlock, error) {
	if args == nil {
		return nil, fmt.Errorf("arguments of %s: none", name)
	}
	switch c := args.Capacity; {
	case c.Market != plan.CapacityBlock:
		return nil, fmt.Errorf("%s: market is %s, want %s", name, c.Market, plan.CapacityBlock)
	case c.Reservation == "":
		return nil, fmt.Errorf("%s: %w", name, ErrNotBought)
	}
	block := &CapacityBlock{}
	if err := ctx.RegisterComponentResource(Token, name, block, opts...); err != nil {
		return nil, fmt.Errorf("registering %s: %w", name, err)
	}
	// Registering puts empty outputs into the fields that are there.
	block.ReservationID = pulumi.String(args.Capacity.Reservation).ToStringOutput()
	return block, ctx.RegisterResourceOutputs(block, pulumi.Map{"reservationId": block.ReservationID})
}

package capacityblock

import (
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// PurchaseToken is the type of a block that a stack buys. The plugin weft owns it (package components/provider): aws's own
// resource buys a second time when an update is killed.
const PurchaseToken = "weft:index:CapacityBlock"

// PurchaseArgs are what is bought. All of them are plain: a purchase is decided before an update.
type PurchaseArgs struct {
	// Region of the offering.
	Region string
	// Profile of the AWS configuration that buys; left out, what the environment says.
	Profile string
	// Group that the block is for, as planned: its instance type, zone and pinned offering.
	Group plan.NodeGroup
	// Platform of the group's image, in EC2's words; left out, Linux/UNIX.
	Platform string
	// PaymentTimeout is how long an update waits for the upfront payment; nil: 30 minutes.
	PaymentTimeout *time.Duration
	// Tags of the reservation, beside weft's own.
	Tags map[string]string
}

// Purchase is a block that a stack has bought.
type Purchase struct {
	pulumi.CustomResourceState

	// ReservationID is the capacity reservation that launches target, cr-….
	ReservationID pulumi.StringOutput `pulumi:"reservationId"`
	// State of the block in EC2's words, when it was read last.
	State pulumi.StringOutput `pulumi:"state"`
	// ZoneName and ZoneID of the zone that the block lies in.
	ZoneName pulumi.StringOutput `pulumi:"zoneName"`
	ZoneID   pulumi.StringOutput `pulumi:"zoneId"`
	// InstanceCount is the number of instances that were bought.
	InstanceCount pulumi.IntOutput `pulumi:"instanceCount"`
	// StartTime and EndTime of the block, RFC 3339.
	StartTime pulumi.StringOutput `pulumi:"startTime"`
	EndTime   pulumi.StringOutput `pulumi:"endTime"`
	// FeePaid is the upfront fee with its currency.
	FeePaid pulumi.StringOutput `pulumi:"feePaid"`
	// PaymentDeadline is when EC2 releases the block if its payment is still pending, RFC 3339; else empty.
	PaymentDeadline pulumi.StringOutput `pulumi:"paymentDeadline"`
}

// Buy registers the purchase of a pinned offering. The name stands for the block in all runs: what was bought under it is
// found again, and never bought twice. It must not come from the offering.
func Buy(ctx *pulumi.Context, name string, args *PurchaseArgs, opts ...pulumi.ResourceOption) (*Purchase, error) {
	if args == nil {
		return nil, fmt.Errorf("arguments of %s: none", name)
	}
	if args.Group.Capacity.Offering == nil {
		return nil, fmt.Errorf("%s: the group %s pins no offering", name, args.Group.Name)
	}
	p := &Purchase{}
	if err := ctx.RegisterResource(PurchaseToken, name, args.inputs(), p, opts...); err != nil {
		return nil, fmt.Errorf("registering the purchase %s: %w", name, err)
	}
	return p, nil
}

// inputs gives what the plugin gets: nothing for what is left out.
func (a *PurchaseArgs) inputs() pulumi.Map {
	in := pulumi.Map{
		"region": pulumi.String(a.Region), "instanceType": pulumi.String(a.Group.InstanceType), "offering": offering(a.Group.Capacity.Offering),
	}
	for name, text := range map[string]string{"profile": a.Profile, "zone": a.Group.Zone, "platform": a.Platform} {
		if text != "" {
			in[name] = pulumi.String(text)
		}
	}
	if p := a.Group.Capacity.Purchase; p != nil {
		in["purchase"] = conditions(p)
	}
	if a.PaymentTimeout != nil {
		in["paymentTimeout"] = pulumi.String(a.PaymentTimeout.String())
	}
	if len(a.Tags) > 0 {
		in["tags"] = pulumi.ToStringMap(a.Tags)
	}
	return in
}

func offering(o *config.Offering) pulumi.Map {
	return pulumi.Map{
		"id": pulumi.String(o.ID), "count": pulumi.Int(o.Count), "durationHours": pulumi.Int(o.DurationHours), "start": pulumi.String(o.Start),
		"fee": pulumi.String(o.Fee), "maxFee": pulumi.String(o.MaxFee), "currency": pulumi.String(o.Currency), "confirmedUntil": pulumi.String(o.ConfirmedUntil),
	}
}

func conditions(p *config.Purchase) pulumi.Map {
	in := pulumi.Map{}
	if p.Budget != "" {
		in["budget"] = pulumi.String(p.Budget)
	}
	if p.Resume != "" {
		in["resume"] = pulumi.String(p.Resume)
	}
	if len(p.Beside) > 0 {
		in["beside"] = pulumi.ToStringArray(p.Beside)
	}
	return in
}

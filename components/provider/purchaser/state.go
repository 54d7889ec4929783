package purchaser

import (
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/components/provider/internal/value"
	"github.com/weft-hpc/weft/fabric/market"
)

// State is what the resource puts out.
type State struct {
	// ReservationID is the capacity reservation that launches target, cr-….
	ReservationID string `json:"reservationId"`
	// State of the block in EC2's words, when it was read last: payment-pending, scheduled, active, ….
	State string `json:"state"`
	// ZoneName is the name of the zone that the block lies in; empty until EC2 shows the block.
	ZoneName string `json:"zoneName"`
	// ZoneID is the zone's id, which means the same zone in every account.
	ZoneID string `json:"zoneId"`
	// InstanceCount is the number of instances that were bought.
	InstanceCount int `json:"instanceCount"`
	// StartTime is the start of the block, RFC 3339.
	StartTime string `json:"startTime"`
	// EndTime is the end of the block, RFC 3339. EC2 begins to end instances 30 minutes before it.
	EndTime string `json:"endTime"`
	// FeePaid is the upfront fee with its currency, as it was confirmed and bought.
	FeePaid string `json:"feePaid"`
	// PaymentDeadline is when EC2 releases the block if its payment is still pending, RFC 3339; else empty.
	PaymentDeadline string `json:"paymentDeadline"`
}

// states in which the upfront payment is still to be made.
const paymentPending = "payment-pending"

// pending reports that a block's payment has not gone through, or that EC2 does not show the block yet.
func pending(state string) bool { return state == paymentPending || state == "" }

func stateOf(r capacity.Reservation, p capacity.Purchase) State {
	fee := r.Fee
	if !fee.Known() {
		fee = p.Offering.Fee
	}
	s := State{
		ReservationID: r.Reservation, State: r.State, ZoneName: r.Zone, ZoneID: r.ZoneID, InstanceCount: r.Count,
		StartTime: moment(r.Start), EndTime: moment(r.End), FeePaid: fee.String(),
	}
	if s.State == "" {
		s.State = paymentPending // bought a moment ago: nothing else can be said of it
	}
	if r.State == paymentPending && !r.Created.IsZero() {
		s.PaymentDeadline = moment(r.Created.Add(market.PaymentTime))
	}
	return s
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// forecast is what a preview can say of a block that is not bought: everything that was pinned.
func forecast(p capacity.Purchase) (property.Map, error) {
	props, err := value.Properties(State{InstanceCount: p.Offering.Count, StartTime: moment(p.Offering.Start)})
	if err != nil {
		return props, err
	}
	for _, name := range []string{"reservationId", "state", "zoneName", "zoneId", "endTime", "feePaid", "paymentDeadline"} {
		props = props.Set(name, property.New(property.Computed))
	}
	return props, nil
}

// text reads an output that Pulumi kept.
func text(outputs property.Map, name string) string {
	if v := outputs.Get(name); v.IsString() {
		return v.AsString()
	}
	return ""
}

func summary(r capacity.Reservation, p capacity.Purchase) string {
	return fmt.Sprintf("%s: %d × %s, %s to %s, for %s", r.Reservation, r.Count, r.InstanceType, moment(r.Start), moment(r.End), p.Offering.Fee)
}

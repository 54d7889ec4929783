package purchaser

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/components/provider/internal/value"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/market"
)

// Inputs of the resource. All of them are plain values: what is bought must be known before anything is done.
type Inputs struct {
	// Region of the offering.
	Region string `json:"region"`
	// Profile of the AWS configuration that buys; left out, what the environment says.
	Profile string `json:"profile,omitempty"`
	// Zone that the nodes are to be in, by name or id; an offering of another zone is refused. Left out, any.
	Zone string `json:"zone,omitempty"`
	// InstanceType of the block's instances.
	InstanceType string `json:"instanceType"`
	// Platform of the nodes' images; left out, Linux/UNIX.
	Platform string `json:"platform,omitempty"`
	// Offering that a person has looked at and confirmed, pinned with its price.
	Offering Offering `json:"offering"`
	// Purchase is what else is to be said about buying it.
	Purchase *Purchase `json:"purchase,omitempty"`
	// PaymentTimeout is how long an update waits for the upfront payment, for example 1h; left out, 30 minutes, and 0s waits
	// for nothing. A payment that takes longer is looked at again by the next update.
	PaymentTimeout string `json:"paymentTimeout,omitempty"`
	// Tags of the reservation, beside weft's own.
	Tags map[string]string `json:"tags,omitempty"`
}

// Offering is one pinned offering of the capacity market.
type Offering struct {
	// ID of the offering, cb-….
	ID string `json:"id"`
	// Count of instances that the offering holds.
	Count int `json:"count"`
	// DurationHours as offered; full hours, minutes are left off.
	DurationHours int `json:"durationHours"`
	// Start of the block, RFC 3339.
	Start string `json:"start"`
	// Fee is the upfront fee as offered, a decimal number without currency.
	Fee string `json:"fee"`
	// MaxFee is the most that may be paid: what the person confirmed.
	MaxFee string `json:"maxFee"`
	// Currency of both fees; left out, USD.
	Currency string `json:"currency,omitempty"`
	// ConfirmedUntil ends the confirmation, RFC 3339: nothing is bought from then on.
	ConfirmedUntil string `json:"confirmedUntil"`
}

// Purchase is what a person says about buying an offering, beside its price.
type Purchase struct {
	// Budget that the fee must not exceed, whatever price was confirmed, in the offering's currency.
	Budget string `json:"budget,omitempty"`
	// Resume is the name of an attempt without an outcome that was looked into and written off.
	Resume string `json:"resume,omitempty"`
	// Beside names reservations that look like what is to be bought, and that another block is wanted beside.
	Beside []string `json:"beside,omitempty"`
}

const (
	linux          = "Linux/UNIX"
	dollars        = "USD"
	paymentTimeout = 30 * time.Minute
)

// field is one input: where it goes, and what it must be.
type field struct {
	name string
	into any
	want string
}

func (in *Inputs) fields() []field {
	return []field{
		{"region", &in.Region, "a Region"},
		{"profile", &in.Profile, "a name"},
		{"zone", &in.Zone, "the name or the id of a zone"},
		{"instanceType", &in.InstanceType, "an instance type"},
		{"platform", &in.Platform, "a platform in EC2's words, such as " + linux},
		{"offering", &in.Offering, "an offering: id, count, durationHours, start, fee, maxFee, currency, confirmedUntil"},
		{"purchase", &in.Purchase, "budget, resume or beside"},
		{"paymentTimeout", &in.PaymentTimeout, "a duration such as 1h"},
		{"tags", &in.Tags, "texts by name"},
	}
}

// fault is a mistake in one input.
type fault struct{ property, reason string }

// decoded are inputs as far as they could be read.
type decoded struct {
	Inputs

	faults []fault
}

func (d *decoded) add(property, format string, args ...any) {
	d.faults = append(d.faults, fault{property, fmt.Sprintf(format, args...)})
}

// err is the first fault: Check has let none through, but a state may have been edited.
func (d *decoded) err() error {
	if len(d.faults) == 0 {
		return nil
	}
	return fmt.Errorf("input %s: %s", d.faults[0].property, d.faults[0].reason)
}

// decode reads inputs strictly. What could not be read, or has no value yet, is a fault, and is left empty.
func decode(props property.Map) *decoded {
	d := &decoded{}
	fields := d.fields()
	for name, v := range props.AllStable {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		switch {
		case i < 0:
			d.add(name, "there is no such input; there are %s", strings.Join(names(fields), ", "))
		case v.HasComputed():
			d.add(name, "it has no value before the update; write it as plain text: what is bought is decided before anything is done")
		default:
			if err := value.Read(v, fields[i].into); err != nil {
				d.add(name, "%v; want %s", err, fields[i].want)
			}
		}
	}
	if d.Platform == "" {
		d.Platform = linux
	}
	if d.Offering.Currency == "" {
		d.Offering.Currency = dollars
	}
	return d
}

func names(fields []field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.name)
	}
	return out
}

// purchase is what the inputs ask for, on behalf of a resource.
func (d *decoded) purchase(u resource.URN) (capacity.Purchase, error) {
	o := d.Offering
	pinned, err := capacity.Pin(config.Offering{
		ID: o.ID, Count: o.Count, DurationHours: o.DurationHours, Start: o.Start, Fee: o.Fee, MaxFee: o.MaxFee, Currency: o.Currency,
		ConfirmedUntil: o.ConfirmedUntil,
	})
	if err != nil {
		return capacity.Purchase{}, err
	}
	p := capacity.Purchase{
		Owner: owner(u), Region: d.Region, InstanceType: d.InstanceType, Platform: d.Platform, Offering: pinned, Tags: d.Tags, Path: "offering",
	}
	if d.Purchase == nil {
		return p, nil
	}
	p.Beside, p.Resume = d.Purchase.Beside, d.Purchase.Resume
	if d.Purchase.Budget != "" {
		if p.Budget, err = market.ParseMoney(d.Purchase.Budget, o.Currency); err != nil {
			return capacity.Purchase{}, fmt.Errorf("reading the budget: %w", err)
		}
	}
	return p, nil
}

// owner of what is bought for a resource: its project, stack and name. The types of its parents do not count, so that a
// block stays where it is when a program is taken apart anew.
func owner(u resource.URN) capacity.Owner {
	return capacity.Owner{Project: string(u.Project()), Stack: string(u.Stack()), Name: u.Name()}
}

var errTimeout = errors.New("want a duration of zero or more, such as 1h")

// wait is how long an update waits for the payment.
func (in *Inputs) wait() (time.Duration, error) {
	if in.PaymentTimeout == "" {
		return paymentTimeout, nil
	}
	d, err := time.ParseDuration(in.PaymentTimeout)
	if err != nil || d < 0 {
		return 0, errTimeout
	}
	return d, nil
}

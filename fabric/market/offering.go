// Package market compares what EC2's capacity block market offers: prices, real and usable hours, and what to take when
// nothing fits.
//
// It is pure: account/capacity asks EC2. Money is exact, times are UTC.
package market

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// Offering is one offering of a capacity block, as EC2 made it.
type Offering struct {
	ID     string `json:"id"`
	Region string `json:"region"`
	// Zone by its name in the account, and by the id that means the same zone in every account. ZoneID is empty where the
	// account does not show its zones.
	Zone   string `json:"zone"`
	ZoneID string `json:"zoneId,omitempty"`
	// ZoneClosed says that the account has not opted in to the zone: nothing starts there before it does.
	ZoneClosed bool `json:"zoneClosed,omitempty"`

	InstanceType string `json:"instanceType"`
	Count        int    `json:"count"` // instances

	AskedHours int       `json:"askedHours"` // the duration that it answers, which is not the real one
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	Fee        Money     `json:"fee"` // paid upfront, for everything; unknown where EC2 told none
}

// Real is how long the block lasts and is paid for.
func (o Offering) Real() time.Duration { return o.End.Sub(o.Start) }

// UsableEnd is when EC2 begins to end the instances.
func (o Offering) UsableEnd() time.Time { return o.End.Add(-Lead(o.InstanceType)) }

// Usable is how long instances can run.
func (o Offering) Usable() time.Duration { return max(0, o.Real()-Lead(o.InstanceType)) }

// Tail is the time at the end that is paid for, and in which nothing runs.
func (o Offering) Tail() time.Duration { return o.Real() - o.Usable() }

// GPUs is the number of accelerators of one instance; 0 for a type that the catalogue does not know.
func (o Offering) GPUs() int {
	t, _ := catalog.Instance(o.InstanceType)
	return t.Accelerator.Count
}

// PerInstanceHour is the fee by paid instance-hours.
func (o Offering) PerInstanceHour() Money { return o.Fee.Per(units(o.Real(), o.Count)) }

// PerGPUHour is the fee by paid hours of one accelerator.
func (o Offering) PerGPUHour() Money { return o.Fee.Per(units(o.Real(), o.Count*o.GPUs())) }

// PerUsableGPUHour is the fee by the hours in which an accelerator can be used: what offerings are ordered by.
func (o Offering) PerUsableGPUHour() Money { return o.Fee.Per(units(o.Usable(), o.Count*o.GPUs())) }

// place is the zone in the words that compare between accounts, as far as they are known.
func (o Offering) place() string { return cmp.Or(o.ZoneID, o.Region+"/"+o.Zone) }

// units is a number of things times a duration in hours, exactly.
func units(d time.Duration, count int) *big.Rat {
	hours := big.NewRat(int64(d), int64(time.Hour))
	return hours.Mul(hours, big.NewRat(int64(count), 1))
}

// Better orders offerings, best first:
//
//  1. zones in which the account can start instances, before those that it has not opted in to;
//  2. the lower price by usable GPU-hour (amounts of different currencies have no order: then by the currency's code, and
//     an offering without a price comes last);
//  3. the earlier start;
//  4. the longer usable time;
//  5. zone and id, so that the order is total.
func Better(a, b Offering) int {
	return better(keyed{a, a.PerUsableGPUHour()}, keyed{b, b.PerUsableGPUHour()})
}

// Sort orders offerings by Better, and works each price out once.
func Sort(offerings []Offering) {
	keys := make([]keyed, len(offerings))
	for i, o := range offerings {
		keys[i] = keyed{o, o.PerUsableGPUHour()}
	}
	slices.SortFunc(keys, better)
	for i, k := range keys {
		offerings[i] = k.Offering
	}
}

type keyed struct {
	Offering
	price Money
}

func better(a, b keyed) int {
	return cmp.Or(
		cmp.Compare(closed(a.Offering), closed(b.Offering)),
		cheaper(a.price, b.price),
		a.Start.Compare(b.Start),
		cmp.Compare(b.Usable(), a.Usable()),
		cmp.Compare(a.place(), b.place()),
		cmp.Compare(a.ID, b.ID),
	)
}

// Order says in one sentence what Better does.
const Order = "ordered by open zones first, then price per usable GPU-hour, then earlier start, then longer usable time"

func cheaper(a, b Money) int {
	if c, ok := a.Cmp(b); ok {
		return c
	}
	if a.Known() != b.Known() {
		if a.Known() {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.Currency(), b.Currency())
}

func closed(o Offering) int {
	if o.ZoneClosed {
		return 1
	}
	return 0
}

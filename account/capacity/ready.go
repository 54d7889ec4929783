package capacity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
)

// ready judges a purchase as the last thing before money moves: what was confirmed, and what EC2 offers now.
func (b Buyer) ready(ctx context.Context, p Purchase) (diag.List, error) {
	out := p.confirmed(b.Clock.Now())
	if out.Failed() {
		return out, nil
	}
	offered, ok, err := reread(ctx, b.EC2, p)
	if err != nil {
		return nil, err
	}
	if !ok {
		out.Add(diag.Finding{
			Rule: diag.BlockOffering, Place: p.place("id"),
			Got:  fmt.Sprintf("EC2 offers no %s any more: %d × %s from %s in %s", p.Offering.ID, p.Offering.Count, p.InstanceType, minute(p.Offering.Start), p.Region),
			Want: "an offering that is for sale", Hint: "it was sold, or has run out; nothing was bought: look for another one, weft capacity find", Source: sourcePurchase,
		})
		return out, nil
	}
	out.Add(p.same(offered)...)
	out.Add(p.price(offered.Fee)...)
	return out, nil
}

const sourcePurchase = "EC2 User Guide, capacity-blocks-purchase"

// confirmed judges the confirmation alone.
func (p Purchase) confirmed(now time.Time) diag.List {
	var out diag.List
	o := p.Offering
	if !now.Before(o.Until) {
		out.Add(diag.Finding{
			Rule: diag.BlockOffering, Place: p.place("confirmedUntil"), Got: fmt.Sprintf("a confirmation that ended at %s, %s ago", minute(o.Until), market.Span(now.Sub(o.Until))),
			Want: "a confirmation that still holds", Hint: "look at the offering again, and have somebody confirm its price: weft capacity find --pin", Source: "config",
		})
	}
	if c, ok := o.Fee.Cmp(o.MaxFee); !ok || c > 0 {
		out.Add(p.dear("fee", o.Fee, o.MaxFee, "the confirmed price", "have somebody confirm this price, and raise maxFee"))
	}
	if o.Count < 1 || o.Count > market.MostPerBlock {
		out.Add(diag.Finding{
			Rule: diag.BlockSize, Place: p.place("count"), Got: fmt.Sprintf("%d instances", o.Count), Want: fmt.Sprintf("1 to %d, the size of a block", market.MostPerBlock),
			Hint: "copy the count of the offering", Source: sourceBlocks,
		})
	}
	if len(market.AskedFor(time.Duration(o.Hours)*time.Hour)) == 0 {
		out.Add(diag.Finding{
			Rule: diag.BlockDuration, Place: p.place("durationHours"), Got: fmt.Sprintf("%d hours", o.Hours), Want: "1 to 14 days, or a multiple of 7 days up to 182, give or take part of a day",
			Hint: "copy the duration of the offering", Source: sourcePurchase,
		})
	}
	return out
}

// reread finds the pinned offering in the market. What it was asked for with is one of the durations next to its real one.
func reread(ctx context.Context, api offeringsAPI, p Purchase) (market.Offering, bool, error) {
	o := p.Offering
	for _, hours := range market.AskedFor(time.Duration(o.Hours) * time.Hour) {
		found, err := describeOfferings(ctx, api, query{
			region: p.Region, kind: p.InstanceType, count: o.Count, hours: hours, from: o.Start.Add(-time.Hour), until: o.end().Add(time.Hour),
		})
		if err != nil {
			return market.Offering{}, false, err
		}
		if i := slices.IndexFunc(found, func(f market.Offering) bool { return f.ID == o.ID }); i >= 0 {
			return found[i], true, nil
		}
	}
	return market.Offering{}, false, nil
}

// same compares what is offered under the id with what was pinned.
func (p Purchase) same(offered market.Offering) diag.List {
	var out diag.List
	for _, c := range []struct{ key, got, want string }{
		{"id", offered.InstanceType, p.InstanceType},
		{"count", fmt.Sprintf("%d instances", offered.Count), fmt.Sprintf("%d instances", p.Offering.Count)},
		{"start", "a start at " + minute(offered.Start), "a start at " + minute(p.Offering.Start)},
		{"durationHours", "an end at " + minute(offered.End), "an end at " + minute(p.Offering.end())},
	} {
		if c.got != c.want {
			out.Add(diag.Finding{
				Rule: diag.BlockOffering, Place: p.place(c.key), Got: fmt.Sprintf("EC2 offers %s under %s", c.got, p.Offering.ID), Want: c.want + ", as it was pinned",
				Hint: "look at the offering again, and pin it anew: weft capacity find --pin", Source: sourcePurchase,
			})
		}
	}
	return out
}

// price holds what EC2 asks now against the confirmed price and the budget.
func (p Purchase) price(now market.Money) diag.List {
	var out diag.List
	o := p.Offering
	if !now.Known() {
		out.Add(diag.Finding{
			Rule: diag.BlockPrice, Place: p.place("fee"), Got: "EC2 tells no price of " + o.ID, Want: "at most " + o.MaxFee.String() + ", the confirmed price",
			Hint: "look at the offering again: weft capacity find", Source: sourcePurchase,
		})
		return out
	}
	if c, ok := now.Cmp(o.MaxFee); !ok || c > 0 {
		out.Add(p.dear("maxFee", now, o.MaxFee, "the confirmed price; it was "+o.Fee.String()+" when it was pinned", "take another offering, or have somebody confirm this price, and pin it anew"))
	} else if c, ok := now.Cmp(o.Fee); !ok || c != 0 {
		out.Add(diag.Finding{
			Rule: diag.BlockPrice, Level: diag.Note, Place: p.place("fee"), Got: "the price moved to " + now.String(), Want: o.Fee.String() + ", as it was pinned",
			Hint: "it is within the confirmed " + o.MaxFee.String(), Source: sourcePurchase,
		})
	}
	if !p.Budget.Known() {
		return out
	}
	if c, ok := now.Cmp(p.Budget); !ok || c > 0 {
		out.Add(p.dear("fee", now, p.Budget, "the budget", "take a cheaper offering, or raise the budget"))
	}
	return out
}

func (p Purchase) dear(key string, fee, most market.Money, what, hint string) diag.Finding {
	return diag.Finding{
		Rule: diag.BlockPrice, Place: p.place(key), Got: "a fee of " + fee.String(), Want: "at most " + most.String() + ", " + what,
		Hint: hint + "; nothing was bought", Source: sourcePurchase,
	}
}

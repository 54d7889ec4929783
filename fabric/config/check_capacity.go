package config

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
)

var (
	reservationID = regexp.MustCompile(`^cr-([0-9a-f]{8}|[0-9a-f]{17})$`)
	// EC2's API gives no form for offering ids. Seen are cb- and cbo- with letters and digits.
	offeringID   = regexp.MustCompile(`^cbo?-[0-9a-z]{8,32}$`)
	currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)
)

func (v *view) capacityIDs() {
	each("groups", v.cluster.Groups, func(path string, g *Group) {
		v.reservation(path+".capacity.reservation", g.Capacity.Reservation)
	})
	v.blocks(func(path string, b *Block) {
		v.reservation(path+".reservation", b.Reservation)
		if b.Offering != nil {
			v.offering(path+".offering.id", b.Offering.ID)
		}
	})
}

func (v *view) reservation(path, id string) {
	if id == "" || !v.sound(path) || reservationID.MatchString(id) {
		return
	}
	hint := "copy the whole id from EC2's list of capacity reservations"
	switch _, tail, arn := strings.Cut(id, ":capacity-reservation/"); {
	case arn:
		hint = "give the id alone: " + tail
	case strings.HasPrefix(id, "cbo-"):
		hint = "that is an offering: buy it with capacity: block: offering:, as describe-capacity-block-offerings shows it"
	case strings.HasPrefix(id, "cb-"):
		hint = "that is a block or an offering. Of a bought block give the reservation, which describe-capacity-reservations lists; an offering goes under block: offering: id:"
	}
	v.report(diag.BlockIDForm, path, quote(id), "the id of a capacity reservation: cr- and 8 or 17 hex digits", hint)
}

func (v *view) offering(path, id string) {
	if id == "" || !v.sound(path) || offeringID.MatchString(id) {
		return
	}
	hint := "copy the id that describe-capacity-block-offerings shows"
	if strings.HasPrefix(id, "cr-") {
		hint = "that is a reservation, so the block is bought: write block: {reservation: " + id + "} instead of offering"
	}
	v.report(diag.BlockIDForm, path, quote(id), "the id of an offering: cb-… or cbo-…", hint)
}

// offerings hands out the pinned offerings of all groups.
func (v *view) offerings(use func(path string, o *Offering)) {
	v.blocks(func(path string, b *Block) {
		if b.Offering != nil && v.sound(path+".offering") {
			use(path+".offering", b.Offering)
		}
	})
}

// offeringPrice compares exact decimals: a float could let a fee pass that is above the price by a cent.
func (v *view) offeringPrice() {
	v.offerings(func(path string, o *Offering) {
		fee, ok := amount(o.Fee)
		most, okay := amount(o.MaxFee)
		if !ok || !okay || !v.sound(path+".fee", path+".maxFee") || fee.Cmp(most) <= 0 {
			return
		}
		v.report(diag.BlockPrice, path+".fee", "a fee of "+o.Fee+" "+o.Currency, "at most "+o.MaxFee+" "+o.Currency+", the confirmed price",
			"take a cheaper offering, or have somebody confirm this price and raise maxFee")
	})
}

const blockDurations = "EC2 User Guide, Capacity Blocks: 1 to 14 days by the day, then multiples of 7 days up to 182; blocks end at 11:30 UTC"

// offeringDuration: the market sells 24 to 336 hours by 24, then 504 to 4368 by 168. A block ends at 11:30 UTC
// whenever it starts, so that what is offered differs from what was asked for by less than a day (the API
// reports hours and, apart, minutes). A duration is therefore accepted within a day of one that is sold, and
// its end must be 11:30 once the minutes, which the config does not hold, are added.
func (v *view) offeringDuration() {
	v.offerings(func(path string, o *Offering) {
		at := path + ".durationHours"
		if !v.sound(at) {
			return
		}
		if len(market.AskedFor(time.Duration(o.DurationHours)*time.Hour)) == 0 {
			v.reportFrom(blockDurations, diag.BlockDuration, at, fmt.Sprintf("%d hours, %.1f days", o.DurationHours, float64(o.DurationHours)/24),
				"1 to 14 days, or a multiple of 7 days up to 182, give or take part of a day", "copy the duration that describe-capacity-block-offerings shows")
			return
		}
		v.offeringEnd(path, o)
	})
}

func (v *view) offeringEnd(path string, o *Offering) {
	start, err := time.Parse(time.RFC3339, o.Start)
	if err != nil || !v.sound(path+".start") {
		return
	}
	end := start.UTC().Add(time.Duration(o.DurationHours) * time.Hour)
	closing := time.Date(end.Year(), end.Month(), end.Day(), market.EndHour, market.EndMinute, 0, 0, time.UTC)
	if short := closing.Sub(end); short >= 0 && short < time.Hour {
		return
	}
	v.reportFrom(blockDurations, diag.BlockDuration, path+".start", fmt.Sprintf("%s and %d hours, which end at %s UTC", o.Start, o.DurationHours, end.Format("15:04")),
		"an end at 11:30 UTC, within the hour after the given hours", "copy start and duration of one offering of describe-capacity-block-offerings")
}

func (v *view) offeringCurrency() {
	v.offerings(func(path string, o *Offering) {
		if at := path + ".currency"; v.sound(at) && !currencyCode.MatchString(o.Currency) {
			v.report(diag.ConfigValue, at, quote(o.Currency), "a currency code of three capital letters", "write USD, unless the offering says otherwise")
		}
	})
}

func (v *view) purchaseOffering() {
	v.blocks(func(path string, b *Block) {
		if b.Purchase != nil && b.Offering == nil && v.sound(path+".offering") {
			v.report(diag.ConfigConflict, path+".purchase", "a purchase without an offering", "purchase beside a pinned offering",
				"remove purchase: a block that was bought is not bought again")
		}
	})
}

func (v *view) purchaseBudget() {
	v.blocks(func(path string, b *Block) {
		if b.Purchase == nil || b.Offering == nil || !v.sound(path+".offering.fee", path+".purchase.budget") {
			return
		}
		fee, ok := amount(b.Offering.Fee)
		budget, okay := amount(b.Purchase.Budget)
		if ok && okay && fee.Cmp(budget) > 0 {
			v.report(diag.BlockPrice, path+".offering.fee", "a fee of "+b.Offering.Fee+" "+b.Offering.Currency, "at most "+b.Purchase.Budget+" "+b.Offering.Currency+", the budget",
				"take a cheaper offering, or raise purchase.budget")
		}
	})
}

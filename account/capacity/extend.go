package capacity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
)

const sourceExtend = "EC2 User Guide, capacity-blocks-extend"

// When an extension can be asked for, and until when its payment has to go through (capacity-blocks-extend).
const (
	earliestExtension = 56 * 24 * time.Hour
	extensionPayment  = 35 * time.Minute // before the end of the block as it is
	longestBlock      = 182 * 24 * time.Hour
)

// ExtensionOffer is an offering to extend a block.
type ExtensionOffer struct {
	ID           string       `json:"id"`
	Reservation  string       `json:"reservation"`
	InstanceType string       `json:"instanceType"`
	Count        int          `json:"count"`
	Zone         string       `json:"zone"`
	Hours        int          `json:"hours"` // as asked
	From         time.Time    `json:"from"`  // the end of the block as it is
	To           time.Time    `json:"to"`    // the new end
	Fee          market.Money `json:"fee"`
}

// PerInstanceHour is the fee by instance-hours that are added.
func (o ExtensionOffer) PerInstanceHour() market.Money { return o.added().PerInstanceHour() }

// PerGPUHour is the fee by GPU-hours that are added.
func (o ExtensionOffer) PerGPUHour() market.Money { return o.added().PerGPUHour() }

func (o ExtensionOffer) added() market.Offering {
	return market.Offering{InstanceType: o.InstanceType, Count: o.Count, Start: o.From, End: o.To, Fee: o.Fee}
}

// Extension is one extension of a block that somebody has confirmed.
type Extension struct {
	Region, Reservation string
	Offering            string
	Hours               int       // as asked: one of market.SoldHours
	To                  time.Time // the new end; zero where it is not known any more, since the offering was bought
	// Fee as it was offered; MaxFee is the most that may be paid.
	Fee, MaxFee market.Money
	Until       time.Time // the confirmation's end
	Resume      string    // as in Purchase
	Path        string    // for findings
}

// Extended is how a block stands after an extension.
type Extended struct {
	Offering string    `json:"offering"`
	Status   string    `json:"status"` // payment-pending or payment-succeeded, in EC2's words; empty where nothing was bought
	End      time.Time `json:"end"`
	// Bought says that this run moved the money.
	Bought   bool      `json:"bought"`
	Findings diag.List `json:"-"`
}

// Extender extends blocks.
type Extender struct {
	EC2     ExtendAPI
	Journal Journal
	Clock   Clock
	Nonce   func() string
	Timing  Timing
}

// NewExtender makes an extender that lives in the real world.
func NewExtender(api ExtendAPI, journal Journal) Extender {
	return Extender{EC2: api, Journal: journal, Clock: SystemClock{}, Nonce: Nonce}
}

// Offers asks for offerings to extend a block by a number of hours. Findings say why the block can't be extended; then EC2 is
// not asked.
func (e Extender) Offers(ctx context.Context, region, reservation string, hours int) ([]ExtensionOffer, diag.List, error) {
	block, found, err := e.block(ctx, region, reservation)
	if err != nil {
		return nil, nil, err
	}
	place := diag.Place{Resource: reservation}
	if !found {
		return nil, diag.List{missing(place, reservation, region)}, nil
	}
	if findings := extendable(place, block, hours, e.Clock.Now()); findings.Failed() {
		return nil, findings, nil
	}
	offers, err := extensionOffers(ctx, e.EC2, reservation, hours)
	return offers, nil, err
}

func (e Extender) block(ctx context.Context, region, id string) (Reservation, bool, error) {
	all, err := reservations(ctx, e.EC2, region)
	i := slices.IndexFunc(all, func(r Reservation) bool { return r.Reservation == id })
	if err != nil || i < 0 {
		return Reservation{}, false, err
	}
	return all[i], true, nil
}

func missing(place diag.Place, id, region string) diag.Finding {
	return diag.Finding{
		Rule: diag.AccountMissing, Place: place, Got: fmt.Sprintf("no capacity block %s in %s", id, region), Want: "a capacity block of this account",
		Hint: "weft capacity show lists them; an on-demand reservation needs no extension", Source: sourceBlocks,
	}
}

// extendable judges whether a block can be extended at all.
func extendable(place diag.Place, b Reservation, hours int, now time.Time) diag.List {
	var out diag.List
	add := func(rule diag.ID, got, want, hint string) {
		out.Add(diag.Finding{Rule: rule, Place: place, Got: got, Want: want, Hint: hint, Source: sourceExtend})
	}
	if b.State != "active" && b.State != "scheduled" {
		add(diag.BlockState, b.Life(now).Says, "an active or scheduled block", b.Life(now).Next)
		return out
	}
	if !slices.Contains(market.SoldHours(), hours) {
		add(diag.BlockDuration, fmt.Sprintf("%d hours", hours), "1 to 14 days, or a multiple of 7 days", "ask for a length that is sold")
	}
	if total := b.End.Add(time.Duration(hours) * time.Hour).Sub(b.Start); total > longestBlock+24*time.Hour {
		add(diag.BlockDuration, fmt.Sprintf("%s in all, with this extension", market.Span(total)), "182 days in all at most", "buy another block for what comes after")
	}
	switch left := b.End.Sub(now); {
	case left < market.ExtensionLead:
		add(diag.BlockState, fmt.Sprintf("%s ends at %s, in %s", b.what(), minute(b.End), market.Span(left)), "an hour at least before the end", "it is too late: buy the next block")
	case left > earliestExtension:
		add(diag.BlockState, fmt.Sprintf("%s ends at %s, in %s", b.what(), minute(b.End), market.Span(left)), "56 days at most before the end",
			"come back at "+minute(b.End.Add(-earliestExtension)))
	}
	return out
}

func extensionOffers(ctx context.Context, api ExtendAPI, reservation string, hours int) ([]ExtensionOffer, error) {
	var out []ExtensionOffer
	p := ec2.NewDescribeCapacityBlockExtensionOfferingsPaginator(api, &ec2.DescribeCapacityBlockExtensionOfferingsInput{
		CapacityReservationId: aws.String(reservation), CapacityBlockExtensionDurationHours: aws.Int32(int32(hours)), //nolint:gosec // at most 4368
	})
	for p.HasMorePages() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("describing extension offerings of %s for %d hours: %w", reservation, hours, err)
		}
		for i := range page.CapacityBlockExtensionOfferings {
			out = append(out, extensionOffer(&page.CapacityBlockExtensionOfferings[i], reservation))
		}
	}
	return out, nil
}

func extensionOffer(o *types.CapacityBlockExtensionOffering, reservation string) ExtensionOffer {
	fee, err := market.ParseMoney(aws.ToString(o.UpfrontFee), aws.ToString(o.CurrencyCode))
	if err != nil {
		fee = market.Money{}
	}
	return ExtensionOffer{
		ID: aws.ToString(o.CapacityBlockExtensionOfferingId), Reservation: reservation, InstanceType: aws.ToString(o.InstanceType),
		Count: int(aws.ToInt32(o.InstanceCount)), Zone: aws.ToString(o.AvailabilityZone), Hours: int(aws.ToInt32(o.CapacityBlockExtensionDurationHours)),
		From: moment(o.CapacityBlockExtensionStartDate), To: moment(o.CapacityBlockExtensionEndDate), Fee: fee,
	}
}

// Record is an extension that was bought, as EC2's history has it.
type Record struct {
	Offering    string       `json:"offering"`
	Reservation string       `json:"reservation"`
	Status      string       `json:"status"`
	Bought      time.Time    `json:"bought"`
	From        time.Time    `json:"from"`
	To          time.Time    `json:"to"`
	Fee         market.Money `json:"fee"`
}

type historyAPI interface {
	DescribeCapacityBlockExtensionHistory(context.Context, *ec2.DescribeCapacityBlockExtensionHistoryInput, ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockExtensionHistoryOutput, error)
}

// history lists the extensions of a block, or with an empty id of all blocks of the Region.
func history(ctx context.Context, api historyAPI, id string) ([]Record, error) {
	in := &ec2.DescribeCapacityBlockExtensionHistoryInput{}
	if id != "" {
		in.CapacityReservationIds = []string{id}
	}
	var out []Record
	p := ec2.NewDescribeCapacityBlockExtensionHistoryPaginator(api, in)
	for p.HasMorePages() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("describing the extensions of capacity blocks: %w", err)
		}
		for i := range page.CapacityBlockExtensions {
			out = append(out, record(&page.CapacityBlockExtensions[i]))
		}
	}
	return out, nil
}

func record(x *types.CapacityBlockExtension) Record {
	fee, err := market.ParseMoney(aws.ToString(x.UpfrontFee), aws.ToString(x.CurrencyCode))
	if err != nil {
		fee = market.Money{}
	}
	return Record{
		Offering: aws.ToString(x.CapacityBlockExtensionOfferingId), Reservation: aws.ToString(x.CapacityReservationId), Status: string(x.CapacityBlockExtensionStatus),
		Bought: moment(x.CapacityBlockExtensionPurchaseDate), From: moment(x.CapacityBlockExtensionStartDate), To: moment(x.CapacityBlockExtensionEndDate), Fee: fee,
	}
}

// Extend extends a block once, with the guard of a purchase: the history of extensions takes the place of tags.
func (e Extender) Extend(ctx context.Context, x Extension) (Extended, error) {
	if slices.Contains([]string{x.Region, x.Reservation, x.Offering}, "") {
		return Extended{}, errors.New("an extension needs a Region, a reservation and an offering")
	}
	g := &guard{
		journal: e.Journal, clock: e.Clock, nonce: e.Nonce, timing: e.Timing.orDefault(),
		key: "extensions/" + x.Region + "/" + x.Reservation, want: Entry{Offering: x.Offering, Fee: x.Fee, End: x.To},
		until: x.Until, resume: x.Resume, place: x.place(), action: actExtend,
		look:  func(ctx context.Context) (sight, error) { return e.look(ctx, x) },
		ready: func(ctx context.Context) (diag.List, error) { return e.ready(ctx, x) },
		call:  func(ctx context.Context) (string, error) { return extend(ctx, e.EC2, x.Reservation, x.Offering) },
	}
	out, err := g.run(ctx)
	if err != nil {
		return Extended{}, fmt.Errorf("extending %s by %s: %w", x.Reservation, x.Offering, err)
	}
	if out.result == "" {
		return Extended{Findings: out.refuse}, nil
	}
	return e.extended(ctx, x, out)
}

func (x Extension) place() diag.Place { return diag.Place{Path: x.Path, Resource: x.Reservation} }

func (e Extender) extended(ctx context.Context, x Extension, out outcome) (Extended, error) {
	done := Extended{Offering: x.Offering, Status: string(types.CapacityBlockExtensionStatusPaymentPending), End: x.To, Bought: out.now}
	records, err := history(ctx, e.EC2, x.Reservation)
	if i := slices.IndexFunc(records, func(r Record) bool { return r.Offering == x.Offering }); err == nil && i >= 0 {
		done.Status, done.End = records[i].Status, records[i].To
	}
	if done.Status == string(types.CapacityBlockExtensionStatusPaymentPending) {
		deadline := e.Clock.Now().Add(market.PaymentTime)
		if block, found, err := e.block(ctx, x.Region, x.Reservation); err == nil && found && block.End.Add(-extensionPayment).Before(deadline) {
			deadline = block.End.Add(-extensionPayment)
		}
		done.Findings.Add(diag.Finding{
			Rule: diag.BlockState, Level: diag.Warn, Place: x.place(), Got: "the extension waits for its payment", Want: "the payment by " + minute(deadline),
			Hint: "unpaid by then, the old end stands: look again with weft capacity show", Source: sourceExtend,
		})
	}
	return done, nil
}

func (e Extender) look(ctx context.Context, x Extension) (sight, error) {
	records, err := history(ctx, e.EC2, x.Reservation)
	if err != nil {
		return sight{}, err
	}
	block, found, err := e.block(ctx, x.Region, x.Reservation)
	if err != nil {
		return sight{}, err
	}
	s := x.sort(records)
	switch {
	case !found:
		s.refused.Add(missing(x.place(), x.Reservation, x.Region))
	case s.result == "" && !x.To.IsZero() && !block.End.Before(x.To): // the history may lag behind the block itself
		s.result, s.refused = x.Offering, nil
		s.own[x.Offering] = x.Offering
	}
	return s, nil
}

// sort says what extensions that were bought have to do with the one that is wanted.
func (x Extension) sort(records []Record) sight {
	s := sight{own: map[string]string{}}
	for _, r := range records {
		s.own[r.Offering] = r.Offering
		failed := r.Status == string(types.CapacityBlockExtensionStatusPaymentFailed)
		switch {
		case r.Offering == x.Offering && !failed:
			s.result = r.Offering
		case r.Offering == x.Offering:
			s.refused.Add(x.finding(fmt.Sprintf("extension %s, whose payment failed", r.Offering), "an extension that is still to be bought",
				"mend the account's payment method, then look for another offering: weft capacity extend"))
		case failed:
			s.ended = append(s.ended, r.Offering)
		case r.Status == string(types.CapacityBlockExtensionStatusPaymentPending):
			s.refused.Add(x.finding(fmt.Sprintf("extension %s to %s, whose payment is under way", r.Offering, minute(r.To)), "no other extension under way",
				"wait until it is paid, and look for offerings anew: they begin at the new end"))
		default: // an earlier extension: over, as far as the next one is concerned
			s.ended = append(s.ended, r.Offering)
		}
	}
	if s.result != "" {
		s.refused = nil
	}
	return s
}

func (x Extension) finding(got, want, hint string) diag.Finding {
	return diag.Finding{Rule: diag.BlockPurchase, Place: x.place(), Got: got, Want: want, Hint: hint, Source: sourceExtend}
}

func (e Extender) ready(ctx context.Context, x Extension) (diag.List, error) {
	now := e.Clock.Now()
	block, found, err := e.block(ctx, x.Region, x.Reservation)
	if err != nil {
		return nil, err
	}
	if !found {
		return diag.List{missing(x.place(), x.Reservation, x.Region)}, nil
	}
	out := extendable(x.place(), block, x.Hours, now)
	if !now.Before(x.Until) {
		out.Add(diag.Finding{
			Rule: diag.BlockOffering, Place: x.place(), Got: "a confirmation that ended at " + minute(x.Until), Want: "a confirmation that still holds",
			Hint: "look at the offering again: weft capacity extend", Source: "config",
		})
	}
	if out.Failed() {
		return out, nil
	}
	offers, err := extensionOffers(ctx, e.EC2, x.Reservation, x.Hours)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(offers, func(o ExtensionOffer) bool { return o.ID == x.Offering })
	if i < 0 {
		out.Add(diag.Finding{
			Rule: diag.BlockOffering, Place: x.place(), Got: fmt.Sprintf("EC2 offers no extension %s of %s any more", x.Offering, x.Reservation),
			Want: "an offering that is for sale", Hint: "nothing was bought; look for offerings again: weft capacity extend", Source: sourceExtend,
		})
		return out, nil
	}
	out.Add(x.same(offers[i])...)
	return out, nil
}

// same holds what is offered now against what was confirmed.
func (x Extension) same(o ExtensionOffer) diag.List {
	var out diag.List
	if !o.To.Equal(x.To) {
		out.Add(diag.Finding{
			Rule: diag.BlockOffering, Place: x.place(), Got: "EC2 offers an end at " + minute(o.To) + " under " + o.ID, Want: "an end at " + minute(x.To) + ", as it was confirmed",
			Hint: "look at the offering again: weft capacity extend", Source: sourceExtend,
		})
	}
	if c, ok := o.Fee.Cmp(x.MaxFee); !ok || c > 0 {
		out.Add(diag.Finding{
			Rule: diag.BlockPrice, Place: x.place(), Got: "a fee of " + o.Fee.String(), Want: "at most " + x.MaxFee.String() + ", the confirmed price",
			Hint: "nothing was bought; confirm this price, or take another length", Source: sourceExtend,
		})
	}
	return out
}

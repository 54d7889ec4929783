package capacity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
)

// Pinned is an offering that a person has looked at and confirmed.
type Pinned struct {
	ID    string
	Count int
	Start time.Time
	// Hours are the full hours of the real duration.
	Hours int
	// Fee as it was offered; MaxFee is the most that may be paid. Both are of one currency.
	Fee, MaxFee market.Money
	// Until ends the confirmation: nothing is bought from then on.
	Until time.Time
}

// Pin reads an offering of the config, whose form the config's own checks have judged.
func Pin(o config.Offering) (Pinned, error) {
	fee, err := market.ParseMoney(o.Fee, o.Currency)
	if err != nil {
		return Pinned{}, fmt.Errorf("reading the fee of %s: %w", o.ID, err)
	}
	most, err := market.ParseMoney(o.MaxFee, o.Currency)
	if err != nil {
		return Pinned{}, fmt.Errorf("reading the highest fee of %s: %w", o.ID, err)
	}
	start, err := time.Parse(time.RFC3339, o.Start)
	if err != nil {
		return Pinned{}, fmt.Errorf("reading the start of %s: %w", o.ID, err)
	}
	until, err := time.Parse(time.RFC3339, o.ConfirmedUntil)
	if err != nil {
		return Pinned{}, fmt.Errorf("reading the end of the confirmation of %s: %w", o.ID, err)
	}
	return Pinned{ID: o.ID, Count: o.Count, Start: start.UTC(), Hours: o.DurationHours, Fee: fee, MaxFee: most, Until: until.UTC()}, nil
}

// end is when the block ends: at 11:30 UTC, within the hour after its full hours.
func (p Pinned) end() time.Time {
	least := p.Start.Add(time.Duration(p.Hours) * time.Hour)
	end := time.Date(least.Year(), least.Month(), least.Day(), market.EndHour, market.EndMinute, 0, 0, time.UTC)
	if end.Before(least) {
		return end.AddDate(0, 0, 1)
	}
	return end
}

// Purchase is one block that a stack wants.
type Purchase struct {
	// Owner is the resource. Its name stays the same for one block: a new block under the same name is bought only when
	// the earlier one is over.
	Owner Owner
	// Region of the offering, and InstanceType of its instances, as the group that uses it says.
	Region, InstanceType string
	// Platform that the block is bought for, as the images of its nodes have it: Linux/UNIX.
	Platform string
	Offering Pinned
	// Budget that the fee must not exceed, beside the confirmed price. Unknown: none.
	Budget market.Money
	// Tags for the reservation, beside weft's own.
	Tags map[string]string
	// Beside names reservations that look like what is to be bought (size, type and window) and that a person wants another
	// block beside.
	Beside []string
	// Resume is the nonce of an attempt without an outcome that a person has looked into and written off.
	Resume string
	// Path of the offering in the config, for findings: groups[0].capacity.block.offering.
	Path string
}

// valid refuses what no config can cause.
func (p Purchase) valid() error {
	if slices.Contains([]string{p.Owner.Project, p.Owner.Stack, p.Owner.Name, p.Region, p.InstanceType, p.Platform, p.Offering.ID}, "") {
		return errors.New("a purchase needs project, stack, name, Region, instance type, platform and offering")
	}
	return nil
}

func (p Purchase) place(key string) diag.Place {
	path := p.Path
	if key != "" && path != "" {
		path += "." + key
	}
	return diag.Place{Path: path, Resource: p.Offering.ID}
}

// Result of a purchase.
type Result struct {
	// Reservation that the owner has. Its id is empty where nothing was bought.
	Reservation Reservation
	// Bought says that this run moved the money; else the block was there already.
	Bought bool
	// Findings say why there is none, at error level, or what is to be known of the one that there is.
	Findings diag.List
}

// Buyer buys blocks. All fields but Timing are needed; NewBuyer fills them.
type Buyer struct {
	EC2     BuyAPI
	Journal Journal
	Clock   Clock
	// Nonce names an attempt; names are never repeated.
	Nonce  func() string
	Timing Timing
}

// NewBuyer makes a buyer that lives in the real world.
func NewBuyer(api BuyAPI, journal Journal) Buyer {
	return Buyer{EC2: api, Journal: journal, Clock: SystemClock{}, Nonce: Nonce}
}

// Buy gives the owner its block: the one that was bought for it, or a new one, bought once.
//
// It may be run any number of times, at once and after being killed anywhere. See guard for why it does not buy twice; the
// conditions are that all runs of an owner share one journal, and that EC2 shows a purchase within Timing.Lag where a person
// writes off an attempt. An error that is ErrUnsettled leaves an attempt open: run again.
func (b Buyer) Buy(ctx context.Context, p Purchase) (Result, error) {
	if err := p.valid(); err != nil {
		return Result{}, err
	}
	g := b.guard(p)
	out, err := g.run(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("buying %s for %s: %w", p.Offering.ID, p.Owner, err)
	}
	if out.result == "" {
		return Result{Findings: out.refuse}, nil
	}
	return b.read(ctx, p, out), nil
}

func (b Buyer) guard(p Purchase) *guard {
	return &guard{
		journal: b.Journal, clock: b.Clock, nonce: b.Nonce, timing: b.Timing.orDefault(),
		key: p.Owner.String(), want: Entry{Offering: p.Offering.ID, Fee: p.Offering.Fee, End: p.Offering.end()},
		until: p.Offering.Until, resume: p.Resume, place: p.place(""), action: actPurchase,
		look:  func(ctx context.Context) (sight, error) { return b.look(ctx, p) },
		ready: func(ctx context.Context) (diag.List, error) { return b.ready(ctx, p) },
		call:  func(ctx context.Context) (string, error) { return purchase(ctx, b.EC2, p) },
	}
}

// read gives what EC2 shows of the bought block, as soon as it shows it.
func (b Buyer) read(ctx context.Context, p Purchase, out outcome) Result {
	timing := b.Timing.orDefault()
	until := b.Clock.Now().Add(timing.Lag)
	for {
		r, err := Read(ctx, b.EC2, p.Region, out.result)
		if err == nil {
			return Result{Reservation: r, Bought: out.now, Findings: b.lifeFindings(p, r)}
		}
		if !b.Clock.Now().Before(until) || b.Clock.Wait(ctx, timing.Poll) != nil {
			return b.unseen(p, out, err)
		}
	}
}

// unseen is a block that was bought and can't be read yet. It is no error: its id must not be lost.
func (b Buyer) unseen(p Purchase, out outcome, err error) Result {
	got := out.result + " is bought, and EC2 does not show it yet"
	if !errors.Is(err, ErrNotFound) {
		got += fmt.Sprintf(": %v", err)
	}
	r := Result{Bought: out.now, Reservation: Reservation{
		Block:    market.Block{Reservation: out.result, Region: p.Region, InstanceType: p.InstanceType, Count: p.Offering.Count, Start: p.Offering.Start, End: p.Offering.end()},
		Platform: p.Platform, Owner: p.Owner, Offering: p.Offering.ID,
	}}
	r.Findings.Add(diag.Finding{
		Rule: diag.BlockState, Level: diag.Warn, Place: p.place(""), Got: got, Want: "a reservation that EC2 shows",
		Hint: "run again to read its state: it is not bought again", Source: "EC2 API, eventual consistency",
	})
	return r
}

// lifeFindings are what is to be known of a block that is there: at least that it waits.
func (b Buyer) lifeFindings(p Purchase, r Reservation) diag.List {
	life := r.Life(b.Clock.Now())
	if life.Level == diag.Note {
		return nil
	}
	var out diag.List
	out.Add(diag.Finding{
		Rule: diag.BlockState, Level: life.Level, Place: diag.Place{Path: p.Path, Resource: r.Reservation}, Got: life.Says,
		Want: "an active block", Hint: life.Next, Source: sourceBlocks,
	})
	return out
}

// Preview tells what Buy would do, without waiting and without moving money: the block that is there already, or what stands
// against buying. DryRun asks EC2 whether the caller may buy, where there is none.
func (b Buyer) Preview(ctx context.Context, p Purchase) (Result, error) {
	if err := p.valid(); err != nil {
		return Result{}, err
	}
	g := b.guard(p)
	last, err := b.Journal.Last(ctx, g.key)
	if err != nil {
		return Result{}, fmt.Errorf("reading the purchase journal of %s: %w", g.key, err)
	}
	seen, err := g.look(ctx)
	if err != nil {
		return Result{}, err
	}
	switch step := g.decide(last, seen, time.Time{}); {
	case step.found != "":
		return b.read(ctx, p, outcome{result: step.found}), nil
	case len(step.refuse) > 0:
		return Result{Findings: step.refuse}, nil
	case step.wait:
		return Result{Findings: diag.List{g.underWay(last)}}, nil
	}
	findings, err := g.ready(ctx)
	if err != nil {
		return Result{}, err
	}
	denied, err := permitted(ctx, b.EC2, p)
	if err != nil {
		return Result{}, err
	}
	findings.Add(denied...)
	return Result{Findings: findings}, nil
}

func (g *guard) underWay(e Entry) diag.Finding {
	f := g.openFinding(e)
	f.Level, f.Want = diag.Warn, "its outcome: EC2 shows a purchase by "+minute(g.timing.visible(e))+" at the latest"
	f.Hint = "an update waits for it, and takes over what it bought"
	return f
}

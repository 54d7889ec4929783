package capacity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
)

// ErrUnsettled says that a purchase was asked for, and that nobody knows yet whether it was made.
var ErrUnsettled = errors.New("a purchase was asked for, and its outcome is not known")

// guard makes one purchase at most once: of a block, or of an extension.
//
// The order of things is what makes it safe. The journal's entry is written before the call, and only one writer gets its
// number; so of any number of runs, at once or one after another, one makes the call. An answer that says no settles the
// entry, and another run may try. An answer that is lost, or a process that is killed, leaves the entry open: from then on
// nobody buys. Every run looks for what may have been bought until EC2 must have shown it, takes it over if it is there,
// and refuses if it is not, until a person has looked and writes the attempt off by its nonce.
type guard struct {
	journal Journal
	clock   Clock
	nonce   func() string
	timing  Timing

	key    string
	want   Entry     // what is to be bought: offering, fee, end
	until  time.Time // the confirmation's end
	resume string    // nonce of the attempt that a person writes off
	place  diag.Place
	action string // IAM action of the call

	// look searches EC2 for what was bought already.
	look func(ctx context.Context) (sight, error)
	// ready compares what is to be bought with what EC2 offers now, as the last thing before the call.
	ready func(ctx context.Context) (diag.List, error)
	// call asks EC2 for the purchase, once, without a retry of any layer.
	call func(ctx context.Context) (result string, err error)
}

// sight is what EC2 shows of what may have been bought.
type sight struct {
	result  string    // the id of what was bought for exactly this; empty: none is shown
	refused diag.List // what contradicts a purchase
	// own is everything that was bought for this owner, by its offering: one of them may be what an open attempt bought.
	own map[string]string
	// ended are those of own that have ended, or came to nothing.
	ended []string
}

// outcome of a guard's run: what was bought, now or before, or why nothing was.
type outcome struct {
	result string
	now    bool // by this run
	refuse diag.List
}

func (g *guard) run(ctx context.Context) (outcome, error) {
	started := g.clock.Now()
	for {
		last, err := g.journal.Last(ctx, g.key)
		if err != nil {
			return outcome{}, fmt.Errorf("reading the purchase journal of %s: %w", g.key, err)
		}
		seen, err := g.look(ctx)
		if err != nil {
			return outcome{}, g.unsettled(last, err)
		}
		g.settleSeen(ctx, last, seen)
		switch step := g.decide(last, seen, started); {
		case step.found != "":
			return outcome{result: step.found}, nil
		case len(step.refuse) > 0:
			return outcome{refuse: step.refuse}, nil
		case step.wait:
			if err := g.clock.Wait(ctx, g.timing.Poll); err != nil {
				return outcome{}, g.unsettled(last, err)
			}
		default:
			out, again, err := g.attempt(ctx, last)
			if err != nil || !again {
				return out, err
			}
			if err := g.clock.Wait(ctx, g.timing.Poll); err != nil {
				return outcome{}, err
			}
		}
	}
}

// unsettled marks an error that leaves an open attempt behind.
func (g *guard) unsettled(last Entry, err error) error {
	if last.open() {
		return fmt.Errorf("attempt %s of %s: %w: %w", last.Nonce, g.key, ErrUnsettled, err)
	}
	return err
}

// step is what to do next; the zero value: buy.
type step struct {
	found  string
	refuse diag.List
	wait   bool
}

// decide is all of the reasoning, without a side effect.
func (g *guard) decide(last Entry, seen sight, started time.Time) step {
	now := g.clock.Now()
	switch {
	case len(seen.refused) > 0:
		return step{refuse: seen.refused}
	case seen.result != "":
		return step{found: seen.result}
	case last.open():
		return g.decideOpen(last, now)
	case last.Kind == Bought:
		return g.decideBought(last, seen, now)
	default:
		return step{wait: now.Before(started.Add(g.timing.Fresh))}
	}
}

func (g *guard) decideOpen(last Entry, now time.Time) step {
	switch {
	case now.Before(g.timing.visible(last)):
		return step{wait: true}
	case g.resume != last.Nonce:
		return step{refuse: diag.List{g.openFinding(last)}}
	case now.Before(g.timing.writeOff(last)):
		return step{refuse: diag.List{g.early(last)}}
	default:
		return step{}
	}
}

// decideBought is about a purchase that the journal knows and EC2 does not show, or shows as ended.
func (g *guard) decideBought(last Entry, seen sight, now time.Time) step {
	switch {
	case last.Offering != g.want.Offering && slices.Contains(seen.ended, last.Result):
		return step{}
	case now.Before(last.At.Add(g.timing.Lag)):
		return step{wait: true}
	case last.Offering == g.want.Offering || now.Before(last.End):
		return step{refuse: diag.List{g.hidden(last)}}
	default: // the earlier block is over, and EC2 has forgotten it
		return step{}
	}
}

// settleSeen closes an open attempt whose purchase EC2 shows. Another run may have done so; that it could not be written
// loses nothing, since the purchase is seen again.
func (g *guard) settleSeen(ctx context.Context, last Entry, seen sight) {
	if result := seen.own[last.Offering]; last.open() && result != "" {
		bought := last.settled(Bought, g.clock.Now())
		bought.Result = result
		_ = g.journal.Append(context.WithoutCancel(ctx), g.key, bought)
	}
}

// attempt writes the journal and makes the call. Again: somebody else was faster, or nothing was asked for.
func (g *guard) attempt(ctx context.Context, last Entry) (out outcome, again bool, err error) {
	refused, err := g.ready(ctx)
	if err != nil {
		return outcome{}, false, g.unsettled(last, err)
	}
	if refused.Failed() {
		return outcome{refuse: refused}, false, nil
	}
	intent := g.want
	intent.Sequence, intent.Kind, intent.Nonce, intent.At = last.Sequence+1, Intended, g.nonce(), g.clock.Now()
	if last.open() {
		intent.Resumes = last.Nonce
	}
	switch mine, err := g.claim(ctx, intent); {
	case err != nil:
		return outcome{}, false, err
	case !mine:
		return outcome{}, true, nil
	}
	out, err = g.spend(ctx, intent)
	return out, false, err
}

// claim writes the entry of an attempt. An answer of the journal may be lost as any other: then the entry is read, and is
// this attempt's if it has its nonce.
func (g *guard) claim(ctx context.Context, intent Entry) (mine bool, err error) {
	failed := g.journal.Append(ctx, g.key, intent)
	if failed == nil {
		return true, nil
	}
	last, err := g.journal.Last(ctx, g.key)
	switch {
	case err == nil && last.Sequence == intent.Sequence && last.Nonce == intent.Nonce:
		return true, nil
	case errors.Is(failed, ErrTaken):
		return false, nil
	default:
		return false, fmt.Errorf("writing the purchase journal of %s, before anything was bought: %w", g.key, failed)
	}
}

// spend is the one function in which money moves.
func (g *guard) spend(ctx context.Context, intent Entry) (outcome, error) {
	deadline := intent.At.Add(g.timing.Window)
	if now := g.clock.Now(); ctx.Err() != nil || !now.Before(deadline) || !now.Before(g.until) {
		g.settle(ctx, intent, Abandoned, "", "not asked for in time")
		if ctx.Err() != nil {
			return outcome{}, ctx.Err()
		}
		return outcome{refuse: diag.List{g.slow(intent)}}, nil
	}
	call, cancel := context.WithTimeout(ctx, g.timing.Answer)
	defer cancel()
	result, err := g.call(call)
	switch {
	case err == nil && result != "":
		g.settle(ctx, intent, Bought, result, "")
		return outcome{result: result, now: true}, nil
	case awserror.IsRefused(err):
		g.settle(ctx, intent, Refused, "", awserror.Code(err))
		return outcome{refuse: diag.List{g.refusal(err)}}, nil
	default:
		return g.await(ctx, intent, err)
	}
}

// await looks for what a call without an answer may have bought, until EC2 must have shown it.
func (g *guard) await(ctx context.Context, intent Entry, lost error) (outcome, error) {
	for g.clock.Now().Before(g.timing.visible(intent)) {
		seen, err := g.look(ctx)
		if err == nil && seen.result != "" {
			g.settle(ctx, intent, Bought, seen.result, "")
			return outcome{result: seen.result, now: true}, nil
		}
		if err := g.clock.Wait(ctx, g.timing.Poll); err != nil {
			return outcome{}, g.unsettled(intent, errors.Join(lost, err))
		}
	}
	finding := g.openFinding(intent)
	if lost != nil {
		finding.Got += fmt.Sprintf(" (%v)", lost)
	}
	return outcome{refuse: diag.List{finding}}, nil
}

// settle writes how an attempt ended, even while the run is being stopped. Where it can't be written the attempt stays
// open, which is safe: what was bought is found by its tags.
func (g *guard) settle(ctx context.Context, intent Entry, kind EntryKind, result, reason string) {
	e := intent.settled(kind, g.clock.Now())
	e.Result, e.Reason = result, reason
	_ = g.journal.Append(context.WithoutCancel(ctx), g.key, e)
}

const sourceGuard = "EC2 API, PurchaseCapacityBlock: it takes no client token"

func (g *guard) openFinding(e Entry) diag.Finding {
	return diag.Finding{
		Rule: diag.BlockPurchase, Place: g.place,
		Got:  fmt.Sprintf("attempt %s to buy %s for %s, asked for at %s, has no outcome, and EC2 shows nothing bought for it", e.Nonce, e.Offering, e.Fee, minute(e.At)),
		Want: "an attempt whose outcome is known: whether money has moved is not",
		Hint: fmt.Sprintf("look in the EC2 console and the bill for a block of %s; if there is none, and no other run is under way, set purchase.resume: %q after %s. Never buy by hand beside it",
			g.key, e.Nonce, minute(g.timing.writeOff(e).Add(time.Minute-1))),
		Source: sourceGuard,
	}
}

func (g *guard) early(e Entry) diag.Finding {
	f := g.openFinding(e)
	f.Want = fmt.Sprintf("to wait until %s: until then a request that was sent can still be carried out", minute(g.timing.writeOff(e).Add(time.Minute-1)))
	f.Hint = "run again after that time, with purchase.resume as it is"
	return f
}

func (g *guard) hidden(e Entry) diag.Finding {
	return diag.Finding{
		Rule: diag.BlockPurchase, Place: g.place,
		Got:    fmt.Sprintf("%s was bought from %s at %s, and EC2 does not show it", e.Result, e.Offering, minute(e.At)),
		Want:   "EC2 to show what was bought, in this account and Region",
		Hint:   "look whether the credentials are those of the account that bought it; if it has ended and EC2 has forgotten it, pin the next offering",
		Source: sourceGuard,
	}
}

func (g *guard) slow(e Entry) diag.Finding {
	return diag.Finding{
		Rule: diag.BlockPurchase, Place: g.place,
		Got:    fmt.Sprintf("attempt %s was given up before anything was asked for: it was too late at %s", e.Nonce, minute(g.clock.Now())),
		Want:   fmt.Sprintf("a purchase within %s of its journal entry, and before the confirmation ends at %s", market.Span(g.timing.Window), minute(g.until)),
		Hint:   "run again",
		Source: sourceGuard,
	}
}

func (g *guard) refusal(err error) diag.Finding {
	f := diag.Finding{
		Rule: diag.BlockOffering, Place: g.place,
		Got:    fmt.Sprintf("EC2 refuses to sell %s: %v", g.want.Offering, err),
		Want:   "an offering that EC2 sells to this account",
		Hint:   "nothing was bought; look for offerings again: weft capacity find",
		Source: "EC2 API, PurchaseCapacityBlock",
	}
	switch {
	case awserror.IsUnauthorized(err):
		f.Rule, f.Want, f.Hint = diag.AccountDenied, "an IAM identity that may call "+g.action, "nothing was bought; allow the action, and run again"
	case awserror.IsThrottled(err):
		f.Want, f.Hint = "EC2 to take the call", "nothing was bought: there were too many calls; run again"
	}
	return f
}

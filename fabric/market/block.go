package market

import (
	"fmt"
	"math/big"
	"time"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Block is a capacity block that was bought, as EC2 shows its reservation.
type Block struct {
	Reservation  string `json:"reservation"` // cr-…
	Region       string `json:"region"`
	Zone         string `json:"zone"`
	ZoneID       string `json:"zoneId,omitempty"`
	InstanceType string `json:"instanceType"`
	// Count is what was bought; 0 where EC2 does not tell. Free is what can be started in it now.
	Count   int       `json:"count"`
	Free    int       `json:"free"`
	State   string    `json:"state"` // in EC2's words
	Created time.Time `json:"created"`
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	// Fee is what was paid for the whole of Start to End; unknown where nobody noted it.
	Fee Money `json:"fee"`
}

// Phase is where a block is in its life.
type Phase string

// The phases. Only in an active block does it make sense to start an instance.
const (
	Waiting  Phase = "waiting"
	Active   Phase = "active"
	Expiring Phase = "expiring" // from EC2's warning on
	Ending   Phase = "ending"   // EC2 ends the instances
	Over     Phase = "over"
	Unknown  Phase = "unknown" // a state, or a window, that says nothing
)

// Life is what a block's phase means now.
type Life struct {
	Phase Phase      `json:"phase"`
	Level diag.Level `json:"level"`
	Says  string     `json:"says"` // what is so, with its times
	Next  string     `json:"next"` // what to do, or until when
}

// ExtensionLead is how long before its end a block can be extended at the latest (EC2 User Guide, capacity-blocks-extend).
const ExtensionLead = time.Hour

// UsableEnd is when EC2 begins to end the block's instances.
func (b Block) UsableEnd() time.Time { return b.End.Add(-Lead(b.InstanceType)) }

// Ended reports that the block has its life behind it, or never had one: nothing of it can be used any more, and no
// purchase of it stands.
func (b Block) Ended() bool { _, is := over[b.State]; return is }

// over are the states that no block leaves, with what happened and what to do.
var over = map[string]struct{ what, next string }{
	"expired":        {"its time has ended", "buy the next block, and name its reservation: an ended block can't be extended"},
	"cancelled":      {"it was cancelled", "buy another block, and name its reservation"},
	"failed":         {"EC2 could not make it", "look for another offering"},
	"payment-failed": {"its upfront payment failed, and EC2 released it", "mend the account's payment method, then look for another offering: this one is gone"},
}

// Life tells the phase of a block at a time.
func (b Block) Life(now time.Time) Life {
	if o, is := over[b.State]; is {
		return Life{Over, diag.Error, fmt.Sprintf("%s is %s: %s%s", b.Reservation, b.State, o.what, b.endedAt()), o.next}
	}
	switch b.State {
	case "scheduled":
		return Life{Waiting, diag.Warn, fmt.Sprintf("%s is bought, and %s", b.Reservation, b.begins(now)), "deploy now if you like: nodes start when it becomes active"}
	case "payment-pending":
		return b.payment(now)
	case "active":
		return b.window(now)
	case "unavailable":
		return Life{
			Unknown, diag.Error, b.Reservation + " is unavailable: EC2 can't give its capacity now",
			"ask AWS Support with the reservation's id: the fee is paid; nodes that run may go on",
		}
	}
	return Life{
		Unknown, diag.Error, fmt.Sprintf("%s is in state %q, which weft does not know", b.Reservation, b.State),
		"look the reservation up in the EC2 console",
	}
}

// endedAt is when an expired block ended: of the other states nobody tells the time.
func (b Block) endedAt() string {
	if b.State != "expired" || b.End.IsZero() {
		return ""
	}
	return ", at " + clock(b.End)
}

func (b Block) begins(now time.Time) string {
	switch {
	case b.Start.IsZero():
		return "shows no start"
	case b.Start.After(now):
		return fmt.Sprintf("starts at %s, in %s", clock(b.Start), Span(b.Start.Sub(now)))
	default:
		return fmt.Sprintf("was to start at %s, %s ago", clock(b.Start), Span(now.Sub(b.Start)))
	}
}

// payment tells the deadline: twelve hours after the purchase.
func (b Block) payment(now time.Time) Life {
	life := Life{Waiting, diag.Warn, b.Reservation + " waits for its upfront payment", "nothing to do while the payment goes through; if it hangs, look at the account's payment method"}
	if b.Created.IsZero() {
		life.Says += "; unpaid after 12 hours, EC2 releases it"
		return life
	}
	deadline := b.Created.Add(PaymentTime)
	if left := deadline.Sub(now); left > 0 {
		life.Says += fmt.Sprintf(": unpaid at %s, in %s, EC2 releases it", clock(deadline), Span(left))
		return life
	}
	life.Says += fmt.Sprintf(": its 12 hours ended at %s, %s ago", clock(deadline), Span(now.Sub(deadline)))
	life.Next = "look at the account's payment method: EC2 is about to release the block"
	return life
}

func (b Block) window(now time.Time) Life {
	if b.End.IsZero() {
		return Life{Active, diag.Warn, b.Reservation + " is active, and shows no end", "look the block up in the EC2 console"}
	}
	stop := b.UsableEnd()
	switch {
	case now.Before(stop.Add(-WarningLead)):
		return b.running(now, stop)
	case now.Before(stop):
		return Life{
			Expiring, diag.Error,
			fmt.Sprintf("%s expires: EC2 ends its instances from %s on, in %s, and the block at %s", b.Reservation, clock(stop), Span(stop.Sub(now)), clock(b.End)),
			"start nothing in it; save what runs",
		}
	default:
		return Life{
			Ending, diag.Error, fmt.Sprintf("%s ends: EC2 has been ending its instances since %s, and ends the block at %s", b.Reservation, clock(stop), clock(b.End)),
			"start nothing in it; name the next block",
		}
	}
}

func (b Block) running(now, stop time.Time) Life {
	life := Life{
		Active, diag.Note,
		fmt.Sprintf("%s is active: usable until %s, for %s; it ends at %s", b.Reservation, clock(stop), Span(stop.Sub(now)), clock(b.End)),
		"",
	}
	switch last := b.End.Add(-ExtensionLead); {
	case now.Before(last):
		life.Next = "it can be extended until " + clock(last)
	default:
		life.Level, life.Next = diag.Warn, "it is too late to extend it: that ended at "+clock(last)
	}
	return life
}

// Use is what became of the hours that are paid for.
type Use struct {
	// PaidHours are the instance-hours since the start; UsedHours those in which an instance that still runs ran in the
	// block. What ran and was ended is not seen any more: idle is at most what is told.
	PaidHours float64 `json:"paidInstanceHours"`
	UsedHours float64 `json:"usedInstanceHours"`
	IdleHours float64 `json:"idleInstanceHours"`
	// SpentSoFar is the share of the fee that has gone by; Idle the share of it in which nothing was seen to run.
	SpentSoFar Money `json:"spentSoFar"`
	Idle       Money `json:"idle"`
}

// Use counts the hours until now from when each running instance of the block was started.
func (b Block) Use(now time.Time, launched []time.Time) Use {
	until := now
	if !b.End.IsZero() && b.End.Before(now) {
		until = b.End
	}
	if b.Start.IsZero() || b.Count == 0 || !until.After(b.Start) {
		return Use{}
	}
	paid := units(until.Sub(b.Start), b.Count)
	used := new(big.Rat)
	for _, at := range launched {
		if at.Before(b.Start) {
			at = b.Start
		}
		if at.Before(until) {
			used.Add(used, units(until.Sub(at), 1))
		}
	}
	idle := new(big.Rat).Sub(paid, used)
	if idle.Sign() < 0 { // more instances than were bought: not in this block
		idle.SetInt64(0)
	}
	price := b.Fee.Per(units(b.End.Sub(b.Start), b.Count))
	return Use{PaidHours: float(paid), UsedHours: float(used), IdleHours: float(idle), SpentSoFar: price.Times(paid), Idle: price.Times(idle)}
}

func float(r *big.Rat) float64 { f, _ := r.Float64(); return f }

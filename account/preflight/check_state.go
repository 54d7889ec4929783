package preflight

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
)

// States of a reservation that will become active by itself, with what it waits for.
var waiting = map[string]string{
	"scheduled":       "bought, and not begun",
	"payment-pending": "waits for its upfront payment; unpaid after 12 hours it is released",
	"pending":         "being made",
	"assessing":       "requested for a later date, and not promised yet",
	"delayed":         "late: EC2 still looks for the capacity",
}

// States of a reservation that no instance starts in any more, with what happened.
var over = map[string]string{
	"expired":        "its time has ended",
	"cancelled":      "it was cancelled",
	"cancelling":     "it is being cancelled",
	"failed":         "EC2 could not make it",
	"payment-failed": "its upfront payment failed, and it was released",
	"unavailable":    "its capacity is not available",
	"unsupported":    "EC2 can't promise the capacity for the date",
}

func ended(state string) bool { _, is := over[state]; return is }

func judgeState(v *view) {
	for _, pool := range v.pools() {
		t := pool[0]
		place := at(t.path, t.reservation.ID)
		switch r := t.reservation; {
		case r.State == "active":
			v.judgeWindow(place, r)
		case waiting[r.State] != "":
			v.addAt(diag.Warn, place, fmt.Sprintf("%s is %s: %s; %s", r.ID, r.State, waiting[r.State], v.starts(r)),
				"an active reservation", "deploy now if you like: nodes start when it becomes active", sourceBlocks)
		case ended(r.State):
			v.add(place, fmt.Sprintf("%s is %s: %s", r.ID, r.State, r.whatHappened()),
				"an active reservation, or one that will become so", "name another reservation for "+groupNames(pool), sourceBlocks)
		default:
			v.add(place, fmt.Sprintf("%s is in state %q, which weft does not know", r.ID, r.State),
				"active, or a state that leads there", "look the reservation up in the console", sourceBlocks)
		}
	}
}

// judgeWindow refuses a block that is about to end: a node that starts now is ended before it has done anything.
func (v *view) judgeWindow(place diag.Place, r Reservation) {
	if !r.isBlock() {
		return // instances of an on-demand reservation outlive it
	}
	if r.End.IsZero() {
		v.addAt(diag.Warn, place, r.ID+" is active and shows no end", "the time at which the block ends", "look the block up in the console", sourceBlocks)
		return
	}
	// From EC2's warning on nothing new can run.
	lead := market.Lead(r.Type)
	stop := r.End.Add(-lead)
	if v.now.Before(stop.Add(-market.WarningLead)) {
		return
	}
	got := fmt.Sprintf("%s ends at %s, and EC2 ends its instances from %s on: not launchable at %s", r.ID, clockTime(r.End), clockTime(stop), clockTime(v.now))
	v.add(place, got, fmt.Sprintf("a block that runs on after %s", clockTime(v.now.Add(lead+market.WarningLead))),
		"extend the block, or name the next one", "EC2 User Guide, capacity-blocks-monitor; aws/karpenter-provider-aws#8362")
}

func (v *view) starts(r Reservation) string {
	switch {
	case r.Start.IsZero():
		return "it shows no start"
	case r.Start.After(v.now):
		return fmt.Sprintf("it starts at %s, in %s", clockTime(r.Start), market.Span(r.Start.Sub(v.now)))
	default:
		return fmt.Sprintf("it was to start at %s, %s ago", clockTime(r.Start), market.Span(v.now.Sub(r.Start)))
	}
}

func groupNames(pool []target) string {
	var out []string
	for _, t := range pool {
		out = append(out, t.group.Name)
	}
	return strings.Join(slices.Compact(out), ", ")
}

func clockTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// whatHappened to a reservation that is over. Only of an expired one the end is when it happened.
func (r Reservation) whatHappened() string {
	if r.State == "expired" && !r.End.IsZero() {
		return over[r.State] + ", at " + clockTime(r.End)
	}
	return over[r.State]
}

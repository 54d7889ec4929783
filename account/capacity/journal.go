package capacity

import (
	"context"
	"errors"
	"time"

	"github.com/weft-hpc/weft/fabric/market"
)

// Journal remembers, outside of any stack's state, that money was about to move. EC2's purchase takes no client token, so
// that only this and the tags of what was bought keep a run from buying what an earlier one bought.
//
// It is a log for each key that is only ever added to. Append is the one thing that excludes others: of two writers of one
// sequence number one gets ErrTaken, on whatever machine they run. Last may lag behind; then Append fails, and nothing is
// bought.
type Journal interface {
	// Last is the latest entry of a key. Its sequence is 0 where there is none.
	Last(ctx context.Context, key string) (Entry, error)
	// Append adds an entry whose sequence is one above the last one, durably. ErrTaken: another entry has that sequence.
	Append(ctx context.Context, key string, entry Entry) error
}

// ErrTaken says that another entry of the journal has the sequence number.
var ErrTaken = errors.New("another entry of the journal has this number")

// EntryKind is what an entry of a journal says.
type EntryKind string

// The kinds of entries. An attempt is intended first, and settled by one of the others.
const (
	Intended  EntryKind = "intended"  // a purchase is about to be asked for
	Bought    EntryKind = "bought"    // it was made
	Refused   EntryKind = "refused"   // EC2 said that it was not made
	Abandoned EntryKind = "abandoned" // it was not asked for
)

// Entry is an entry of a journal.
type Entry struct {
	Sequence int       `json:"sequence"` // from 1
	Kind     EntryKind `json:"kind"`
	Nonce    string    `json:"nonce"` // names the attempt
	At       time.Time `json:"at"`    // when it was written

	Offering string       `json:"offering"`
	Fee      market.Money `json:"fee"`
	End      time.Time    `json:"end"` // of what is bought
	// Result is the id of what was bought: a reservation's, or an extension offering's.
	Result string `json:"result,omitempty"`
	Reason string `json:"reason,omitempty"` // of a refusal
	// Resumes is the nonce of an attempt without an outcome that a person has written off.
	Resumes string `json:"resumes,omitempty"`
}

// open reports an attempt of which nobody knows how it ended.
func (e Entry) open() bool { return e.Sequence > 0 && e.Kind == Intended }

// settled is the entry that settles an attempt.
func (e Entry) settled(kind EntryKind, at time.Time) Entry {
	e.Sequence++
	e.Kind, e.At, e.Resumes = kind, at, ""
	return e
}

// Timing are the times that a purchase is held to. The zero value of each means its default.
type Timing struct {
	// Lag is how long EC2 may take to show what was bought. Default 10 minutes.
	Lag time.Duration
	// Window is how long after its journal entry a purchase may be asked for. Default 1 minute.
	Window time.Duration
	// Answer is how long EC2's answer is waited for. Default 1 minute.
	Answer time.Duration
	// Late is how long a request that was sent can still be carried out: EC2 refuses one whose signature is older
	// (RequestExpired). Nobody can write an attempt off before. Default 15 minutes.
	Late time.Duration
	// Fresh is how long EC2 is searched before a first purchase, for the case that the journal was lost. Default 30 seconds.
	Fresh time.Duration
	// Poll is the time between two looks. Default 10 seconds.
	Poll time.Duration
}

func (t Timing) orDefault() Timing {
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{
		{&t.Lag, 10 * time.Minute},
		{&t.Window, time.Minute},
		{&t.Answer, time.Minute},
		{&t.Late, 15 * time.Minute},
		{&t.Fresh, 30 * time.Second},
		{&t.Poll, 10 * time.Second},
	} {
		if *d.value <= 0 {
			*d.value = d.standard
		}
	}
	return t
}

// visible is when EC2 shows an attempt's purchase at the latest, if there was one.
func (t Timing) visible(e Entry) time.Time { return e.At.Add(t.Window + t.Answer + t.Lag) }

// writeOff is from when on a person can say that an attempt bought nothing.
func (t Timing) writeOff(e Entry) time.Time { return t.visible(e).Add(t.Late) }

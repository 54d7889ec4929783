package capacity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

const sourceBlocks = "EC2 User Guide, ec2-capacity-blocks"

// look searches the Region's blocks, in every state, for what was bought already.
func (b Buyer) look(ctx context.Context, p Purchase) (sight, error) {
	all, err := reservations(ctx, b.EC2, p.Region)
	if err != nil {
		return sight{}, err
	}
	return p.sort(all), nil
}

// sort says what the blocks of the Region have to do with a purchase.
func (p Purchase) sort(all []Reservation) sight {
	s := sight{own: map[string]string{}}
	var mine, over []Reservation
	for _, r := range all {
		if r.Owner == p.Owner {
			s.note(r)
		}
		switch exactly := r.Owner == p.Owner && r.Offering == p.Offering.ID; {
		case exactly && r.Ended():
			over = append(over, r)
		case exactly:
			mine = append(mine, r)
		case !r.Ended():
			s.refused.Add(p.against(r)...)
		}
	}
	switch {
	case len(mine) > 1:
		s.refused.Add(p.twice(mine))
	case len(mine) == 1:
		s.result = mine[0].Reservation
		s.refused = nil // it is there: nothing is to be bought that something could stand against
	case len(over) > 0:
		s.refused.Add(p.ended(over[0]))
	}
	return s
}

// against says what of a living block stands against a purchase.
func (p Purchase) against(r Reservation) diag.List {
	switch {
	case r.Owner == p.Owner:
		return diag.List{p.changed(r)}
	case r.Offering == p.Offering.ID:
		return diag.List{p.foreign(r)}
	case p.looksLike(r):
		return diag.List{p.alike(r)}
	default:
		return nil
	}
}

// note keeps what is this owner's: a living block before an ended one of the same offering.
func (s *sight) note(r Reservation) {
	if r.Ended() {
		s.ended = append(s.ended, r.Reservation)
		if s.own[r.Offering] != "" {
			return
		}
	}
	s.own[r.Offering] = r.Reservation
}

// looksLike reports a block that nobody of weft owns and that is what the offering describes: it may have been bought from it
// by hand.
func (p Purchase) looksLike(r Reservation) bool {
	return r.Owner.none() && !slices.Contains(p.Beside, r.Reservation) && r.InstanceType == p.InstanceType &&
		(r.Count == p.Offering.Count || r.Count == 0) && r.Start.Equal(p.Offering.Start) && r.End.Equal(p.Offering.end())
}

func (p Purchase) finding(got, want, hint string) diag.Finding {
	return diag.Finding{Rule: diag.BlockPurchase, Place: p.place(""), Got: got, Want: want, Hint: hint, Source: sourceBlocks}
}

func (p Purchase) changed(r Reservation) diag.Finding {
	return p.finding(
		fmt.Sprintf("offering %s for %s, which has %s from offering %s", p.Offering.ID, p.Owner, r.what(), r.Offering),
		"the offering that was bought: a block can't be exchanged or cancelled",
		fmt.Sprintf("to keep the block longer, extend it: weft capacity extend --block %s; for a second block, give it a group or a component of its own; else pin %s again", r.Reservation, r.Offering),
	)
}

func (p Purchase) foreign(r Reservation) diag.Finding {
	return p.finding(
		fmt.Sprintf("offering %s for %s, bought already for %s: %s", p.Offering.ID, p.Owner, r.Owner, r.what()),
		"an offering that nobody has bought from yet",
		fmt.Sprintf("if both are meant to use one block, name it as block: {reservation: %s}; for another block, pin another offering", r.Reservation),
	)
}

func (p Purchase) alike(r Reservation) diag.Finding {
	return p.finding(
		fmt.Sprintf("offering %s, and %s of the same size and window, without weft's tags: it may have been bought from it by hand", p.Offering.ID, r.what()),
		"nothing that looks like what is to be bought",
		fmt.Sprintf("if it is the block, name it as block: {reservation: %s}; if you want another one beside it, say so: purchase.beside: [%s]", r.Reservation, r.Reservation),
	)
}

func (p Purchase) twice(mine []Reservation) diag.Finding {
	var all []string
	for _, r := range mine {
		all = append(all, r.what())
	}
	return p.finding(
		fmt.Sprintf("%d blocks carry the tags of %s and offering %s: %s", len(mine), p.Owner, p.Offering.ID, strings.Join(all, "; ")),
		"one block",
		"name the one to use as block: {reservation: …}; ask AWS Support about the other, and remove its weft: tags",
	)
}

func (p Purchase) ended(r Reservation) diag.Finding {
	f := p.finding(
		fmt.Sprintf("offering %s, whose block %s has ended: it is %s", p.Offering.ID, r.what(), r.State),
		"an offering that is still to be bought, or a block that is still to be used",
		"pin another offering: weft capacity find",
	)
	f.Rule = diag.BlockState
	return f
}

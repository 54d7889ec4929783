package market

import (
	"cmp"
	"slices"
	"time"
)

// Kind says in what an alternative differs from what is asked for.
type Kind string

// The kinds of alternatives, in the order in which they are told.
const (
	OtherZone   Kind = "other zone"
	LaterStart  Kind = "later start"
	OtherLength Kind = "other length"
	OtherType   Kind = "other type"
)

// Alternative is an offering that answers what is asked for in all but one thing.
type Alternative struct {
	Kind     Kind     `json:"kind"`
	Offering Offering `json:"offering"`
	Reason   string   `json:"reason"`
}

// Comparison is what the market has for an ask.
type Comparison struct {
	Ask Ask `json:"ask"`
	// Offerings that fit, best first: see Better.
	Offerings []Offering `json:"offerings"`
	// Splits into smaller blocks, the fewest blocks first; one for each number of blocks that the market has.
	Splits []Split `json:"splits"`
	// Alternatives where nothing fits: the best of each kind, and of each length and type.
	Alternatives []Alternative `json:"alternatives"`
	// Reasons for what to take, a sentence each.
	Reasons []string `json:"reasons"`
}

// Compare sorts what the market offers by how it answers an ask. The pool may hold anything: other sizes, lengths, zones
// and types are what splits and alternatives are made of. An offering that was found twice counts once.
func Compare(ask Ask, pool []Offering) Comparison {
	pool = distinct(pool)
	c := Comparison{Ask: ask, Offerings: []Offering{}, Splits: []Split{}, Alternatives: []Alternative{}}
	for _, o := range pool {
		if ask.fits(o) {
			c.Offerings = append(c.Offerings, o)
		}
	}
	Sort(c.Offerings)
	for _, n := range ask.Parts() {
		if s, ok := ask.split(n, pool); ok {
			c.Splits = append(c.Splits, s)
		}
	}
	if len(c.Offerings) == 0 {
		c.Alternatives = ask.alternatives(pool)
	}
	c.Reasons = c.reasons()
	return c
}

func distinct(pool []Offering) []Offering {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(pool), func(o Offering) bool {
		key := o.Region + " " + o.ID
		twice := seen[key]
		seen[key] = true
		return twice
	})
}

// kindOf tells in what single thing an offering differs. False: in several, or in its size, which splits are about.
func (a Ask) kindOf(o Offering) (Kind, bool) {
	var kinds []Kind
	if !a.inZones(o) {
		kinds = append(kinds, OtherZone)
	}
	if o.Start.After(a.Until) {
		kinds = append(kinds, LaterStart)
	}
	if o.AskedHours != a.Hours {
		kinds = append(kinds, OtherLength)
	}
	if o.InstanceType != a.Type {
		kinds = append(kinds, OtherType)
	}
	if o.Count != a.Count || o.Start.Before(a.From) || len(kinds) != 1 {
		return "", false
	}
	return kinds[0], kinds[0] != OtherType || slices.Contains(a.OtherTypes(), o.InstanceType)
}

func (a Ask) alternatives(pool []Offering) []Alternative {
	type class struct {
		kind  Kind
		hours int
		name  string
	}
	best := map[class]Offering{}
	for _, o := range pool {
		kind, ok := a.kindOf(o)
		key := class{kind, o.AskedHours, o.InstanceType}
		if held, is := best[key]; ok && (!is || betterAlternative(kind, o, held) < 0) {
			best[key] = o
		}
	}
	out := []Alternative{}
	for key, o := range best {
		out = append(out, Alternative{key.kind, o, a.why(key.kind, o)})
	}
	order := []Kind{OtherZone, LaterStart, OtherLength, OtherType}
	slices.SortFunc(out, func(x, y Alternative) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind)),
			cmp.Compare(a.distance(x.Offering), a.distance(y.Offering)),
			Better(x.Offering, y.Offering),
		)
	})
	return out
}

// betterAlternative takes the next one where waiting is what it costs, and the best one elsewhere.
func betterAlternative(kind Kind, a, b Offering) int {
	if kind == LaterStart {
		return cmp.Or(a.Start.Compare(b.Start), Better(a, b))
	}
	return Better(a, b)
}

// distance is how far the length is from the asked one.
func (a Ask) distance(o Offering) time.Duration {
	return (time.Duration(o.AskedHours-a.Hours) * time.Hour).Abs()
}

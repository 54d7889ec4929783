package market

import (
	"cmp"
	"slices"
	"time"
)

// Split is several smaller blocks in one zone that together are as large as what is asked for.
type Split struct {
	Offerings []Offering `json:"offerings"` // by start
	// Start and UsableEnd bound the time in which all of them can be used.
	Start     time.Time `json:"start"`
	UsableEnd time.Time `json:"usableEnd"`
	Fee       Money     `json:"fee"` // of all
}

// Usable is how long all blocks can be used together.
func (s Split) Usable() time.Duration { return s.UsableEnd.Sub(s.Start) }

// Instances of all blocks together.
func (s Split) Instances() int {
	n := 0
	for _, o := range s.Offerings {
		n += o.Count
	}
	return n
}

// PerUsableGPUHour is the fee by the GPU-hours in which all blocks can be used.
func (s Split) PerUsableGPUHour() Money {
	return s.Fee.Per(units(s.Usable(), s.Instances()*s.Offerings[0].GPUs()))
}

// split finds the best set of n offerings of equal size. All lie in one zone, since EFA does not cross zones, and can be used
// together for no more than a day less than asked. Each offering is taken once: whether one can be bought twice is not
// known before it is tried.
func (a Ask) split(n int, pool []Offering) (Split, bool) {
	part := a
	part.Count = a.Count / n
	byZone := map[string][]Offering{}
	for _, o := range pool {
		if part.fits(o) && !o.ZoneClosed {
			byZone[o.place()] = append(byZone[o.place()], o)
		}
	}
	var best Split
	found := false
	for _, zone := range byZone {
		if s, ok := a.splitIn(zone, n); ok && (!found || betterSplit(s, best) < 0) {
			best, found = s, true
		}
	}
	return best, found
}

// splitIn tries each offering of a zone as the last one to start.
func (a Ask) splitIn(zone []Offering, n int) (best Split, found bool) {
	Sort(zone)
	for _, last := range zone {
		least := last.Start.Add(time.Duration(a.Hours-hoursPerDay) * time.Hour)
		others := slices.DeleteFunc(slices.Clone(zone), func(o Offering) bool {
			return o.ID == last.ID || o.Start.After(last.Start) || o.UsableEnd().Before(least)
		})
		if len(others) < n-1 || last.UsableEnd().Before(least) {
			continue
		}
		if s := newSplit(append(others[:n-1:n-1], last)); !found || betterSplit(s, best) < 0 {
			best, found = s, true
		}
	}
	return best, found
}

func newSplit(parts []Offering) Split {
	slices.SortFunc(parts, func(a, b Offering) int { return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID)) })
	s := Split{Offerings: parts, Start: parts[len(parts)-1].Start, UsableEnd: parts[0].UsableEnd(), Fee: parts[0].Fee}
	for _, o := range parts[1:] {
		s.Fee = s.Fee.Plus(o.Fee)
		if o.UsableEnd().Before(s.UsableEnd) {
			s.UsableEnd = o.UsableEnd()
		}
	}
	return s
}

// betterSplit orders sets as Better orders offerings.
func betterSplit(a, b Split) int {
	return cmp.Or(
		cheaper(a.PerUsableGPUHour(), b.PerUsableGPUHour()),
		a.Start.Compare(b.Start),
		cmp.Compare(b.Usable(), a.Usable()),
		slices.CompareFunc(a.Offerings, b.Offerings, func(x, y Offering) int { return cmp.Compare(x.ID, y.ID) }),
	)
}

package topology

import (
	"cmp"
	"fmt"
	"slices"
)

// Distance between two places.
type Distance struct {
	// Levels is how many layers of the network the two do not share: 0 under one leaf. Where nothing is shared, or nobody knows, it is one more
	// than the most that is shared by any.
	Levels int `json:"levels"`
	// Kind says what Levels stands for.
	Kind Kind `json:"kind"`
}

// Kind of a distance.
type Kind int

// The kinds, the nearest first.
const (
	Same      Kind = iota // one leaf, or one and the same place
	Near                  // other leaf, one layer up the same
	Far                   // two layers up the same, or more
	Apart                 // one zone, and no network node in common
	OtherZone             // EFA does not go from one zone to another
	Unknown               // EC2 tells nothing of one of them, or they belong to two accounts
)

// Between is the distance of two places of the topology.
func (t Topology) Between(a, b Place) Distance {
	n := 0
	if a.Account == b.Account {
		n = shared(a.Path, b.Path)
	}
	switch {
	case a.Instance == b.Instance && a.Node == b.Node:
		return Distance{0, Same}
	case !a.Known() || !b.Known() || a.Account != b.Account:
		return Distance{t.top, Unknown}
	case n > 0:
		levels := t.heights[prefix(a.Path[:n])]
		return Distance{levels, Kind(min(levels, int(Far)))}
	case a.Zone != "" && b.Zone != "" && a.Zone != b.Zone:
		return Distance{t.top, OtherZone}
	default:
		return Distance{t.top, Apart}
	}
}

// String says the distance in words.
func (d Distance) String() string {
	switch d.Kind {
	case Same:
		return "same leaf"
	case Near:
		return "same spine, other leaf"
	case Far:
		return fmt.Sprintf("%d levels apart", d.Levels)
	case Apart:
		return "nothing in common"
	case OtherZone:
		return "other zone: no EFA"
	default:
		return "unknown"
	}
}

// MarshalText writes a kind by its name.
func (k Kind) MarshalText() ([]byte, error) {
	names := []string{"same", "near", "far", "apart", "other-zone", "unknown"}
	if k < Same || int(k) >= len(names) {
		return nil, fmt.Errorf("%d is no kind of distance", int(k))
	}
	return []byte(names[k]), nil
}

// Class is all pairs of one distance.
type Class struct {
	Distance
	Says  string `json:"says"`
	Pairs int    `json:"pairs"`
	// Between is how many of the pairs stand in two capacity reservations.
	Between int `json:"betweenReservations"`
	// Sample is a few of the pairs, by name, no place in two of them where that can be: what to measure to compare distances.
	Sample [][2]string `json:"sample"`
}

// sampled is how many pairs a sample has at most.
const sampled = 4

// Classes counts the pairs of places by distance, the nearest first. Nodes of Slurm without an instance count for nothing.
func (t Topology) Classes() []Class {
	found := map[Distance]*sampling{}
	for i, a := range t.Places {
		for _, b := range t.Places[i+1:] {
			if a.Instance == "" || b.Instance == "" {
				continue
			}
			d := t.Between(a, b)
			if found[d] == nil {
				found[d] = &sampling{Class: Class{Distance: d, Says: d.String()}, used: map[string]bool{}}
			}
			found[d].add(a, b)
		}
	}
	var out []Class
	for _, s := range found {
		out = append(out, s.Class)
	}
	slices.SortFunc(out, func(a, b Class) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Levels, b.Levels)) })
	return out
}

type sampling struct {
	Class
	used map[string]bool
}

func (s *sampling) add(a, b Place) {
	s.Pairs++
	if a.Reservation != b.Reservation {
		s.Between++
	}
	if len(s.Sample) < sampled && !s.used[a.Name()] && !s.used[b.Name()] {
		s.used[a.Name()], s.used[b.Name()] = true, true
		s.Sample = append(s.Sample, [2]string{a.Name(), b.Name()})
	}
}

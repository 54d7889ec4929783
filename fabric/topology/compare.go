package topology

import (
	"fmt"
	"slices"
)

// Comparison is what two capacity reservations have in common in the network.
type Comparison struct {
	A string `json:"a"`
	B string `json:"b"`
	// Shared are the network nodes that all of both stand under, from the top down.
	Shared []string `json:"shared"`
	// AtLeast says that more may be shared: EC2 tells no more of one of the two, or its instances spread below.
	AtLeast bool   `json:"atLeast,omitempty"`
	Says    string `json:"says"`
	spread  bool   // the instances of one stand under several nodes below those that are shared
	leaf    bool   // all instances of both stand under one leaf
	kind    Kind   // Same for anything shared, else Apart, OtherZone or Unknown
}

func (c Comparison) says() string {
	switch {
	case c.kind == Unknown:
		return "unknown: EC2 does not tell where they sit, or they belong to two accounts"
	case c.kind == OtherZone:
		return Distance{Kind: OtherZone}.String()
	case len(c.Shared) == 0:
		return "no network node in common"
	case c.spread:
		return fmt.Sprintf("at least %s in common, from the top; below, the instances of one of them spread", count(len(c.Shared), "network node"))
	case c.AtLeast:
		return fmt.Sprintf("at least %s in common, from the top; the layers below are not told", count(len(c.Shared), "network node"))
	case c.leaf:
		return fmt.Sprintf("%s in common, all the way: one leaf", count(len(c.Shared), "network node"))
	default:
		return fmt.Sprintf("%s in common, from the top; apart below", count(len(c.Shared), "network node"))
	}
}

// Compare tells for each two reservations what they share, before their launch or after it. Of a reservation that EC2 tells nothing of, its
// instances tell.
func (t Topology) Compare() []Comparison {
	all := t.reservations()
	var out []Comparison
	for i, a := range all {
		for _, b := range all[i+1:] {
			out = append(out, compare(a, b))
		}
	}
	return out
}

func compare(a, b Reservation) Comparison {
	c := Comparison{A: a.ID, B: b.ID}
	zoneA, zoneB := a.Zone.String(), b.Zone.String()
	switch {
	case a.account != b.account:
		c.kind = Unknown
	case shared(a.Path, b.Path) > 0:
		c.share(a, b)
	case zoneA != "" && zoneB != "" && zoneA != zoneB:
		c.kind = OtherZone
	case len(a.Path) == 0 || len(b.Path) == 0:
		c.kind = Unknown
	default:
		c.kind = Apart
	}
	c.Says = c.says()
	return c
}

// share notes what two reservations share, and what can't be told of the layers below.
func (c *Comparison) share(a, b Reservation) {
	n := shared(a.Path, b.Path)
	c.Shared = slices.Clone(a.Path[:n])
	c.leaf = a.below == leaf && b.below == leaf && slices.Equal(a.Path, b.Path)
	c.AtLeast = !c.leaf && n == min(len(a.Path), len(b.Path))
	c.spread = c.AtLeast && (n == len(a.Path) && a.below == spread || n == len(b.Path) && b.below == spread)
}

// reservations are those that EC2 tells of and those of the places.
func (t Topology) reservations() []Reservation {
	out := slices.Clone(t.Reservations)
	for _, p := range t.Places {
		if p.Reservation == "" {
			continue
		}
		i := slices.IndexFunc(out, func(r Reservation) bool { return r.ID == p.Reservation })
		if i < 0 {
			i = len(out)
			out = append(out, Reservation{ID: p.Reservation, Type: p.Type, Zone: Zone{ID: p.Zone}})
		}
		out[i].account = p.Account
		if r := &out[i]; len(r.Path) == 0 {
			r.Path, r.below = t.common(r.ID)
		}
	}
	return out
}

// below is what is known of the network under a reservation's path.
type below int

const (
	untold below = iota
	spread       // its instances stand under several nodes
	leaf         // nothing: it is the path of a leaf
)

// common is the way that the known places of a reservation share, and whether it leads to one leaf.
func (t Topology) common(reservation string) (path []string, under below) {
	for _, p := range t.Places {
		switch {
		case p.Reservation != reservation || !p.Known():
		case under == untold:
			path, under = p.Path, leaf
		case !slices.Equal(path, p.Path):
			path, under = path[:shared(path, p.Path)], spread
		}
	}
	return path, under
}

package suspect

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// Distance says how many levels of the network two nodes do not share: 0 under the same leaf. A nil Distance is for nodes of which
// nobody knows where they sit.
type Distance func(a, b string) int

// Round is a set of groups of nodes, no node in two of them, that are measured at the same time.
type Round struct {
	Groups [][]string `json:"groups"`
	// Idle are nodes that take no part: the odd one out, and those of which all is known.
	Idle []string `json:"idle,omitempty"`
}

// Measured is one group of a round with its figure, larger being better: GB/s of bus bandwidth at one size, say. A figure of 0 is a
// group whose run failed: it says nothing of its nodes. Only groups of one size and one distance are compared.
type Measured struct {
	Round int      `json:"round"` // from 1
	Nodes []string `json:"nodes"`
	Value float64  `json:"value"`
}

// Conclusion is what the measurements tell. Every node that was measured is in one of Slow, Good and Undecided.
type Conclusion struct {
	Slow      []Proof    `json:"slow,omitempty"`
	Good      []string   `json:"good,omitempty"`      // in a fast group
	Undecided []string   `json:"undecided,omitempty"` // in slow groups or failed runs, without a partner that tells
	Roads     []Measured `json:"roads,omitempty"`     // slow groups whose nodes are all fast elsewhere: the road between them, or chance
	// Above are groups far above the fast ones: lucky ones, or more nodes are slow than a comparison can tell. See [Next].
	Above []Measured `json:"above,omitempty"`
	// Median is that of the fast groups, in the unit of the figures; 0 where nothing could be compared.
	Median float64 `json:"median"`
}

// Proof is why a node is called slow.
type Proof struct {
	Node string `json:"node"`
	// Evidence are the groups it was in, all of them slow, in the order of the rounds. In at least one all others are fast elsewhere, and at
	// least two are slow for no other node's sake.
	Evidence []Measured `json:"evidence"`
	// Partners are those others.
	Partners []string `json:"partners"`
	// Share of the fast groups' median that the best of its groups reached.
	Share float64 `json:"share"`
}

// Share of the fast groups' median below which a group is slow. Equal clusters measure within 5 % of one another.
const Share = catalog.MedianShare

// Most is the highest number of rounds of a search. A node that is not decided by then stays so.
const Most = 6

// First plans the first round: disjoint pairs of near nodes, all at the same time.
func First(nodes []string, distance Distance) Round {
	return pairs(nodes, func(a, b string) int { return distance.of(a, b) })
}

// Across plans a round of disjoint pairs as far apart as can be, for comparison with near ones.
func Across(nodes []string, distance Distance) Round {
	return pairs(nodes, func(a, b string) int { return -distance.of(a, b) })
}

func (d Distance) of(a, b string) int {
	if d == nil {
		return 0
	}
	return d(a, b)
}

// pairs gives each node in turn the free node of least cost. The order of the nodes decides between equals.
func pairs(nodes []string, cost func(a, b string) int) Round {
	var out Round
	free := slices.Clone(nodes)
	for len(free) > 1 {
		a := free[0]
		best := 1
		for i := 2; i < len(free); i++ {
			if cost(a, free[i]) < cost(a, free[best]) {
				best = i
			}
		}
		out.Groups = append(out.Groups, []string{a, free[best]})
		free = slices.Delete(free[1:], best-1, best)
	}
	out.Idle = free
	return out
}

// Next reads what was measured of some nodes. It gives the round that tells the most about the nodes that are not decided yet, none when
// there is nothing left to ask, and what is known so far. Fewer slow nodes than there are pairs are all named, and no other. Where the
// fastest groups would make half of the nodes slow or more, they are set aside as Above: what most reach is the norm, and whether that is
// good enough is for a gate to say.
func Next(nodes []string, measured []Measured, distance Distance) (*Round, Conclusion) {
	k := judge(nodes, measured, distance)
	return k.plan(), k.conclude()
}

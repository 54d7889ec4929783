package suspect

// Round is a set of groups of nodes, no node in two of them, that are measured at the same time.
type Round struct {
	Groups [][]string `json:"groups"`
	// Idle are nodes that take no part: the odd one out.
	Idle []string `json:"idle,omitempty"`
}

// Measured is one group of a round with its figure, larger being better: GB/s of bus bandwidth at one size, say. A figure of 0 is a
// group whose run failed: it says nothing of its nodes.
type Measured struct {
	Round int      `json:"round"` // from 1
	Nodes []string `json:"nodes"`
	Value float64  `json:"value"`
	// Class tells apart what must not be compared: pairs inside a leaf and pairs across blocks. Empty where all are alike.
	Class string `json:"class,omitempty"`
}

// Conclusion is what the measurements name.
type Conclusion struct {
	Slow      []Proof  `json:"slow,omitempty"`
	Good      []string `json:"good,omitempty"`      // in a group at or above the share
	Undecided []string `json:"undecided,omitempty"` // in slow groups only, with no good partner to tell
	Median    float64  `json:"median"`              // of the groups that count as good
}

// Proof is why a node is called slow: the slow groups that it was in, with partners who are fast elsewhere.
type Proof struct {
	Node     string     `json:"node"`
	Evidence []Measured `json:"evidence"`
	Why      string     `json:"why"`
}

// First plans the first rounds: pairs of near nodes. distance says how many levels of the network two nodes do not share; nil where
// nobody knows.
func First(nodes []string, distance func(a, b string) int) []Round { return nil }

// Next reads the rounds that were measured. It gives the rounds to run next, none when nothing is left to ask, and what is known so far.
func Next(measured []Measured, distance func(a, b string) int) ([]Round, Conclusion) {
	return nil, Conclusion{}
}

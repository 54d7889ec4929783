package catalog

import "slices"

// EFAGBps is the EFA bandwidth of a node in GB/s one way, by design; 0 where no source gives it.
func (t InstanceType) EFAGBps() float64 { return t.EFA.Gbps / 8 }

// EFAGBpsPerAccelerator is the share of one accelerator in it.
func (t InstanceType) EFAGBpsPerAccelerator() float64 { return t.EFAGbpsPerAccelerator() / 8 }

// AllToAllCeiling is the highest bus bandwidth, in GB/s, that an all-to-all over nodes can reach: a rank
// sends (n-g)/n of its data through its share of the network card and counts (n-1)/n of it as moved, hence
//
//	perRank * (n-1) / (n-g)
//
// with perRank the EFA bandwidth of one rank in GB/s, n ranks in all and g ranks on a node. False for a
// single node, where EFA sets no ceiling, and for numbers that make no run. A measurement above the ceiling
// means a broken test.
func AllToAllCeiling(perRank float64, ranks, ranksPerNode int) (gbps float64, ok bool) {
	if perRank <= 0 || ranksPerNode <= 0 || ranks <= ranksPerNode {
		return 0, false
	}
	return perRank * float64(ranks-1) / float64(ranks-ranksPerNode), true
}

// AllReduceCeilingNodes is the number of nodes from which on the node's EFA bandwidth is the ceiling of an
// all-reduce's bus bandwidth; with fewer, tree and NVLS algorithms beat it, and a reference figure serves.
const AllReduceCeilingNodes = 4

// Collective names an nccl-tests program's operation.
type Collective string

// The operations with reference figures.
const (
	AllReduce Collective = "all_reduce"
	AllToAll  Collective = "alltoall"
)

// Reference is a measured run that others published.
type Reference struct {
	Collective    Collective
	InstanceTypes []string // measured on one of them; all have the same fabric
	Nodes         int
	Program       string // nccl-tests, or another benchmark
	Points        []Point
	Note          string
	Source        Source
}

// Point is one size of a run.
type Point struct {
	Bytes int64   // size of the message; 0: the best of all sizes
	GBps  float64 // bus bandwidth
}

// At gives the bus bandwidth at a size; false when the run has no such row.
func (r Reference) At(bytes int64) (gbps float64, ok bool) {
	i := slices.IndexFunc(r.Points, func(p Point) bool { return p.Bytes == bytes })
	if i < 0 {
		return 0, false
	}
	return r.Points[i].GBps, true
}

// References lists the published runs of a collective on an instance type, fewest nodes first.
func References(c Collective, instanceType string) []Reference {
	var out []Reference
	for _, r := range referenceTable {
		if r.Collective == c && slices.Contains(r.InstanceTypes, instanceType) {
			out = append(out, r)
		}
	}
	return out
}

// Gate is a share of an expected figure that a healthy cluster reaches.
type Gate struct {
	Collective Collective
	MinNodes   int   // from this many nodes on
	MaxNodes   int   // up to this many; 0: no end
	MinBytes   int64 // judged at this size and above; 0: at the peak
	Share      float64
	Of         string // what it is a share of: GateCeiling, GateNode or GateReference
	Source     Source
}

// What gates are shares of.
const (
	GateCeiling   = "ceiling"        // AllToAllCeiling
	GateNode      = "node bandwidth" // EFAGBps
	GateReference = "reference"      // a row of References for the same number of nodes
)

// MedianShare is the share of its group's median, at the same size, below which a node is suspect and goes
// into a second pass.
const MedianShare = 0.90

// GateOf finds the gate of a collective for a number of nodes; false for a single node.
func GateOf(c Collective, nodes int) (Gate, bool) {
	i := slices.IndexFunc(gateTable, func(g Gate) bool {
		return g.Collective == c && nodes >= g.MinNodes && (g.MaxNodes == 0 || nodes <= g.MaxNodes)
	})
	if i < 0 {
		return Gate{}, false
	}
	return gateTable[i], true
}

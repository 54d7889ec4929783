package plan

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// Healthy is what a node of a group looks like when all is well; node checks and logs are compared with it.
type Healthy struct {
	Accelerators int     `json:"accelerators"`       // that the driver shows
	Kind         string  `json:"kind,omitempty"`     // gpu or neuron
	EFADevices   int     `json:"efaDevices"`         // NICs that the plugin finds
	Provider     string  `json:"provider,omitempty"` // of libfabric
	GDR          bool    `json:"gdr"`                // inter-node channels carry GDRDMA
	EFAGbps      float64 `json:"efaGbps"`            // all EFA devices together, each direction
}

// Ranks is how a job's ranks sit on a node.
type Ranks struct {
	PerNode int `json:"perNode"`
	CPUs    int `json:"cpus"` // of each rank
}

// Expect is the physical ceiling of what a group's nodes can move, in GB/s (1e9 bytes). It is 0 for one node.
type Expect struct {
	Nodes int `json:"nodes"`
	// NodeGBps is what all EFA devices of one node move in one direction; RankGBps is one rank's share.
	NodeGBps float64 `json:"nodeGBps"`
	RankGBps float64 `json:"rankGBps"`
	// AllToAllBusGBps bounds busbw: B·(n−1)/(n−g) for B a rank's share, n ranks, g of them on a node. Of a
	// rank's n−1 peers n−g sit behind the network, and busbw counts all of them.
	AllToAllBusGBps float64 `json:"allToAllBusGBps"`
	// AllToAllAlgGBps bounds algbw of the same exchange.
	AllToAllAlgGBps float64 `json:"allToAllAlgGBps"`
	// AllReduceAlgGBps bounds algbw from four nodes on: what enters and leaves a node. Two nodes can pass it
	// with tree algorithms, so there only reference rows count.
	AllReduceAlgGBps float64 `json:"allReduceAlgGBps"`
}

func healthy(t catalog.InstanceType, g NodeGroup) Healthy {
	h := Healthy{Accelerators: t.Accelerator.Count, Kind: t.Accelerator.Kind, EFADevices: min(countEFA(g.Interfaces), t.MaxEFA)}
	if h.EFADevices > 0 {
		h.Provider = "efa"
		h.GDR = t.EFA.GDRRequired
		h.EFAGbps = t.EFA.Gbps * share(h.EFADevices, t)
	}
	return h
}

// share is the part of a type's EFA bandwidth that some of its devices carry. AWS's recommended subset of
// shared cards reaches all of it.
func share(devices int, t catalog.InstanceType) float64 {
	full := t.MaxEFA
	if t.SaveAddressesCards != nil {
		full = len(t.SaveAddressesCards)
	}
	if full == 0 {
		return 0
	}
	return min(1, float64(devices)/float64(full))
}

// ranks spreads a node's vCPUs over its ranks: one rank for each accelerator unless the config says otherwise.
func (p *planner) ranks(t catalog.InstanceType) Ranks {
	w := p.config.Workload
	r := Ranks{PerNode: w.RanksPerNode}
	if r.PerNode == 0 {
		r.PerNode = max(1, t.Accelerator.Count)
	}
	r.CPUs = t.VCPUs / r.PerNode
	if w.CPUsPerRank > 0 {
		r.CPUs = w.CPUsPerRank
	}
	return r
}

func expect(t catalog.InstanceType, g NodeGroup) Expect {
	e := Expect{Nodes: g.Nodes, NodeGBps: g.Healthy.EFAGbps / 8}
	ranks := float64(g.Ranks.PerNode)
	e.RankGBps = e.NodeGBps / ranks
	if g.Nodes < 2 || t.Accelerator.Count == 0 {
		return e
	}
	n := ranks * float64(g.Nodes)
	e.AllToAllBusGBps = e.RankGBps * (n - 1) / (n - ranks)
	e.AllToAllAlgGBps = e.RankGBps * n / (n - ranks)
	e.AllReduceAlgGBps = e.NodeGBps
	return e
}

// Steps of the validation order.
const (
	StepHost       = "host"
	StepContainer  = "container"
	StepLatency    = "latency"
	StepDispatcher = "dispatcher"
	StepTraining   = "training"
	StepBlocks     = "blocks"
)

// uses is what decides which steps a cluster has use for.
type uses struct {
	several     bool // nodes that talk over EFA
	accelerated bool // nodes that compute
	blocks      int
}

func usesOf(c Cluster) uses {
	var u uses
	blocks := map[string]bool{}
	for _, g := range c.Groups {
		u.several = u.several || g.Nodes > 1 && g.EFA
		u.accelerated = u.accelerated || g.Healthy.Accelerators > 0
		if g.Capacity.Market == CapacityBlock {
			blocks[g.Capacity.Key()] = true
		}
	}
	u.blocks = len(blocks)
	return u
}

// steps lists the validation steps that a cluster has use for, in their order.
func steps(c Cluster) []string {
	if !c.Config.Validation.Enabled {
		return nil
	}
	u, only := usesOf(c), c.Config.Validation.Steps
	pairs := u.several && u.accelerated
	var out []string
	for _, s := range []struct {
		name string
		use  bool
	}{
		{StepHost, pairs},
		{StepContainer, pairs && c.Config.Workload.Container != ""},
		{StepLatency, u.several},
		{StepDispatcher, pairs && c.Config.Workload.Kind == "moe"},
		{StepTraining, u.accelerated},
		{StepBlocks, u.several && u.blocks > 1},
	} {
		if s.use && (len(only) == 0 || slices.Contains(only, s.name)) {
			out = append(out, s.name)
		}
	}
	return out
}

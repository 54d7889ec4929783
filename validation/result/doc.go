// Package result is the outcome of a validation run as one document: what the report shows, what is written as JSON, and what `pulumi up`
// decides by. It holds no account id, no secret and no environment, so that it can be handed to a vendor.
package result

import (
	"time"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
)

// Version of the document's form. It grows when a field changes its meaning or goes.
const Version = 1

// Outcome of a step or of a run.
type Outcome string

// The outcomes. A run is as bad as the worst of the steps that ran: passed, warned, waiting, failed. It is not-run where none did.
const (
	Passed  Outcome = "passed"
	Warned  Outcome = "warned"  // findings at warn level
	NotRun  Outcome = "not-run" // Why says why: no use for it, or a step before it failed
	Waiting Outcome = "waiting" // for a block that has not started, or for nodes
	Failed  Outcome = "failed"
)

// Run is one validation of one cluster.
type Run struct {
	Schema   int       `json:"schema"` // Version
	Weft     string    `json:"weft"`   // version of weft
	Cluster  string    `json:"cluster"`
	Region   string    `json:"region,omitempty"`
	ID       string    `json:"id"` // of the run
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished,omitzero"`
	Outcome  Outcome   `json:"outcome"`
	// Until is when a waiting run is expected to go on, where that is known.
	Until  time.Time `json:"until,omitzero"`
	Groups []Group   `json:"groups"`
	Steps  []Step    `json:"steps"` // of the whole order, also those not run
	// Cause is the finding to mend first; nil where none is at error level.
	Cause    *diag.Finding `json:"cause,omitempty"`
	Nodes    []Node        `json:"nodes,omitempty"` // sorted by name
	Pairs    []Pair        `json:"pairs,omitempty"`
	Versions []Component   `json:"versions,omitempty"`
	Topology []Place       `json:"topology,omitempty"`
}

// Group is what the plan expects of the nodes of one group.
type Group struct {
	Name         string       `json:"name"`
	InstanceType string       `json:"instanceType"`
	Nodes        int          `json:"nodes"`
	Ranks        plan.Ranks   `json:"ranks"`
	Healthy      plan.Healthy `json:"healthy"`
	Expect       plan.Expect  `json:"expect"`
}

// Step is one step of the validation order on one group.
type Step struct {
	Name     string    `json:"name"` // plan.StepHost, …
	Group    string    `json:"group,omitempty"`
	Outcome  Outcome   `json:"outcome"`
	Why      string    `json:"why"` // one sentence
	Job      string    `json:"job,omitempty"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	Curves   []Curve   `json:"curves,omitempty"`
	Figures  []Figure  `json:"figures,omitempty"`
	Findings diag.List `json:"findings,omitempty"`
	// Iterations of a training step.
	Iterations []evidence.Iteration `json:"iterations,omitempty"`
	Raw        []evidence.Excerpt   `json:"raw,omitempty"` // the lines that the outcome stands on
}

// Curve is bandwidth against message size, with what it is compared with.
type Curve struct {
	Name       string  `json:"name"`  // host all_reduce
	Where      string  `json:"where"` // host or container
	Collective string  `json:"collective"`
	Nodes      int     `json:"nodes"`
	Ranks      int     `json:"ranks"`
	Points     []Point `json:"points"`
	// CeilingGBps bounds bus bandwidth; 0 where physics sets none (few nodes and tree algorithms).
	CeilingGBps float64 `json:"ceilingGBps,omitempty"`
	// FloorGBps is what the large sizes must reach.
	FloorGBps float64 `json:"floorGBps,omitempty"`
	Reference []Point `json:"reference,omitempty"` // a published run
	Source    string  `json:"source,omitempty"`    // of the reference
}

// Point is one size.
type Point struct {
	Bytes   int64   `json:"bytes"`
	BusGBps float64 `json:"busGBps"`
	AlgGBps float64 `json:"algGBps,omitempty"`
	TimeUS  float64 `json:"timeUs,omitempty"`
}

// Figure is a verdict with its arithmetic.
type Figure struct {
	What     string             `json:"what"` // all-reduce, bus bandwidth, median of 4 sizes from 4 GiB
	Measured float64            `json:"measured"`
	Expected float64            `json:"expected"`
	Unit     string             `json:"unit"`
	Share    float64            `json:"share"`           // measured / expected
	Least    float64            `json:"least,omitempty"` // share to reach; 0 for a figure that only informs
	Most     float64            `json:"most,omitempty"`  // share not to pass, for times; 0 for none
	Formula  string             `json:"formula"`         // 50 GB/s · 15 / (16 − 8) = 93.75 GB/s
	Source   string             `json:"source"`
	Outcome  Outcome            `json:"outcome"`
	Raw      []evidence.Excerpt `json:"raw,omitempty"`
}

// Node is what the run saw of one node.
type Node struct {
	Name     string            `json:"name"`
	Group    string            `json:"group"`
	Block    string            `json:"block,omitempty"`
	NICs     int               `json:"nics"` // that the plugin found; -1: no log says
	Want     int               `json:"want"`
	Provider string            `json:"provider,omitempty"`
	Channels evidence.Channels `json:"channels"`
	Outcome  Outcome           `json:"outcome"`
	Why      string            `json:"why,omitempty"`
}

// Pair is a measurement between two nodes.
type Pair struct {
	A          string  `json:"a"`
	B          string  `json:"b"`
	Distance   string  `json:"distance,omitempty"`  // same leaf, same spine, between blocks, …
	LatencyUS  float64 `json:"latencyUs,omitempty"` // one way, median of 64 B to 4 KiB
	BusGBps    float64 `json:"busGBps,omitempty"`
	Collective string  `json:"collective,omitempty"`
	Suspect    bool    `json:"suspect,omitempty"`
}

// Component is a version on the host and in the container.
type Component struct {
	Name      string  `json:"name"`
	Host      string  `json:"host,omitempty"`
	Container string  `json:"container,omitempty"`
	Floor     string  `json:"floor,omitempty"`
	Outcome   Outcome `json:"outcome"`
}

// Place is where a node sits in the network.
type Place struct {
	Node  string   `json:"node"`
	Block string   `json:"block,omitempty"`
	Path  []string `json:"path"` // network nodes, from the root to the leaf
}

// Package topology says where instances sit in EC2's network, how far they are from one another, and in what order their hosts belong.
//
// EC2 tells for each instance the network nodes above it, from the top down. Their number is not the same for every type (3 on p5, 4 on
// p6-b200), so nothing here counts on it: two instances are as near as the node of the lowest layer that both stand under. The ids of network
// nodes are hashed for each account, and mean nothing beside those of another one.
package topology

import (
	"cmp"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Answers is what was read of EC2 and Slurm, in any order. The zero value holds nothing.
type Answers struct {
	Positions    []Position    // DescribeInstanceTopology
	Reservations []Reservation // DescribeCapacityReservationTopology
	Instances    []Instance    // DescribeInstances
	Nodes        []Node        // scontrol show nodes
	Switches     []Switched    // scontrol show topology, or topology.conf
	Pages        []Page        // that the answers came in
	// Asked are the reservations that were asked for by id: one of them without an answer is a finding.
	Asked []string
}

// Add puts other answers behind these.
func (a *Answers) Add(other Answers) {
	a.Positions = append(a.Positions, other.Positions...)
	a.Reservations = append(a.Reservations, other.Reservations...)
	a.Instances = append(a.Instances, other.Instances...)
	a.Nodes = append(a.Nodes, other.Nodes...)
	a.Switches = append(a.Switches, other.Switches...)
	a.Pages = append(a.Pages, other.Pages...)
	a.Asked = append(a.Asked, other.Asked...)
}

// Zone is an Availability Zone: its name, us-east-2a, which means another zone in another account, and its id, use2-az1.
type Zone struct {
	Name string `json:"name,omitempty"`
	ID   string `json:"id,omitempty"`
}

// Position is where EC2 says that an instance sits.
type Position struct {
	File     string // that says so; empty for an answer of EC2 itself
	Instance string // i-…
	Type     string
	Zone     Zone
	Path     []string // network nodes, from the top down; empty where EC2 tells none
	// UltraServer is the capacity block of an UltraServer: the instances of one share NVLink. EC2 names no other block here.
	UltraServer string
}

// Reservation is where EC2 says that the instances of a capacity reservation will sit.
type Reservation struct {
	File    string   `json:"-"`
	ID      string   `json:"id"` // cr-…
	Type    string   `json:"type,omitempty"`
	Zone    Zone     `json:"zone,omitzero"`
	State   string   `json:"state,omitempty"` // active or pending: of others EC2 tells nothing
	Path    []string `json:"path,omitempty"`  // can be shorter than those of its instances
	below   below    // the path
	account int      // of its instances
}

// Instance is what DescribeInstances says.
type Instance struct {
	File        string
	ID          string
	Owner       string // the account, where the answer names it
	Type        string
	State       string // pending, running, …; empty where the answer leaves it out
	Host        string // private DNS name
	Address     string // private address
	Zone        Zone
	Reservation string // cr-…
	Block       bool   // it was launched into a capacity block
	Pcluster    bool   // ParallelCluster launched it, and gave it another name in Slurm
	Head        bool   // it is ParallelCluster's head or login node
}

// Node is a node of Slurm.
type Node struct {
	File    string
	Name    string
	Address string // NodeAddr: the address, or a name
	Host    string // NodeHostName
}

// Switched is a leaf switch, or a block, of Slurm's topology.
type Switched struct {
	File  string
	Line  int
	Name  string
	Block bool // of topology/block; else a switch of topology/tree
	Nodes []string
}

// Page is one page of an answer.
type Page struct {
	File string
	List string // Instances, CapacityReservations or Reservations
	More bool   // it says that there is another one
}

// Place is where one instance sits.
type Place struct {
	Instance    string `json:"instance,omitempty"` // i-…; empty for a node of Slurm without one
	Node        string `json:"node,omitempty"`     // Slurm's name, where it is known
	Host        string `json:"host,omitempty"`     // private DNS name
	Type        string `json:"type,omitempty"`
	Zone        string `json:"zone,omitempty"`
	Reservation string `json:"reservation,omitempty"`
	Block       bool   `json:"block,omitempty"` // the reservation is a capacity block
	UltraServer string `json:"ultraServer,omitempty"`
	// Account tells places of different accounts apart, from 1; 0 where all are of one. Nothing is known of the road between two accounts.
	Account int `json:"account,omitempty"`
	// Path is the network nodes above, from the top down; empty where nobody knows.
	Path []string `json:"path,omitempty"`
	// renamed says that ParallelCluster launched the instance: Slurm has another name for it than EC2.
	renamed bool
}

// Name of a place: what Slurm calls it, else its host's name, else the instance's id.
func (p Place) Name() string { return cmp.Or(p.Node, p.Host, p.Instance) }

// Known reports that EC2 tells where the place is.
func (p Place) Known() bool { return len(p.Path) > 0 }

// Topology is what is known of a set of places.
type Topology struct {
	// Places in the order of hosts: those under one network node stand together, at every layer. Places that nobody knows come last.
	Places []Place `json:"places"`
	// Reservations of capacity, as EC2 tells of them before their launch.
	Reservations []Reservation  `json:"reservations,omitempty"`
	heights      map[string]int // of the network nodes, by the path to them; a leaf has 0
	top          int            // one above the highest
}

// New joins what was read, and judges it.
func New(a Answers) (Topology, diag.List) {
	j := joiner{Answers: a}
	j.join()
	t := Topology{Places: order(j.places), Reservations: reservationsOf(a.Reservations)}
	t.measure()
	j.judge(t)
	return t, j.findings
}

// measure finds the height of every network node: how many layers lie below it at most. So layers are counted from the leaf, whatever the
// number of them, and distances stay a metric where paths differ in length.
func (t *Topology) measure() {
	t.heights = map[string]int{}
	for _, p := range t.Places {
		for depth := range p.Path {
			key := prefix(p.Path[:depth+1])
			t.heights[key] = max(t.heights[key], len(p.Path)-depth-1)
		}
	}
	t.top = 1
	for _, h := range t.heights {
		t.top = max(t.top, h+1)
	}
}

// prefix names a network node by the way to it.
func prefix(path []string) string {
	n := 0
	for _, id := range path {
		n += len(id) + 1
	}
	key := make([]byte, 0, n)
	for _, id := range path {
		key = append(append(key, id...), '\n')
	}
	return string(key)
}

// shared is how many network nodes two paths have in common, from the top.
func shared(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Blocks are the capacity blocks of the places, in their order.
func (t Topology) Blocks() []string {
	var out []string
	for _, p := range t.Places {
		if p.Block && p.Reservation != "" && !slices.Contains(out, p.Reservation) {
			out = append(out, p.Reservation)
		}
	}
	return out
}

package catalog

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/agext/levenshtein"
)

//go:generate go run ./internal/instancegen -types data/instance-types.json -notes data/instance-notes.json -efa data/efa-types.tsv -ref "DescribeInstanceTypes answer bundled with moto 5.2.5" -date 2026-11-30 -out zz_generated_instances.go

// InstanceType is what EC2 says about one instance type, as far as EFA clusters need it.
// Numbers come from a DescribeInstanceTypes answer; what EC2 does not answer comes from dated notes.
// Its slices belong to the catalogue: read them, do not change them.
type InstanceType struct {
	Name             string      // p5en.48xlarge
	Architecture     string      // x86_64 or arm64
	VCPUs            int         // default vCPUs
	Cores            int         // default physical cores; 0 where EC2's answer was not read
	MemoryMiB        int         // main memory
	Accelerator      Accelerator // what computes; zero value for a type without one
	Cards            []Card      // network cards by index
	MaxInterfaces    int         // interfaces at most, over all cards; 0: unverified
	MaxEFA           int         // EFA interfaces at most; 0: the type takes no EFA
	IPv4PerInterface int         // private IPv4 addresses of one interface; 0 where EC2's answer was not read
	NVMeGB           int         // local instance storage in all
	UsageClasses     []string    // on-demand, spot, capacity-block
	Strategies       []string    // placement strategies: cluster, partition, spread

	EFA                EFA       // bandwidth and kind of the fabric
	UltraServer        string    // UltraServer types this instance is part of, with commas: "u-p6e-gb200x36,u-p6e-gb200x72"; else empty
	Blocks             BlockKind // how capacity blocks offer the type
	BlockPlaces        []string  // Regions and Local Zones where the notes saw blocks of the type offered; offers change
	TopologyNodes      int       // network nodes that DescribeInstanceTopology returns, top to bottom; 0: not in its list of types
	SaveAddressesCards []int     // cards that carry an EFA interface when AWS recommends a subset (p6e-gb200); nil: every card that takes EFA
	// IPCards are the further cards that carry a plain interface, on device 1, in the most-bandwidth layout. Nil
	// where AWS publishes none: then every further card that takes two interfaces does, and nobody confirms it.
	IPCards []int

	Unverified []string // names of fields that no source settled; such a value is never shown as a fact
	Source     Source
}

// Accelerator is the GPUs or Neuron devices of a node.
type Accelerator struct {
	Kind      string // gpu or neuron
	Maker     string // NVIDIA, AWS, ...
	Name      string // H200
	Count     int    // devices in one node
	MemoryMiB int    // of one device
}

// Card is one network card.
type Card struct {
	Index         int
	MaxInterfaces int     // interfaces that the card takes; 0: unverified
	BaselineGbps  float64 // as EC2 answers, both directions the same
	PeakGbps      float64
	Types         []string // interface types it takes: interface, efa, efa-only
}

// EFA is what is known of a type's EFA fabric.
type EFA struct {
	Generation  int     // 1 to 4; 0 where no source says
	Nitro       string  // v3 to v6; empty where no source says
	Gbps        float64 // all EFA interfaces of a node together; 0 where no source says
	GDRRequired bool    // aws-ofi-nccl refuses to run the type without GPUDirect RDMA
	RDMAWrite   bool    // the device writes by RDMA (Nitro v4 and later)
}

// BlockKind says how capacity blocks offer a type.
type BlockKind string

// The kinds of capacity block offers.
const (
	NoBlocks          BlockKind = ""            // not offered
	InstanceBlocks    BlockKind = "instance"    // 1 to 64 instances
	UltraServerBlocks BlockKind = "ultraserver" // whole UltraServers only
	BothBlocks        BlockKind = "instance,ultraserver"
)

// The interface types of EC2 network cards.
const (
	TypeInterface = "interface" // ENA: takes IP addresses, carries no EFA
	TypeEFA       = "efa"       // EFA together with ENA on one interface
	TypeEFAOnly   = "efa-only"  // EFA without IP
)

// Source says where a row comes from and when it was read.
type Source struct {
	Ref  string // document, repository path or recorded answer
	Date string // 2026-11-30
}

// Support is an answer that knows its limits.
type Support int

// The answers. The zero value is Unknown.
const (
	Unknown     Support = iota // no list knows the name: never taken for "unsupported"
	Supported                  // a DescribeInstanceTypes answer or a note says yes
	Unsupported                // a detailed row says no
)

// String gives unknown, supported or unsupported.
func (s Support) String() string {
	switch s {
	case Supported:
		return "supported"
	case Unsupported:
		return "unsupported"
	default:
		return "unknown"
	}
}

// Instance finds a type that the catalogue knows in detail, by its exact name.
func Instance(name string) (InstanceType, bool) {
	i := sort.Search(len(instanceTable), func(i int) bool { return instanceTable[i].Name >= name })
	if i == len(instanceTable) || instanceTable[i].Name != name {
		return InstanceType{}, false
	}
	return instanceTable[i], true
}

// Instances lists the types known in detail, sorted by name.
func Instances() []InstanceType { return slices.Clone(instanceTable) }

// EFATypes lists the names of all types that take EFA, sorted; most are not known in detail.
func EFATypes() []string { return slices.Clone(efaTypeNames) }

// EFASupport says whether a type takes EFA. EC2's list of EFA types is of one day, so that a name it
// lacks is Unknown; only a detailed row can say Unsupported.
func EFASupport(name string) Support {
	_, listed := slices.BinarySearch(efaTypeNames, name)
	t, detailed := Instance(name)
	return support(listed, t, detailed)
}

func support(listed bool, t InstanceType, detailed bool) Support {
	switch {
	case listed || detailed && t.MaxEFA > 0:
		return Supported
	case detailed:
		return Unsupported
	default:
		return Unknown
	}
}

// NearestInstance gives the known name that is written most like the given one, for hints; empty when
// none is near: more than a third of the letters differ.
func NearestInstance(name string) string {
	best, bestDistance := "", math.MaxInt
	consider := func(candidate string) {
		if d := levenshtein.Distance(name, candidate, nil); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	for i := range instanceTable {
		consider(instanceTable[i].Name)
	}
	for _, n := range efaTypeNames {
		consider(n)
	}
	if bestDistance*3 > len(best) {
		return ""
	}
	return best
}

// TakesEFA reports whether the card takes an EFA interface, with or without IP.
func (c Card) TakesEFA() bool { return c.Takes(TypeEFA) || c.Takes(TypeEFAOnly) }

// Takes reports whether the card takes interfaces of a type: interface, efa or efa-only.
func (c Card) Takes(interfaceType string) bool { return slices.Contains(c.Types, interfaceType) }

// Card finds a network card by its index.
func (t InstanceType) Card(index int) (Card, bool) {
	i := slices.IndexFunc(t.Cards, func(c Card) bool { return c.Index == index })
	if i < 0 {
		return Card{}, false
	}
	return t.Cards[i], true
}

// EFACards lists the cards that take an EFA interface, by index.
func (t InstanceType) EFACards() []Card {
	var out []Card
	for _, c := range t.Cards {
		if c.TakesEFA() {
			out = append(out, c)
		}
	}
	return out
}

// TakesEFA reports whether the type has the card and the card takes an EFA interface.
func (t InstanceType) TakesEFA(card int) bool {
	c, ok := t.Card(card)
	return ok && c.TakesEFA()
}

// PrimaryTakesEFA reports whether card 0, which carries the primary interface, takes an EFA interface
// too: not so on p6-b300 and p6e-gb200.
func (t InstanceType) PrimaryTakesEFA() bool { return t.TakesEFA(0) }

// EFAGbpsPerAccelerator is the share of one accelerator in the node's EFA bandwidth, in Gbps one way;
// 0 where either number is not known.
func (t InstanceType) EFAGbpsPerAccelerator() float64 {
	if t.Accelerator.Count == 0 {
		return 0
	}
	return t.EFA.Gbps / float64(t.Accelerator.Count)
}

// SpellsOutIP reports whether AWS says which cards carry IP traffic beside EFA, where there are several: without it the
// most-bandwidth layout follows from the general rule.
func (t InstanceType) SpellsOutIP() bool {
	return t.IPCards != nil || len(t.Cards) < 2 || t.MaxEFA == 0
}

// Verified reports whether a source settled a field, by the name that Unverified uses ("MaxEFA").
func (t InstanceType) Verified(field string) bool { return !slices.Contains(t.Unverified, field) }

// OffersBlocks reports whether capacity blocks offer single instances of the type.
func (t InstanceType) OffersBlocks() bool {
	return t.Blocks == InstanceBlocks || t.Blocks == BothBlocks
}

// Family is the part of the name before the dot: p5en.
func (t InstanceType) Family() string { return family(t.Name) }

func family(name string) string {
	f, _, _ := strings.Cut(name, ".")
	return f
}

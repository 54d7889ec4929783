package catalog

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/version"
)

// Op compares an installed version with a bound.
type Op string

// The comparisons.
const (
	AtLeast Op = ">="
	Below   Op = "<"
)

// Condition is about the version of one component.
type Condition struct {
	Component Component
	Op        Op
	Version   string    // the bound; empty when Than is given
	Than      Component // the bound is the version of this component
}

// String gives "efa-installer >= 1.43.3".
func (c Condition) String() string {
	bound := c.Version
	if c.Than != "" {
		bound = string(c.Than)
	}
	return string(c.Component) + " " + string(c.Op) + " " + bound
}

// Pair says that components must fit together: where If holds, every one of Then must.
type Pair struct {
	Name      string
	If        Condition
	Then      []Condition // several where one fact shows in several components
	Reason    string
	Conflicts []string // other figures, each with its source
	Source    Source
}

// Pairs lists what must fit together.
func Pairs() []Pair { return slices.Clone(pairTable) }

var pairTable = []Pair{
	{
		Name: "NVIDIA driver 580 and EFA",
		If:   Condition{Component: NVIDIADriver, Op: AtLeast, Version: "580"},
		Then: []Condition{
			{Component: EFAInstaller, Op: AtLeast, Version: "1.43.3"},
			{Component: EFADriver, Op: AtLeast, Version: "2.17.3"},
		},
		Reason: "older EFA drivers have no peer-to-peer with NVIDIA drivers from 580 on: GPUDirect RDMA is lost",
		Source: Source{"amzn/amzn-drivers, kernel/linux/efa/RELEASENOTES.md @64788ef", factsRead},
	},
	{
		Name:      "NCCL 2.19 and the EFA installer",
		If:        Condition{Component: NCCL, Op: AtLeast, Version: "2.19"},
		Then:      []Condition{{Component: EFAInstaller, Op: AtLeast, Version: "1.29.0"}},
		Reason:    "older libfabric fails to register memory for it, or needs FI_EFA_SET_CUDA_SYNC_MEMOPS=0",
		Conflicts: []string{"1.29.1 (awslabs/awsome-distributed-ai issues 203 and 278)"},
		Source:    Source{"aws/aws-ofi-nccl issue 584; awslabs/awsome-distributed-ai issues 203 and 278", factsRead},
	},
	{
		Name:   "aws-ofi-nccl 1.21 and libfabric",
		If:     Condition{Component: OFIPlugin, Op: AtLeast, Version: "1.21"},
		Then:   []Condition{{Component: Libfabric, Op: AtLeast, Version: "1.22.0"}},
		Reason: "the plugin refuses the EFA provider of an older libfabric, and NCCL falls back to sockets",
		Source: Source{"aws/aws-ofi-nccl v1.21.1", factsRead},
	},
	{
		Name:   "aws-ofi-nccl 1.15 and what it runs on",
		If:     Condition{Component: OFIPlugin, Op: AtLeast, Version: "1.15"},
		Then:   []Condition{{Component: NCCL, Op: AtLeast, Version: "2.17.1"}, {Component: Libfabric, Op: AtLeast, Version: "1.11.0"}},
		Reason: "the least that the plugin's release notes name",
		Source: ofiNotes,
	},
	{
		Name:   "aws-ofi-nccl and the libfabric it was built on",
		If:     Condition{Component: OFIPlugin, Op: AtLeast, Version: "0"},
		Then:   []Condition{{Component: Libfabric, Op: AtLeast, Than: PluginLibfabric}},
		Reason: "a plugin built on a newer libfabric does not load on an older one, and NCCL falls back to sockets",
		Source: ofiNotes,
	},
}

// known versions of components; what is absent is not known.
type versions map[Component]version.Version

func (have versions) has(c Component) bool {
	_, ok := have[c]
	return ok
}

// holds judges a condition; known is false when a version that it needs is not.
func (c Condition) holds(have versions) (ok, known bool) {
	v, known := have[c.Component]
	if !known {
		return false, false
	}
	bound, known := have[c.Than]
	if c.Than == "" {
		bound, known = version.MustParse(c.Version), true
	}
	if !known {
		return false, false
	}
	return v.AtLeast(bound) == (c.Op == AtLeast), true
}

package catalog

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

// Op compares an installed version with a bound.
type Op string

// The comparisons.
const (
	AtLeast Op = ">="
	Below   Op = "<"
	Equal   Op = "="
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

// other is the component of a condition beside the one that is known already; empty: it is about that one alone.
func (c Condition) other(known Component) Component {
	if c.Component == known {
		return c.Than
	}
	return c.Component
}

// Pair says that components must fit together: where If holds, every one of Then must.
type Pair struct {
	Name      string
	If        Condition
	And       *Condition  // a second condition, where If alone does not tell
	Then      []Condition // several where one fact shows in several components
	Level     diag.Level  // of its findings; unset: as the rule says
	Reason    string
	Hint      string   // the way out; empty: raise the component that is too low
	Conflicts []string // other figures, each with its source
	Source    Source
}

// Pairs lists what must fit together.
func Pairs() []Pair { return slices.Clone(pairTable) }

// bound reports whether a pair is to be held; a condition that is not known binds nobody.
func (p Pair) bound(have versions) bool {
	ok, _ := p.If.holds(have)
	if ok && p.And != nil {
		ok, _ = p.And.holds(have)
	}
	return ok
}

// broken finds the first condition that does not hold though all that it needs is known. Further ones would show
// the same fault in other components.
func (p Pair) broken(have versions) (Condition, bool) {
	if !p.bound(have) {
		return Condition{}, false
	}
	for _, then := range p.Then {
		if ok, known := then.holds(have); known && !ok {
			return then, true
		}
	}
	return Condition{}, false
}

// when gives "nccl >= 2.31.2-1 and aws-ofi-nccl >= 1.21.0".
func (p Pair) when() string {
	if p.And == nil {
		return p.If.String()
	}
	return p.If.String() + " and " + p.And.String()
}

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
	{
		Name:   "Fabric Manager and the NVIDIA driver",
		If:     Condition{Component: FabricManager, Op: AtLeast, Version: "0"},
		Then:   []Condition{{Component: FabricManager, Op: Equal, Than: NVIDIADriver}},
		Level:  diag.Warn, // no document of NVIDIA that was read says how exact the match must be
		Reason: "Fabric Manager is made for one driver version, and AWS's images move both together",
		Source: Source{"Talos Linux documentation, nvidia-fabricmanager; aws/aws-parallelcluster 3.16.3 changelog", factsRead},
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
	if c.Op == Equal {
		return v.Compare(bound) == 0, true
	}
	return v.AtLeast(bound) == (c.Op == AtLeast), true
}

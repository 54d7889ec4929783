package catalog

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

var (
	trainingImage = Source{"awslabs/awsome-distributed-ai issue 386", factsRead}
	compatIssue   = Source{"awslabs/awsome-distributed-ai issue 475", factsRead}
)

// Crossings lists what must fit together between a container and its host.
func Crossings() []Pair { return slices.Clone(crossTable) }

// crossTable holds pairs of a component in the container with one of the host (Component.OfHost).
var crossTable = []Pair{
	{
		Name:   "GIN in the container and the host's EFA driver",
		If:     Condition{Component: NCCL, Op: AtLeast, Version: "2.31.2-1"},
		And:    &Condition{Component: OFIPlugin, Op: AtLeast, Version: "1.21.0"},
		Then:   []Condition{{Component: EFADriver, Op: AtLeast, Version: "3.3.0"}},
		Level:  diag.Warn, // the CPU proxy and plain collectives work; who needs the GPU's own road has the floor of its dispatcher
		Reason: "the GPU starts transfers itself only with that driver on the host, which a container cannot bring",
		Hint:   "on the host install efa-installer 1.50.0 or later, or leave NCCL_GIN_TYPE unset and go through the CPU",
		Source: ginIssue,
	},
	{
		Name:   compatName,
		If:     Condition{Component: CUDACompat, Op: AtLeast, Version: "0"},
		Then:   []Condition{{Component: CUDACompat, Op: AtLeast, Than: NVIDIADriver}},
		Level:  diag.Warn,
		Reason: "the older library fails against the newer module: unsupported display driver, and GDRCopy's sanity test fails",
		Hint:   "remove cuda-compat from the image, or take /usr/local/cuda/compat out of LD_LIBRARY_PATH: a driver this new does not need it",
		Source: compatIssue,
	},
}

const compatName = "cuda-compat and the host's NVIDIA driver"

// ruleAcross is the rule of a crossing: components that must fit together are a pair, a package that should not be
// there is a difference that matters.
func ruleAcross(p Pair) diag.ID {
	if p.Name == compatName {
		return diag.VerHostContainer
	}
	return diag.VerPair
}

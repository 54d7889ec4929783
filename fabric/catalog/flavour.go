package catalog

import "slices"

// Flavour is the kind of NVIDIA's kernel modules.
type Flavour string

// The flavours.
const (
	OpenModules   Flavour = "open"
	ClosedModules Flavour = "closed"
)

// Modules says which flavours of NVIDIA's kernel modules drive a GPU.
type Modules struct {
	Open, Closed bool
	Reason       string
	Source       Source
}

// Takes reports whether a flavour drives the GPU. An unknown flavour is not refused.
func (m Modules) Takes(f Flavour) bool {
	switch f {
	case OpenModules:
		return m.Open
	case ClosedModules:
		return m.Closed
	default:
		return true
	}
}

// Flavours lists those that drive the GPU.
func (m Modules) Flavours() []Flavour {
	return slices.DeleteFunc([]Flavour{OpenModules, ClosedModules}, func(f Flavour) bool { return !m.Takes(f) })
}

var (
	openSource         = Source{"NVIDIA/open-gpu-kernel-modules, README, compatible GPUs; NVIDIA driver README, chapter on open kernel modules", factsRead}
	fabricManagerGuide = Source{"NVIDIA, Fabric Manager User Guide", factsRead}
)

// anyModules is of GPUs that take both flavours.
var anyModules = Modules{Open: true, Closed: true, Source: openSource}

// modules by the GPU's name. A GPU that is not listed takes both: Turing, Ampere, Ada and Hopper do.
var modules = map[string]Modules{
	"B200":                {Open: true, Reason: "Blackwell needs the open kernel modules", Source: openSource},
	"B300":                {Open: true, Reason: "Blackwell needs the open kernel modules", Source: openSource},
	"RTX PRO 4500":        {Open: true, Reason: "Blackwell needs the open kernel modules", Source: openSource},
	"RTX PRO Server 6000": {Open: true, Reason: "Blackwell needs the open kernel modules", Source: openSource},
	"V100": {
		Closed: true, Reason: "the open kernel modules support Turing and later GPUs only",
		Source: Source{"aws/aws-parallelcluster issue 6014", factsRead},
	},
}

// ModulesOf says which flavours an instance type's GPUs take; false for a type without NVIDIA GPUs or one that the
// catalogue has no row for.
func ModulesOf(instanceType string) (Modules, bool) {
	t, known := Instance(instanceType)
	if !known || t.Accelerator.Maker != "NVIDIA" {
		return Modules{}, false
	}
	if m, listed := modules[t.Accelerator.Name]; listed {
		return m, true
	}
	return anyModules, true
}

// ClosedNeedsEFA is the first EFA installer that gets GPU memory from NVIDIA's closed modules after an update of the kernel: with an older
// one GPUDirect RDMA is lost then. Kernels that keep their symbols from closed modules altogether end it for every installer.
func ClosedNeedsEFA() (installer string, source Source) {
	return "1.29.0", Source{"aws/aws-parallelcluster issue 6015", factsRead}
}

// nvSwitched are GPUs that, eight on a node, sit behind NVSwitches.
var nvSwitched = []string{"A100", "H100", "H200", "B200", "B300"}

// NVSwitched reports that the GPUs of a type sit behind NVSwitches, which the Fabric Manager must set up before CUDA starts.
func NVSwitched(instanceType string) (bool, Source) {
	t, _ := Instance(instanceType)
	return t.Accelerator.Count == 8 && slices.Contains(nvSwitched, t.Accelerator.Name), fabricManagerGuide
}

// DMABufKernel is the first kernel with DMA-BUF for RDMA: from there on the network reads GPU memory without a module of its own.
func DMABufKernel() (kernel string, source Source) {
	return "5.12", Source{"perplexityai/pplx-garden, README", factsRead}
}

package installed

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

// kernelGuard is the first kernel that keeps a module such as efa from asking the closed NVIDIA module for GPU
// memory; distributions took the change into older ones.
var kernelGuard = version.MustParse("6.6")

// flavours finds NVIDIA kernel modules of a flavour that the GPU, or the way from EFA to its memory, cannot use.
func flavours(l List, instanceType string) diag.List {
	takes, known := catalog.ModulesOf(instanceType)
	if !known {
		return nil
	}
	var out diag.List
	for _, m := range l.Modules {
		f := diag.Finding{
			Rule: diag.AMIDriverFlavour, Place: m.Place,
			Got: fmt.Sprintf("%s NVIDIA kernel modules (%s)", m.Flavour, m.From),
		}
		switch {
		case !takes.Takes(m.Flavour):
			f.Want = fmt.Sprintf("the other flavour on %s: %s", instanceType, takes.Reason)
			f.Hint = "install the driver packages of the other flavour: nvidia-open or nvidia-driver-…-open are the open ones"
			f.Source = takes.Source.Ref
			out.Add(f)
		case m.Flavour == catalog.ClosedModules && needsGPUDirect(instanceType):
			_, source := catalog.ClosedNeedsEFA()
			f.Level, f.Want = closedModules(l)
			f.Hint = "install the open modules, nvidia-open or nvidia-driver-…-open, with EFA installer 1.29.0 or later"
			f.Source = source.Ref
			out.Add(f)
		}
	}
	return out
}

func needsGPUDirect(instanceType string) bool {
	t, ok := catalog.Instance(instanceType)
	return ok && t.EFA.GDRRequired
}

// closedModules tells what the closed modules cost with the node's EFA and kernel.
func closedModules(l List) (diag.Level, string) {
	installed := l.Map()
	first, _ := catalog.ClosedNeedsEFA()
	if installer, err := version.Parse(installed[catalog.EFAInstaller]); err == nil && !installer.AtLeast(version.MustParse(first)) {
		return diag.Error, fmt.Sprintf("the open modules, or EFA installer %s or later instead of %s: EFA gets no GPU memory once the kernel is updated",
			first, installer)
	}
	kernel := installed[catalog.Kernel]
	if running, err := version.Parse(kernel); err == nil && running.AtLeast(kernelGuard) {
		return diag.Error, fmt.Sprintf("the open modules on kernel %s: from %s on the efa driver gets no GPU memory from the closed ones, and EFA stops",
			running, kernelGuard)
	}
	if kernel == "" {
		kernel = "that is not known"
	}
	return diag.Warn, fmt.Sprintf("the open modules: kernel %s may keep GPU memory from the efa driver, as all do from %s on; distributions took that into older ones",
		kernel, kernelGuard)
}

// flavour takes note of a flavour, once for each.
func (s *sink) flavour(f catalog.Flavour, from string, line int) {
	if !slices.ContainsFunc(s.list.Modules, func(m Module) bool { return m.Flavour == f }) {
		s.list.Modules = append(s.list.Modules, Module{Flavour: f, From: from, Place: s.place(line)})
	}
}

// flavourIf is open where a sign of the open modules is there, else closed.
func flavourIf(open bool) catalog.Flavour {
	if open {
		return catalog.OpenModules
	}
	return catalog.ClosedModules
}

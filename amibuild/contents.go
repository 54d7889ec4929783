package amibuild

import (
	"maps"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// nvidiaSoftware is what ParallelCluster installs only where Build/Installation/NvidiaSoftware is enabled.
var nvidiaSoftware = []catalog.Component{catalog.NVIDIADriver, catalog.CUDA, catalog.DCGM, catalog.GDRCopy}

// installs is the component of the catalogue that a kind of step puts on the image.
var installs = map[string]catalog.Component{
	kindKernel: catalog.Kernel, kindNVIDIA: catalog.NVIDIADriver, kindCUDA: catalog.CUDA, kindEFA: catalog.EFAInstaller, kindGDRCopy: catalog.GDRCopy,
	kindNCCL: catalog.NCCL, kindOFI: catalog.OFIPlugin, kindEnroot: catalog.Enroot, kindPyxis: catalog.Pyxis,
}

// contents follows the build: what ParallelCluster's own recipes install, what the parent brings, what each step adds.
func (p *planner) contents() {
	have := maps.Clone(p.image.Parent.Holds)
	if p.image.Parent.Kind != Official {
		p.cookbook(have)
	}
	for _, s := range p.image.Steps {
		install(have, s)
		if s.Kind == kindNVIDIA {
			p.image.Modules = s.Modules
		}
	}
	if p.image.ParallelCluster != "" {
		have[catalog.ParallelCluster] = p.image.ParallelCluster
	}
	p.image.Contents = have
}

// cookbook adds what ParallelCluster installs on a parent that is not its own. It keeps an EFA installation that it finds
// (aws-parallelcluster-cookbook, resources/efa), and leaves NVIDIA software out unless asked for it.
func (p *planner) cookbook(have map[catalog.Component]string) {
	ships := maps.Clone(p.release.Ships)
	if p.image.NVIDIA {
		p.image.Modules = catalog.OpenModules // of every release that weft knows: since 3.8.0
	} else {
		for _, c := range nvidiaSoftware {
			delete(ships, c)
		}
	}
	if have[catalog.EFAInstaller] != "" || have[catalog.EFADriver] != "" {
		delete(ships, catalog.EFAInstaller)
	}
	for c, version := range ships {
		if have[c] == "" || p.image.NVIDIA {
			have[c] = version
		}
	}
}

// install puts a step's component in the place of the one that was there, with all that it brought.
func install(have map[catalog.Component]string, s Step) {
	c, ok := installs[s.Kind]
	if !ok {
		return
	}
	if c == catalog.EFAInstaller {
		for brought := range (catalog.InstallerRelease{}).Contents() {
			delete(have, brought)
		}
		delete(have, catalog.OFIPlugin)
		delete(have, catalog.OpenMPI)
	}
	have[c] = s.Version
}

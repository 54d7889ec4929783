package amibuild

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

// checkNVIDIA judges what GPU nodes need of a driver.
func (p *planner) checkNVIDIA() {
	for _, n := range p.nodes() {
		takes, gpus := catalog.ModulesOf(n.InstanceType)
		if !gpus || !n.Compute {
			continue
		}
		p.checkDriver(n)
		if !takes.Takes(p.image.Modules) {
			p.add(diag.AMIDriverFlavour, p.flavourPath(), fmt.Sprintf("%s kernel modules for %s, %s", p.image.Modules, n.Who, n.InstanceType), takes.Reason,
				"set modules to "+string(other(p.image.Modules)), takes.Source.Ref)
		}
	}
	p.checkClosed()
}

func other(f catalog.Flavour) catalog.Flavour {
	if f == catalog.OpenModules {
		return catalog.ClosedModules
	}
	return catalog.OpenModules
}

func (p *planner) flavourPath() string {
	if p.find(kindNVIDIA) != nil {
		return p.pathOf(kindNVIDIA) + ".modules"
	}
	return "parent.modules"
}

func (p *planner) checkDriver(n Node) {
	const off = "AWS ParallelCluster User Guide, Build-v3: NvidiaSoftware is off by default"
	switch {
	case p.image.Contents[catalog.NVIDIADriver] != "" || p.image.NVIDIA:
	case p.image.Parent.Kind == AMI:
		p.add(diag.AMINVIDIAMissing, "components", "no NVIDIA driver, on a parent that is not said to bring one", "a driver for "+n.Who+", "+n.InstanceType,
			"add - nvidia: {} for ParallelCluster's own, or name the parent's in parent.holds.nvidia-driver", off)
	default:
		p.addAt(diag.Warn, diag.AMINVIDIAMissing, "parent", "a driver of a version that nobody names", "the version of the driver for "+n.Who+", "+n.InstanceType,
			"read it from the release notes of the image and write it into parent.holds.nvidia-driver: floors are judged by it, and the image's tags name it", off)
	}
}

// checkClosed: the closed modules need peer memory of a newer EFA installer.
func (p *planner) checkClosed() {
	floor, source := catalog.ClosedNeedsEFA()
	have := p.image.Contents[catalog.EFAInstaller]
	order, err := version.Compare(have, floor)
	if p.image.Modules != catalog.ClosedModules || err != nil || order >= 0 {
		return
	}
	p.add(diag.AMIDriverFlavour, p.flavourPath(), "closed NVIDIA kernel modules with efa-installer "+have, "open modules, or efa-installer "+floor+" or later: else EFA loses sight of GPU memory with a newer kernel",
		"set modules to open and take efa-installer "+floor+" or later", source.Ref)
}

// checkVersions judges the finished image by the floors of each type. A fault that several types share is told once.
func (p *planner) checkVersions() {
	for _, name := range p.computeTypes() {
		verdicts, findings := catalog.Stack{Versions: p.image.Contents, At: p.place}.Judge(p.floors(name))
		p.image.Versions = append(p.image.Versions, Verdicts{name, verdicts})
		for _, f := range findings {
			if !slices.Contains(p.findings, f) {
				p.findings.Add(f)
			}
		}
	}
}

// floors of the nodes of a Slurm cluster.
func (p *planner) floors(instanceType string) []catalog.Floor {
	return slices.DeleteFunc(catalog.Floors(instanceType, p.workload()), func(f catalog.Floor) bool { return f.Component == catalog.EFAK8sPlugin })
}

func (p *planner) computeTypes() []string {
	var out []string
	for _, n := range p.nodes() {
		if n.Compute && !slices.Contains(out, n.InstanceType) {
			out = append(out, n.InstanceType)
		}
	}
	return out
}

// place is where the recipe decides the version of a component.
func (p *planner) place(c catalog.Component) diag.Place {
	path := "parent"
	if p.recipe.Parent.Holds[string(c)] != "" {
		path = "parent.holds." + string(c)
	}
	for _, s := range p.image.Steps {
		if installs[s.Kind] == c || s.Kind == kindEFA && broughtByEFA(c) {
			path = s.Path
		}
	}
	return diag.Place{Path: path}
}

func broughtByEFA(c catalog.Component) bool {
	_, brought := (catalog.InstallerRelease{Plugin: "0", OpenMPI: []string{"0"}}).Contents()[c]
	return brought
}

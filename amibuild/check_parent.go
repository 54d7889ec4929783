package amibuild

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

func (p *planner) checkParentOne() {
	var given []string
	for _, k := range []struct {
		key string
		set bool
	}{{"official", p.recipe.Parent.Official}, {"dlami", p.recipe.Parent.DLAMI != ""}, {"ami", p.recipe.Parent.AMI != ""}} {
		if k.set || !p.Recipe.Sound("parent."+k.key) {
			given = append(given, k.key)
		}
	}
	switch {
	case !p.Recipe.Sound("parent"):
	case len(given) == 0:
		p.add(diag.ConfigRequired, "parent", "no parent", "one of official, dlami and ami", "write official: true for ParallelCluster's own image of the version", "")
	case len(given) > 1:
		p.add(diag.ConfigConflict, "parent."+given[1], given[1]+" beside "+given[0], "one parent", "keep one of "+strings.Join(given, ", "), "")
	}
}

func (p *planner) checkParent() {
	p.checkHolds()
	switch p.image.Parent.Kind {
	case Official:
		p.checkOfficial()
	case DLAMI:
		p.checkDLAMI()
	}
	if p.image.NVIDIA && p.image.Parent.Kind != AMI {
		p.add(diag.ConfigConflict, p.pathOf(kindNVIDIA), "ParallelCluster's NVIDIA software on a parent that brings a driver", "one driver",
			"leave the component out, or name a driver version to replace the parent's", "aws-parallelcluster-cookbook: the driver is not installed where nvidia-smi is there")
	}
}

// checkHolds: a parent that holds another ParallelCluster version can't become an image of this one.
func (p *planner) checkHolds() {
	known := catalog.Components()
	for _, name := range slices.Sorted(maps.Keys(p.recipe.Parent.Holds)) {
		if !slices.Contains(known, catalog.Component(name)) {
			p.add(diag.ConfigKey, "parent.holds."+name, "the component "+name, fmt.Sprintf("one of %v", known), "name the component as the catalogue does", "")
		}
	}
	held := p.image.Parent.Holds[catalog.ParallelCluster]
	if held != "" && held != p.image.ParallelCluster {
		p.add(diag.AMIParallelCluster, "parent.holds."+string(catalog.ParallelCluster), "a parent of ParallelCluster "+held,
			"a parent of "+p.image.ParallelCluster+", or one without ParallelCluster", p.otherParent(), "aws/aws-parallelcluster issues 1689 and 4836")
	}
}

// otherParent is the way out where a parent can't be lifted to the cluster's version.
func (p *planner) otherParent() string {
	if p.image.Parent.Kind == Official || p.image.Parent.Pattern != "" {
		return "write official: true: it follows the version"
	}
	return fmt.Sprintf("an image can't be lifted to another version: build anew from what it was made of, or from parent.official of %s", p.image.ParallelCluster)
}

func (p *planner) checkOfficial() {
	os, known := p.release.OS(p.image.OS)
	if known && !os.Official {
		p.add(diag.AMIParent, "parent.official", "an official image of "+os.Name, "a system that ParallelCluster publishes an image of",
			"give an image of "+os.Name+" as parent.ami, and build it with pcluster build-image", "ParallelCluster "+p.release.Version+", OsCustomAmiValidator")
	}
}

// dlamiSystems are the systems in the names of Deep Learning AMIs, by ParallelCluster's words.
var dlamiSystems = map[string]string{"ubuntu2204": "ubuntu-22.04", "ubuntu2404": "ubuntu-24.04", "alinux2023": "amazon-linux-2023"}

const dlamiPrefix = "/aws/service/deeplearning/ami/"

func (p *planner) checkDLAMI() {
	name := p.image.Parent.Parameter
	if !p.Recipe.Sound("parent.dlami") {
		return
	}
	const doc = "AWS Deep Learning AMIs Developer Guide, SSM parameters"
	system, published := dlamiSystems[p.image.OS]
	switch {
	case !strings.HasPrefix(name, dlamiPrefix):
		p.add(diag.ConfigValue, "parent.dlami", fmt.Sprintf("%q", name), "an SSM parameter below "+dlamiPrefix,
			"take for example "+dlamiPrefix+p.image.Architecture+"/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id", doc)
	case !published || !strings.Contains(name, "-"+system+"/"):
		p.add(diag.AMIOS, "parent.dlami", name, p.image.OS+", the system of the image", "take the DLAMI of that system, or another os", doc)
	case !strings.HasPrefix(name, dlamiPrefix+p.image.Architecture+"/"):
		p.add(diag.AMIArchitecture, "parent.dlami", name, p.image.Architecture+", the architecture of the image", "take the DLAMI of that architecture", doc)
	}
}

// pathOf is the path of the first component of a kind.
func (p *planner) pathOf(kind string) string {
	for i, c := range p.recipe.Components {
		if slices.Contains(c.kinds(), kind) {
			return fmt.Sprintf("components[%d].%s", i, kind)
		}
	}
	return "components"
}

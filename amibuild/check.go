package amibuild

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// check is one rule over a planned image. It sees the whole plan and reports by the recipe's paths.
type check struct {
	name  string
	says  string
	judge func(*planner)
}

// checks run before anything is built.
var checks = []check{
	{"recipe/name", "the name is one that EC2, Image Builder and ParallelCluster take", (*planner).checkName},
	{"recipe/tags", "tags are the user's own", (*planner).checkTags},
	{"recipe/release", "version and system are ones that ParallelCluster has", (*planner).checkRelease},
	{"recipe/nodes", "somebody boots the image, and its architecture is theirs", (*planner).checkNodes},
	{"parent/one", "an image has one parent", (*planner).checkParentOne},
	{"parent/kind", "the parent can be what it is said to be", (*planner).checkParent},
	{"component/one", "a component is of one kind", (*planner).checkComponentOne},
	{"component/once", "nothing is installed twice", (*planner).checkTwice},
	{"component/script", "a script comes from one place that can be read", (*planner).checkScripts},
	{"order", "what is built against something comes after it", (*planner).checkOrder},
	{"order/rebuilt", "modules that the parent brings are built anew for a new driver or kernel", (*planner).checkRebuilt},
	{"kernel", "nothing moves the kernel once modules are built", (*planner).checkKernel},
	{"gdrcopy", "GDRCopy comes from one place", (*planner).checkGDRCopy},
	{"plugin", "aws-ofi-nccl comes from one place", (*planner).checkPlugin},
	{"nvidia", "an image for GPU nodes has a driver, of a flavour that they take", (*planner).checkNVIDIA},
	{"versions", "versions reach the floors, fit together and are not known to be bad", (*planner).checkVersions},
	{"lock", "the lock holds what the recipe asks for, each with its checksum", (*planner).checkLock},
	{"build", "the machine that builds can be started", (*planner).checkBuild},
}

var recipeName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,59}$`)

func (p *planner) checkName() {
	if p.Recipe.Sound("name") && !recipeName.MatchString(p.recipe.Name) {
		p.add(diag.ConfigValue, "name", fmt.Sprintf("%q", p.recipe.Name), "lower case letters, digits and hyphens, a letter first, 60 at most", "rename the recipe", "")
	}
	for i, c := range p.recipe.Components {
		if c.Script != nil && !recipeName.MatchString(c.Script.Name) && p.Recipe.Sound(fmt.Sprintf("components[%d].script.name", i)) {
			p.add(diag.ConfigValue, fmt.Sprintf("components[%d].script.name", i), fmt.Sprintf("%q", c.Script.Name),
				"lower case letters, digits and hyphens, a letter first, 60 at most", "rename the script", "")
		}
	}
}

func (p *planner) checkTags() {
	for key := range p.recipe.Tags {
		for _, reserved := range []string{"aws:", catalog.TagPrefix} {
			if strings.HasPrefix(strings.ToLower(key), reserved) {
				p.add(diag.ConfigValue, "tags["+fmt.Sprintf("%q", key)+"]", "the key "+key, "a key without the prefix "+reserved,
					"leave the tag out: the build sets these itself", "AWS ParallelCluster User Guide, Build-v3, Tags")
			}
		}
	}
}

func (p *planner) checkRelease() {
	switch {
	case p.image.ParallelCluster == "":
		p.add(diag.ConfigRequired, "parallelcluster", "no ParallelCluster version", "the version of the cluster that will boot the image",
			"give the cluster's config (--cluster), or write parallelcluster into the recipe", "")
		return
	case p.release.Version == "":
		p.add(diag.PCVersion, "parallelcluster", fmt.Sprintf("ParallelCluster %q", p.image.ParallelCluster), "one of "+strings.Join(releases(), ", "),
			"set a version that weft knows", "AWS ParallelCluster release notes")
		return
	}
	if v := p.recipe.ParallelCluster; v != "" && p.Target.ParallelCluster != "" && v != p.Target.ParallelCluster {
		p.add(diag.AMIParallelCluster, "parallelcluster", "a recipe for ParallelCluster "+v, p.Target.ParallelCluster+", as the cluster says",
			"leave parallelcluster out of the recipe: it follows the cluster", "aws-samples/aws-parallelcluster-hpc-quickstart issue 2")
	}
	p.checkOS()
}

func (p *planner) checkOS() {
	var names []string
	for _, os := range p.release.OSes {
		names = append(names, os.Name)
	}
	os, known := p.release.OS(p.image.OS)
	if !known {
		p.add(diag.PCOS, "os", fmt.Sprintf("%q with ParallelCluster %s", p.image.OS, p.release.Version), "one of "+strings.Join(names, ", "),
			"take one of these systems: on others the kernel modules of EFA and NVIDIA may not build (NVIDIA/gdrcopy and amzn/amzn-drivers issue 357)", "ParallelCluster "+p.release.Version+", Image/Os")
		return
	}
	for _, name := range p.types() {
		if !os.Takes(name) {
			p.add(diag.PCOS, "os", name+" on "+os.Name, "a system that ParallelCluster runs the type on", "set os to another system", "ParallelCluster "+p.release.Version)
		}
	}
	if p.recipe.OS != "" && p.Target.OS != "" && p.recipe.OS != p.Target.OS {
		p.add(diag.AMIOS, "os", "a recipe for "+p.recipe.OS, p.Target.OS+", as the cluster says", "leave os out of the recipe: it follows the cluster", "ParallelCluster, AmiOsCompatibleValidator")
	}
}

func releases() []string {
	var out []string
	for _, r := range catalog.Releases() {
		out = append(out, r.Version)
	}
	return out
}

func (p *planner) checkNodes() {
	nodes := p.nodes()
	if !slices.ContainsFunc(nodes, func(n Node) bool { return n.Compute }) {
		p.add(diag.ConfigRequired, "instanceTypes", "nobody that boots the image", "the instance types that it must serve",
			"give the cluster's config (--cluster), or list instanceTypes in the recipe: version floors depend on them", "")
	}
	for _, n := range nodes {
		a, known := catalog.Architecture(n.InstanceType)
		switch {
		case !known:
			p.add(diag.ConfigValue, cmp.Or(own(n), "instanceTypes"), fmt.Sprintf("%q (%s)", n.InstanceType, n.Who), "an EC2 instance type",
				hintFor(catalog.NearestInstance(n.InstanceType)), "")
		case a != p.image.Architecture:
			p.add(diag.AMIArchitecture, "architecture", p.image.Architecture+" for "+n.Who+", "+n.InstanceType, a+", the architecture of the type",
				"build an image for each architecture, each with a recipe of its own", "ParallelCluster, InstanceTypeBaseAMICompatibleValidator")
		}
	}
	p.checkTypes()
}

// checkTypes: of a type that no list knows only the floors of its family are known.
func (p *planner) checkTypes() {
	for i, name := range p.recipe.InstanceTypes {
		if _, known := catalog.Instance(name); known || catalog.EFASupport(name) != catalog.Unknown {
			continue
		}
		if _, named := catalog.Architecture(name); named {
			p.addAt(diag.Warn, diag.ConfigValue, fmt.Sprintf("instanceTypes[%d]", i), fmt.Sprintf("%q, which no list knows", name), "a type that takes EFA", hintFor(catalog.NearestInstance(name)), "")
		}
	}
}

// own is the path of a type that the recipe itself names.
func own(n Node) string {
	if strings.HasPrefix(n.Who, "instanceTypes[") {
		return n.Who
	}
	return ""
}

func hintFor(meant string) string {
	if meant == "" {
		return "give the type's name as EC2 writes it"
	}
	return "did you mean " + meant + "?"
}

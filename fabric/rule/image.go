package rule

import (
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/installed"
)

const sourceTags = "ParallelCluster, CustomAmiTagValidator"

// The rules of versions share one judgement: a script's versions are judged once, by the first of them.
var imageRules = []Rule{
	{diag.VerFloor, Alone, "Below its floor a component does not drive the instance type, or does not know the workload.", func(v *view) { judgeVersions(v, diag.VerFloor) }},
	{diag.VerPair, Alone, "Components that talk to each other fit in some versions only.", func(v *view) { judgeVersions(v, diag.VerPair) }},
	{diag.VerDenied, Alone, "Some versions are known to be bad, though they are above every floor.", func(v *view) { judgeVersions(v, diag.VerDenied) }},
	{diag.VerUnreadable, Alone, "A version that cannot be read, such as latest, cannot be judged, and is another one tomorrow.", func(v *view) { judgeVersions(v, diag.VerUnreadable) }},
	{diag.AMIParallelCluster, Together, "ParallelCluster's software on an image is of one version, and serves clusters of that version only.", judgeImageVersion},
	{diag.AMIBuildStatus, Together, "An image whose build did not end well is refused, or starts nodes that fail.", judgeImageStatus},
	{diag.AMIOS, Together, "The operating system of the image is the one that the cluster is configured for.", judgeImageOS},
	{diag.AMIArchitecture, Together, "An image boots on instances of its own architecture only, and the nodes of a ParallelCluster cluster have one architecture, the head node's.", judgeImageArchitecture},
	{diag.AMINVIDIAMissing, Together, "ParallelCluster's build-image leaves NVIDIA's software out unless it is asked for; GPU nodes from such an image have no driver.", judgeImageNVIDIA},
}

// judgeVersions judges what scripts install, for each type that they are for.
func judgeVersions(v *view, id diag.ID) {
	for _, s := range v.NodeScripts {
		text, ok := need(v, s.Input, s.Text)
		if !ok {
			continue
		}
		list := installed.ReadScript(s.Place.File, []byte(text))
		if len(list.Versions) == 0 {
			continue
		}
		for _, f := range judgeStack(list.Stack(catalog.Whole), s.types(v.options), v.options.Workload) {
			if f.Rule == id {
				v.findings.Add(s.place(f, s.Text.Path))
			}
		}
	}
}

func (s NodeScript) types(o Options) []string {
	if len(s.InstanceTypes) > 0 {
		return s.InstanceTypes
	}
	return o.InstanceTypes
}

// judgeStack gives the findings for all types, each once. Without a type only pairs and known-bad versions are judged.
func judgeStack(stack catalog.Stack, types []string, w catalog.Workload) diag.List {
	if len(types) == 0 {
		_, out := stack.Judge(nil)
		return out
	}
	var out diag.List
	seen := map[diag.Finding]bool{}
	for _, t := range types {
		_, findings := stack.Judge(catalog.Floors(t, w))
		for _, f := range findings {
			if !seen[f] {
				seen[f] = true
				out.Add(f)
			}
		}
	}
	return out
}

// place puts a finding about a line of the script where the script stands.
func (s NodeScript) place(f diag.Finding, path string) diag.Finding {
	line := f.Place.Line
	f.Place = at(s.Input, path)
	switch {
	case line == 0:
	case s.Place.File != "" && path == "" && s.Place.Path == "":
		f.Place.Line = line
	default:
		f.Got += fmt.Sprintf(" (line %d of the script)", line)
	}
	return f
}

// built reports that ParallelCluster built the image, as far as its tags tell.
func (i Image) built() bool { return catalog.ImageBuilt(i.Tags) }

func (i Image) tag(key string) string { return strings.TrimSpace(i.Tags[key].Or("")) }

// version is the ParallelCluster version that an image was built for, and where that is written.
func (i Image) version() (version, where string) {
	return catalog.ImageVersion(i.tag(catalog.TagVersion), i.Name.Or(""), i.Public)
}

// imageUse is a place that names an image of the set, and the nodes that boot it.
type imageUse struct {
	Input
	image        Image
	path         string
	cluster      *ParallelCluster
	types        []Value[string]
	computeNodes bool
}

// imageUses lists the images of clusters, launches and instances that are in the set.
func (v *view) imageUses() []imageUse {
	var out []imageUse
	add := func(u imageUse, ref Value[string]) {
		if image, ok := v.image(ref); ok {
			u.image, u.path = image, ref.Path
			out = append(out, u)
		}
	}
	for i := range v.Clusters {
		c := &v.Clusters[i]
		for _, u := range c.boots() {
			add(imageUse{Input: c.Input, cluster: c, types: u.types, computeNodes: u.compute}, u.image)
		}
	}
	for _, l := range v.launches {
		types := []Value[string]{l.InstanceType}
		if l.InstanceType.IsAbsent() {
			types = nil
			for _, u := range l.users {
				types = append(types, u.types.Items...)
			}
		}
		add(imageUse{Input: l.Input, types: types}, l.Image)
	}
	return out
}

// judgeImageVersion compares versions as whole words: 3.1 is not 3.16.1.
func judgeImageVersion(v *view) {
	for _, u := range v.imageUses() {
		if u.cluster == nil {
			continue
		}
		want, ok := need(v, u.Input, u.cluster.Version)
		got, where := u.image.version()
		switch {
		case !ok || got == want:
		case got != "":
			v.add(at(u.Input, u.path), fmt.Sprintf("%s is of ParallelCluster %s (%s)", u.image.name(), got, where), want+", the cluster's version",
				fmt.Sprintf("build the image anew from its parent with ParallelCluster %s, or use %s for the cluster", want, got), sourceTags+"; aws/aws-parallelcluster#4909")
		case u.image.built():
			v.add(at(u.Input, u.path), fmt.Sprintf("%s has ParallelCluster's tags, but none %s", u.image.name(), catalog.TagVersion), want+" in that tag",
				"build the image anew: a version that can't be read is no version", sourceTags)
		default:
			v.addAt(diag.Warn, at(u.Input, u.path), fmt.Sprintf("%s has no %s tag", u.image.name(), catalog.TagPrefix), "an image that ParallelCluster "+want+" built",
				"build it with pcluster build-image: nodes that do not find the software of "+want+" on it fail at boot", sourceTags)
		}
	}
}

func judgeImageStatus(v *view) {
	for _, u := range v.imageUses() {
		place := at(u.Input, u.path)
		if state := u.image.State.Or("available"); state != "available" {
			v.add(place, u.image.name()+" is "+state, "available", "wait for the image, or name another: EC2 starts nothing from it", "EC2 API, DescribeImages")
		}
		status := u.image.tag(catalog.TagBuildStatus)
		if u.cluster == nil || u.image.tag(catalog.TagVersion) == "" || status == catalog.ImageBuildDone || u.image.Tags[catalog.TagBuildStatus].IsUnknown() {
			continue
		}
		v.add(place, fmt.Sprintf("%s has %q in tag %s", u.image.name(), status, catalog.TagBuildStatus), `"available"`,
			"build the image anew: its build did not end well, or the tag was not copied along", sourceTags)
	}
}

func judgeImageOS(v *view) {
	for _, u := range v.imageUses() {
		if u.cluster == nil || u.image.tag(catalog.TagOS) == "" {
			continue
		}
		want, ok := need(v, u.Input, u.cluster.OS)
		if got := u.image.tag(catalog.TagOS); ok && got != want {
			v.add(at(u.Input, u.path), fmt.Sprintf("%s holds %s (tag %s)", u.image.name(), got, catalog.TagOS), want+", as Image.Os says",
				fmt.Sprintf("set Image.Os to %s, or name an image with %s", got, want), "ParallelCluster, AmiOsCompatibleValidator")
		}
	}
}

func judgeImageArchitecture(v *view) {
	for i := range v.Clusters {
		judgeOneArchitecture(v, &v.Clusters[i])
	}
	for _, u := range v.imageUses() {
		arch := u.image.Architecture.Or("")
		for _, t := range u.types {
			want, known := catalog.Architecture(t.Or(""))
			if arch == "" || !known || want == arch {
				continue
			}
			v.add(at(u.Input, u.path), u.image.name()+" is for "+arch, fmt.Sprintf("%s, the architecture of %s", want, t.Or("")),
				"name an image of the nodes' architecture", "ParallelCluster, InstanceTypeBaseAMICompatibleValidator")
			break
		}
	}
}

// judgeOneArchitecture: nodes of a cluster share software that is built for one architecture, the head node's.
func judgeOneArchitecture(v *view, c *ParallelCluster) {
	head, known := catalog.Architecture(c.Head.InstanceType.Or(""))
	if !known {
		return
	}
	for _, b := range c.boots() {
		for _, t := range b.types {
			arch, known := catalog.Architecture(t.Or(""))
			if !b.compute || !known || arch == head {
				continue
			}
			v.add(at(c.Input, t.Path), fmt.Sprintf("%s is %s", t.Or(""), arch), fmt.Sprintf("%s, the architecture of the head node, %s", head, c.Head.InstanceType.Or("")),
				"choose a head node of the compute nodes' architecture", "ParallelCluster, InstanceArchitectureCompatibilityValidator")
		}
	}
}

func judgeImageNVIDIA(v *view) {
	for _, u := range v.imageUses() {
		if !u.image.built() || u.image.tag(catalog.TagNVIDIAVersion) != "" || u.image.Tags[catalog.TagNVIDIAVersion].IsUnknown() {
			continue
		}
		for _, t := range u.types {
			row, ok := catalog.Instance(t.Or(""))
			if !ok || row.Accelerator.Maker != "NVIDIA" {
				continue
			}
			v.add(at(u.Input, u.path), fmt.Sprintf("%s names no version in tag %s", u.image.name(), catalog.TagNVIDIAVersion), "the NVIDIA driver that "+row.Name+" needs",
				"build it with NVIDIA software (Build/Installation/NvidiaSoftware/Enabled), or lower this rule where the parent image brought the driver",
				"ParallelCluster build-image: NVIDIA software is off by default")
			break
		}
	}
}

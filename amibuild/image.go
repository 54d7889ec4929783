package amibuild

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Image is the plan of one image: what a recipe, its lock and the cluster decide together.
type Image struct {
	Name            string `json:"name"`
	ParallelCluster string `json:"parallelcluster"` // the exact version
	OS              string `json:"os"`
	Architecture    string `json:"architecture"`
	Region          string `json:"region,omitempty"`

	Parent Source `json:"parent"`
	// NVIDIA says that ParallelCluster installs its own NVIDIA software and GDRCopy, which build-image leaves out by default.
	NVIDIA bool `json:"nvidia"`
	// Steps in their order.
	Steps []Step `json:"steps"`
	// Contents are the versions on the finished image, as far as they are known.
	Contents map[catalog.Component]string `json:"contents"`
	// Modules is the flavour of the NVIDIA kernel modules; empty where nobody says.
	Modules catalog.Flavour `json:"modules,omitempty"`
	// Versions compares the contents with what each instance type asks for.
	Versions []Verdicts `json:"versions"`

	Build Build             `json:"build"`
	Tags  map[string]string `json:"tags,omitempty"`
}

// Source is what an image is built from.
type Source struct {
	Kind string `json:"kind"` // official, dlami or ami
	// AMI is the id, as the recipe or the lock has it; empty for an official image that is looked up by its name.
	AMI string `json:"ami,omitempty"`
	// Pattern of an official image's name; its owner is amazon.
	Pattern string `json:"pattern,omitempty"`
	// Parameter of SSM that a DLAMI's id was read from.
	Parameter string `json:"parameter,omitempty"`
	// Holds are versions that it brings.
	Holds map[catalog.Component]string `json:"holds,omitempty"`
}

// The kinds of parent.
const (
	Official = "official"
	DLAMI    = "dlami"
	AMI      = "ami"
)

// Step is one component of the plan.
type Step struct {
	Kind    string `json:"kind"`              // efa, gdrcopy, script, ...
	Name    string `json:"name"`              // of the step: efa, or the script's
	Path    string `json:"-"`                 // of the component in the recipe
	Version string `json:"version,omitempty"` // empty for a script
	// Artifacts that it downloads, each with its SHA-256.
	Artifacts []Artifact `json:"artifacts,omitempty"`
	// Content of a script of the user's own that lies beside the recipe.
	Content []byte `json:"-"`
	// Minutes it may take.
	Minutes int `json:"minutes"`
	// Modules is the flavour of NVIDIA's modules that the step builds.
	Modules catalog.Flavour `json:"modules,omitempty"`
}

// Verdicts compares the image with the floors of one instance type.
type Verdicts struct {
	InstanceType string            `json:"instanceType"`
	Verdicts     []catalog.Verdict `json:"verdicts"`
}

// Request is all that the plan of an image is made from.
type Request struct {
	// Recipe as it was read.
	Recipe config.File[Recipe]
	// Target is the cluster that will boot the image; its zero value where there is none.
	Target Target
	// Lock as it was read; its zero value where there is none yet.
	Lock config.File[Lock]
	// Files are the user's scripts by the path that the recipe gives, relative to it.
	Files map[string][]byte
}

// New plans one image. It is total: any recipe gives a plan, and the findings about it. A plan with findings at error level is
// shown, and never built.
func New(r Request) (Image, diag.List) {
	p := &planner{Request: r, recipe: r.Recipe.Value}
	p.choose()
	p.source()
	p.steps()
	p.contents()
	p.pin()
	for _, c := range checks {
		c.judge(p)
	}
	p.Recipe.Positions.Resolve(p.findings)
	p.findings.Sort()
	return p.image, p.findings
}

// planner holds what one run of New works on.
type planner struct {
	Request
	recipe   Recipe
	image    Image
	release  catalog.Release
	findings diag.List
}

func (p *planner) add(rule diag.ID, path, got, want, hint, source string) {
	p.findings.Add(diag.Finding{Rule: rule, Place: diag.Place{Path: path}, Got: got, Want: want, Hint: hint, Source: source})
}

func (p *planner) addAt(level diag.Level, rule diag.ID, path, got, want, hint, source string) {
	p.findings.Add(diag.Finding{Rule: rule, Level: level, Place: diag.Place{Path: path}, Got: got, Want: want, Hint: hint, Source: source})
}

// choose settles for whom the image is: the recipe's own words first, else the cluster's.
func (p *planner) choose() {
	r, t := p.recipe, p.Target
	p.image = Image{
		Name: r.Name, Region: t.Region, Build: r.Build, Tags: r.Tags,
		ParallelCluster: cmp.Or(r.ParallelCluster, t.ParallelCluster),
		OS:              cmp.Or(r.OS, t.OS),
		Architecture:    cmp.Or(r.Architecture, architecture(p.types())),
	}
	p.release, _ = catalog.ReleaseOf(p.image.ParallelCluster)
	if p.image.Build.InstanceType == "" {
		p.image.Build.InstanceType = builders[p.image.Architecture]
	}
}

// builders are the machines that build where the recipe names none: the smallest with an NVIDIA GPU that compile NCCL in less
// than an hour.
var builders = map[string]string{"x86_64": "g4dn.4xlarge", "arm64": "g5g.4xlarge"}

// architecture of the first type that the catalogue knows; the most common one without any.
func architecture(types []string) string {
	for _, name := range types {
		if a, known := catalog.Architecture(name); known {
			return a
		}
	}
	return "x86_64"
}

// types are the instance types that the image must serve, each once.
func (p *planner) types() []string {
	var out []string
	for _, n := range p.nodes() {
		if !slices.Contains(out, n.InstanceType) {
			out = append(out, n.InstanceType)
		}
	}
	return out
}

// nodes are those of the cluster, and the types that the recipe names itself.
func (p *planner) nodes() []Node {
	out := slices.Clone(p.Target.Nodes)
	for i, name := range p.recipe.InstanceTypes {
		out = append(out, Node{Who: fmt.Sprintf("instanceTypes[%d]", i), InstanceType: name, Compute: true})
	}
	return out
}

func (p *planner) workload() catalog.Workload {
	if d := p.recipe.Dispatcher; d != "" {
		return catalog.Workload{Kind: "moe", Dispatcher: d}
	}
	return p.Target.Workload
}

func (p *planner) source() {
	parent := p.recipe.Parent
	s := Source{Holds: map[catalog.Component]string{}}
	switch {
	case parent.Official:
		s.Kind = Official
		s.Pattern, _ = catalog.AMIName(p.image.ParallelCluster, p.image.OS, p.image.Architecture)
		maps.Copy(s.Holds, p.release.Ships)
		p.image.Modules = catalog.OpenModules
	case parent.DLAMI != "":
		s.Kind, s.Parameter = DLAMI, parent.DLAMI
		if strings.Contains(parent.DLAMI, "oss-nvidia-driver") {
			p.image.Modules = catalog.OpenModules
		}
	case parent.AMI != "":
		s.Kind, s.AMI = AMI, parent.AMI
	}
	if parent.Modules != "" {
		p.image.Modules = catalog.Flavour(parent.Modules)
	}
	for name, version := range parent.Holds {
		s.Holds[catalog.Component(name)] = version
	}
	p.image.Parent = s
}

func (p *planner) steps() {
	for i, c := range p.recipe.Components {
		path := fmt.Sprintf("components[%d]", i)
		kinds := c.kinds()
		if len(kinds) != 1 || !p.Recipe.Sound(path) {
			continue // judged by componentOne, or reported by the decoder
		}
		if kinds[0] == kindNVIDIA && c.NVIDIA.Driver == "" {
			p.image.NVIDIA = true
			continue
		}
		p.image.Steps = append(p.image.Steps, p.step(c, kinds[0], path+"."+kinds[0]))
	}
}

// minutes that a step may take, reboots not counted.
var minutes = map[string]int{
	kindKernel: 15, kindNVIDIA: 30, kindCUDA: 30, kindEFA: 30, kindGDRCopy: 20, kindNCCL: 60, kindOFI: 20, kindNCCLTests: 30, kindEnroot: 10, kindPyxis: 10,
}

func (p *planner) step(c Component, kind, path string) Step {
	s := Step{Kind: kind, Name: strings.ToLower(kind), Path: path, Minutes: minutes[kind]}
	switch kind {
	case kindNVIDIA:
		s.Version, s.Modules = c.NVIDIA.Driver, catalog.Flavour(c.NVIDIA.Modules)
	case kindCUDA:
		s.Version = c.CUDA.Version
		s.Artifacts = []Artifact{{Name: string(catalog.CUDA), Version: s.Version, URL: cudaURL(s.Version, c.CUDA.Bundle, p.image.Architecture)}}
	case kindScript:
		p.script(&s, *c.Script)
	default:
		s.Version = c.versioned(kind).Version
	}
	for _, from := range sources[kind] {
		s.Artifacts = append(s.Artifacts, Artifact{Name: from.name, Version: s.Version, URL: from.url(s.Version, p.image.Architecture, p.image.OS)})
	}
	return s
}

func (p *planner) script(s *Step, script Script) {
	s.Name, s.Minutes = script.Name, script.Minutes
	if script.URL != "" {
		s.Artifacts = []Artifact{{Name: "script:" + script.Name, URL: script.URL}}
		return
	}
	s.Content = p.Files[script.File]
}

// versioned gives the component of a kind that has nothing but its version.
func (c Component) versioned(kind string) Versioned {
	v := map[string]*Versioned{
		kindKernel: c.Kernel, kindEFA: c.EFA, kindGDRCopy: c.GDRCopy, kindNCCL: c.NCCL, kindOFI: c.OFIPlugin,
		kindNCCLTests: c.NCCLTests, kindEnroot: c.Enroot, kindPyxis: c.Pyxis,
	}[kind]
	if v == nil {
		return Versioned{}
	}
	return *v
}

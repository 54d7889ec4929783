// Package installed reads which versions people have: from what programs print on a node, from package lists, release tables and Dockerfiles.
//
// Nobody has to say what a text is, and several may follow each other in one file, as they do when the output of many commands is pasted.
// Lines that no format knows are skipped. A version that nobody printed is not known, and never concluded from a name: what a container's base
// image brings, which CUDA a driver would take (nvidia-smi's "CUDA Version"), which package a metapackage would pull in.
package installed

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Format is a kind of text that is read, in the words of who pastes it.
type Format string

// The formats.
const (
	NodeFacts       Format = "weft's node facts"
	EFAPackages     Format = "/opt/amazon/efa_installed_packages"
	NVIDIASMI       Format = "nvidia-smi"
	ModInfo         Format = "modinfo"
	DpkgList        Format = "dpkg -l"
	AptList         Format = "apt list"
	RPMList         Format = "rpm -qa"
	PipFreeze       Format = "pip freeze"
	PipList         Format = "pip list"
	UnameRelease    Format = "uname"
	LibfabricInfo   Format = "fi_info --version"
	CUDACompiler    Format = "nvcc --version"
	NCCLLog         Format = "NCCL log"
	NCCLHeader      Format = "nccl.h"
	Environment     Format = "environment"
	Dockerfile      Format = "Dockerfile"
	ReleaseTable    Format = "table of versions"
	ComponentsNamed Format = "component version"
)

// Version is a version of a component that was found.
type Version struct {
	Component catalog.Component
	Text      string // as it was printed
	From      string // what it stood under: "libnccl2", "modinfo gdrdrv", "ARG NCCL_VERSION"
	Format    Format
	Place     diag.Place // file and line
}

// Base is an image that a container is built from. Its content is not known from its name.
type Base struct {
	Image string     // as FROM names it, variables filled in
	NGC   bool       // from NVIDIA's registry, which the EFA installer treats in a way of its own
	Place diag.Place // of the FROM line

	// EFA tells that the EFA installer is run on it, PlainPlugin that it is told to install its ordinary aws-ofi-nccl there.
	EFA, PlainPlugin bool
}

// Module is a build of NVIDIA's kernel modules.
type Module struct {
	Flavour catalog.Flavour
	From    string // what says so
	Place   diag.Place
}

// List is what was read, in the order of the text.
type List struct {
	Versions []Version
	Bases    []Base
	Modules  []Module
	Formats  []Format // what the text was recognised as, each once
}

// Join puts lists together: of one node, or of one image, in several files.
func Join(lists ...List) List {
	var out List
	for _, l := range lists {
		out.Versions = append(out.Versions, l.Versions...)
		out.Bases = append(out.Bases, l.Bases...)
		out.Modules = append(out.Modules, l.Modules...)
		for _, f := range l.Formats {
			out.recognise(f)
		}
	}
	return out
}

func (l *List) recognise(f Format) {
	if !slices.Contains(l.Formats, f) {
		l.Formats = append(l.Formats, f)
	}
}

// Of lists the versions of one component.
func (l List) Of(c catalog.Component) []Version {
	var out []Version
	for _, v := range l.Versions {
		if v.Component == c {
			out = append(out, v)
		}
	}
	return out
}

// Map gives the version of each component that counts: the one that cannot be read, else the lowest; of CUDA, whose
// toolkits live side by side, the highest.
func (l List) Map() map[catalog.Component]string {
	out := map[catalog.Component]string{}
	for c, v := range l.counting() {
		out[c] = v.Text
	}
	return out
}

func (l List) counting() map[catalog.Component]Version {
	out := map[catalog.Component]Version{}
	for _, v := range l.Versions {
		if have, ok := out[v.Component]; !ok || counts(v, have) {
			out[v.Component] = v
		}
	}
	return out
}

// Stack gives the list in the form that floors are judged by.
func (l List) Stack(part catalog.Part) catalog.Stack {
	counting := l.counting()
	return catalog.Stack{
		Versions: l.Map(),
		At:       func(c catalog.Component) diag.Place { return counting[c].Place },
		Part:     part,
	}
}

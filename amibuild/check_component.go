package amibuild

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

func (p *planner) checkComponentOne() {
	for i, c := range p.recipe.Components {
		path := fmt.Sprintf("components[%d]", i)
		kinds := c.kinds()
		switch {
		case !p.soundComponent(path):
		case len(kinds) == 0:
			p.add(diag.ConfigRequired, path, "a component without a key", "what is installed: efa, gdrcopy, nccl, script, ...", "write for example - efa: {version: 1.50.0}", "")
		case len(kinds) > 1:
			p.add(diag.ConfigConflict, path+"."+kinds[1], kinds[1]+" beside "+kinds[0], "one component an element of the list",
				"put each after a hyphen of its own: their order is the order of the build", "")
		}
	}
}

// soundComponent: a key that can't be used was meant all the same.
func (p *planner) soundComponent(path string) bool {
	for _, kind := range []string{
		kindKernel, kindNVIDIA, kindCUDA, kindEFA, kindGDRCopy, kindNCCL, kindOFI, kindNCCLTests, kindEnroot, kindPyxis, kindScript,
	} {
		if !p.Recipe.Sound(path + "." + kind) {
			return false
		}
	}
	return true
}

func (p *planner) checkTwice() {
	first := map[string]string{}
	for _, s := range p.image.Steps {
		id := s.Kind
		if s.Kind == kindScript {
			id += " " + s.Name
		}
		before, again := first[id]
		if again && s.Kind != kindGDRCopy { // judged by checkGDRCopy
			p.add(diag.ConfigConflict, s.Path, id+" for the second time, first at "+before, "each component once", "remove one of them", "")
		}
		first[id] = s.Path
	}
}

// pair of kinds, the first of which must come first.
type pair struct {
	first, then string
	why, source string
}

var orders = []pair{
	{kindKernel, kindNVIDIA, "the driver's modules are built for the kernel that is there", "compiler-explorer/infra issue 1413"},
	{kindKernel, kindEFA, "the EFA module is built for the kernel that is there", "aws/aws-parallelcluster issue 6015"},
	{kindKernel, kindGDRCopy, "gdrdrv is built for the kernel that is there", "NVIDIA/gdrcopy issue 331"},
	{kindNVIDIA, kindEFA, "EFA's peer-memory module is built against the driver", "EFA installer, efa-nv-peermem"},
	{kindNVIDIA, kindGDRCopy, "gdrdrv is built against the driver's symbols", "NVIDIA/gdrcopy issue 13"},
	{kindEFA, kindOFI, "the plugin is built on the installer's libfabric", "aws/aws-ofi-nccl, README"},
	{kindCUDA, kindNCCL, "NCCL is compiled by the toolkit", "NVIDIA/nccl, README"},
	{kindCUDA, kindOFI, "the plugin is compiled with the toolkit", "aws/aws-ofi-nccl, README"},
	{kindCUDA, kindGDRCopy, "GDRCopy's tests are compiled with the toolkit", "NVIDIA/gdrcopy, README"},
	{kindNCCL, kindNCCLTests, "the tests are linked with NCCL", "NVIDIA/nccl-tests, README"},
	{kindEFA, kindNCCLTests, "the tests are linked with the installer's Open MPI", "NVIDIA/nccl-tests, README"},
	{kindEnroot, kindPyxis, "Pyxis calls Enroot", "NVIDIA/pyxis, README"},
}

func (p *planner) checkOrder() {
	for k, s := range p.image.Steps {
		for _, later := range p.image.Steps[k+1:] {
			for _, o := range orders {
				if o.then == s.Kind && o.first == later.Kind {
					p.add(diag.AMIOrder, later.Path, fmt.Sprintf("%s after %s (%s)", later.Kind, s.Kind, s.Path), o.first+" before "+o.then+": "+o.why,
						"move the component before "+s.Path, o.source)
				}
			}
		}
	}
}

// checkRebuilt: what the parent built against its driver or kernel does not fit another.
func (p *planner) checkRebuilt() {
	driver, kernel := p.find(kindNVIDIA), p.find(kindKernel)
	held := p.image.Parent.Holds
	if driver != nil && p.brings(catalog.GDRCopy) && p.find(kindGDRCopy) == nil {
		p.add(diag.AMIOrder, driver.Path, fmt.Sprintf("driver %s under a gdrdrv that the parent built against %s", driver.Version, or(held[catalog.NVIDIADriver], "another driver")),
			"GDRCopy built anew for each driver", "add gdrcopy after nvidia", "NVIDIA/gdrcopy issue 13")
	}
	if driver != nil && p.brings(catalog.EFAInstaller) && p.find(kindEFA) == nil {
		p.addAt(diag.Warn, diag.AMIOrder, driver.Path, fmt.Sprintf("driver %s under the peer-memory module that the parent built", driver.Version),
			"EFA's peer memory built anew for each driver", "add efa after nvidia", "EFA installer, efa-nv-peermem")
	}
	if kernel != nil && p.brings(catalog.NVIDIADriver) && driver == nil {
		p.add(diag.AMIKernel, kernel.Path, fmt.Sprintf("kernel %s under modules that the parent built for its own", kernel.Version),
			"modules of the kernel that boots", "add nvidia, efa and gdrcopy after kernel; without them the image's tests decide whether dkms built the modules anew",
			"compiler-explorer/infra issue 1413")
	}
}

// brings says whether the parent has a component: as it is said to, or because official images and GPU DLAMIs do.
func (p *planner) brings(c catalog.Component) bool {
	return p.image.Parent.Holds[c] != "" || p.image.Parent.Kind == Official || p.image.Parent.Kind == DLAMI && c == catalog.NVIDIADriver
}

func or(text, without string) string {
	if text == "" {
		return without
	}
	return text
}

func (p *planner) find(kind string) *Step {
	for i := range p.image.Steps {
		if p.image.Steps[i].Kind == kind {
			return &p.image.Steps[i]
		}
	}
	return nil
}

// moves finds commands that bring in another kernel.
var moves = regexp.MustCompile(`\b(apt|apt-get|aptitude)\s([^#\n|;&]*\s)?(upgrade|dist-upgrade|full-upgrade)(\s|$)` +
	`|\b(dnf|yum)\s([^#\n|;&]*\s)?(update|upgrade)(\s|$)` +
	`|\b(apt|apt-get|dnf|yum)\s([^#\n|;&]*\s)?install\s([^#\n|;&]*\s)?(linux-image\S*|linux-aws|linux-generic\S*|kernel(-[0-9]\S*)?)(\s|$)`)

func (p *planner) checkKernel() {
	const doc = "aws/aws-parallelcluster issues 6015 and 7406"
	if p.image.Build.UpdatePackages {
		p.add(diag.AMIKernel, "build.updatePackages", "an update of all packages", "the kernel that the parent was tested with",
			"leave updatePackages out, or pin the kernel as the first component: modules of NVIDIA, EFA, Lustre and GDRCopy may not build for a newer one", doc)
	}
	for _, s := range p.image.Steps {
		if s.Kind != kindScript {
			continue
		}
		if len(s.Artifacts) > 0 {
			p.addAt(diag.Note, diag.AMIKernel, s.Path+".url", "a script that is not read here", "no step that moves the kernel",
				"give it as file, so that it is judged; the image's tests look at the modules of the kernel that boots", doc)
			continue
		}
		for i, line := range bytes.Split(s.Content, []byte("\n")) {
			if code, _, _ := strings.Cut(string(line), "#"); moves.MatchString(code) {
				p.add(diag.AMIKernel, s.Path+".file", fmt.Sprintf("line %d: %s", i+1, strings.TrimSpace(code)), "no step that moves the kernel once modules are built for it",
					"install what you need by name, and the kernel as the first component of the recipe", doc)
			}
		}
	}
}

func (p *planner) checkScripts() {
	for i, c := range p.recipe.Components {
		path := fmt.Sprintf("components[%d].script", i)
		if c.Script == nil || !p.Recipe.Sound(path, path+".file", path+".url") {
			continue
		}
		switch s := *c.Script; {
		case (s.File == "") == (s.URL == ""):
			p.add(diag.ConfigConflict, path, "a script with "+places(s), "one of file and url", "name where the script is", "")
		case s.URL == "":
			p.checkScriptFile(path+".file", s.File)
		case !hasScheme(s.URL):
			p.add(diag.BootURL, path+".url", fmt.Sprintf("%q", s.URL), "an address that starts with https:// or s3://", "put the script there, or give it as file", "ParallelCluster, build-image Components/Value")
		}
	}
}

// checkScriptFile: a script that lies beside the recipe becomes part of a document.
func (p *planner) checkScriptFile(path, name string) {
	content, read := p.Files[name]
	switch {
	case !read:
		p.add(diag.FileUnreadable, path, name+", which is not there", "a script beside the recipe", "write the path relative to the recipe", "")
	case bytes.Contains(content, []byte("{{")):
		p.add(diag.ConfigValue, path, "a script that holds {{", "a script without {{, which Image Builder takes for its own",
			"give the script by url: it is then downloaded, and not part of a document", "EC2 Image Builder User Guide, component document variables")
	case bytes.Contains(content, []byte(heredocEnd)):
		p.add(diag.ConfigValue, path, "a script that holds "+heredocEnd, "a script without that word", "give the script by url", "")
	}
}

func places(s Script) string {
	if s.File == "" {
		return "neither file nor url"
	}
	return "file and url"
}

// checkGDRCopy: one package and one module. A second one hides the first, and which of them loads is luck.
func (p *planner) checkGDRCopy() {
	var from []string
	if p.image.NVIDIA {
		from = append(from, "ParallelCluster's NVIDIA software")
	}
	path, wanted := "", ""
	for _, s := range p.image.Steps {
		if s.Kind == kindGDRCopy {
			from = append(from, s.Path)
			path, wanted = s.Path, s.Version
		}
	}
	const doc = "NVIDIA/gdrcopy issue 82"
	held := p.image.Parent.Holds[catalog.GDRCopy]
	switch {
	case len(from) > 1:
		p.add(diag.BootGDRCopy, path, "GDRCopy from "+strings.Join(from, " and "), "GDRCopy from one place", "keep one of them", doc)
	case len(from) == 1 && !p.image.NVIDIA && held != "" && p.find(kindNVIDIA) == nil && same(held, wanted):
		p.addAt(diag.Warn, diag.BootGDRCopy, path, fmt.Sprintf("GDRCopy %s on a parent that brings %s", wanted, held), "GDRCopy from one place",
			"leave the component out", doc)
	}
}

// same reports whether two texts are one version; what can't be read is judged by checkVersions.
func same(a, b string) bool {
	order, err := version.Compare(a, b)
	return err == nil && order == 0
}

func (p *planner) checkPlugin() {
	s := p.find(kindOFI)
	if s == nil {
		return
	}
	installer, known := catalog.Installer(p.image.Contents[catalog.EFAInstaller])
	if !known || installer.Plugin == "" {
		return
	}
	level, hint := diag.Error, "leave the component out"
	if newer, err := version.Compare(s.Version, installer.Plugin); err == nil && newer > 0 {
		first, brought := catalog.FirstInstaller(catalog.OFIPlugin, s.Version)
		level, hint = diag.Warn, "two plugins lie on the image, and the loader's path decides which NCCL takes: take an installer that brings it"
		if brought {
			hint = "take efa-installer " + first.Version + ", the first that brings it"
		}
	}
	p.addAt(level, diag.ConfigConflict, s.Path, fmt.Sprintf("aws-ofi-nccl %s beside efa-installer %s, which brings %s", s.Version, installer.Version, installer.Plugin),
		"the plugin from one place", hint, installer.Source.Ref)
}

package installed

import (
	"path"
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// printed is a line in which a program names a version.
type printed struct {
	mark      string         // which every such line holds: looked for before the expression is tried
	line      *regexp.Regexp // its first group is the version
	component catalog.Component
	format    Format
	from      string
}

// printedLines hold no "CUDA Version" of nvidia-smi: that is the CUDA which the driver would take, not one that is
// installed. Nor do they hold nccl-tests' header and library codes, which a log reader judges.
var printedLines = []printed{
	{"Driver Version", regexp.MustCompile(`\bDriver Version\s*:\s*(\d[\d.]*)`), catalog.NVIDIADriver, NVIDIASMI, "nvidia-smi"},
	{"NVRM version", regexp.MustCompile(`^NVRM version: NVIDIA UNIX.*?\s(\d+\.\d[\d.]*)\s`), catalog.NVIDIADriver, ModInfo, "/proc/driver/nvidia/version"},
	{"libfabric: ", regexp.MustCompile(`^libfabric: (\d\S*)$`), catalog.Libfabric, LibfabricInfo, "fi_info"},
	{"Cuda compilation", regexp.MustCompile(`^Cuda compilation tools, release (\d[\d.]*)`), catalog.CUDA, CUDACompiler, "nvcc"},
	{"NCCL version ", regexp.MustCompile(`\bNCCL version (\d\S*)`), catalog.NCCL, NCCLLog, "NCCL"},
	{"NET/OFI ", regexp.MustCompile(`NET/OFI (?:Initializing|Using) aws-ofi-nccl (\d\S*)`), catalog.OFIPlugin, NCCLLog, "aws-ofi-nccl"},
	{"NCCL_VERSION_CODE", regexp.MustCompile(`^#define\s+NCCL_VERSION_CODE\s+(\d+)$`), catalog.NCCL, NCCLHeader, "NCCL_VERSION_CODE"},
	{"Linux ", regexp.MustCompile(`^Linux \S+ (\d+\.\d+\.\d+\S*) #`), catalog.Kernel, UnameRelease, "uname -a"},
}

// smiCUDA is nvidia-smi -q's line of the CUDA that the driver would take.
var smiCUDA = regexp.MustCompile(`^CUDA (UMD )?Version {2,}:`)

func programs(s *sink, l line) bool {
	if strings.HasPrefix(l.text, "CUDA ") && smiCUDA.MatchString(l.text) {
		return true
	}
	for _, p := range printedLines {
		if !strings.Contains(l.text, p.mark) {
			continue
		}
		m := p.line.FindStringSubmatch(l.text)
		if m == nil {
			continue
		}
		s.found(p.component, m[1], p.from, p.format, l.number)
		if p.from == "/proc/driver/nvidia/version" {
			s.flavour(flavourIf(strings.Contains(l.text, "Open Kernel Module")), p.from, l.number)
		}
		return true
	}
	return false
}

// kernelRelease is what uname -r prints, alone on its line: a build of a distribution, so that no other version is
// taken for it.
var kernelRelease = regexp.MustCompile(`^\d+\.\d+\.\d+-\d[\w.]*(-(aws|generic|nvidia)\S*|\.(amzn|el)\d+\S*)$`)

func uname(s *sink, l line) bool {
	if !kernelRelease.MatchString(l.text) {
		return false
	}
	s.found(catalog.Kernel, l.text, "uname -r", UnameRelease, l.number)
	return true
}

// prompt reads the bare answer of a command from the line below it, as a terminal shows them and as bash -x prints
// them.
type prompt struct {
	component catalog.Component
	format    Format
	from      string
}

var (
	command     = regexp.MustCompile(`^(?:.*[$#>]\s+|\++ )?(?:sudo )?(uname -r|modinfo -F version (\w+)|cat /sys/module/(\w+)/version)\s*$`)
	bareVersion = regexp.MustCompile(`^\s*\d[\w.+~-]*\s*$`)
)

func (p *prompt) take(s *sink, l line) bool {
	if m := commandIn(l.text); m != nil {
		p.end(s)
		if module := m[2] + m[3]; module != "" {
			p.component, p.format, p.from = modules[module], ModInfo, "modinfo "+module
		} else {
			p.component, p.format, p.from = catalog.Kernel, UnameRelease, "uname -r"
		}
		return true
	}
	if p.component == "" || !bareVersion.MatchString(l.text) {
		return false
	}
	s.found(p.component, l.text, p.from, p.format, l.number)
	p.end(s)
	return true
}

// commandIn finds a command at the end of a line; all of them hold one of two words.
func commandIn(text string) []string {
	if !strings.Contains(text, "uname") && !strings.Contains(text, "version") {
		return nil
	}
	return command.FindStringSubmatch(text)
}

func (p *prompt) end(*sink) { *p = prompt{} }

// modules are the kernel modules whose version is a component's.
var modules = map[string]catalog.Component{
	"efa":    catalog.EFADriver,
	"ena":    catalog.ENADriver,
	"gdrdrv": catalog.GDRCopy,
	"nvidia": catalog.NVIDIADriver,
}

// modinfo reads blocks of "key:   value" that begin with the module's file.
type modinfo struct {
	open             bool
	module           string
	version, license string
	versionAt, at    int
}

var (
	modinfoLine = regexp.MustCompile(`^([a-z_]+):\s+(\S.*?)\s*$`)
	moduleFile  = regexp.MustCompile(`\.ko(\.(gz|xz|zst))?$`)
)

func (b *modinfo) take(s *sink, l line) bool {
	m := modinfoLine.FindStringSubmatch(l.text)
	switch {
	case m == nil:
		return false
	case m[1] == "filename":
		b.end(s)
		b.open, b.at = true, l.number
		if moduleFile.MatchString(m[2]) {
			b.module = moduleFile.ReplaceAllString(path.Base(m[2]), "")
		}
	case !b.open:
		return false
	case m[1] == "name":
		b.module = m[2]
	case m[1] == "version":
		b.version, b.versionAt = m[2], l.number
	case m[1] == "license":
		b.license = m[2]
	}
	return true
}

func (b *modinfo) end(s *sink) {
	defer func() { *b = modinfo{} }()
	if !b.open {
		return
	}
	s.list.recognise(ModInfo)
	c, ok := modules[b.module]
	if ok && b.version != "" {
		s.found(c, b.version, "modinfo "+b.module, ModInfo, b.versionAt)
	}
	if b.module == "nvidia" && b.license != "" {
		// The open modules say "Dual MIT/GPL", the closed ones "NVIDIA".
		s.flavour(flavourIf(strings.Contains(b.license, "MIT")), "modinfo nvidia: license "+b.license, b.at)
	}
}

// smi reads nvidia-smi --query-gpu=driver_version --format=csv: a header of fields, or the command itself, then a row
// for each GPU.
type smi struct {
	column int // of driver_version, from 1; 0: no table open
	fields int
}

var (
	smiQuery = regexp.MustCompile(`nvidia-smi\s.*--query-gpu[= ](\S+)`)
	smiField = regexp.MustCompile(`^[a-z_][\w.]*(\.[\w.]+)?( \[\w+\])?$`)
)

func (t *smi) take(s *sink, l line) bool {
	if t.asked(l.text) {
		s.list.recognise(NVIDIASMI)
		return true
	}
	cells := strings.Split(l.text, ",")
	if t.column == 0 || len(cells) != t.fields {
		return false
	}
	driver := strings.TrimSpace(cells[t.column-1])
	if !bareVersion.MatchString(driver) {
		return false
	}
	s.found(catalog.NVIDIADriver, driver, "nvidia-smi", NVIDIASMI, l.number)
	return true
}

// asked reports whether a line names the fields: the header of the table, or the command.
func (t *smi) asked(text string) bool {
	if !strings.Contains(text, "driver_version") {
		return false
	}
	if m := smiQuery.FindStringSubmatch(text); m != nil {
		return t.columns(strings.Split(m[1], ","))
	}
	return t.header(strings.Split(text, ","))
}

func (t *smi) header(cells []string) bool {
	for _, c := range cells {
		if !smiField.MatchString(strings.TrimSpace(c)) {
			return false
		}
	}
	return t.columns(cells)
}

func (t *smi) columns(cells []string) bool {
	for i, c := range cells {
		if strings.TrimSpace(c) == "driver_version" {
			t.column, t.fields = i+1, len(cells)
			return true
		}
	}
	return false
}

func (t *smi) end(*sink) { *t = smi{} }

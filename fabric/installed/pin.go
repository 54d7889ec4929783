package installed

import (
	"path"
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// run reads the commands of a RUN instruction.
func (d *dockerfile) run(s *sink, words []word) {
	var command []word
	for _, w := range words {
		text := strings.Trim(d.expand(unquote(w.text)), "()")
		last := strings.TrimRight(text, ";")
		if last != "" && !isOperator(last) {
			command = append(command, word{last, w.line})
		}
		if last != text || isOperator(text) {
			pins(s, command)
			command = nil
		}
	}
	pins(s, command)
}

func isOperator(text string) bool {
	return text == "&&" || text == "||" || text == "|" || text == "&" || text == ";"
}

// pins takes the versions that a command installs.
func pins(s *sink, command []word) {
	for _, w := range command {
		switch {
		case archivePin(s, w), packagePin(s, w), filePin(s, w), variablePin(s, w):
		default:
			installerRun(s, w.text)
		}
	}
	clonePin(s, command)
}

// archive is a downloaded file whose name holds a version.
type archive struct {
	name      *regexp.Regexp
	component catalog.Component
}

var archives = []archive{
	{regexp.MustCompile(`aws-efa-installer-([^/\s]+?)\.tar\.gz`), catalog.EFAInstaller},
	{regexp.MustCompile(`aws-ofi-nccl-v?([^/\s]+?)\.tar\.gz`), catalog.OFIPlugin},
	{regexp.MustCompile(`(?i)nvidia/gdrcopy/archive/(?:refs/tags/)?([^/\s]+?)\.tar\.gz`), catalog.GDRCopy},
	{regexp.MustCompile(`(?i)nvidia/nccl/archive/(?:refs/tags/)?([^/\s]+?)\.tar\.gz`), catalog.NCCL},
	{regexp.MustCompile(`NVIDIA-Linux-(?:x86_64|aarch64)-(\d[\d.]*\d)(?:-no-compat32)?\.run`), catalog.NVIDIADriver},
	// cuda_12.8.0_570.86.10_linux.run: the second figure is a driver of the same branch, not the one that gets installed.
	{regexp.MustCompile(`cuda_(\d[\d.]*)_[\d.]+_linux`), catalog.CUDA},
}

func archivePin(s *sink, w word) bool {
	for _, a := range archives {
		if m := a.name.FindStringSubmatch(w.text); m != nil {
			s.found(a.component, m[1], path.Base(w.text), Dockerfile, w.line)
			return true
		}
	}
	return false
}

var pinnedPackage = regexp.MustCompile(`^([a-z0-9][\w+.-]*)={1,2}(\S+)$`)

// packagePin reads libnccl2=2.27.3-1+cuda12.9, nvidia-nccl-cu13==2.28.9 and libnccl-2.27.3-1+cuda12.9.
func packagePin(s *sink, w word) bool {
	m := pinnedPackage.FindStringSubmatch(w.text)
	if m == nil {
		m = bareFile.FindStringSubmatch(w.text)
	}
	if m == nil {
		return false
	}
	name := strings.ReplaceAll(m[1], "_", "-")
	_, ok := componentIn(packages, name)
	if ok {
		s.pkg(name, m[2], Dockerfile, w.line)
	}
	return ok
}

func filePin(s *sink, w word) bool {
	base := path.Base(w.text)
	if !strings.HasSuffix(base, ".deb") && !strings.HasSuffix(base, ".rpm") {
		return false
	}
	name, text, ok := splitPackage(base)
	if ok && !strings.ContainsAny(text, "*?") {
		s.pkg(name, text, Dockerfile, w.line)
	}
	return ok
}

func variablePin(s *sink, w word) bool {
	m := versionedName.FindStringSubmatch(w.text)
	if m == nil {
		return false
	}
	c, ok := variable(m[1])
	if ok {
		s.found(c, m[2], m[1], Dockerfile, w.line)
	}
	return ok
}

// installerRun takes note of how the EFA installer is run.
func installerRun(s *sink, text string) {
	if len(s.list.Bases) == 0 {
		return
	}
	base := &s.list.Bases[len(s.list.Bases)-1]
	switch {
	case path.Base(text) == "efa_installer.sh":
		base.EFA = true
	case text == "--disable-ngc":
		base.PlainPlugin = true
	}
}

var (
	branch       = regexp.MustCompile(`^(?:-b|--branch)$`)
	branchJoined = regexp.MustCompile(`^--branch=(\S+)$`)
	repositories = []named{
		name(`(?i)\S*nvidia/nccl(\.git)?`, catalog.NCCL),
		name(`(?i)\S*nvidia/gdrcopy(\.git)?`, catalog.GDRCopy),
		name(`(?i)\S*aws/aws-ofi-nccl(\.git)?`, catalog.OFIPlugin),
		name(`(?i)\S*ofiwg/libfabric(\.git)?`, catalog.Libfabric),
		name(`(?i)\S*linux-rdma/rdma-core(\.git)?`, catalog.RDMACore),
	}
)

// clonePin reads git clone -b v2.5.1 https://github.com/NVIDIA/gdrcopy.git.
func clonePin(s *sink, command []word) {
	tag, at := "", 0
	var c catalog.Component
	for i, w := range command {
		if m := branchJoined.FindStringSubmatch(w.text); m != nil {
			tag, at = m[1], w.line
		}
		if branch.MatchString(w.text) && i+1 < len(command) {
			tag, at = command[i+1].text, command[i+1].line
		}
		if found, ok := componentIn(repositories, w.text); ok {
			c = found
		}
	}
	if c != "" && tag != "" {
		s.found(c, tag, "git clone --branch "+tag, Dockerfile, at)
	}
}

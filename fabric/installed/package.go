package installed

import (
	"regexp"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// efaHeader reads the head of /opt/amazon/efa_installed_packages. The packages stand in one line below it, in the
// names of dpkg's or rpm's files: packageTokens reads them.
func efaHeader(s *sink, l line) bool {
	if m := efaVersion.FindStringSubmatch(l.text); m != nil {
		s.found(catalog.EFAInstaller, m[1], "EFA installer version", EFAPackages, l.number)
		return true
	}
	return strings.HasPrefix(l.text, "# Debug packages installed:") || strings.HasPrefix(l.text, "# Packages installed:")
}

var efaVersion = regexp.MustCompile(`^#?\s*EFA installer version:\s*(\S+)`)

// dpkg reads a row of dpkg -l. Only what is installed counts: rc is a package that left its configuration behind.
func dpkg(s *sink, l line) bool {
	fields := strings.Fields(l.text)
	switch {
	case strings.HasPrefix(l.text, "Desired=Unknown/Install/Remove/Purge/Hold"), strings.HasPrefix(l.text, "||/ Name"), strings.HasPrefix(l.text, "+++-="):
		s.list.recognise(DpkgList)
		return true
	case len(fields) < 3 || !dpkgState.MatchString(fields[0]) || !packageName.MatchString(fields[1]):
		return false
	}
	s.list.recognise(DpkgList)
	if fields[0][1] == 'i' {
		s.pkg(fields[1], fields[2], DpkgList, l.number)
	}
	return true
}

var (
	dpkgState   = regexp.MustCompile(`^[uirph][ncHUFWti]R?$`)
	packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+._-]*(:[a-z0-9]+)?$`)
)

// aptList reads a row of apt list --installed: libnccl2/unknown,now 2.27.3-1+cuda12.9 amd64 [installed].
func aptList(s *sink, l line) bool {
	m := aptRow.FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	s.pkg(m[1], m[2], AptList, l.number)
	return true
}

var aptRow = regexp.MustCompile(`^([a-z0-9][a-z0-9+.-]*)/\S+ (\S+) \S+ \[[^\]]*installed[^\]]*\]`)

// packageTokens reads lines of nothing but names of package files: rpm -qa has one a line, efa_installed_packages all
// in one.
func packageTokens(s *sink, l line) bool {
	tokens := strings.Fields(l.text)
	if len(tokens) == 0 {
		return false
	}
	format := RPMList
	if len(tokens) > 1 {
		format = EFAPackages
	}
	names, versions := make([]string, len(tokens)), make([]string, len(tokens))
	for i, t := range tokens {
		var ok bool
		if names[i], versions[i], ok = splitPackage(t); !ok {
			return false
		}
	}
	s.list.recognise(format)
	for i := range tokens {
		s.pkg(names[i], versions[i], format, l.number)
	}
	return true
}

var (
	debFile = regexp.MustCompile(`^([a-z0-9][a-z0-9+.-]*)_([^_/]+)_(?:amd64|arm64|all)(?:\.deb)?$`)
	rpmFile = regexp.MustCompile(`^([A-Za-z0-9][\w+.-]*)-([^-]+-[^-]+)\.(?:x86_64|aarch64|noarch)(?:\.rpm)?$`)
	// bareFile is efa-config-1.18-1, as release notes write it. Its version has a dot: cuda-toolkit-13-0 is a name.
	bareFile = regexp.MustCompile(`^([a-z][\w+.-]*?)-(\d[\w~+]*\.[\w.~+]*(?:-\d[\w.~+]*)?)$`)
)

// splitPackage takes the name of a package file apart.
func splitPackage(token string) (name, text string, ok bool) {
	for _, form := range []*regexp.Regexp{debFile, rpmFile, bareFile} {
		if m := form.FindStringSubmatch(token); m != nil {
			return m[1], m[2], true
		}
	}
	return "", "", false
}

// pipFreeze reads name==version.
func pipFreeze(s *sink, l line) bool {
	m := pipPin.FindStringSubmatch(strings.TrimSpace(l.text))
	if m == nil {
		return false
	}
	s.pkg(strings.ReplaceAll(m[1], "_", "-"), m[2], PipFreeze, l.number)
	return true
}

var pipPin = regexp.MustCompile(`^([A-Za-z0-9][\w.-]*)(?:\[[\w,-]*\])?\s?==\s?(\d[^\s;\\]*)`)

// environment reads NAME=value, exported or not.
func environment(s *sink, l line) bool {
	m := assignment.FindStringSubmatch(strings.TrimSpace(l.text))
	if m == nil {
		return false
	}
	s.list.recognise(Environment)
	if c, ok := variable(m[1]); ok {
		s.found(c, strings.Trim(m[2], `"'`), m[1], Environment, l.number)
	}
	return true
}

var assignment = regexp.MustCompile(`^(?:export |declare -x |set -x )?([A-Z_][A-Z0-9_]*)=("[^"]*"|'[^']*'|\S*)$`)

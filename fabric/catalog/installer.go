package catalog

import (
	"slices"
	"sync"

	"github.com/weft-hpc/weft/fabric/version"
)

// InstallerRelease is one release of the EFA installer and what it brings.
type InstallerRelease struct {
	Version   string
	Date      string   // 2026-08-21, or the month where no source gives the day
	EFADriver string   // kernel module efa
	RDMACore  string   // user space verbs
	Libfabric string   // Amazon's build
	Plugin    string   // aws-ofi-nccl; empty: not bundled
	OpenMPI   []string // the series installed side by side, oldest first; only those that a source names
	SHA256    string   // of the tarball, hexadecimal; empty where no source gives it
	Reported  bool     // the row was reported by others, not read from AWS
	Note      string
	Source    Source
}

// name gives "efa-installer 1.50.0", with a mark on a release whose contents AWS did not tell.
func (i InstallerRelease) name() string {
	out := string(EFAInstaller) + " " + i.Version
	if i.Reported {
		out += ", as reported"
	}
	return out
}

// Tarball is the address of the release's archive.
func (i InstallerRelease) Tarball() string {
	return "https://efa-installer.amazonaws.com/aws-efa-installer-" + i.Version + ".tar.gz"
}

// Contents lists what the release brings, by component. Of several Open MPI series it names the oldest one:
// what is enough for it is enough for all.
func (i InstallerRelease) Contents() map[Component]string {
	out := map[Component]string{EFADriver: i.EFADriver, RDMACore: i.RDMACore, Libfabric: i.Libfabric}
	if i.Plugin != "" {
		out[OFIPlugin] = i.Plugin
	}
	if len(i.OpenMPI) > 0 {
		out[OpenMPI] = i.OpenMPI[0]
	}
	return out
}

// Installers lists the known releases of the EFA installer, oldest first.
func Installers() []InstallerRelease { return slices.Clone(installerTable) }

// Installer finds a release of the EFA installer; the version may be written in any form that means it.
func Installer(text string) (InstallerRelease, bool) {
	want, err := version.Parse(text)
	if err != nil {
		return InstallerRelease{}, false
	}
	return findInstaller(func(have versions) bool { return have[EFAInstaller].Compare(want) == 0 })
}

// FirstInstaller is the oldest release that brings a component at or above a version; with the component
// EFAInstaller, the oldest release at or above it. False when none does or the version is unreadable.
func FirstInstaller(c Component, atLeast string) (InstallerRelease, bool) {
	floor, err := version.Parse(atLeast)
	if err != nil {
		return InstallerRelease{}, false
	}
	return findInstaller(func(have versions) bool { return have.has(c) && have[c].AtLeast(floor) })
}

// installerVersions holds, for each row of the table, its own version and those of its contents, read once.
var installerVersions = sync.OnceValue(func() []versions {
	out := make([]versions, len(installerTable))
	for n, i := range installerTable {
		out[n] = versions{EFAInstaller: version.MustParse(i.Version)}
		for c, text := range i.Contents() {
			out[n][c] = version.MustParse(text)
		}
	}
	return out
})

func findInstaller(is func(versions) bool) (InstallerRelease, bool) {
	i := slices.IndexFunc(installerVersions(), is)
	if i < 0 {
		return InstallerRelease{}, false
	}
	return installerTable[i], true
}

package bootstrap_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/components/componenttest/golden"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

const testKernel = "6.8.0-1021-aws"

// system is an operating system as the scripts see it.
type system struct {
	release string // os-release
	kernel  string
	deb     bool
	service string
}

var (
	ubuntu = system{"ID=ubuntu\nVERSION_ID=\"22.04\"\nID_LIKE=debian\n", testKernel, true, "gdrdrv"}
	al2023 = system{"ID=\"amzn\"\nVERSION_ID=\"2023\"\nID_LIKE=\"fedora\"\n", "6.12.41-63.109.amzn2023.x86_64", false, "gdrcopy"}
	rhel9  = system{"ID=\"rhel\"\nVERSION_ID=\"9.6\"\nID_LIKE=\"fedora\"\n", "5.14.0-570.12.1.el9_6.x86_64", false, "gdrcopy"}
)

// packages is where the stand-ins of dpkg and rpm keep what is installed.
func (s system) packages() string {
	return map[bool]string{true: "var/lib/dpkg", false: "var/lib/rpm"}[s.deb]
}

// plugin is where the EFA installer puts NCCL's network plugin.
func (s system) plugin() string {
	return map[bool]string{true: "opt/amazon/ofi-nccl/lib/x86_64-linux-gnu", false: "opt/amazon/ofi-nccl/lib64"}[s.deb] + "/libnccl-net-ofi.so"
}

func (s system) libfabric() string {
	return map[bool]string{true: "opt/amazon/efa/lib", false: "opt/amazon/efa/lib64"}[s.deb] + "/libfabric.so.1"
}

// boot makes a node with one GPU, the open driver, its sources, headers and all tools; no GDRCopy.
func (s *sandbox) boot(os system) {
	s.writeAll("etc/os-release", os.release)
	s.write("proc/sys/kernel/osrelease", os.kernel)
	s.write("proc/sys/kernel/arch", "x86_64")
	s.write("sys/bus/pci/devices/0000:00:03.0/vendor", "0x1d0f")
	s.write("sys/bus/pci/devices/0000:00:03.0/class", "0x020000")
	s.write("sys/bus/pci/devices/0000:53:00.0/vendor", "0x10de")
	s.write("sys/bus/pci/devices/0000:53:00.0/class", "0x030200")
	s.driver("open", "580.126.20")
	s.write("usr/src/nvidia-580.126.20/nvidia/nv-p2p.h", "")
	s.write("lib/modules/"+os.kernel+"/build/Makefile", "")
	s.tools("dkms", "make", "gcc", "rmmod", "curl", "aws", "gdrcopy_sanity")
	if os.deb {
		s.tools("dpkg-query", "apt-get", "debuild")
	} else {
		s.tools("rpm", "dnf", "rpmbuild")
	}
}

// driver loads an NVIDIA module.
func (s *sandbox) driver(flavour, version string) {
	name := "NVIDIA UNIX x86_64 Kernel Module"
	if flavour == "open" {
		name = "NVIDIA UNIX Open Kernel Module for x86_64"
	}
	s.write("proc/driver/nvidia/version", fmt.Sprintf("NVRM version: %s  %s  Release Build  (dvs-builder)", name, version))
}

// installed puts GDRCopy on the node: package, the module's file, and what of it is loaded.
func (s *sandbox) installed(os system, pkg, file, loaded string) {
	if pkg != "" {
		name := map[bool]string{true: "gdrdrv-dkms", false: "gdrcopy-kmod"}[os.deb]
		s.write(os.packages()+"/"+name, pkg)
		s.write("etc/systemd/"+os.service+"/unit", "")
	}
	if file != "" {
		s.module(os.kernel, "gdrdrv", file, "opensource")
	}
	if loaded != "" {
		s.write("sys/module/gdrdrv/version", loaded)
		s.write("sys/module/gdrdrv/srcversion", "SRC"+loaded)
		s.write("dev/gdrdrv", "")
	}
}

func (s *sandbox) module(kernel, name, version, flavour string) {
	info := "lib/modules/" + kernel + "/info/" + name
	s.write(info+"/version", version)
	s.write(info+"/srcversion", "SRC"+version)
	s.write(info+"/description", "GDRCopy kernel-mode driver built for "+flavour+" NVIDIA driver")
	s.write("lib/modules/"+kernel+"/updates/dkms/"+name+".ko", "")
}

// archive puts a .tar.gz where curl and aws find it, and pins it.
func (s *sandbox) archive(files map[string]string) bootstrap.Archive {
	s.t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	t := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		require.NoError(s.t, t.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(files[name]))}))
		_, err := t.Write([]byte(files[name]))
		require.NoError(s.t, err)
	}
	require.NoError(s.t, t.Close())
	require.NoError(s.t, zip.Close())
	s.writeAll("fake/archive", b.String())
	sum := sha256.Sum256(b.Bytes())
	return bootstrap.Archive{Version: "2.5.1", URL: "https://mirror.example.com/gdrcopy.tar.gz", SHA256: hex.EncodeToString(sum[:])}
}

func debs() map[string]string {
	return map[string]string{"gdrcopy/gdrdrv-dkms_2.5.1-1_amd64.Ubuntu22_04.deb": "", "gdrcopy/libgdrapi_2.5.1-1_amd64.Ubuntu22_04.deb": ""}
}

func rpms() map[string]string {
	return map[string]string{"gdrcopy-kmod-2.5.1-1dkms.el9.noarch.rpm": "", "gdrcopy-2.5.1-1.el9.x86_64.rpm": "", "gdrcopy-2.5.1-1.el9.src.rpm": ""}
}

// upstream is GDRCopy's own source archive, as far as its recipe for packages.
func upstream() map[string]string {
	const recipe = "gdrcopy-2.5.1/packages/build-deb-packages.sh"
	return map[string]string{recipe: "#!/bin/bash\n[ -n \"$CUDA\" ] || exit 1\ndebuild\n: >gdrdrv-dkms_2.5.1-1_amd64.Ubuntu22_04.deb\n"}
}

// need is the expectation of a node that must have GDRCopy 2.5.
func need(install bootstrap.Archive) bootstrap.Expectation {
	return bootstrap.Expectation{
		Seconds: map[bootstrap.Name]int{bootstrap.GDRCopy: 600},
		GDRCopy: true, GDRCopyMin: "2.5", Install: install,
	}
}

type gdrcopyCase struct {
	node  func(s *sandbox) bootstrap.Expectation
	code  int
	rules []diag.ID // of the findings
	does  []string  // calls that must be among those made, in this order
	not   []string  // tools that must not be called
}

// changes are the tools that change a node.
var changes = []string{"dkms", "apt-get", "dnf", "rmmod", "curl", "aws"}

var gdrcopyCases = map[string]gdrcopyCase{
	"no-gpu": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.remove("sys/bus/pci/devices/0000:53:00.0")
			return need(bootstrap.Archive{})
		},
		not: append([]string{"gdrcopy_sanity", "systemctl"}, changes...),
	},
	"fine": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "2.5")
			return need(s.archive(debs()))
		},
		does: []string{"gdrcopy_sanity"}, not: append([]string{"systemctl"}, changes...),
	},
	"fine-al2023": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(al2023)
			s.installed(al2023, "2.6-1", "2.6", "2.6")
			return need(bootstrap.Archive{})
		},
		does: []string{"gdrcopy_sanity"}, not: append([]string{"systemctl"}, changes...),
	},
	// The module of an older package is still loaded after an upgrade.
	"GDR-02-loaded-older-than-file": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "2.4")
			return need(bootstrap.Archive{})
		},
		does: []string{"systemctl stop gdrdrv", "rmmod gdrdrv", "systemctl enable gdrdrv", "systemctl restart gdrdrv", "gdrcopy_sanity"},
		not:  []string{"dkms", "apt-get", "curl"},
	},
	"GDR-02-loaded-same-version-other-build": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "2.5")
			s.write("sys/module/gdrdrv/srcversion", "OFBEFORE")
			return need(bootstrap.Archive{})
		},
		does: []string{"rmmod gdrdrv", "systemctl restart gdrdrv"}, not: []string{"dkms"},
	},
	"GDR-02-module-older-than-package": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			pkg, file := gdr02(s.t)
			s.installed(ubuntu, pkg, file, file)
			e := need(bootstrap.Archive{})
			e.GDRCopyMin = "2.0"
			return e
		},
		does: []string{"dkms build", "dkms install", "rmmod gdrdrv", "systemctl restart gdrdrv"}, not: []string{"apt-get", "curl"},
	},
	"GDR-02-in-use": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "2.4")
			s.write("fake/in-use", "")
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, does: []string{"rmmod gdrdrv"},
	},
	// The closed driver gave way to the open one; the module was built for the closed one.
	"wrong-flavour": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(rhel9)
			s.installed(rhel9, "2.5.1-1", "2.5", "2.5")
			s.module(rhel9.kernel, "gdrdrv", "2.5", "proprietary")
			return need(bootstrap.Archive{})
		},
		does: []string{"dkms build --force -m gdrdrv -v 2.5.1 -k " + rhel9.kernel, "rmmod gdrdrv", "systemctl enable gdrcopy", "systemctl restart gdrcopy"},
	},
	"wrong-flavour-driver-not-loaded": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "2.5")
			s.driver("closed", "535.104.12")
			return need(bootstrap.Archive{})
		},
		does: []string{"dkms install", "systemctl restart gdrdrv"},
	},
	// The package was installed without headers: its script fails, rpm does not, and the service has no module.
	"GDR-01-headers-missing": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(al2023)
			s.installed(al2023, "2.5.1-1", "", "")
			s.remove("lib/modules/" + al2023.kernel + "/build")
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: append([]string{"systemctl"}, changes...),
	},
	"AMI-05-headers-missing-rhel": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(rhel9)
			s.remove("lib/modules/" + rhel9.kernel + "/build")
			return need(s.archive(rpms()))
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: append([]string{"systemctl"}, changes...),
	},
	"AMI-06-headers-missing-ubuntu": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "", "")
			s.remove("lib/modules/" + testKernel + "/build")
			return need(s.archive(debs()))
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: append([]string{"systemctl"}, changes...),
	},
	"GDR-01-driver-without-sources": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(rhel9)
			s.installed(rhel9, "2.5.1-1", "", "")
			s.remove("usr/src/nvidia-580.126.20")
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: changes,
	},
	"GDR-01-install-succeeds-module-missing": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(rhel9)
			s.write("fake/dkms-fails", "Error! Bad return status for module build on kernel: "+rhel9.kernel)
			return need(s.archive(rpms()))
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, does: []string{"curl", "dnf install", "dkms build"}, not: []string{"systemctl"},
	},
	// The driver moved on after the module was built: symbol versions disagree.
	"GDR-04-driver-changed": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "")
			s.write("fake/refused", "SRC2.5")
			return need(bootstrap.Archive{})
		},
		does: []string{"systemctl restart gdrdrv", "dkms build", "dkms install", "systemctl restart gdrdrv", "gdrcopy_sanity"},
	},
	"GDR-04-build-fails": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "")
			s.write("fake/refused", "SRC2.5")
			s.write("fake/dkms-fails", "Error! Bad return status for module build on kernel: "+testKernel)
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, does: []string{"dkms build"},
	},
	"KRN-04-new-kernel": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "", "")
			s.module("6.8.0-1014-aws", "gdrdrv", "2.5", "opensource")
			return need(bootstrap.Archive{})
		},
		does: []string{"dkms build --force -m gdrdrv -v 2.5.1 -k " + testKernel, "systemctl enable gdrdrv"},
	},
	"KRN-04-no-driver-for-kernel": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "")
			s.remove("proc/driver/nvidia")
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: changes,
	},
	"driver-not-loaded-yet": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "")
			s.remove("proc/driver/nvidia")
			s.write("lib/modules/"+testKernel+"/info/nvidia/license", "Dual MIT/GPL")
			return need(bootstrap.Archive{})
		},
		does: []string{"systemctl restart gdrdrv"}, not: []string{"dkms"},
	},
	// Baked by a script that loaded the module once: nothing loads it after a reboot.
	"GDR-08-module-of-no-package": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "", "2.5", "")
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: changes,
	},
	// The image has it, switched off: the boot of a GPU node switches it on.
	"GDR-09-service-off": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(rhel9)
			s.installed(rhel9, "2.5.1-1", "2.5", "")
			return need(s.archive(rpms()))
		},
		does: []string{"systemctl enable gdrcopy", "systemctl restart gdrcopy", "gdrcopy_sanity"}, not: changes,
	},
	"two-modules": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "2.5")
			s.write("lib/modules/"+testKernel+"/extra/gdrdrv.ko.xz", "")
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: changes,
	},
	"absent-nothing-pinned": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: changes,
	},
	"absent-installed-ubuntu": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			return need(s.archive(debs()))
		},
		does: []string{"curl", "apt-get", "systemctl enable gdrdrv", "systemctl restart gdrdrv", "gdrcopy_sanity"}, not: []string{"debuild"},
	},
	"absent-installed-al2023-from-s3": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(al2023)
			a := s.archive(rpms())
			a.URL = "s3://weft-example/weft/gdrcopy.tar.gz"
			return need(a)
		},
		does: []string{"aws s3 cp", "dnf install", "systemctl enable gdrcopy", "gdrcopy_sanity"}, not: []string{"curl"},
	},
	"absent-built-from-source": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			return need(s.archive(upstream()))
		},
		does: []string{"debuild", "apt-get", "gdrcopy_sanity"},
	},
	"source-does-not-build": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			return need(s.archive(map[string]string{"gdrcopy-2.5.1/packages/build-deb-packages.sh": "echo 'nvcc: not found' >&2\nexit 1\n"}))
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: []string{"apt-get"},
	},
	"no-package-builder": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.without("debuild")
			return need(s.archive(upstream()))
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: []string{"apt-get"},
	},
	"archive-of-something-else": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(rhel9)
			return need(s.archive(debs()))
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: []string{"dnf"},
	},
	"no-compiler": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.without("gcc")
			return need(s.archive(debs()))
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: []string{"curl", "dkms"},
	},
	"too-old-upgraded": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.4.4-1", "2.4", "2.4")
			return need(s.archive(debs()))
		},
		does: []string{"curl", "apt-get", "rmmod gdrdrv", "systemctl restart gdrdrv"},
	},
	// The module says 2.5 for all of 2.5.x: the package tells.
	"patch-version-too-old": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5-1", "2.5", "2.5")
			e := need(bootstrap.Archive{})
			e.GDRCopyMin = "2.5.1"
			return e
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: changes,
	},
	"checksum-mismatch": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			a := s.archive(debs())
			a.SHA256 = fmt.Sprintf("%064d", 7)
			return need(a)
		},
		code: 1, rules: []diag.ID{diag.BootChecksum}, does: []string{"curl"}, not: []string{"apt-get", "dkms"},
	},
	"BOOT-08-network-down-then-up": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.write("fake/down", "3")
			return need(s.archive(debs()))
		},
		does: []string{"curl", "sleep 1", "curl", "sleep 2", "curl", "sleep 4", "curl", "apt-get", "gdrcopy_sanity"},
	},
	"BOOT-08-network-down": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.write("fake/down", "99")
			return need(s.archive(debs()))
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, does: []string{"sleep 1", "sleep 2", "sleep 4", "sleep 8", "sleep 16"}, not: []string{"apt-get"},
	},
	"BOOT-02-no-grant": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(al2023)
			return need(bootstrap.Archive{Version: "2.5.1", URL: "s3://weft-example/weft/gdrcopy.tar.gz", SHA256: fmt.Sprintf("%064d", 7)})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, does: []string{"aws s3 cp", "sleep 1", "aws s3 cp"},
	},
	"BOOT-04-no-time-left": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.write("fake/down", "99")
			e := need(s.archive(debs()))
			e.Seconds = map[bootstrap.Name]int{bootstrap.GDRCopy: 9}
			s.without("date")
			s.tools("date") // a second passes with each look
			return e
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, does: []string{"sleep 1", "sleep 2"}, not: []string{"apt-get"},
	},
	"no-device": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "")
			s.write("fake/no-device", "")
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: []string{"gdrcopy_sanity"},
	},
	"CTR-02-sanity-fails": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "2.5")
			s.write("fake/sanity-fails", "cuInit(0) returned 803: unsupported display driver / cuda driver combination")
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy},
	},
	"no-sanity-tool": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "2.5")
			s.without("gdrcopy_sanity")
			return need(bootstrap.Archive{})
		},
	},
	"no-service": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(rhel9)
			s.installed(rhel9, "2.5.1-1", "2.5", "")
			s.remove("etc/systemd/gdrcopy")
			return need(bootstrap.Archive{})
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, does: []string{"systemctl enable gdrcopy"}, not: []string{"dkms"},
	},
	"other-system": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.writeAll("etc/os-release", "ID=arch\n")
			return need(s.archive(debs()))
		},
		code: 1, rules: []diag.ID{diag.BootGDRCopy}, not: changes,
	},
	"reported-only": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			e := need(bootstrap.Archive{})
			e.Mode = bootstrap.Report
			return e
		},
		rules: []diag.ID{diag.BootGDRCopy}, not: changes,
	},
	"lowered-by-the-user": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			e := need(bootstrap.Archive{})
			e.Lowered = []diag.ID{diag.BootChecksum, diag.BootGDRCopy}
			return e
		},
		rules: []diag.ID{diag.BootGDRCopy}, not: changes,
	},
}

// gdr02 reads what package and module say in the public case.
func gdr02(t *testing.T) (pkg, file string) {
	t.Helper()
	content, err := os.ReadFile("testdata/cases/GDR-02.txt")
	require.NoError(t, err)
	_, after, _ := bytes.Cut(content, []byte("dpkg: gdrdrv-dkms "))
	_, err = fmt.Sscanf(string(after), "%s\nmodinfo gdrdrv version: %s", &pkg, &file)
	require.NoError(t, err)
	return pkg, file
}

func TestGDRCopy(t *testing.T) {
	golden.NoneUnused(t, "testdata/gdrcopy", ".txt")
	for name, c := range gdrcopyCases {
		t.Run(name, func(t *testing.T) {
			inShells(t, func(t *testing.T, shell string) {
				s := newSandbox(t)
				e := c.node(s)
				got := s.run(shell, bootstrap.Render(bootstrap.GDRCopy, e))
				require.Equal(t, c.code, got.code, got.String())
				requireRules(t, got, c.rules)
				requireInOrder(t, got.calls, c.does)
				requireNone(t, got.calls, c.not)
				golden.Check(t, path.Join("testdata/gdrcopy", name+".txt"), []byte(got.String()))
			})
		})
	}
}

// Whatever a run mended, the next one finds nothing to do.
func TestGDRCopyAgain(t *testing.T) {
	for name, c := range gdrcopyCases {
		if c.code != 0 || len(c.rules) > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			script := bootstrap.Render(bootstrap.GDRCopy, c.node(s))
			require.Zero(t, s.run("dash", script).code)
			again := s.run("dash", script)
			require.Zero(t, again.code, again.String())
			requireNone(t, again.calls, append([]string{"systemctl", "sleep"}, changes...))
		})
	}
}

// requireRules holds the findings of a run to be of these rules, each told completely.
func requireRules(t *testing.T, got result, want []diag.ID) {
	t.Helper()
	findings, err := bootstrap.ReadFindings("boot.log", bytes.NewReader([]byte(got.stdout)))
	require.NoError(t, err)
	diagtest.Complete(t, findings)
	var rules []diag.ID
	for _, f := range findings {
		rules = append(rules, f.Rule)
	}
	require.Equal(t, want, rules, got.String())
}

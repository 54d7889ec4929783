package bootstrap_test

import (
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/diag"
)

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
	"AMI-05-headers-missing-rocky": {
		node: func(s *sandbox) bootstrap.Expectation {
			_, kernel, _ := strings.Cut(strings.TrimSpace(caseText(s.t, "AMI-05.log")), "kernel-devel-")
			rocky := rhel9
			rocky.release, rocky.kernel = "ID=\"rocky\"\nVERSION_ID=\"9.7\"\nID_LIKE=\"rhel centos fedora\"\n", kernel
			s.boot(rocky)
			s.remove("lib/modules/" + kernel + "/build")
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
			s.writeAll("fake/dnf-says", caseText(s.t, "GDR-01.log"))
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
			s.writeAll("fake/refusal", caseText(s.t, "GDR-04.log"))
			return need(bootstrap.Archive{})
		},
		does: []string{"systemctl restart gdrdrv", "dkms build", "dkms install", "systemctl restart gdrdrv", "gdrcopy_sanity"},
	},
	"GDR-04-build-fails": {
		node: func(s *sandbox) bootstrap.Expectation {
			s.boot(ubuntu)
			s.installed(ubuntu, "2.5.1-1", "2.5", "")
			s.write("fake/refused", "SRC2.5")
			s.writeAll("fake/refusal", caseText(s.t, "GDR-04.log"))
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

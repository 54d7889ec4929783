package bootstrap_test

import (
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

type nodeFault struct {
	instanceType string // p5en.48xlarge if empty
	change       func(s *sandbox)
	config       func(c *config.Cluster)
	options      bootstrap.Options
	rules        []diag.ID
	passes       bool // the node boots all the same
	calls        []string
}

var nodeFaults = map[string]nodeFault{
	"a-gpu-off-the-bus": {
		change: func(s *sandbox) { s.remove("sys/bus/pci/devices/0000:57:00.0") },
		rules:  []diag.ID{diag.NodeGPUCount},
	},
	"a-gpu-that-the-driver-lost": {
		change: func(s *sandbox) { s.writeAll("fake/smi/list", strings.Repeat("GPU 0: NVIDIA H200\n", 7)) },
		rules:  []diag.ID{diag.NodeGPUCount},
	},
	"closed-modules-on-blackwell": {
		instanceType: "p6-b200.48xlarge",
		change: func(s *sandbox) {
			s.driver("closed", "595.112.07")
			s.writeAll("fake/smi-fails", "No devices were found\n")
		},
		rules: []diag.ID{diag.AMIDriverFlavour},
	},
	"closed-modules-on-hopper": {
		change: func(s *sandbox) { s.driver("closed", "595.112.07") },
		passes: true, // with a peer-memory module, which the sandbox's EFA installer brings
	},
	"KRN-04-driver-not-for-this-kernel": {
		change: func(s *sandbox) {
			s.remove("proc/driver/nvidia")
			running, _, _ := strings.Cut(strings.SplitAfter(caseText(s.t, "KRN-04.log"), "/lib/modules/")[1], "\n")
			s.write("proc/sys/kernel/osrelease", running)
			s.module(running, "gdrdrv", "2.6", "opensource")
			s.writeAll("fake/smi-fails", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
		},
		rules: []diag.ID{diag.NodeDriver},
	},
	// An unattended upgrade moved the libraries while the old module is loaded.
	"KRN-03-library-moved": {
		change: func(s *sandbox) {
			s.write("fake/smi-fails", "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 595.91")
		},
		rules: []diag.ID{diag.NodeDriver},
	},
	"KRN-03-library-moved-and-works": {
		change: func(s *sandbox) { s.write("fake/smi/driver", "595.71.05") },
		rules:  []diag.ID{diag.NodeDriver},
	},
	"an-efa-device-missing": {
		change: func(s *sandbox) { s.remove("sys/class/infiniband/rdmap80s0") },
		rules:  []diag.ID{diag.NodeEFACount},
		calls:  []string{"sleep 1", "sleep 2", "sleep 4", "sleep 8", "sleep 16", "sleep 30"},
	},
	// Ten RDMA devices, of which two are bridges: eight are right, seven are not.
	"bridges-are-no-efa": {
		instanceType: "p6-b200.48xlarge",
		change:       func(s *sandbox) { s.remove("sys/class/infiniband/rdmap87s0") },
		rules:        []diag.ID{diag.NodeEFACount},
	},
	"libfabric-sees-fewer": {
		change: func(s *sandbox) { s.domains(15) },
		rules:  []diag.ID{diag.NodeEFACount},
	},
	"no-fi-info": {
		change: func(s *sandbox) { s.without("fi_info") },
		rules:  []diag.ID{diag.NodeEFACount},
	},
	"gdrdrv-not-loaded": {
		change: func(s *sandbox) { s.remove("sys/module/gdrdrv") },
		rules:  []diag.ID{diag.NodeGDRDrv},
	},
	"gdrdrv-without-device": {
		change: func(s *sandbox) { s.remove("dev/gdrdrv") },
		rules:  []diag.ID{diag.NodeGDRDrv},
	},
	"GDR-02-loaded-older-than-file": {
		change: func(s *sandbox) { s.write("sys/module/gdrdrv/version", "2.4") },
		rules:  []diag.ID{diag.NodeGDRDrv},
	},
	// The public case: a new kernel, the closed NVIDIA module and EFA installer 1.26.1.
	"KRN-01-closed-module-old-efa": {
		instanceType: "p5.48xlarge",
		change: func(s *sandbox) {
			s.driver("closed", "535.54.03")
			s.write("fake/smi/driver", "535.54.03")
			s.write("opt/amazon/efa_installed_packages", "# EFA installer version: "+caseValue(s.t, "KRN-01.txt", "efa_installer"))
			s.write("sys/module/efa/version", "2.5.0g")
			s.remove("sys/module/efa_nv_peermem")
		},
		rules: []diag.ID{diag.NodePeermem},
	},
	"dmabuf-instead-of-a-module": {
		change: func(s *sandbox) { s.remove("sys/module/efa_nv_peermem") }, passes: true,
	},
	"no-dmabuf-in-an-old-kernel": {
		change: func(s *sandbox) {
			s.remove("sys/module/efa_nv_peermem")
			s.write("proc/sys/kernel/osrelease", "5.10.240-238.955.amzn2.x86_64")
			s.module("5.10.240-238.955.amzn2.x86_64", "gdrdrv", "2.6", "opensource")
		},
		rules: []diag.ID{diag.NodePeermem},
	},
	"fabric-manager-not-running": {
		change: func(s *sandbox) { s.write("fake/fabricmanager", "failed") },
		rules:  []diag.ID{diag.NodeFabricManager},
	},
	"fabric-in-progress": {
		change: func(s *sandbox) {
			s.writeAll("fake/smi/query", "    Fabric\n        State                             : Completed\n    Fabric\n        State                             : In Progress\n")
		},
		rules: []diag.ID{diag.NodeFabricManager},
		calls: []string{"nvidia-smi -q", "sleep 1", "nvidia-smi -q", "sleep 2", "sleep 4", "sleep 8", "nvidia-smi -q"},
	},
	"memlock-of-slurmd": {
		change: func(s *sandbox) { s.write("fake/slurmd-memlock", "65536") },
		rules:  []diag.ID{diag.NodeMemlock},
	},
	"memlock-of-sessions": {
		change: func(s *sandbox) { s.write("etc/security/limits.d/99-site.conf", "* - memlock 65536") },
		rules:  []diag.ID{diag.NodeMemlock},
	},
	"memlock-set-by-nobody": {
		change: func(s *sandbox) { s.remove("etc/security"); s.remove("fake/slurmd-memlock") },
		rules:  []diag.ID{diag.NodeMemlock},
	},
	"old-driver": {
		instanceType: "p6-b300.48xlarge",
		change: func(s *sandbox) {
			s.driver("open", "570.172.08")
			s.write("fake/smi/driver", "570.172.08")
		},
		rules: []diag.ID{diag.VerFloor},
	},
	"old-installer": {
		instanceType: "p6-b300.48xlarge",
		change: func(s *sandbox) {
			s.write("opt/amazon/efa_installed_packages", "# EFA installer version: 1.42.0")
			s.write("var/lib/dpkg/libnccl-ofi", "1.15.0-1")
			s.write("fake/libfabric", "2.1.0amzn3.0")
		},
		// The driver of the node asks for more of the installer than the type does.
		rules: []diag.ID{diag.VerFloor, diag.VerFloor, diag.VerPair},
	},
	"efa-not-installed": {
		change: func(s *sandbox) { s.remove("opt/amazon") },
		rules:  []diag.ID{diag.VerFloor},
	},
	"denied-installer": {
		change: func(s *sandbox) {
			s.write("opt/amazon/efa_installed_packages", "# EFA installer version: 1.47.0")
		},
		rules: []diag.ID{diag.VerDenied},
	},
	"denied-alone": {
		change: func(s *sandbox) { s.write("opt/amazon/efa_installed_packages", "# EFA installer version: 1.35.0") },
		rules:  []diag.ID{diag.VerDenied, diag.VerPair},
	},
	"unreadable-version": {
		change: func(s *sandbox) { s.write("opt/amazon/efa_installed_packages", "# EFA installer version: latest") },
		rules:  []diag.ID{diag.VerUnreadable},
	},
	"host-driver-for-deepep-v2": {
		config: func(c *config.Cluster) {
			c.Workload.Kind, c.Workload.Dispatcher = "moe", "deepep-v2"
		},
		change: func(s *sandbox) { s.write("sys/module/efa/version", "3.1.0g") },
		rules:  []diag.ID{diag.VerFloor},
	},
	"lowered-by-the-user": {
		config: func(c *config.Cluster) {
			c.Rules = map[diag.ID]diag.Override{diag.NodeMemlock: {Level: diag.Warn, Reason: "set by the job"}}
		},
		change: func(s *sandbox) { s.write("fake/slurmd-memlock", "65536") },
		rules:  []diag.ID{diag.NodeMemlock}, passes: true,
	},
	"reported-only": {
		options: bootstrap.Options{Mode: bootstrap.Report},
		change: func(s *sandbox) {
			s.remove("sys/class/infiniband/rdmap80s0")
			s.write("fake/fabricmanager", "inactive")
		},
		rules: []diag.ID{diag.NodeEFACount, diag.NodeFabricManager}, passes: true,
	},
	"rhel9-kernel-below-the-floor": {
		instanceType: "p6-b200.48xlarge",
		change: func(s *sandbox) {
			s.write("proc/sys/kernel/osrelease", rhel9.kernel)
			s.module(rhel9.kernel, "gdrdrv", "2.6", "opensource")
		},
		rules: []diag.ID{diag.VerFloor},
	},
	"everything-at-once": {
		change: func(s *sandbox) {
			s.remove("sys/class/infiniband/rdmap80s0")
			s.remove("sys/bus/pci/devices/0000:57:00.0")
			s.write("fake/slurmd-memlock", "65536")
		},
		rules: []diag.ID{diag.NodeGPUCount, diag.NodeEFACount, diag.NodeMemlock},
	},
	"facts-cannot-be-kept": {
		change: func(s *sandbox) { s.write("var/lib/weft", "a file in the way") }, passes: true,
	},
	"trainium": {
		instanceType: "trn1.32xlarge",
		change: func(s *sandbox) {
			for i := range 16 {
				s.remove(fmt.Sprintf("sys/bus/pci/devices/0000:%02x:00.0", 0x50+i))
			}
			s.without("nvidia-smi", "nv-fabricmanager")
			s.remove("proc/driver/nvidia")
		},
		passes: true,
	},
	"network-nodes-without-gpu": {
		instanceType: "g6e.48xlarge", // no NVSwitch, no GPUDirect RDMA
		change: func(s *sandbox) {
			s.write("fake/fabricmanager", "inactive")
			s.writeAll("fake/smi/query", "    Fabric\n        State                             : N/A\n")
			s.remove("sys/module/efa_nv_peermem")
			s.driver("closed", driverVersion)
		},
		passes: true,
	},
}

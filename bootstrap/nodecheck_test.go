package bootstrap_test

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/components/componenttest/golden"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// bridges are RDMA devices beside EFA: the NVLink bridges of B200 and B300 nodes are ConnectX devices.
var bridges = map[string]int{"p6-b200.48xlarge": 2, "p6-b300.48xlarge": 2}

// stackOf is software that all floors of today's types let pass: EFA installer 1.51.0 and what came with it.
const (
	installerVersion = "1.51.0"
	driverVersion    = "595.112.07"
)

// accelerated makes a whole node of a type, as the catalogue describes it, with today's software.
func (s *sandbox) accelerated(os system, instanceType string) {
	s.t.Helper()
	t, ok := catalog.Instance(instanceType)
	require.True(s.t, ok)
	installer, ok := catalog.Installer(installerVersion)
	require.True(s.t, ok)
	s.boot(os)
	s.remove("sys/bus/pci/devices/0000:53:00.0")
	s.write("sys/devices/virtual/dmi/id/product_name", instanceType)
	s.driver("open", driverVersion)
	s.installed(os, "2.6-1", "2.6", "2.6")
	s.gpus(t.Accelerator.Count)
	s.efa(t.MaxEFA, bridges[instanceType])
	contents := installer.Contents()
	s.write("sys/module/efa/version", contents[catalog.EFADriver]+"g")
	s.writeAll("opt/amazon/efa_installed_packages", "# EFA installer version: "+installerVersion+"\n# Debug packages installed: no\n# Packages installed:\n")
	s.write("fake/libfabric", contents[catalog.Libfabric])
	s.write(os.packages()+"/libnccl-ofi", contents[catalog.OFIPlugin]+"-1")
	s.write(os.plugin(), "")
	s.write(os.libfabric(), "")
	s.writeAll(os.plugin()+".symbols", "0000000000041230 D ncclGinPlugin_v13\n0000000000041280 D ncclGinPlugin_v14\n0000000000041000 D ncclNetPlugin_v11\n")
	s.write("sys/module/efa_nv_peermem/version", "1.2.3")
	s.writeAll("etc/security/limits.d/01_efa.conf", "*          soft    memlock         unlimited\n*          hard    memlock         unlimited\n")
	s.write("fake/slurmd-memlock", "infinity")
	s.writeAll("proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units     \nMax locked memory         8388608              8388608              bytes     \n")
	s.write("fake/fabricmanager", "active")
	s.storage(t)
	s.write("fake/enroot", "4.2.1")
	s.write("usr/local/lib/slurm/spank_pyxis.so", "")
	s.write("etc/enroot/hooks.d/50-slurm-pytorch.sh", "")
	s.writeAll("usr/local/cuda/version.json", "{\n   \"cuda\" : {\n      \"name\" : \"CUDA SDK\",\n      \"version\" : \"13.2.2\"\n   },\n   \"nvcc\" : {\n      \"version\" : \"13.2.86\"\n   }\n}\n")
	s.tools("nvidia-smi", "nv-fabricmanager", "fi_info", "nm", "enroot", "docker")
}

// gpus puts GPUs on the PCI bus and into nvidia-smi's answers.
func (s *sandbox) gpus(n int) {
	var list, query strings.Builder
	for i := range n {
		device := fmt.Sprintf("sys/bus/pci/devices/0000:%02x:00.0", 0x50+i)
		s.write(device+"/vendor", "0x10de")
		s.write(device+"/class", "0x030200")
		fmt.Fprintf(&list, "GPU %d: NVIDIA (UUID: GPU-00000000-0000-0000-0000-%012d)\n", i, i)
		query.WriteString("    Fabric\n        State                             : Completed\n        Status                            : Success\n")
	}
	s.writeAll("fake/smi/list", list.String())
	s.writeAll("fake/smi/query", query.String())
	s.write("fake/smi/driver", driverVersion)
	s.write("fake/smi/table", "| NVIDIA-SMI "+driverVersion+"    Driver Version: "+driverVersion+"    CUDA Version: 13.2     |")
}

// efa makes RDMA devices of the efa driver and of mlx5, and what fi_info says of them: each device is listed for
// the fabrics efa-direct and efa.
func (s *sandbox) efa(devices, mlx5 int) {
	for i := range devices {
		s.rdma(fmt.Sprintf("rdmap%ds0", 80+i), "efa")
	}
	for i := range mlx5 {
		s.rdma(fmt.Sprintf("ibp%ds0", 200+i), "mlx5_core")
	}
	s.domains(devices)
}

func (s *sandbox) rdma(name, driver string) {
	s.link("sys/class/infiniband/"+name+"/device/driver", "../../../../bus/pci/drivers/"+driver)
}

func (s *sandbox) domains(devices int) {
	var out strings.Builder
	for _, fabric := range []string{"efa-direct", "efa"} {
		for i := range devices {
			fmt.Fprintf(&out, "provider: efa\n    fabric: %s\n    domain: rdmap%ds0-rdm\n    version: 207.0\n    type: FI_EP_RDM\n    protocol: FI_PROTO_EFA\n", fabric, 80+i)
		}
	}
	s.writeAll("fake/domains", out.String())
}

func (s *sandbox) storage(t catalog.InstanceType) {
	s.write("sys/class/nvme/nvme0/model", "Amazon Elastic Block Store")
	if t.NVMeGB == 0 {
		return
	}
	for i := range 8 {
		s.write(fmt.Sprintf("sys/class/nvme/nvme%d/model", i+1), "Amazon EC2 NVMe Instance Storage")
	}
	s.writeAll("proc/mounts", "/dev/nvme0n1p1 / ext4 rw 0 0\n/dev/nvme0n1p16 /boot ext4 rw 0 0\ntmpfs /run tmpfs rw 0 0\n/dev/mapper/vg.01-lv_ephemeral /scratch ext4 rw 0 0\n")
}

// planOf plans a cluster of one group of two nodes.
func planOf(t testing.TB, instanceType string, change func(c *config.Cluster)) plan.Cluster {
	t.Helper()
	c := config.Default()
	c.Name, c.Region = "test", "us-east-2"
	g := config.Group{Name: "train", InstanceType: instanceType, Count: 2, Capacity: config.Capacity{OnDemand: true}, Zone: "us-east-2a"}
	config.SetDefaults(&g)
	c.Groups = []config.Group{g}
	if change != nil {
		change(&c)
	}
	p, _ := plan.New(c)
	return p
}

// action finds an action of the compute nodes.
func action(t testing.TB, p plan.Cluster, o bootstrap.Options, name bootstrap.Name) bootstrap.Action {
	t.Helper()
	for _, n := range bootstrap.For(p, o) {
		for _, a := range n.OnConfigured {
			if a.Script.Name == name {
				return a
			}
		}
	}
	t.Fatalf("no action %s", name)
	return bootstrap.Action{}
}

var wholeNodes = map[string]struct {
	os           system
	instanceType string
}{
	"p5en-al2023":    {al2023, "p5en.48xlarge"},
	"p6-b200-ubuntu": {ubuntu, "p6-b200.48xlarge"},
	"p6-b300-ubuntu": {ubuntu, "p6-b300.48xlarge"},
}

// A node that is what the plan expects: facts, no finding.
func TestNodeCheck(t *testing.T) {
	golden.NoneUnused(t, "testdata/nodecheck", ".txt")
	for name, node := range wholeNodes {
		instanceType := node.instanceType
		t.Run(name, func(t *testing.T) {
			a := action(t, planOf(t, instanceType, nil), bootstrap.Options{}, bootstrap.NodeCheck)
			inShells(t, func(t *testing.T, shell string) {
				s := newSandbox(t)
				s.accelerated(node.os, instanceType)
				s.writeAll("etc/nccl.conf", "NCCL_IB_HCA=mlx5_0\nSECRET_TOKEN=hunter2\n# NCCL_ALGO=Ring\n")
				s.writeAll("etc/enroot/environ.d/10-site.env", "export FI_PROVIDER=\"tcp\"\nOMP_NUM_THREADS=1\n")
				got := s.run(shell, a.Script, a.Args...)
				require.Zero(t, got.code, got.String())
				requireRules(t, got, nil)
				require.NotContains(t, got.stdout, "hunter2")
				require.NotContains(t, got.stdout, "tcp", "names, never values")
				golden.Check(t, path.Join("testdata/nodecheck", name+".txt"), []byte(got.String()))

				kept, err := os.ReadFile(s.path("var/lib/weft/facts.jsonl"))
				require.NoError(t, err)
				require.True(t, strings.HasPrefix(got.stdout, string(kept)), "the facts stay on the node")
				facts, err := bootstrap.ReadFacts(strings.NewReader(got.stdout))
				require.NoError(t, err)
				requireFacts(t, facts, instanceType)
			})
		})
	}
}

func requireFacts(t *testing.T, facts bootstrap.Facts, instanceType string) {
	t.Helper()
	instance, _ := catalog.Instance(instanceType)
	require.Equal(t, instance.Accelerator.Count, *facts.GPU.PCI)
	require.Equal(t, instance.MaxEFA, *facts.EFA.Devices)
	require.Equal(t, instance.MaxEFA+bridges[instanceType], *facts.EFA.RDMA)
	require.Equal(t, instance.MaxEFA, *facts.EFA.Domains)
	require.Equal(t, []string{"ncclGinPlugin_v13", "ncclGinPlugin_v14"}, facts.Plugins[0].GIN)
	require.Equal(t, []string{"50-slurm-pytorch.sh"}, facts.Containers.Hooks)
	verdicts, findings := catalog.Judge(facts.Installed(), catalog.Floors(instanceType, catalog.Workload{}), diag.Place{File: "facts"})
	require.Empty(t, findings, "the catalogue judges the node's facts as the node does")
	require.NotEmpty(t, verdicts)
}

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
	"KRN-04-driver-not-for-this-kernel": {
		change: func(s *sandbox) { s.remove("proc/driver/nvidia"); s.without("nvidia-smi") },
		rules:  []diag.ID{diag.NodeDriver},
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

// One fault gives one finding, and the node does not boot.
func TestNodeFaults(t *testing.T) {
	golden.NoneUnused(t, "testdata/nodefault", ".txt")
	for name, c := range nodeFaults {
		t.Run(name, func(t *testing.T) {
			if c.instanceType == "" {
				c.instanceType = "p5en.48xlarge"
			}
			a := action(t, planOf(t, c.instanceType, c.config), c.options, bootstrap.NodeCheck)
			s := newSandbox(t)
			s.accelerated(ubuntu, c.instanceType)
			c.change(s)
			got := s.run(needShell(name), a.Script, a.Args...)
			require.Equal(t, !c.passes, got.code != 0, got.String())
			requireRules(t, got, c.rules)
			requireInOrder(t, got.calls, c.calls)
			golden.Check(t, path.Join("testdata/nodefault", name+".txt"), []byte(said(got)))
		})
	}
}

// needShell shares the cases out over the shells; TestNodeCheck runs the whole script in each.
func needShell(name string) string { return shells[len(name)%len(shells)] }

// said is what a run said beside the facts.
func said(r result) string {
	var out strings.Builder
	fmt.Fprintf(&out, "exit %d\n", r.code)
	for _, line := range strings.SplitAfter(r.stdout, "\n") {
		if !strings.HasPrefix(line, "{") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// EFA devices that appear late are waited for.
func TestEFAAppearsLate(t *testing.T) {
	a := action(t, planOf(t, "p5en.48xlarge", nil), bootstrap.Options{}, bootstrap.NodeCheck)
	s := newSandbox(t)
	s.accelerated(ubuntu, "p5en.48xlarge")
	s.remove("sys/class/infiniband/rdmap80s0")
	s.without("sleep")
	s.writeAll("fake/appears", "sys/class/infiniband/rdmap80s0/device")
	s.tools("sleep-until-efa")
	require.NoError(t, os.Rename(s.bin+"/sleep-until-efa", s.bin+"/sleep"))
	got := s.run("dash", a.Script, a.Args...)
	require.Zero(t, got.code, got.String())
	requireInOrder(t, got.calls, []string{"sleep-until-efa 1", "sleep-until-efa 2", "sleep-until-efa 4"})
}

// caseValue reads "key: value" of a public case.
func caseValue(t *testing.T, file, key string) string {
	t.Helper()
	content, err := os.ReadFile(path.Join("testdata/cases", file))
	require.NoError(t, err)
	_, after, found := strings.Cut(string(content), key+": ")
	require.True(t, found)
	return strings.Fields(after)[0]
}

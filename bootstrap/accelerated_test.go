package bootstrap_test

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
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

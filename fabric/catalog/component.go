package catalog

// Component names a piece of the software stack whose version matters.
type Component string

// The components. The EFA installer is a bundle: Installer tells what it brings.
const (
	NVIDIADriver    Component = "nvidia-driver"
	CUDA            Component = "cuda"
	DCGM            Component = "dcgm"
	GDRCopy         Component = "gdrcopy" // library and kernel module together
	NCCL            Component = "nccl"
	NVSHMEM         Component = "nvshmem"
	EFAInstaller    Component = "efa-installer"
	EFADriver       Component = "efa-driver" // the host's kernel module efa.ko
	RDMACore        Component = "rdma-core"
	Libfabric       Component = "libfabric"
	OFIPlugin       Component = "aws-ofi-nccl" // the network plugin of NCCL
	OpenMPI         Component = "openmpi"
	ENADriver       Component = "ena-driver"
	EFAK8sPlugin    Component = "efa-k8s-plugin"
	Kernel          Component = "kernel"
	Slurm           Component = "slurm"
	Enroot          Component = "enroot"
	Pyxis           Component = "pyxis"
	PMIx            Component = "pmix"
	PyTorch         Component = "pytorch"
	ParallelCluster Component = "parallelcluster"

	// CUDACompat is the forward-compatibility package of CUDA: user space of another driver, carried in a container. Its
	// version is that driver's.
	CUDACompat Component = "cuda-compat"
	// FabricManager is NVIDIA's service that sets up NVSwitch.
	FabricManager Component = "nvidia-fabricmanager"
	// PluginLibfabric is the libfabric that the installed aws-ofi-nccl was built on, where somebody knows it.
	PluginLibfabric Component = "aws-ofi-nccl-libfabric"
)

// Components lists every component that the catalogue knows, sorted by name.
func Components() []Component {
	return []Component{
		OFIPlugin, PluginLibfabric, CUDA, CUDACompat, DCGM, EFADriver, EFAInstaller, EFAK8sPlugin, ENADriver, Enroot, GDRCopy, Kernel,
		Libfabric, NCCL, NVIDIADriver, FabricManager, NVSHMEM, OpenMPI, ParallelCluster, PMIx, PyTorch, Pyxis, RDMACore, Slurm,
	}
}

// OfHost reports whether a component is the node's own, so that a container on it can neither bring nor replace it:
// the kernel, its modules, and the services that run on the node. GDRCopy is of both: its library comes with the
// container, its module with the node.
func (c Component) OfHost() bool {
	switch c {
	case Kernel, NVIDIADriver, EFADriver, ENADriver, FabricManager, DCGM, EFAK8sPlugin, Slurm, Enroot, Pyxis, ParallelCluster:
		return true
	default:
		return false
	}
}

package symptom

import "github.com/weft-hpc/weft/fabric/diag"

// The environment's rules that texts speak for.
const (
	ibResidue      = diag.EnvIBResidue
	forcedFallback = diag.EnvForcedFallback
	obsolete       = diag.EnvObsolete
	srunInherit    = diag.CPUSrunInherit
)

const (
	ofi       = "https://github.com/aws/aws-ofi-nccl/issues/"
	awsome    = "https://github.com/awslabs/awsome-distributed-ai/issues/"
	efaStart  = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start-nccl.html"
	efaErrors = "https://github.com/ofiwg/libfabric/blob/main/prov/efa/src/efa_errno.h"
	selfRules = "let the nodes' security group allow all traffic (protocol -1) from itself and to itself, by group id: EFA's packets are not IP, " +
		"a CIDR rule such as 0.0.0.0/0 does not cover them"
)

var devices = []Row{
	{
		ID: "infiniband-missing", Rule: diag.NodeEFACount, Cause: Devices,
		Texts:  []string{"/dev/infiniband*No such file or directory", "/dev/infiniband*not found", "Disabling shared memory failed*Protocol not available"},
		Says:   "the process sees no EFA device: /dev/infiniband is not there",
		Hint:   "1. in a container: pass /dev/infiniband in (Pyxis does by itself, Docker needs --device); 2. on the host: the interface has no EFA, or module efa is not loaded",
		Source: ofi + "803",
	},
	{
		ID: "efa-no-data", Rule: diag.NodeEFACount, Cause: Devices,
		Texts: []string{"fi_getinfo: -61 (No data available)", "fi_getinfo()*ret=-61"},
		Says:  "libfabric finds no endpoint of the provider that was asked for",
		Hint: "1. no EFA device is seen: look at /dev/infiniband, at the instance's interfaces and at module efa; " +
			"2. with a domain named: its name ends in -rdm; 3. mlx5 devices passed into the container beside EFA",
		Source: "https://github.com/aws-samples/aws-do-eks/issues/63",
	},
	{
		ID: "gpu-lost", Rule: diag.NodeGPUCount, Cause: Devices,
		Texts:  []string{"GPU has fallen off the bus", "fallen off the bus"},
		Says:   "the driver lost a GPU (Xid 79)",
		Hint:   "replace the node: drain it and stop or reboot the instance, the fault is the hardware's",
		Source: "https://docs.nvidia.com/deploy/xid-errors/",
	},
	{
		ID: "gpu-memory", Rule: diag.NodeGPUCount, Cause: Devices,
		Texts:  []string{"uncorrectable ECC error", "Uncorrectable ECC error", "double-bit ECC error"},
		Says:   "a GPU's memory has an error that it could not correct",
		Hint:   "drain the node, reset its GPUs or reboot; if it comes again replace the node",
		Source: "https://docs.nvidia.com/deploy/xid-errors/",
	},
	{
		ID: "gpu-none", Rule: diag.NodeGPUCount, Cause: Devices,
		Texts:  []string{"no CUDA-capable device is detected"},
		Says:   "CUDA finds no GPU",
		Hint:   "1. the job asked for none: --gpus-per-node; 2. the container runs without the NVIDIA hook; 3. the driver is not loaded",
		Source: "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html",
	},
	{
		ID: "gpu-too-few", Rule: diag.NodeGPUCount, Cause: Devices,
		Texts:  []string{"Invalid number of GPUs:*requested but only"},
		Says:   "the ranks of a node want more GPUs than it shows",
		Hint:   "1. ranks a node times GPUs a rank (-g) is more than the node has: start one rank for each GPU with -g 1; 2. a GPU is missing: nvidia-smi -L",
		Source: "https://github.com/NVIDIA/nccl-tests",
	},
	{
		ID: "efa-unreachable", Rule: diag.SGSelfEgress, Cause: Devices,
		Texts: []string{
			"reachable by EFA device but handshake failed", "rror: 4126", "prov_errno: 4126", "Unreachable remote", "prov_errno: 4113",
			"security group on either this instance or the peer", "This error indicates that the security group",
		},
		Says:   "EFA packets to the peer or its answers do not arrive",
		Hint:   "1. " + selfRules + " (the outbound half is the one most often missing); 2. the instances are in different subnets or zones; 3. the peer's process is gone",
		Source: "https://github.com/gardener/gardener-extension-provider-aws/issues/1832",
	},
	{
		ID: "efa-address-vector", Rule: diag.SGSelfIngress, Cause: Devices,
		Texts:  []string{"nable to insert remote address into address vector", "Failure inserting address into address vector"},
		Says:   "a peer's EFA address could not be reached or entered",
		Hint:   "1. " + selfRules + "; 2. an old image: with more than four GPUs of a p5 on Amazon Linux 2 the same line came with right rules, and an AL2023 image cured it",
		Source: ofi + "663 and " + awsome + "519",
	},
	{
		ID: "efa-null-context", Rule: diag.SGSelfIngress, Cause: Devices,
		Texts:  []string{"Operation with NULL context completed with error"},
		Says:   "the first messages between two nodes were never answered, after a hang of minutes",
		Hint:   "1. " + selfRules + "; 2. EFA is off on one side. That MPI over TCP works says nothing of EFA",
		Source: "https://github.com/NVIDIA/nccl/issues/1597",
	},
	{
		ID: "bootstrap-blocked", Rule: diag.SGSelfIngress, Cause: Devices,
		Texts: []string{
			"socketStartConnect: Connect to*failed", "socketPollConnect*Connect*failed", "socketPollConnect*failed", "Call to connect to*failed",
			"socketConnect: Connect to*failed",
		},
		Says:   "NCCL's ranks cannot reach each other over TCP, which they need to start",
		Hint:   "1. NCCL_SOCKET_IFNAME names an interface that the nodes do not share; 2. the security group does not let the nodes reach each other; 3. the peer has ended already",
		Source: "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
	},
}

var modules = []Row{
	{
		ID: "cuda-802", Rule: diag.NodeFabricManager, Cause: Modules,
		Texts:  []string{"rror 802", "system not yet initialized", "cudaErrorSystemNotReady"},
		Says:   "the NVSwitches are not set up: the Fabric Manager has not finished or does not run (CUDA error 802)",
		Hint:   "systemctl status nvidia-fabricmanager on that node; its version equals the driver's; seen once in eight fresh p5 nodes, a restart or a new node cures it",
		Source: "https://github.com/awslabs/awsome-distributed-ai (nccl-tests results for p5)",
	},
	{
		ID: "cuda-803", Rule: diag.VerPair, Cause: Modules,
		Texts:  []string{"unsupported display driver", "rror 803"},
		Says:   "the container's CUDA compatibility library does not fit the host's driver (CUDA error 803)",
		Hint:   "the compat library is older than the host driver: take it out of LD_LIBRARY_PATH (/usr/local/cuda/compat), or use an image made for a driver at least as new",
		Source: awsome + "475",
	},
	{
		ID: "cuda-804", Rule: diag.VerPair, Cause: Modules,
		Texts:  []string{"forward compatibility was attempted on non supported HW"},
		Says:   "the container brings a CUDA compatibility library that this driver does not take (CUDA error 804)",
		Hint:   "1. remove /usr/local/cuda/compat from the library path; 2. the host's driver was changed and not reloaded: reboot",
		Source: "https://docs.nvidia.com/deploy/cuda-compatibility/",
	},
	{
		ID: "cuda-old-driver", Rule: diag.NodeDriver, Cause: Modules,
		Texts:  []string{"CUDA driver version is insufficient for CUDA runtime version"},
		Says:   "the host's driver is older than the program's CUDA",
		Hint:   "a newer driver on the node (a newer image), or a container with an older CUDA",
		Source: "https://docs.nvidia.com/deploy/cuda-compatibility/",
	},
	{
		ID: "driver-library", Rule: diag.NodeDriver, Cause: Modules,
		Texts:  []string{"Driver/library version mismatch"},
		Says:   "the loaded NVIDIA module and the driver's libraries are of two versions",
		Hint:   "packages were upgraded under a running module: reboot; hold driver and kernel packages so that it does not come again",
		Source: "https://github.com/aws-samples/aws-deep-learning-ami-ubuntu-dcv-desktop/issues/28",
	},
	{
		ID: "nvidia-module", Rule: diag.NodeDriver, Cause: Modules,
		Texts:  []string{"Module nvidia not found in directory"},
		Says:   "there is no NVIDIA module for the kernel that runs",
		Hint:   "the kernel moved after the driver was built: build the module for the running kernel (dkms status), bake both together and hold them",
		Source: "https://github.com/compiler-explorer/infra/issues/1413",
	},
	{
		ID: "gdrdrv-module", Rule: diag.NodeGDRDrv, Cause: Modules,
		Texts:  []string{"Module gdrdrv not found", "Job for gdrcopy.service failed", "Job for gdrdrv.service failed"},
		Says:   "GDRCopy's module was not built or not loaded, although its package is there",
		Hint:   "1. no headers of the running kernel when the package was installed; 2. the NVIDIA driver came as a kmod package, without its sources. Install both, rebuild, and look at lsmod and not at the package",
		Source: "https://github.com/NVIDIA/gdrcopy/issues/331",
	},
	{
		ID: "gdrdrv-symbols", Rule: diag.NodeGDRDrv, Cause: Modules,
		Texts: []string{
			"gdrdrv: disagrees about version of symbol", "gdrdrv: Unknown symbol", "could not insert module gdrdrv", "could not insert 'gdrdrv'",
		},
		Says:   "GDRCopy's module was built against another NVIDIA driver than the loaded one",
		Hint:   "rebuild gdrdrv after each driver change (dkms does), then load it anew",
		Source: "https://github.com/NVIDIA/gdrcopy/issues/13",
	},
	{
		ID: "gdrcopy-version", Rule: diag.NodeGDRDrv, Cause: Modules,
		Texts:  []string{"modinfo gdrdrv version", "gdrdrv*driver version mismatch", "Incompatible driver version*gdrdrv"},
		Says:   "GDRCopy's loaded module is to be compared with its package: an older module stays loaded after an upgrade",
		Hint:   "unload gdrdrv and load it anew, or reboot; library and module are of one version",
		Source: "https://github.com/NVIDIA/gdrcopy/issues/82",
	},
	{
		ID: "gdrcopy-off", Rule: diag.BootGDRCopy, Cause: Modules,
		Texts:  []string{"GDRCopy support not enabled", "gdr_open failed", "error opening driver (errno"},
		Says:   "the library wants GDRCopy and cannot open it",
		Hint:   "1. in a container: /dev/gdrdrv is not passed in; 2. module gdrdrv is not loaded on the host: NVSHMEM and low-latency dispatchers need it",
		Source: "https://github.com/NVIDIA/gdrcopy",
	},
	{
		ID: "peermem-module", Rule: diag.NodePeermem, Cause: Modules,
		Texts:  []string{"Module efa_nv_peermem not found", "Module nvidia_peermem not found", "Module nvidia-peermem not found"},
		Says:   "the module that lets EFA read GPU memory is not there",
		Hint:   "1. not needed where DMA-BUF is used (open NVIDIA module, kernel 5.12 and newer); 2. else install the EFA driver anew for the running kernel",
		Source: "https://github.com/amzn/amzn-drivers/issues/357",
	},
	{
		ID: "memlock", Rule: diag.NodeMemlock, Cause: Modules,
		Texts: []string{
			"Failure to post internal receive buffers", "rror: 4112", "rror: (4112)", "RLIMIT_MEMLOCK is", "severely limit memory registrations",
		},
		Says:   "the process may not lock enough memory for EFA's buffers",
		Hint:   "1. ulimit -l unlimited in the job; Slurm hands on the login shell's limit unless PropagateResourceLimitsExcept=MEMLOCK; 2. Docker: --ulimit memlock=-1",
		Source: awsome + "647",
	},
	{
		ID: "completion-queue", Rule: diag.NodeMemlock, Cause: Modules,
		Texts:  []string{"Couldn't open CQ. RC:", "Unable to create extended CQ"},
		Says:   "EFA's completion queue could not be made, and NCCL goes on over sockets",
		Hint:   "1. limits of the container (locked memory, devices); 2. another libfabric or rdma-core in the image than the EFA installer's",
		Source: ofi + "715",
	},
	{
		ID: "mr-invalid", Rule: diag.VerPair, Cause: Modules,
		Texts:  []string{"Unable to register memory*RC: -22"},
		Says:   "GPU memory cannot be registered with EFA",
		Hint:   "1. libfabric of an EFA installer before 1.29.1 with NCCL 2.19 or newer: upgrade the installer in the image (FI_EFA_SET_CUDA_SYNC_MEMOPS=0 goes round it); 2. closed NVIDIA module without peer memory",
		Source: awsome + "203",
	},
	{
		ID: "mr-failed", Rule: diag.NodePeermem, Cause: Modules,
		Texts: []string{
			"Unable to register memory", "Unable to register MR", "ibv_reg_mr_iova2*not supported", "ibv_reg_mr_iova2*ENOTSUP", "register_mem_handle failed",
			"Failed to register memory", "MR registration failed",
		},
		Not:    []string{"RC: -22"},
		Says:   "memory cannot be registered with EFA: the network cannot read the GPU",
		Hint:   "1. neither peer memory nor DMA-BUF: open NVIDIA module, or load efa_nv_peermem; 2. a library built without DMA-BUF (UCCL: USE_DMABUF=1); 3. libfabric without CUDA; 4. locked memory",
		Source: "https://github.com/ofiwg/libfabric/issues/12019 and https://github.com/uccl-project/uccl/issues/893",
	},
	{
		ID: "symbol-efa", Rule: diag.VerPair, Cause: Modules,
		Texts:  []string{"version `EFA_*not found", "version 'EFA_*not found"},
		Says:   "libefa is older than what libfabric or the plugin was built with",
		Hint:   "1. another rdma-core stands before the EFA installer's in the library path; 2. the image holds an older EFA installer: one installer for the whole image",
		Source: efaStart,
	},
	{
		ID: "symbol-ibverbs-private", Rule: diag.VerPair, Cause: Modules,
		Texts:  []string{"version `IBVERBS_PRIVATE_*not found", "version 'IBVERBS_PRIVATE_*not found"},
		Says:   "two copies of rdma-core are mixed: the line names the libibverbs that was loaded and the libefa that needs another",
		Hint:   "take the other copy (HPC-X, /opt/rdma-core) out of LD_LIBRARY_PATH, so that libibverbs and libefa come from one rdma-core",
		Source: "https://github.com/NVIDIA-NeMo/Megatron-Bridge/issues/2824",
	},
	{
		ID: "symbol-fabric", Rule: diag.VerPair, Cause: Modules,
		Texts:  []string{"version `FABRIC_*not found", "version 'FABRIC_*not found"},
		Says:   "the libfabric that was loaded is older than the one the plugin was built with",
		Hint:   "1. the distribution's libfabric stands before /opt/amazon/efa/lib in the library path; 2. an older EFA installer in the image than the plugin's",
		Source: ofi + "241",
	},
	{
		ID: "symbol-other", Rule: diag.VerPair, Cause: Modules,
		Texts: []string{
			"version `IBVERBS_1*not found", "version 'IBVERBS_1*not found", "version `GLIBC*not found", "version 'GLIBC*not found",
			"version `CXXABI_*not found", "version `NCCL_*not found", "version `MLX5_*not found (required by",
		},
		Says:   "a library is older than what another one was built with",
		Hint:   "the line names both: build them on the same system, or take the one that shadows the right one out of LD_LIBRARY_PATH",
		Source: "https://man7.org/linux/man-pages/man8/ld.so.8.html",
	},
	{
		ID: "symbol-undefined", Rule: diag.VerPair, Cause: Modules,
		Texts:  []string{"NET/Plugin: lib*undefined symbol", "libnccl-net*undefined symbol", "libfabric*undefined symbol"},
		Says:   "the plugin needs a function that the library it was given does not have",
		Hint:   "the line names the function and mostly its library: plugin, libfabric and rdma-core come from one EFA installer; take others out of LD_LIBRARY_PATH",
		Source: ofi + "241",
	},
	{
		ID: "libfabric-old", Rule: diag.VerPair, Cause: Modules,
		Texts:  []string{"EFA provider requires at least libfabric version"},
		Says:   "the plugin needs a newer libfabric for EFA",
		Hint:   "EFA installer of the plugin's own release in the image (plugin 1.21 needs libfabric 1.22)",
		Source: "https://github.com/aws/aws-ofi-nccl/releases/tag/v1.21.0",
	},
	{
		ID: "libfabric-missing", Rule: diag.NetPlugin, Cause: Modules,
		Texts:  []string{"libfabric.so*cannot open shared object file"},
		Says:   "the plugin or the tool is there, libfabric is not",
		Hint:   "1. put /opt/amazon/efa/lib into the library path; 2. install the EFA installer in the image",
		Source: efaStart,
	},
	{
		ID: "dependency-missing", Rule: diag.NetPlugin, Cause: Modules,
		Texts:  []string{"NET/Plugin: lib*: lib*cannot open shared object file"},
		Not:    []string{"libfabric.so"},
		Says:   "the plugin is there, a library that it needs is not",
		Hint:   "install the library that the line names (libhwloc, libcudart, …) in the image, or put its folder into the library path",
		Source: "https://github.com/aws/aws-ofi-nccl#requirements",
	},
	{
		ID: "hardware-counter", Rule: diag.VerFloor, Cause: Modules,
		Texts:  []string{"cntr_open_ext failed"},
		Says:   "EFA's completion counters, which GPU-initiated networking needs, are not there",
		Hint:   "1. the host's efa driver is older than 3.3.0 (EFA installer before 1.50); 2. rdma-core without completion counters in the image; 3. NVIDIA module without PeerMappingOverride=1",
		Source: ofi + "1369",
	},
}

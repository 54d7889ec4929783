package symptom

import "github.com/weft-hpc/weft/fabric/diag"

var environment = []Row{
	{
		ID: "plugin-off", Rule: forcedFallback, Cause: Environment,
		Texts:  []string{"NCCL_NET_PLUGIN set by environment to none", "NCCL_NET_PLUGIN set to none"},
		Says:   "NCCL_NET_PLUGIN=none turns all plugins off: sockets between nodes, without another word",
		Hint:   "remove the variable, or set it to ofi",
		Source: "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-net-plugin",
	},
	{
		ID: "plugin-spcx", Rule: ibResidue, Cause: Environment,
		Texts:  []string{"NCCL_NET_PLUGIN set by environment to spcx"},
		Says:   "the image asks for NVIDIA's Spectrum-X plugin, which is not EFA's",
		Hint:   "override it in the job: NCCL_NET_PLUGIN=ofi, and install the EFA installer in the image if it has no aws-ofi-nccl",
		Source: "https://github.com/NVIDIA-NeMo/Megatron-Bridge/pull/5033",
	},
	{
		ID: "fork-memory", Rule: diag.JobEnded, Cause: Environment,
		Texts:  []string{"os.fork()*Cannot allocate memory", "OSError: [Errno 12] Cannot allocate memory"},
		Says:   "a process could not fork: a data loader's workers do",
		Hint:   "1. EFA's huge pages are copied on a fork: FI_EFA_USE_HUGE_PAGE=0; 2. the node is out of memory",
		Source: "https://github.com/ofiwg/libfabric/blob/main/man/fi_efa.7.md",
	},
	{
		ID: "interface-none", Rule: ibResidue, Cause: Environment,
		Texts:  []string{"no socket interface found"},
		Says:   "NCCL_SOCKET_IFNAME names no interface of this node",
		Hint:   "remove it (ib0 and bond0 come from other clusters), or exclude instead of name: ^lo,docker",
		Source: "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname",
	},
	{
		ID: "cpus-set-twice", Rule: srunInherit, Cause: Environment,
		Texts:  []string{"set by two different environment variables"},
		Says:   "srun refuses two settings of CPUs per task that differ",
		Hint:   "set --cpus-per-task in one place; do not export SRUN_CPUS_PER_TASK as well on Slurm versions that inherit it",
		Source: "https://github.com/scalableminds/webknossos-libs/pull/1483",
	},
	{
		ID: "container-option", Rule: diag.JobContainer, Cause: Environment,
		Texts:  []string{"unrecognized option '--container-", "unrecognized option '--no-container-", "invalid option*--container-image"},
		Says:   "this Slurm does not know containers: the Pyxis plugin is not loaded",
		Hint:   "1. Pyxis is in the official image from ParallelCluster 3.11 on, and must be switched on (plugstack.conf.d); 2. only some nodes have it",
		Source: "https://github.com/NVIDIA/pyxis",
	},
	{
		ID: "container-start", Rule: diag.JobContainer, Cause: Environment,
		Texts: []string{
			"pyxis: container start failed", "pyxis: couldn't start container", "pyxis: failed to import docker image", "pyxis: failed to create container",
			"pyxis: child*failed with error code",
		},
		Says:   "Pyxis could not make or start the container",
		Hint:   "1. the image cannot be fetched: credentials of the registry, or no road to it; 2. no space or no right in Enroot's folders; 3. the lines after it are Enroot's own",
		Source: "https://github.com/NVIDIA/pyxis",
	},
	{
		ID: "maintenance-reservation", Rule: diag.JobNode, Cause: Environment,
		Texts:  []string{"in maintenance reservation*terminate"},
		Says:   "ParallelCluster takes a maintenance reservation for that of a block not yet active and replaces the node without end",
		Hint:   "no maintenance reservation of your own on static nodes with ParallelCluster 3.8.0 to 3.15.1; only names pcluster-<reservation id> are a block's",
		Source: "https://github.com/aws/aws-parallelcluster/issues/7465",
	},
	{
		ID: "packages-unreachable", Rule: diag.JobNode, Cause: Environment,
		Texts:  []string{"E: Unable to fetch some archives", "E: Failed to fetch http"},
		Says:   "a script could not fetch packages",
		Hint:   "1. the subnet has no road to the mirror (NAT); 2. the package lists are old: apt-get update first; bake packages into the image",
		Source: "https://github.com/aws/aws-parallelcluster/issues/5100",
	},
}

var affinity = []Row{
	{
		ID: "gpu-twice", Rule: diag.PerfData, Cause: Affinity,
		Texts:  []string{"Duplicate GPU detected"},
		Says:   "two ranks use one GPU",
		Hint:   "1. a program that does not choose its GPU by local rank: torch.cuda.set_device(LOCAL_RANK); 2. --gpus-per-task or CUDA_VISIBLE_DEVICES show each rank the same GPU: use --gpus-per-node",
		Source: "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/communicators.html",
	},
	{
		ID: "one-core", Rule: diag.CPUPerRank, Cause: Affinity,
		Texts:  []string{"MCW rank *bound to socket*[core "},
		Not:    []string{"]], socket", "], socket"},
		Says:   "mpirun bound a rank to one core",
		Hint:   "mpirun --bind-to none, or srun with --cpus-per-task; Open MPI binds each rank to a core where the job does not say otherwise",
		Source: "https://docs.open-mpi.org/en/main/man-openmpi/man1/mpirun.1.html",
	},
}

var bandwidth = []Row{
	{
		ID: "path-pattern", Rule: diag.PerfBelow, Cause: Bandwidth,
		Texts:  []string{"Could not find a path for pattern"},
		Says:   "NCCL finds no way to use all GPUs and NICs, and takes few channels",
		Hint:   "1. no topology file or not all NICs: old plugin or a container that hides the PCI tree; 2. few GPUs of the node are used",
		Source: ofi + "64",
	},
}

var ended = []Row{
	{
		ID: "efa-peer-lost", Rule: diag.JobNode, Cause: Ended,
		Texts: []string{
			"Peer host id: i-", "Unresponsive receiver (connection previously", "Unresponsive remote (was previously", "rror: 4124", "prov_errno: 4124",
			"efa_rdm_txe_handle_error*Invalid address", "Connection was reset by remote peer",
		},
		Says:   "a peer that had answered over EFA does so no more; the line names both instances",
		Hint:   "1. the peer's process or node ended first: look at that instance's log and at its health; 2. only if nothing ended there: the network between the two",
		Source: ofi + "346",
	},
	{
		ID: "rank-killed", Rule: diag.JobEnded, Cause: Ended,
		Texts: []string{
			"exited on signal 9", "Signal 9 (SIGKILL)", "exitcode: -9", "exitcode  : -9", ": Killed", "oom-kill event", "oom_kill event", "Out Of Memory",
		},
		Says:   "a rank was killed",
		Hint:   "1. memory: the kernel's or Slurm's out-of-memory killer (dmesg, sacct -o MaxRSS); 2. the node went down or somebody ended the job. Errors of the other ranks follow from it",
		Source: "https://slurm.schedmd.com/sacct.html",
	},
	{
		ID: "rank-crashed", Rule: diag.JobEnded, Cause: Ended,
		Texts: []string{
			"Signal: Segmentation fault", "exited on signal 11", "Caught signal 11", "Signal 11 (SIGSEGV)", "exitcode: -11", ": Segmentation fault",
			"Signal: Aborted", "exited on signal 6", "Signal: Bus error", "exited on signal 7",
		},
		Says:   "a rank crashed",
		Hint:   "1. the backtrace below names the library: libnccl-net is the plugin; 2. bus errors: /dev/shm is full or small in the container",
		Source: "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
	},
	{
		ID: "rank-terminated", Rule: diag.JobEnded, Cause: Ended,
		Texts:  []string{"exited on signal 15", "Signal 15 (SIGTERM)", "DUE TO TIME LIMIT", "CANCELLED AT"},
		Says:   "a rank was told to end",
		Hint:   "1. time limit or scancel: sacct says which; 2. another rank failed first and the launcher ended the rest",
		Source: "https://slurm.schedmd.com/sacct.html",
	},
	{
		ID: "peer-closed", Rule: diag.JobEnded, Cause: Ended,
		Texts: []string{
			"Connection closed by remote peer", "Connection reset by peer", "remote process exited or there was a network error",
			"no data or remote connection closed",
		},
		Says:   "the other side ended first",
		Hint:   "this line is a consequence: look for what the other rank said, or for a rank that was killed. Ranks with and without the plugin in one job end like this too",
		Source: "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
	},
	{
		ID: "collective-timeout", Rule: diag.JobEnded, Cause: Ended,
		Texts: []string{
			"Watchdog caught collective operation timeout", "Test timeout (", "failure detected by watchdog", "timeout expired",
		},
		Says:   "an operation did not end in its time",
		Hint:   "1. one rank stopped, hangs or was killed: the rank that does not complain; 2. EFA traffic is blocked: the first collective hangs for minutes",
		Source: "https://github.com/NVIDIA/nccl/issues/1597",
	},
	{
		ID: "connection-refused", Rule: diag.JobEnded, Cause: Ended,
		Texts:  []string{"failed to connect: Connection refused"},
		Says:   "nobody listens on the other side",
		Hint:   "1. the server is not started or has ended; 2. its control port (TCP 47592 for fi_pingpong) is closed by the security group",
		Source: "https://github.com/ofiwg/libfabric/issues/11256",
	},
}

var harmless = []Row{
	{
		ID: "ok-ib-none", Harmless: true,
		Texts:  []string{"NET/IB : No device found", "NET/IB : Using [", "Failed to initialize NET plugin IB"},
		Says:   "NCCL's own InfiniBand network finds no device, as on every EFA node",
		Source: "https://github.com/NVIDIA/nccl/blob/master/src/transport/net_ib.cc",
	},
	{
		ID: "ok-libibverbs", Harmless: true,
		Texts:  []string{"Failed to open libibverbs.so"},
		Says:   "NCCL's own InfiniBand network is not there; the EFA plugin does not need it",
		Source: "https://github.com/NVIDIA/nccl/issues/229",
	},
	{
		ID: "ok-mlx5", Harmless: true,
		Texts:  []string{"dlvsym failed on mlx5dv_"},
		Says:   "a function for NVIDIA's NICs is not in this rdma-core",
		Source: "https://github.com/NVIDIA/nccl/blob/master/src/misc/mlx5dvsymbols.cc",
	},
	{
		ID: "ok-eligible", Harmless: true,
		Texts:  []string{"NET/OFI No eligible providers were found"},
		Says:   "the plugin tries RDMA first and goes on; it stands in good runs",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
	{
		ID: "ok-gin-protocol", Harmless: true,
		Texts:  []string{"GIN only supports RDMA transport protocol"},
		Says:   "GPU-initiated networking is off with this protocol; collectives do not use it",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
	{
		ID: "ok-nic-attributes", Harmless: true,
		Texts:  []string{"fi_nic attributes not available", "No NIC info for dev"},
		Says:   "a provider does not describe its NIC; the plugin takes defaults",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
	{
		ID: "ok-plugin-symbol", Harmless: true,
		Texts:  []string{"Failed to find ncclCollNetPlugin", "Failed to find ncclNetPlugin_v", "Failed to find ncclTunerPlugin", "Failed to find ncclProfiler"},
		Says:   "NCCL asks a plugin for the newest interface first and goes on to the next",
		Source: "https://github.com/NVIDIA/nccl/tree/master/src/plugin",
	},
	{
		ID: "ok-optional-plugin", Harmless: true,
		Texts:  []string{"PROFILER/Plugin: Could not find", "TUNER/Plugin: Could not find", "ENV/Plugin: Could not find", "RAS/Plugin: Could not find"},
		Says:   "an optional plugin is not there",
		Source: "https://github.com/NVIDIA/nccl/tree/master/src/plugin",
	},
	{
		ID: "ok-in-order", Harmless: true,
		Texts:  []string{"FI_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES not supported"},
		Says:   "the plugin asks for an ordering that this device lacks and takes the other protocol",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
	{
		ID: "ok-speed", Harmless: true,
		Texts:  []string{"Could not get speed from /sys/class/net"},
		Says:   "the interface for NCCL's start-up does not tell its speed",
		Source: "https://github.com/NVIDIA/nccl/blob/master/src/transport/net_socket.cc",
	},
	{
		ID: "ok-finalized", Harmless: true,
		Texts:  []string{"Finalizing already finalized plugin"},
		Says:   "the plugin is closed twice after its start failed; why it failed stands above",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
	{
		ID: "ok-lnx", Harmless: true,
		Texts:  []string{"Error getting prov_links environment variable"},
		Says:   "libfabric's lnx provider is not configured, and not needed",
		Source: "https://github.com/ofiwg/libfabric/blob/main/man/fi_lnx.7.md",
	},
}

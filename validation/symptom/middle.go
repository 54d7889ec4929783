package symptom

import "github.com/weft-hpc/weft/fabric/diag"

var provider = []Row{
	{
		ID: "provider-other", Rule: diag.NetProvider, Cause: Provider,
		Texts: []string{
			"elected provider is tcp", "elected Provider is tcp", "elected provider is sockets", "elected Provider is sockets",
			"elected provider is udp", "elected Provider is udp", "elected provider is verbs", "elected Provider is verbs",
			"elected provider is shm", "elected provider is psm", "elected provider is net",
		},
		Says:   "the plugin runs over another provider than EFA; NCCL calls the network Libfabric all the same",
		Hint:   "1. no EFA device in the container or on the instance; 2. FI_PROVIDER is set to something else. FI_PROVIDER=efa together with NCCL_NET=Libfabric makes such a run fail instead",
		Source: ofi + "803",
	},
	{
		ID: "provider-none", Rule: diag.NetProvider, Cause: Provider,
		Texts:  []string{"Could not find any optimal provider", "Unable to find a protocol that worked"},
		Says:   "the plugin found no provider that it can use: no EFA",
		Hint:   "1. no EFA device is seen (fi_info -p efa); 2. libfabric was built without EFA or without CUDA. Lines on libibverbs or sockets below it only follow from it",
		Source: "https://github.com/NVIDIA/nccl/issues/229",
	},
	{
		ID: "provider-empty", Rule: diag.NetProvider, Cause: Provider,
		Texts:  []string{"provider efa output empty list", "provider efa returned -61"},
		Says:   "libfabric's EFA provider offers nothing",
		Hint:   "1. no EFA device; 2. a libfabric without CUDA was asked for GPU memory: fi_info -p efa -c FI_HMEM inside the container shows it",
		Source: ofi + "889",
	},
	{
		ID: "gdr-disabled", Rule: diag.NetGDR, Cause: Provider,
		Texts:  []string{"GDR disabled on GDR-supported instance type"},
		Says:   "the network cannot read GPU memory on a type that must be able to",
		Hint:   "1. libfabric in the image without CUDA, or another libfabric loaded (fi_info -p efa -c FI_HMEM is empty); 2. neither peer-memory module nor DMA-BUF on the host",
		Source: ofi + "889",
	},
	{
		ID: "rdma-protocol", Rule: diag.NetProvider, Cause: Provider,
		Texts:  []string{"Failed to initialize rdma protocol", "Failed to initialize sendrecv protocol"},
		Says:   "the plugin could not start its transfer protocol on what it found",
		Hint:   "the lines above say why: mostly that no EFA device is there, or one without the features that the platform needs",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
	{
		ID: "device-rdma", Rule: obsolete, Cause: Provider,
		Texts:  []string{"FI_EFA_USE_DEVICE_RDMA=1 was set, but"},
		Says:   "FI_EFA_USE_DEVICE_RDMA=1 stops the program on a device without RDMA",
		Hint:   "remove the variable: from libfabric 1.18 and plugin 1.7 on it is not needed",
		Source: "https://github.com/ofiwg/libfabric/blob/main/man/fi_efa.7.md",
	},
	{
		ID: "efa-internal", Rule: diag.NetProvider, Cause: Provider,
		Texts:  []string{"EFA internal error: ("},
		Not:    []string{"(4112)"},
		Says:   "libfabric's EFA provider gave up with the error in brackets",
		Hint:   "look the number up in libfabric's list of EFA errors; below 4096 it is the device's, above the provider's",
		Source: efaErrors,
	},
}

var plugin = []Row{
	{
		ID: "plugin-hpcx", Rule: diag.NetPlugin, Cause: Plugin,
		Texts:  []string{"P2P plugin IBext", "P2P plugin v*IBext", "Plugin Path : /opt/hpcx", "external network plugin /opt/hpcx"},
		Says:   "an InfiniBand plugin (HPC-X) was loaded in the place of the EFA plugin",
		Hint:   "take HPC-X out of LD_LIBRARY_PATH, or name the EFA plugin: NCCL_NET_PLUGIN=ofi with /opt/amazon/ofi-nccl/lib in the path",
		Source: "https://github.com/NVIDIA/nccl/issues/959",
	},
	{
		ID: "plugin-missing", Rule: diag.NetPlugin, Cause: Plugin,
		Texts: []string{
			"NET/Plugin: Could not find:", "NET/Plugin : No plugin found", "NET/Plugin: No plugin found", "No plugin found (libnccl-net.so)",
			"Plugin load (libnccl-net.so) returned", "NET/Plugin: Plugin load returned",
		},
		Says:   "NCCL found no network plugin and goes on with its own networks: without InfiniBand that is sockets, and without an error",
		Hint:   "1. /opt/amazon/ofi-nccl/lib in the library path; 2. the file is called libnccl-net-ofi.so: NCCL_NET_PLUGIN=ofi; 3. install the EFA installer in the image. NCCL_NET=Libfabric makes such a run fail",
		Source: "https://github.com/NVIDIA/nccl/issues/959 and https://github.com/awslabs/awsome-distributed-ai/pull/1215",
	},
	{
		ID: "plugin-product-name", Rule: diag.NetPlugin, Cause: Plugin,
		Texts:  []string{"Error opening file: /sys/devices/virtual/dmi/id/product_name"},
		Says:   "the plugin cannot read which instance type it runs on; versions up to 1.17 then crash",
		Hint:   "1. /sys is masked in the container or this is no EC2 instance: let it be read; 2. plugin 1.18 or newer",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
	{
		ID: "plugin-crash", Rule: diag.NetPlugin, Cause: Plugin,
		Texts:  []string{"] */libnccl-net*.so(+0x", "libnccl-net-ofi.so(+0x"},
		Says:   "the program crashed inside the network plugin",
		Hint:   "the plugin's last WARN line says on what; compare the plugin's version with the installer's, and try the newer one",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
	{
		ID: "plugin-groups", Rule: diag.NetPlugin, Cause: Plugin,
		Texts:  []string{"Unexpected group size", "Unexpected topo group size"},
		Says:   "the plugin cannot tell which NICs belong to which GPU",
		Hint:   "1. the PCI tree is not visible in the container or pod: mount /sys; 2. plugin 1.21 mends one cause of it",
		Source: ofi + "1063",
	},
	{
		ID: "plugin-topology", Rule: diag.NetPlugin, Cause: Plugin,
		Texts:  []string{"Attribute arch of node cpu not found"},
		Says:   "NCCL cannot read the topology file",
		Hint:   "1. NCCL_TOPO_FILE names the plugin's old p5 file: remove the variable; 2. plugin 1.11 and newer makes the file by itself",
		Source: ofi + "785",
	},
	{
		ID: "plugin-endpoint", Rule: diag.NetPlugin, Cause: Plugin,
		Texts:  []string{"Creating new endpoint for domain*failed"},
		Says:   "the plugin could not open an endpoint",
		Hint:   "the line above says why; mostly GPUDirect that the platform must have is not there",
		Source: ofi + "889",
	},
	{
		ID: "plugin-failed", Rule: diag.NetPlugin, Cause: Plugin,
		Texts: []string{
			"aws-ofi-nccl initialization failed", "NET/OFI Initializing plugin failed", "Failed to initialize NET plugin Libfabric",
			"Failed to initialize NET plugin AWS Libfabric", "Failed to initialize NET plugin OFI",
		},
		Says:   "the EFA plugin was loaded and did not start",
		Hint:   "the warnings above it say why: provider, devices or versions",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
	{
		ID: "network-ib", Rule: ibResidue, Cause: Environment,
		Texts:  []string{"Error: network IB not found"},
		Says:   "NCCL_NET=IB asks for InfiniBand, which EC2 does not have",
		Hint:   "remove NCCL_NET, or set it to Libfabric",
		Source: "https://github.com/NVIDIA/nccl/blob/v2.26.2-1/src/net.cc",
	},
	{
		ID: "network-none", Rule: diag.NetPlugin, Cause: Plugin,
		Texts:  []string{"Failed to initialize any NET plugin", "Error: network*not found"},
		Not:    []string{"network IB not found"},
		Says:   "the network that NCCL_NET names is not there, so NCCL stops",
		Hint:   "1. the EFA plugin is missing or did not start: the lines above name it; 2. NCCL_NET=IB left over from an InfiniBand cluster: remove it",
		Source: "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-net",
	},
	{
		ID: "duplicate-connections", Rule: diag.NetPlugin, Cause: Environment,
		Texts:  []string{"NIC_DUP_CONNS*not supported"},
		Says:   "OFI_NCCL_NIC_DUP_CONNS is refused on types with GPUDirect",
		Hint:   "remove the variable",
		Source: "https://github.com/aws/aws-ofi-nccl",
	},
}

var expert = []Row{
	{
		ID: "hybrid-ep-multinode", Rule: diag.MoEEPSpansNodes, Cause: Plugin,
		Texts: []string{
			"HYBRID_EP_MULTINODE*group_size", "group_size*HYBRID_EP_MULTINODE", "HYBRID_EP_MULTINODE*num_of_ranks_per_node",
			"num_of_ranks_per_node*HYBRID_EP_MULTINODE", "Error*HYBRID_EP_MULTINODE",
		},
		Says:   "the expert-parallel group spans nodes, and the hybrid-EP library was built for one node",
		Hint:   "1. keep the group inside a node: EP × expert tensor parallel ≤ GPUs a node, 8 consecutive ranks a node; 2. rebuilt for several nodes it has no EFA path: take another dispatcher",
		Source: "https://github.com/deepseek-ai/DeepEP/tree/hybrid-ep",
	},
	{
		ID: "ibgda", Rule: diag.MoEDispatcher, Cause: Plugin,
		Texts:  []string{"init failed for transport: IBGDA"},
		Says:   "the dispatcher asks for InfiniBand's GPU-initiated transport, which EFA does not have",
		Hint:   "1. NVSHMEM over libfabric with IBGDA off; 2. better: DeepEP v2 over NCCL, or keep the group inside a node",
		Source: "https://github.com/deepseek-ai/DeepEP/issues/369",
	},
	{
		ID: "nvshmem-retries", Rule: diag.MoEDispatcher, Cause: Plugin,
		Texts:  []string{"Max amount of libfabric retries reached"},
		Says:   "NVSHMEM's CPU proxy gave up sending over EFA",
		Hint:   "too many ranks for the proxy (seen from 128 on): fewer ranks a group, or DeepEP v2 over NCCL",
		Source: "https://github.com/awslabs/awsome-distributed-ai",
	},
	{
		ID: "deepep-ranks", Rule: diag.MoEDispatcher, Cause: Environment,
		Texts:  []string{"num_ranks <= NUM_MAX_NVL_PEERS", "num_experts % num_ranks == 0"},
		Says:   "DeepEP v1 does not take this number of ranks or of experts",
		Hint:   "experts a multiple of ranks, and at most 160 ranks in the high-throughput mode",
		Source: "https://github.com/deepseek-ai/DeepEP",
	},
	{
		ID: "deepep-timeout", Rule: diag.MoEDispatcher, Cause: Plugin,
		Texts:  []string{"DeepEP timeout check failed", "DeepEP error: timeout"},
		Says:   "a dispatcher's kernel waited for a peer in vain",
		Hint:   "1. a rank or its CPU proxy hung: look for the first rank that names it; 2. several expert groups with pipeline parallelism: a passing micro-benchmark does not cover them",
		Source: "https://github.com/uccl-project/uccl/issues/878",
	},
	{
		ID: "gin-none", Rule: diag.MoEDispatcher, Cause: Plugin,
		Texts:  []string{"Failed to initialize any GIN plugin"},
		Says:   "the GPU-initiated network that NCCL_GIN_TYPE asks for is not there",
		Hint:   "NCCL 2.31.2, EFA installer 1.50 in the image (a plugin with ncclGinPlugin_v14) and efa driver 3.3.0 on the host; p5en, p6-b200 and p6-b300 only",
		Source: "https://github.com/aws/aws-ofi-nccl/blob/master/doc/gin-getting-started.md",
	},
}

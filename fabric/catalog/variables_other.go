package catalog

// infiniBandVariables belong to InfiniBand and its relatives.
var infiniBandVariables = []Variable{
	{
		Name: "NCCL_IB_ROCE_VERSION_NUM", Effect: Remove, Origin: OfOtherCloud,
		Does: "a setting of RoCE, which EFA ignores", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "NCCL_IB_DISABLE", Values: []string{"0", "false"}, Effect: Remove, Origin: OfInfiniBand,
		Does: "the default, and about InfiniBand, which EC2 does not have", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "NCCL_IB_DISABLE", Effect: Remove, Origin: OfInfiniBand,
		Does: "harmless with AWS's plugin; it hides that the job was not converted to EFA", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "NCCL_IB_*", Effect: Remove, Origin: OfInfiniBand,
		Does: "a setting of InfiniBand, which EFA ignores: the job was not converted", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "NCCL_IBEXT_*", Effect: Remove, Origin: OfInfiniBand,
		Does: "a switch of the InfiniBand plugin, which EFA ignores", Instead: noSetting, Source: sharpPlugin,
	},
	{
		Name: "NCCL_IBVERBS_LIB", Effect: Remove, Origin: OfInfiniBand,
		Does: "names a library for NCCL's own InfiniBand network, which EFA does not use", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "NCCL_PLUGIN_P2P", Effect: Remove, Origin: OfInfiniBand,
		Does: "a switch of the InfiniBand plugin, which EFA ignores", Instead: noSetting, Source: sharpPlugin,
	},
	{
		Name: "NCCL_UCX_*", Effect: Remove, Origin: OfInfiniBand,
		Does: "a setting of the UCX plugin, which EFA ignores", Instead: noSetting, Source: sharpPlugin,
	},
	{
		Name: "NCCL_SHARP_*", Effect: Remove, Origin: OfInfiniBand,
		Does: "a setting of InfiniBand's switches, which EC2 does not have", Instead: noSetting, Source: sharpPlugin,
	},
	{
		Name: "SHARP_*", Effect: Remove, Origin: OfInfiniBand,
		Does: "a setting of InfiniBand's switches, which EC2 does not have", Instead: noSetting, Source: sharpPlugin,
	},
	{
		Name: "NCCL_COLLNET_ENABLE", Effect: Remove, Origin: OfInfiniBand,
		Does: "asks for collectives in the switches, which EFA does not have", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "UCX_*", Effect: Remove, Origin: OfInfiniBand,
		Does: "a setting of UCX, which does not know EFA", Instead: noSetting, Source: cheatSheet,
	},
	{
		Name: "NVSHMEM_HCA_LIST", Effect: Remove, Origin: OfInfiniBand,
		Does: "names InfiniBand cards, which EC2 does not have", Instead: noSetting, Source: nvshmemGuide,
	},
	{
		Name: "NVSHMEM_IB_ENABLE_IBGDA", Values: []string{"0", "false", "no"}, Effect: Useful, Origin: OfEFA,
		Does: "keeps NVSHMEM from IBGDA, which EFA does not have", Source: nvshmemGuide,
	},
	{
		Name: "NVSHMEM_IB_ENABLE_IBGDA", Effect: Fatal, Origin: OfInfiniBand,
		Does: "NVSHMEM does not start: IBGDA needs an mlx5 device", Instead: "remove it, and set NVSHMEM_REMOTE_TRANSPORT=libfabric", Source: nvshmemGuide,
	},
	{
		Name: "NVSHMEM_IBGDA*", Effect: Remove, Origin: OfInfiniBand,
		Does: "a setting of IBGDA, which cannot start on EFA", Instead: noSetting, Source: nvshmemGuide,
	},
	{
		Name: "NVSHMEM_IB_*", Effect: Remove, Origin: OfInfiniBand,
		Does: "a setting of InfiniBand, which EFA ignores", Instead: noSetting, Source: nvshmemGuide,
	},
	{
		Name: "NVSHMEM_REMOTE_TRANSPORT", Values: []string{"ib*", "ucx"}, Effect: Fatal, Origin: OfInfiniBand,
		Does: "NVSHMEM has no way to other nodes: EC2 has no InfiniBand", Instead: "set NVSHMEM_REMOTE_TRANSPORT=libfabric", Source: nvshmemGuide,
	},
	{
		Name: "RDMAV_*", Effect: Harmful, Origin: OfEFA,
		Does: "breaks newer kernels; AWS says not to use it", Instead: noSetting, Source: cheatSheet,
	},
}

// otherVariables belong to other clouds, or to no network.
var otherVariables = []Variable{
	{
		Name: "NCCL_FASTRAK_*", Effect: Remove, Origin: OfOtherCloud,
		Does: "a setting of Google's fabric", Instead: noSetting, Source: gpuDirectTCPX,
	},
	{
		Name: "NCCL_GPUDIRECTTCPX_*", Effect: Remove, Origin: OfOtherCloud,
		Does: "a setting of Google's fabric", Instead: noSetting, Source: gpuDirectTCPX,
	},
	{
		Name: "OMP_NUM_THREADS", Values: []string{"1"}, Effect: Situational, Origin: OfEFA,
		Does: "one thread a rank, whatever Slurm gives it; nproc says 1 then", Instead: "remove it, or set it to the CPUs of a rank",
		Source: Source{"NVIDIA/enroot issue 175", factsRead},
	},
}

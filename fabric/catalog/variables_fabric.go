package catalog

// libfabricVariables are libfabric's.
var libfabricVariables = []Variable{
	{
		Name: "FI_EFA_USE_DEVICE_RDMA", Values: []string{"0", "false", "no", "off"}, Effect: Harmful, Origin: OfEFA,
		Does: "emulates RDMA in software", Instead: noSetting, Source: libfabricSource,
	},
	{
		Name: "FI_EFA_USE_DEVICE_RDMA", Since: map[Component]string{Libfabric: "1.18.0", OFIPlugin: "1.7.0"}, Effect: Obsolete, Origin: OfEFA,
		Does: "not needed since libfabric 1.18 with aws-ofi-nccl 1.7, and fatal on a device without RDMA", Instead: noSetting, Source: cheatSheet,
	},
	{
		Name: "FI_EFA_USE_DEVICE_RDMA", Effect: Useful, Origin: OfEFA,
		Does: "needed before libfabric 1.18 or aws-ofi-nccl 1.7", Source: cheatSheet,
	},
	{
		Name: "FI_EFA_FORK_SAFE", Effect: Obsolete, Origin: OfEFA,
		Does: "the plugin sets it itself; on old kernels it turns huge pages off", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "FI_EFA_USE_HUGE_PAGE", Effect: Situational, Origin: OfEFA,
		Does: "0 helps where data loaders fail to fork (Cannot allocate memory), and costs registration speed", Instead: "remove it, unless forks fail", Source: libfabricSource,
	},
	{
		Name: "FI_EFA_SET_CUDA_SYNC_MEMOPS", Since: map[Component]string{EFAInstaller: "1.29.1"}, Effect: Obsolete, Origin: OfEFA,
		Does: "worked around EFA installers before 1.29.1 with NCCL 2.19 and later", Instead: noSetting, Source: memopsSource,
	},
	{
		Name: "FI_EFA_SET_CUDA_SYNC_MEMOPS", Effect: Useful, Origin: OfEFA,
		Does: "works around EFA installers before 1.29.1 with NCCL 2.19 and later", Source: memopsSource,
	},
	{
		Name: "FI_EFA_ENABLE_SHM_TRANSFER", Effect: Situational, Origin: OfEFA,
		Does: "the plugin turns shared memory off itself; 0 is for NVSHMEM and for a test of EFA within one host", Instead: "remove it, unless the job uses NVSHMEM", Source: libfabricSource,
	},
	{
		Name: "FI_EFA_TX_MIN_CREDITS", Effect: Situational, Origin: OfEFA,
		Does: "a choice for old versions", Instead: noSetting, Source: cheatSheet,
	},
	{
		Name: "FI_HMEM_DISABLE_P2P", Values: []string{"1", "true", "yes", "on"}, Types: withoutGPUDirect, Effect: Useful, Origin: OfEFA,
		Does: "this type has no GPUDirect RDMA", Source: Source{"EC2 User Guide, gpu-instances-started", factsRead},
	},
	{
		Name: "FI_HMEM_DISABLE_P2P", Values: []string{"1", "true", "yes", "on"}, Types: tunedTypes, Effect: Harmful, Origin: OfEFA,
		Does: "turns GPUDirect RDMA off", Instead: noSetting, Source: libfabricSource,
	},
	{
		Name: "FI_HMEM_DISABLE_P2P", Values: []string{"1", "true", "yes", "on"}, Effect: Situational, Origin: OfEFA,
		Does: "turns GPUDirect RDMA off, which only p5.4xlarge lacks anyway", Instead: "remove it on other types", Source: libfabricSource,
	},
}

// pluginVariables are those of aws-ofi-nccl.
var pluginVariables = []Variable{
	{
		Name: "OFI_NCCL_PROTOCOL", Values: []string{"SENDRECV"}, Types: []string{"p4d", "p4de", "p3dn", "g5", "p5.4xlarge"}, Effect: Situational, Origin: OfEFA,
		Does: "the plugin takes it on this type itself", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_PROTOCOL", Values: []string{"SENDRECV"}, Effect: Harmful, Origin: OfEFA,
		Does: "loses RDMA over all rails of p5 and later", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_PROTOCOL", Effect: Situational, Origin: OfEFA,
		Does: "the plugin takes the protocol of the platform itself", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_DISABLE_*_CHECK", Values: []string{"0", "false"}, Effect: Useful, Origin: OfEFA, Does: "the default", Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_DISABLE_*_CHECK", Effect: Harmful, Origin: OfFallback,
		Does: "hides a broken GPUDirect path: the job runs, slowly", Instead: "remove it, and mend the path that the check finds", Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_NIC_DUP_CONNS", Values: []string{"0"}, Effect: Useful, Origin: OfEFA, Does: "the default", Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_NIC_DUP_CONNS", Effect: Fatal, Origin: OfEFA,
		Does: "the plugin refuses it on platforms with GPUDirect", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_TUNER_TYPE", Values: []string{"INTERNAL"}, Effect: Remove, Origin: OfEFA,
		Does: "turns the tuner of this platform off", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_FORCE_NUM_RAILS", Effect: Remove, Origin: OfEFA,
		Does: "replaces the number of rails that the plugin finds", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_EAGER_MAX_SIZE", Since: map[Component]string{OFIPlugin: "1.20.0"}, Effect: Remove, Origin: OfEFA,
		Does: "replaces the plugin's limit of eager messages; only aws-ofi-nccl up to 1.19 needed -1", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_EAGER_MAX_SIZE", Values: []string{"-1"}, Effect: Situational, Origin: OfEFA,
		Does: "lets NCCL receive several messages at once, which needs it until aws-ofi-nccl 1.19", Instead: "remove it, unless a measurement asks for it", Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_EAGER_MAX_SIZE", Effect: Remove, Origin: OfEFA,
		Does: "replaces the plugin's limit of eager messages", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_ENDPOINT_PER_COMM", Effect: Obsolete, Origin: OfEFA,
		Does: "removed: the plugin ignores it with a warning", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_RDMA_M*_POSTED_BOUNCE_BUFFERS", Effect: Obsolete, Origin: OfEFA,
		Does: "removed: the plugin ignores it with a warning", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_GDR_FLUSH_DISABLE", Effect: Situational, Origin: OfEFA,
		Does: "a choice for old versions", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_ABORT_ON_ERROR", Effect: Useful, Origin: OfEFA,
		Does: "turns hangs of NCCL 2.21 to 2.23 into aborts", Source: pluginSource,
	},
	{
		Name: "OFI_NCCL_GIN_GDAKI", Effect: Obsolete, Origin: OfEFA,
		Does: "a switch of recipes before the release", Instead: "set NCCL_GIN_TYPE=5", Source: ginGuide,
	},
	{
		Name: "NCCL_GIN_TYPE", Values: []string{"3"}, Effect: Harmful, Origin: OfEFA,
		Does: "asks for a type that EFA does not have since NCCL 2.31: GPU-initiated networking does not start", Instead: "set NCCL_GIN_TYPE=5", Source: ginGuide,
	},
}

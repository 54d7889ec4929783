package catalog

// ncclVariables are NCCL's choices.
var ncclVariables = []Variable{
	{
		Name: "NCCL_PROTO", Since: map[Component]string{OFIPlugin: "1.6.0"}, Effect: Harmful, Origin: OfEFA, Probe: true,
		Does:    "takes the choice of protocols away from the tuner of this platform; only aws-ofi-nccl up to 1.5 needed simple",
		Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "NCCL_PROTO", Values: []string{"simple"}, Effect: Useful, Origin: OfEFA,
		Does: "aws-ofi-nccl needs it until 1.5", Source: cheatSheet,
	},
	{
		Name: "NCCL_PROTO", Effect: Harmful, Origin: OfEFA,
		Does: "aws-ofi-nccl needs simple until 1.5", Instead: "set NCCL_PROTO=simple, or take a newer plugin", Source: cheatSheet,
	},
	{
		Name: "NCCL_ALGO", Effect: Harmful, Origin: OfEFA, Probe: true,
		Does: "turns the tuner of this platform off", Instead: noSetting, Source: pluginSource,
	},
	{
		Name: "NCCL_TUNER_PLUGIN", Values: []string{"", "*ofi*"}, Effect: Useful, Origin: OfEFA,
		Does: "AWS's tuner, which the plugin names itself", Source: pluginSource,
	},
	{
		Name: "NCCL_TUNER_PLUGIN", Effect: Remove, Origin: OfEFA,
		Does: "takes the place of AWS's tuner", Instead: "remove it: the plugin names its own", Source: pluginSource,
	},
	{
		Name: "NCCL_BUFFSIZE", Effect: Remove, Origin: OfEFA,
		Does: "takes the place of the plugin's value for this platform", Instead: "remove it, unless a measurement on this type says otherwise", Source: pluginSource,
	},
	{
		Name: "NCCL_P2P_NET_CHUNKSIZE", Effect: Remove, Origin: OfEFA,
		Does: "takes the place of the plugin's value for this platform", Instead: "remove it, unless a measurement on this type says otherwise", Source: pluginSource,
	},
	{
		Name: "NCCL_NVLS*_CHUNKSIZE", Effect: Remove, Origin: OfEFA,
		Does: "takes the place of the plugin's value for this platform", Instead: "remove it, unless a measurement on this type says otherwise", Source: pluginSource,
	},
	{
		Name: "NCCL_NETDEVS_POLICY", Effect: Remove, Origin: OfEFA,
		Does: "takes the place of the plugin's value for this platform", Instead: "remove it, unless a measurement on this type says otherwise", Source: pluginSource,
	},
	{
		Name: "NCCL_NET_FORCE_FLUSH", Effect: Remove, Origin: OfEFA,
		Does: "takes the place of the plugin's value for this platform", Instead: "remove it, unless a measurement on this type says otherwise", Source: pluginSource,
	},
	{
		Name: "NCCL_MIN_NCHANNELS", Effect: Remove, Origin: OfEFA,
		Does: "splits messages until they starve EFA", Instead: noSetting, Source: cheatSheet,
	},
	{
		Name: "NCCL_NCHANNELS_PER_NET_PEER", Effect: Remove, Origin: OfEFA,
		Does: "splits messages until they starve EFA", Instead: noSetting, Source: cheatSheet,
	},
	{
		Name: "NCCL_CROSS_NIC", Effect: Remove, Origin: OfEFA,
		Does: "a choice for fabrics with rails, which starves EFA", Instead: noSetting, Source: cheatSheet,
	},
	{
		Name: "NCCL_NET_GDR_LEVEL", Values: []string{"0", "LOC"}, Effect: Harmful, Origin: OfEFA,
		Does: "turns GPUDirect RDMA off", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "NCCL_NET_GDR_LEVEL", Effect: Situational, Origin: OfEFA,
		Does: "changes how far a GPU may be from its network card; NCCL's own choice is right on EC2", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "NCCL_NET_GDR_READ", Values: []string{"0"}, Effect: Harmful, Origin: OfEFA,
		Does: "turns GPUDirect RDMA off for what is sent", Instead: noSetting, Source: ncclSource,
	},
	{
		Name: "NCCL_P2P_DISABLE", Values: []string{"0", ""}, Effect: Useful, Origin: OfEFA, Does: "the default", Source: ncclSource,
	},
	{
		Name: "NCCL_P2P_DISABLE", Effect: Harmful, Origin: OfEFA, Probe: true,
		Does: "takes NVLink away; only a probe of EFA alone wants that", Instead: "remove it, or put it in front of the one command that is the probe", Source: ncclSource,
	},
	{
		Name: "NCCL_SHM_DISABLE", Values: []string{"0", ""}, Effect: Useful, Origin: OfEFA, Does: "the default", Source: ncclSource,
	},
	{
		Name: "NCCL_SHM_DISABLE", Effect: Harmful, Origin: OfEFA, Probe: true,
		Does: "takes shared memory away; only a probe of EFA alone wants that", Instead: "remove it, or put it in front of the one command that is the probe", Source: ncclSource,
	},
	{
		Name: "NCCL_TOPO_FILE", Effect: Remove, Origin: OfEFA,
		Does: "takes the place of the topology that the plugin makes", Instead: noSetting,
		Source: Source{"aws/aws-ofi-nccl issues 785 and 476; awslabs/awsome-distributed-ai issue 519", factsRead},
	},
	{
		Name: "NCCL_NVLS_ENABLE", Values: []string{"0"}, Effect: Situational, Origin: OfEFA,
		Does: "a choice for old versions, which loses NVLink SHARP", Instead: "remove it, unless this job needs it", Source: ncclSource,
	},
	{
		Name: "NCCL_TREE_THRESHOLD", Effect: Situational, Origin: OfEFA,
		Does: "NCCL 2.4 was the last to read it; later ones have a tuner", Instead: noSetting, Source: ncclSource,
	},
	{Name: "NCCL_DEBUG", Effect: Useful, Origin: OfEFA, Does: "the log proves the network with INFO", Source: ncclSource},
	{Name: "NCCL_DEBUG_SUBSYS", Effect: Useful, Origin: OfEFA, Does: "the log proves the network with INIT,ENV,NET", Source: ncclSource},
}

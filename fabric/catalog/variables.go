package catalog

import "slices"

// Sources of variables.
var (
	pluginSource    = Source{"aws/aws-ofi-nccl v1.21.1, src/platform-aws.cpp, include/nccl_ofi_param.h", factsRead}
	ncclSource      = Source{"NVIDIA/nccl v2.30.7", factsRead}
	libfabricSource = Source{"ofiwg/libfabric v2.6.0, prov/efa, man/fi_efa.7.md", factsRead}
	cheatSheet      = Source{"awslabs/awsome-distributed-ai, efa-cheatsheet.md", factsRead}
	fallbackTest    = Source{"measured with NCCL 2.28 and plugins 1.17.3 and 1.21.1 on hosts without EFA", factsRead}
	memopsSource    = Source{"awslabs/awsome-distributed-ai issues 203 and 278", factsRead}
	sharpPlugin     = Source{"Mellanox/nccl-rdma-sharp-plugins", factsRead}
	nvshmemGuide    = Source{"NVIDIA NVSHMEM documentation, environment variables", factsRead}
	gpuDirectTCPX   = Source{"Google Cloud, GPUDirect-TCPX and TCPXO set-up of NCCL", factsRead}
)

// noSetting is the way out for what does nothing.
const noSetting = "remove it"

// variableTable lists what is known of variables. Of the rows about one name the first that fits counts: rows about some values stand before
// those about all, newer versions before older ones.
var variableTable = slices.Concat(
	networkVariables, infiniBandVariables, interfaceVariables, ncclVariables, libfabricVariables, pluginVariables, otherVariables,
)

// withoutGPUDirect are the types with EFA and GPUs that have no GPUDirect RDMA although their family has.
var withoutGPUDirect = []string{"p5.4xlarge"}

var (
	tunedTypes = []string{"p4d", "p4de", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200", "g7e"}
	p5AndLater = []string{"p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200"}
)

// pluginSettingTable lists what the plugin sets itself.
var pluginSettingTable = []PluginSetting{
	{"NCCL_BUFFSIZE", "8388608", tunedTypes, pluginSource},
	{"NCCL_P2P_NET_CHUNKSIZE", "524288", tunedTypes, pluginSource},
	{"NCCL_NVLSTREE_MAX_CHUNKSIZE", "524288", p5AndLater, pluginSource},
	{"NCCL_NVLS_CHUNKSIZE", "524288", p5AndLater, pluginSource},
	{"NCCL_NET_FORCE_FLUSH", "0", p5AndLater, pluginSource},
	{"NCCL_NETDEVS_POLICY", "max:1", []string{"p5en", "p6-b200"}, pluginSource},
	{"FI_EFA_FORK_SAFE", "1", nil, pluginSource},
}

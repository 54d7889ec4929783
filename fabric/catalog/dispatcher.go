package catalog

import "slices"

// Dispatcher is a library that sends tokens to experts, and what it can do over EFA.
type Dispatcher struct {
	Name         string            // as configs write it: deepep-v2
	OverNodes    bool              // it has a road over EFA between nodes; without, the expert-parallel group must fit a node
	GPUInitiated []string          // families where the GPU itself starts the transfers; elsewhere the CPU does
	MaxRanks     int               // ranks over nodes at most, as measured; 0: no limit known
	Env          map[string]string // what the job must set for the road over EFA
	Note         string
	Source       Source
}

// DispatcherOf finds a dispatcher by its name.
func DispatcherOf(name string) (Dispatcher, bool) {
	i := slices.IndexFunc(dispatcherTable, func(d Dispatcher) bool { return d.Name == name })
	if i < 0 {
		return Dispatcher{}, false
	}
	return dispatcherTable[i], true
}

// Dispatchers lists the known dispatchers, sorted by name.
func Dispatchers() []Dispatcher { return slices.Clone(dispatcherTable) }

var dispatcherTable = []Dispatcher{
	{
		Name:   "deepep-v1",
		Note:   "between nodes it needs IBGDA, which EFA does not have: over EFA only as deepep-v1-nvshmem",
		Source: deepEPBench,
	},
	{
		Name: "deepep-v1-nvshmem", OverNodes: true, MaxRanks: 160,
		Env: map[string]string{
			"FI_PROVIDER": "efa", "NVSHMEM_REMOTE_TRANSPORT": "libfabric", "NVSHMEM_LIBFABRIC_PROVIDER": "efa",
			"NVSHMEM_NETDEVS_POLICY": "EXTERNAL_SHARING_PCIE_SWITCH_NIC_EXCLUSIVE", "FI_EFA_ENABLE_SHM_TRANSFER": "0",
		},
		Note:   "through a CPU proxy; its low-latency mode stops between 64 and 128 ranks; the number of experts must be a multiple of the ranks",
		Source: deepEPBench,
	},
	{
		Name: "deepep-v2", OverNodes: true, GPUInitiated: []string{"p5en", "p6-b200", "p6-b300"},
		Env:    map[string]string{"NCCL_GIN_TYPE": "5", "NCCL_SYM_GIN_KERNELS_ENABLE": "0"},
		Note:   "AWS's fork, amazon-contributing/DeepEP; the NVIDIA driver option PeerMappingOverride=1 is needed; without NCCL_GIN_TYPE=5 it silently goes through the CPU",
		Source: ginGuide,
	},
	{
		Name:   "hybridep",
		Note:   "between nodes it goes by DOCA GPUNetIO or by NIXL with a fixed UCX backend: no road over EFA (deepseek-ai/DeepEP issue 659)",
		Source: Source{"deepseek-ai/DeepEP, branch hybrid-ep", factsRead},
	},
	{
		Name: "nccl", OverNodes: true,
		Note:   "plain all-to-all",
		Source: ofiNotes,
	},
	{
		Name: "pplx", OverNodes: true,
		Note:   "pplx-garden, for serving: a CPU proxy with GDRCopy; network cards for each GPU: p5 4, p5en 2, p6-b200 1; the container needs SYS_PTRACE and SYS_ADMIN",
		Source: pplxGuide,
	},
	{
		Name: "uccl", OverNodes: true,
		Note:   "through a CPU proxy; the wheel must be built where /opt/amazon/efa exists, with USE_DMABUF=1 if efa_nv_peermem is absent; crashes in training are reported on p5en",
		Source: Source{"uccl-project/uccl issues 878, 893, 937", factsRead},
	},
}

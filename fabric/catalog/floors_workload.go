package catalog

var (
	ginGuide    = Source{"aws/aws-ofi-nccl, doc/gin-getting-started.md", factsRead}
	ginIssue    = Source{"aws/aws-ofi-nccl issue 1369 and pull request 1371", factsRead}
	deepEPGuide = Source{"deepseek-ai/DeepEP README", factsRead}
	deepEPBench = Source{"awslabs/awsome-distributed-ai, deepep-benchmark", factsRead}
	pplxGuide   = Source{"perplexityai/pplx-garden README", factsRead}
)

// workloadMinimums is what expert-parallel dispatchers ask for. A dense model needs NCCL over EFA and nothing
// above the floors of its instance type; uccl and hybridep name no versions of these components.
var workloadMinimums = []minimums{
	{asks: "deepep-v2", dispatchers: []string{"deepep-v2"}, source: ginGuide, floors: []Floor{
		{Component: NCCL, Min: "2.31.2-1", Reason: "GIN over EFA"},
		{Component: OFIPlugin, Min: "1.21.0", Reason: "first with GIN"},
		{Component: GDRCopy, Min: "2.5", Reason: "library and kernel module, with gdrdrv loaded"},
		{Component: Libfabric, Min: "2.6.0", Reason: "EFA counters for GPU-initiated traffic"},
		{Component: EFADriver, Min: "3.3.0", Reason: "on the host: a container brings no kernel driver", Source: ginIssue},
		{Component: EFAInstaller, Min: "1.50.0", Reason: "first with all that GIN needs; rdma-core with efadv_create_comp_cntr among it", Source: ginIssue},
		{Component: CUDA, Min: "12.3", Source: deepEPGuide},
		{Component: PyTorch, Min: "2.10", Source: deepEPGuide},
	}},
	{asks: "deepep-v1 over NVSHMEM", dispatchers: []string{"deepep-v1", "deepep-v1-nvshmem"}, source: deepEPBench, floors: []Floor{
		{Component: NVSHMEM, Min: "3.7.0", Reason: "libfabric transport; remove PyTorch's own nvidia-nvshmem"},
	}},
	{asks: "deepep-v1 over NVSHMEM on B200 and B300", dispatchers: []string{"deepep-v1", "deepep-v1-nvshmem"}, types: []string{"p6-b200", "p6-b300"}, source: deepEPBench, floors: []Floor{
		{Component: CUDA, Min: "13.0"},
	}},
	{asks: "pplx", dispatchers: []string{"pplx"}, source: pplxGuide, floors: []Floor{
		{Component: GDRCopy, Reason: "the CPU proxy reads GPU memory through it"},
		{Component: CUDA, Min: "12.8"},
		{Component: Kernel, Min: "5.12", Reason: "DMA-BUF"},
	}},
}

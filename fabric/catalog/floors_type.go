package catalog

var (
	gpuPage    = Source{"EC2 User Guide, gpu-instances-started", factsRead}
	p6Page     = Source{"DLAMI Developer Guide, p6-support-dlami", factsRead}
	efaPage    = Source{"EC2 User Guide, efa", factsRead}
	operations = Source{"awslabs/awsome-distributed-ai, docs/OPERATIONS.md", factsRead}
	ofiNotes   = Source{"aws/aws-ofi-nccl release notes", factsRead}
	ncclBuild  = Source{"NVIDIA/nccl, makefiles/common.mk by tag", factsRead}
)

// typeMinimums is what instance types ask for. No table of AWS covers p3dn, p4d, p4de, g4dn, g5, g6, g6e and
// the Neuron types: only the floors of every EFA type bind them.
var typeMinimums = []minimums{
	{asks: "every EFA type", source: efaPage, floors: []Floor{
		{Component: Libfabric, Min: "1.7.0"},
		{Component: OpenMPI, Min: "4.1"},
	}},
	{asks: "every EFA type with GPUs", gpu: true, source: efaPage, floors: []Floor{
		{Component: NCCL, Min: "2.4.2"},
	}},
	{asks: "p5", types: []string{"p5"}, source: gpuPage, floors: []Floor{
		{Component: NVIDIADriver, Min: "530"},
		{Component: CUDA, Min: "12.1"},
		{Component: GDRCopy, Min: "2.3"},
		{Component: EFAInstaller, Min: "1.24.1"},
		{Component: NCCL, Min: "2.18.3"},
		{Component: EFAK8sPlugin, Min: "0.4.4"},
		{Component: OFIPlugin, Min: "1.7.2", Reason: "asked for with EFA installers below 1.41.0"},
	}},
	{asks: "p5.4xlarge", types: []string{"p5.4xlarge"}, source: gpuPage, floors: []Floor{
		{Component: EFAInstaller, Min: "1.43.1", Reason: "no GPUDirect RDMA: set FI_HMEM_DISABLE_P2P=1 as well"},
	}},
	{asks: "p5e", types: []string{"p5e"}, source: gpuPage, floors: []Floor{
		{Component: NVIDIADriver, Min: "550"},
		{Component: CUDA, Min: "12.1"},
		{Component: GDRCopy, Min: "2.3"},
		{Component: EFAInstaller, Min: "1.24.1"},
		{Component: NCCL, Min: "2.18.3"},
		{Component: EFAK8sPlugin, Min: "0.5.5"},
	}},
	{asks: "p5en", types: []string{"p5en"}, source: gpuPage, floors: []Floor{
		{Component: NVIDIADriver, Min: "550"},
		{Component: CUDA, Min: "12.1"},
		{Component: GDRCopy, Min: "2.3"},
		{Component: EFAInstaller, Min: "1.24.1"},
		{Component: NCCL, Min: "2.18.3"},
		{Component: EFAK8sPlugin, Min: "0.5.6"},
	}},
	{asks: "p6-b200", types: []string{"p6-b200"}, source: gpuPage, floors: []Floor{
		{Component: NVIDIADriver, Min: "570"},
		{Component: CUDA, Min: "12.8"},
		{Component: GDRCopy, Min: "2.5"},
		{Component: EFAInstaller, Min: "1.42.0", Reason: "the first installer with aws-ofi-nccl 1.15.0, which the DLAMI guide asks for", Conflicts: []string{"1.41.0 (EC2 User Guide, gpu-instances-started): it bundles aws-ofi-nccl 1.14.2"}},
		{Component: NCCL, Min: "2.26.2-1"},
		{Component: EFAK8sPlugin, Min: "0.5.10"},
		{Component: OFIPlugin, Min: "1.15.0", Source: p6Page},
		{Component: Kernel, Min: "6.1", Source: p6Page},
	}},
	{asks: "p6e-gb200", types: []string{"p6e-gb200"}, source: gpuPage, floors: []Floor{
		{Component: NVIDIADriver, Min: "570"},
		{Component: CUDA, Min: "12.8"},
		{Component: GDRCopy, Min: "2.5"},
		{Component: EFAInstaller, Min: "1.42.0", Conflicts: []string{"1.41.0 (EC2 User Guide, gpu-instances-started)"}, Source: p6Page},
		{Component: NCCL, Min: "2.26.2-1"},
		{Component: EFAK8sPlugin, Min: "0.5.10"},
		{Component: OFIPlugin, Min: "1.15.0", Source: p6Page},
		{Component: Kernel, Min: "6.12", Source: p6Page},
	}},
	{asks: "p6-b300", types: []string{"p6-b300"}, source: gpuPage, floors: []Floor{
		{Component: NVIDIADriver, Min: "580"},
		{Component: CUDA, Min: "13.0"},
		{Component: GDRCopy, Min: "2.5"},
		{Component: EFAInstaller, Min: "1.44.0"},
		{Component: NCCL, Min: "2.28.3"},
		{Component: EFAK8sPlugin, Min: "0.5.10"},
		{Component: OFIPlugin, Min: "1.17.1", Source: p6Page},
		{Component: Kernel, Min: "6.1", Source: p6Page},
		{Component: DCGM, Min: "4.4.0", Source: operations},
	}},
	{asks: "g7e", types: []string{"g7e"}, source: gpuPage, floors: []Floor{
		{Component: NVIDIADriver, Min: "575"},
		{Component: CUDA, Min: "12.9"},
		{Component: GDRCopy, Min: "2.5"},
		{Component: EFAInstaller, Min: "1.45.0"},
		{Component: NCCL, Min: "2.28.3"},
		{Component: EFAK8sPlugin, Min: "0.5.10"},
		{Component: OFIPlugin, Min: "1.17.2", Source: changelog},
	}},
	{asks: "g7", types: []string{"g7"}, source: gpuPage, floors: []Floor{
		{Component: NVIDIADriver, Min: "595"},
		{Component: CUDA, Min: "13.2"},
		{Component: GDRCopy, Min: "2.5.1"},
		{Component: EFAInstaller, Min: "1.48.0"},
		{Component: NCCL, Min: "2.29.7-1"},
		{Component: EFAK8sPlugin, Min: "0.5.10"},
	}},
	{asks: "GPUs of architecture sm_100", types: []string{"p6-b200", "p6e-gb200"}, source: ncclBuild, floors: []Floor{
		{Component: NCCL, Min: "2.25.1", Reason: "NCCL is built for sm_100 from 2.25.1 on, with CUDA 12.8"},
		{Component: CUDA, Min: "12.8", Reason: "NCCL is built for sm_100 from 2.25.1 on, with CUDA 12.8"},
	}},
}

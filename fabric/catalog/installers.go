package catalog

// changelog is the source of an installer row, if the row names no other.
var changelog = Source{"EC2 User Guide, efa-changelog", factsRead}

// reported is the source of rows that others tell of (Reported).
var reported = Source{"reported by others; not read in EC2 User Guide, efa-changelog", factsRead}

// installerTable is sorted by version. The changelog names what a release changed; what it left alone is
// carried forward from the row above.
var installerTable = []InstallerRelease{
	{
		Version: "1.30.0", Date: "2023-12",
		EFADriver: "2.6.0", RDMACore: "46.0", Libfabric: "1.19.0amzn4.0", OpenMPI: []string{"4.1.6", "5.0.0"},
		Note:   "efa-profile 1.6",
		Source: changelog,
	},
	{
		Version: "1.31.0", Date: "2024-03-07",
		EFADriver: "2.6.0", RDMACore: "46.0", Libfabric: "1.20.1amzn1.0", OpenMPI: []string{"4.1.6", "5.0.2"},
		Source: changelog,
	},
	{
		Version: "1.32.0", Date: "2024-04-18",
		EFADriver: "2.8.0", RDMACore: "50.0", Libfabric: "1.21.0amzn1.0", OpenMPI: []string{"4.1.6", "5.0.2"},
		Note:   "nv-peermem 1.1.1",
		Source: changelog,
	},
	{
		Version: "1.33.0", Date: "2024-06-20",
		EFADriver: "2.10.0", RDMACore: "52.0", Libfabric: "1.21.0amzn1.0", OpenMPI: []string{"4.1.6", "5.0.3"},
		Note:   "Ubuntu 24.04",
		Source: changelog,
	},
	{
		Version: "1.34.0", Date: "2024-08-06",
		EFADriver: "2.10.0", RDMACore: "52.0", Libfabric: "1.22.0amzn1.0", OpenMPI: []string{"4.1.6", "5.0.3"},
		SHA256: "bd68839e741b0afd3ec2e37d50603803cfa7a279c120f0a736cc57c2ff2d7fdc",
		Note:   "CentOS 7 and RHEL 7 dropped",
		Source: changelog,
	},
	{
		Version: "1.35.0", Date: "2024-10-14",
		EFADriver: "2.12.1", RDMACore: "52.0", Libfabric: "1.22.0amzn2.0", OpenMPI: []string{"4.1.6", "5.0.5"},
		Source: changelog,
	},
	{
		Version: "1.36.0", Date: "2024-11-07",
		EFADriver: "2.13.0", RDMACore: "54.0", Libfabric: "1.22.0amzn3.0", OpenMPI: []string{"4.1.7", "5.0.5"},
		SHA256: "de183f333cfb58aeb7908a67bf9106985ba3ccb7f8638b851d2a0d8dbfacaec4",
		Note:   "Debian 12",
		Source: changelog,
	},
	{
		Version: "1.37.0", Date: "2024-11-18",
		EFADriver: "2.13.0", RDMACore: "54.amzn0", Libfabric: "1.22.0amzn4.0", OpenMPI: []string{"4.1.7", "5.0.5"},
		Source: changelog,
	},
	{
		Version: "1.38.0", Date: "2025-01-08",
		EFADriver: "2.13.0", RDMACore: "54.amzn0", Libfabric: "1.22.0amzn4.0", Plugin: "1.13.2-1", OpenMPI: []string{"4.1.7", "5.0.5"},
		Note:   "first with aws-ofi-nccl; ParallelCluster's notes repeat the versions of 1.36.0: the changelog wins",
		Source: changelog,
	},
	{
		Version: "1.38.1", Date: "2025-03-03",
		EFADriver: "2.13.0", RDMACore: "54.amzn0", Libfabric: "1.22.0amzn5.0", Plugin: "1.13.2-1", OpenMPI: []string{"4.1.7", "5.0.5"},
		SHA256: "83923374afd388b1cfcf4b3a21a2b1ba7cf46a01a587f7b519b8386cb95e4f81",
		Source: changelog,
	},
	{
		Version: "1.39.0", Date: "2025-04-16",
		EFADriver: "2.15.0", RDMACore: "54.amzn0", Libfabric: "2.1.0", Plugin: "1.14.1", OpenMPI: []string{"4.1.7", "5.0.6"},
		Source: changelog,
	},
	{
		Version: "1.40.0", Date: "2025-05-02",
		EFADriver: "2.15.0", RDMACore: "56.0", Libfabric: "2.1.0amzn2.0", Plugin: "1.14.2", OpenMPI: []string{"4.1.7", "5.0.6"},
		Note:   "Debian 10 dropped; aws-ofi-nccl on ARM",
		Source: changelog,
	},
	{
		Version: "1.41.0", Date: "2025-05-16",
		EFADriver: "2.15.0", RDMACore: "57.amzn0", Libfabric: "2.1.0amzn2.0", Plugin: "1.14.2", OpenMPI: []string{"4.1.7", "5.0.6"},
		SHA256: "3506354cdfbe31ff552fe75f5d0d9bb7efd29cf79bd99457347d29c751c38f9f",
		Source: changelog,
	},
	{
		Version: "1.42.0", Date: "2025-06-06",
		EFADriver: "2.15.3", RDMACore: "57.amzn1", Libfabric: "2.1.0amzn3.0", Plugin: "1.15.0", OpenMPI: []string{"4.1.7", "5.0.6"},
		Note:   "p6-b200 in the plugin; the plugin's file is named libnccl-net-ofi.so",
		Source: changelog,
	},
	{
		Version: "1.43.0", Date: "2025-07-25",
		EFADriver: "2.17.2", RDMACore: "58.amzn0", Libfabric: "2.1.0amzn4.0", Plugin: "1.16.1", OpenMPI: []string{"4.1.7", "5.0.6"},
		Note:   "Ubuntu 20.04 dropped; nv-peermem 1.2.2",
		Source: changelog,
	},
	{
		Version: "1.43.1", Date: "2025-07-31",
		EFADriver: "2.17.2", RDMACore: "58.amzn0", Libfabric: "2.1.0amzn5.0", Plugin: "1.16.2", OpenMPI: []string{"4.1.7", "5.0.6"},
		Note:   "p5.4xlarge",
		Source: changelog,
	},
	{
		Version: "1.43.2", Date: "2025-08-15",
		EFADriver: "2.17.2", RDMACore: "58.amzn0", Libfabric: "2.1.0amzn5.0", Plugin: "1.16.3", OpenMPI: []string{"4.1.7", "5.0.6"},
		Source: changelog,
	},
	{
		Version: "1.43.3", Date: "2025-10-01",
		EFADriver: "2.17.3", RDMACore: "58.amzn0", Libfabric: "2.1.0amzn5.0", Plugin: "1.16.3", OpenMPI: []string{"4.1.7", "5.0.6"},
		Note:   "P2P with NVIDIA driver 580",
		Source: changelog,
	},
	{
		Version: "1.44.0", Date: "2025-10-29",
		EFADriver: "2.17.3", RDMACore: "59.amzn0", Libfabric: "2.3.1amzn1.0", Plugin: "1.17.1", OpenMPI: []string{"4.1.7", "5.0.8amzn1"},
		Note:   "CUDA 13",
		Source: changelog,
	},
	{
		Version: "1.45.0", Date: "2025-11-17",
		EFADriver: "2.17.3", RDMACore: "60.amzn0", Libfabric: "2.3.1amzn2.0", Plugin: "1.17.2", OpenMPI: []string{"4.1.7", "5.0.8amzn1"},
		Note:   "g7e",
		Source: changelog,
	},
	{
		Version: "1.45.1", Date: "2025-11-26",
		EFADriver: "2.17.3", RDMACore: "60.amzn0", Libfabric: "2.3.1amzn3.0", Plugin: "1.17.2", OpenMPI: []string{"4.1.7", "5.0.8amzn1"},
		Note:   "fixes truncated cq_data",
		Source: changelog,
	},
	{
		Version: "1.46.0", Date: "2025-12-12",
		EFADriver: "2.17.3", RDMACore: "60.amzn0", Libfabric: "2.3.1amzn4.0", Plugin: "1.17.2", OpenMPI: []string{"4.1.7", "5.0.8amzn1"},
		Note:   "nv-peermem 1.2.3; Debian 13",
		Source: changelog,
	},
	{
		Version: "1.47.0", Date: "2026-01-29",
		EFADriver: "3.0.0", RDMACore: "61.0", Libfabric: "2.4.0amzn1.0", Plugin: "1.18.0", OpenMPI: []string{"5.0.9amzn1"},
		Note:   "tuner for p6-b300; the plugin also under its default name libnccl-net.so; which Open MPI 4.1 is not verified",
		Source: changelog,
	},
	{
		Version: "1.48.0", Date: "2026-04-14", Reported: true,
		EFADriver: "3.0.0", RDMACore: "61.0", Libfabric: "2.4.0amzn3.0", Plugin: "1.19.0", OpenMPI: []string{"5.0.9amzn1"},
		Note:   "RHEL 10; the plugin also under its default name libnccl-net.so; which Open MPI 4.1 is not verified",
		Source: reported,
	},
	{
		Version: "1.49.0", Date: "2026-06-27", Reported: true,
		EFADriver: "3.1.0", RDMACore: "63.0", Libfabric: "2.4.0amzn5.0", Plugin: "1.20.0", OpenMPI: []string{"5.0.9amzn1"},
		Note:   "last for Amazon Linux 2; which Open MPI 4.1 is not verified",
		Source: reported,
	},
	{
		Version: "1.50.0", Date: "2026-08-21",
		EFADriver: "3.3.0", RDMACore: "64.0", Libfabric: "2.6.0amzn1.0", Plugin: "1.21.1", OpenMPI: []string{"5.0.9amzn1"},
		Note:   "Amazon Linux 2 dropped; first with all that NCCL GIN needs; which Open MPI 4.1 is not verified",
		Source: changelog,
	},
	{
		Version: "1.51.0", Date: "2026-10-22",
		EFADriver: "3.3.1", RDMACore: "65.0", Libfabric: "2.7.0amzn2.0", Plugin: "1.22.0", OpenMPI: []string{"4.1.8-1", "5.0.9-11"},
		Note:   "Debian 11 dropped",
		Source: Source{"EC2 User Guide, efa-changelog; aws/aws-parallelcluster 3.16.3 release page", factsRead},
	},
}

package catalog

// factsRead is the day on which the hand-kept tables were read against their sources.
const factsRead = "2026-11-30"

var (
	alinux2    = OS{Name: "alinux2", Official: true, LoginUser: "ec2-user", AMIPart: "amzn2-hvm", Platform: PlatformLinux, NotFor: blackwell}
	alinux2023 = OS{Name: "alinux2023", Official: true, LoginUser: "ec2-user", AMIPart: "amzn2023-hvm", Platform: PlatformLinux}
	ubuntu2004 = OS{Name: "ubuntu2004", Official: true, LoginUser: "ubuntu", AMIPart: "ubuntu-2004-lts-hvm", Platform: PlatformLinux}
	ubuntu2204 = OS{Name: "ubuntu2204", Official: true, LoginUser: "ubuntu", AMIPart: "ubuntu-2204-lts-hvm", Platform: PlatformLinux}
	ubuntu2404 = OS{Name: "ubuntu2404", Official: true, LoginUser: "ubuntu", AMIPart: "ubuntu-2404-lts-hvm", Platform: PlatformLinux}
	rhel8      = OS{Name: "rhel8", Official: true, LoginUser: "ec2-user", AMIPart: "rhel8-hvm", Platform: PlatformRHEL, NotFor: gb200}
	rhel9      = OS{Name: "rhel9", Official: true, LoginUser: "ec2-user", AMIPart: "rhel9-hvm", Platform: PlatformRHEL, NotFor: gb200}
	rocky8     = OS{Name: "rocky8", LoginUser: "rocky", AMIPart: "rocky8-hvm", Platform: PlatformLinux, NotFor: gb200}
	rocky9     = OS{Name: "rocky9", LoginUser: "rocky", AMIPart: "rocky9-hvm", Platform: PlatformLinux}

	gb200     = []string{"p6e-gb200"}
	blackwell = []string{"p6-b200", "p6-b300", "p6e-gb200"}

	oses313 = []OS{alinux2, alinux2023, ubuntu2004, ubuntu2204, ubuntu2404, rhel8, rocky8, rhel9, rocky9}
	oses314 = []OS{alinux2, alinux2023, ubuntu2204, ubuntu2404, rhel8, rocky8, rhel9, rocky9}
	oses316 = []OS{alinux2023, ubuntu2204, ubuntu2404, rhel8, rocky8, rhel9, rocky9}
)

// releaseTable is sorted from the oldest release to the newest.
var releaseTable = []Release{
	{
		Version: "3.13.0", OSes: oses313, Interfaces: CombinedInterfaces,
		Ships:  map[Component]string{NVIDIADriver: "570.86.15", CUDA: "12.8.0", EFAInstaller: "1.38.1", Slurm: "24.05.7"},
		Note:   "alinux2 images carry NVIDIA driver 550.127.08 and an older CUDA",
		Source: Source{"aws/aws-parallelcluster-cookbook pull requests 2887, 2892, 2909, 2953", factsRead},
	},
	{
		Version: "3.13.1", OSes: oses313, Interfaces: CombinedInterfaces,
		Ships:  map[Component]string{NVIDIADriver: "570.86.15", CUDA: "12.8.0", EFAInstaller: "1.41.0", Slurm: "24.05.8"},
		Note:   "alinux2 images carry NVIDIA driver 550.127.08 and an older CUDA",
		Source: Source{"aws/aws-parallelcluster-cookbook pull requests 2937, 2953", factsRead},
	},
	{
		Version: "3.13.2", Judged: true, OSes: oses313, Interfaces: CombinedInterfaces,
		Ships:  map[Component]string{NVIDIADriver: "570.86.15", CUDA: "12.8.0", EFAInstaller: "1.41.0", Slurm: "24.05.8"},
		Note:   "inferred from what the notes of 3.14.0 upgrade from",
		Source: Source{"Python package aws-parallelcluster 3.13.2; aws/aws-parallelcluster-cookbook pull request 3017", factsRead},
	},
	{
		Version: "3.14.0", Date: "2025-09", OSes: oses314, Interfaces: CombinedInterfaces,
		Ships:  map[Component]string{NVIDIADriver: "570.172.08", CUDA: "12.8.1", EFAInstaller: "1.43.2", GDRCopy: "2.4.4", Slurm: "24.11.6"},
		Note:   "DCGM is 4.2.3 or 4.4.1: reviewers disagree",
		Source: Source{"aws/aws-parallelcluster-cookbook pull requests 3017, 3027, 3100", factsRead},
	},
	{
		Version: "3.14.1", Date: "2025-12", OSes: oses314, Interfaces: CombinedInterfaces,
		Source: Source{"aws/aws-parallelcluster release page", factsRead},
	},
	{
		Version: "3.14.2", Date: "2026-02-16", Judged: true, OSes: oses314, Interfaces: CombinedInterfaces,
		Source: Source{"Python package aws-parallelcluster 3.14.2", factsRead},
	},
	{
		Version: "3.15.0", Date: "2026-03-23", OSes: oses314, Interfaces: SplitInterfaces,
		Ships:  map[Component]string{NVIDIADriver: "580.105.08", CUDA: "13.0.2", EFAInstaller: "1.47.0", GDRCopy: "2.5.1", Slurm: "25.11.4"},
		Note:   "an AWS blog gives GDRCopy 2.5.2",
		Source: Source{"aws/aws-parallelcluster-cookbook pull request 3100; awslabs/awsome-distributed-ai pull request 1211", factsRead},
	},
	{
		Version: "3.15.1", Date: "2026-05-28", Judged: true, OSes: oses314, Interfaces: SplitInterfaces,
		Ships:  map[Component]string{NVIDIADriver: "580.126.20", CUDA: "13.0.2", EFAInstaller: "1.47.0", GDRCopy: "2.5.1", Slurm: "25.11.4", DCGM: "4.5.1"},
		Note:   "cookbook pull request 3182 gives NVIDIA driver 580.126.18",
		Source: Source{"Python package aws-parallelcluster 3.15.1; awslabs/awsome-distributed-ai pull request 1211", factsRead},
	},
	{
		Version: "3.16.0", Date: "2026-08-20", OSes: oses316, Interfaces: SplitInterfaces,
		Ships: map[Component]string{
			NVIDIADriver: "595.71.05", CUDA: "13.2.2", EFAInstaller: "1.49.0", GDRCopy: "2.6", Slurm: "25.11.6",
			DCGM: "4.6.0", Enroot: "4.2.1", Pyxis: "0.24.0", PMIx: "5.0.11",
		},
		Source: Source{"aws/aws-parallelcluster release page; a public 3.16 upgrade plan", factsRead},
	},
	{
		Version: "3.16.1", Date: "2026-09-08", Judged: true, OSes: oses316, Interfaces: SplitInterfaces,
		Ships:  map[Component]string{NVIDIADriver: "595.71.05", CUDA: "13.2.2", EFAInstaller: "1.49.0", GDRCopy: "2.6", Slurm: "25.11.8"},
		Source: Source{"Python package aws-parallelcluster 3.16.1; aws/aws-parallelcluster release page", factsRead},
	},
	{
		Version: "3.16.2", Date: "2026-10-29", OSes: oses316, Interfaces: SplitInterfaces,
		Ships:  map[Component]string{NVIDIADriver: "595.71.05", EFAInstaller: "1.49.0", Slurm: "25.11.8"},
		Source: Source{"aws/aws-parallelcluster release page", factsRead},
	},
	{
		Version: "3.16.3", Date: "2026-11-17", OSes: oses316, Interfaces: SplitInterfaces,
		Ships:  map[Component]string{NVIDIADriver: "595.112.07", EFAInstaller: "1.51.0", Slurm: "25.11.8"},
		Source: Source{"aws/aws-parallelcluster release page", factsRead},
	},
}

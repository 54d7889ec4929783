package symptom

import "github.com/weft-hpc/weft/fabric/diag"

// What Slurm, ParallelCluster and a node's own start say, by cause.

const (
	slurmSource = "https://slurm.schedmd.com/srun.html"
	hooksSource = "https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html"
)

var jobDevices = []Row{
	{
		ID: "node-failed", Rule: diag.JobNode, Cause: Devices,
		Texts: []string{
			"DUE TO NODE FAILURE", "Node failure on ", "srun: error: Node * has failed",
		},
		Says:   "a node of the job went down",
		Hint:   "1. the instance: its status checks, Xid errors, the end of the Capacity Block (instances go some 30 minutes before it); 2. clustermgtd's log on the head node says why it replaced the node",
		Source: "https://slurm.schedmd.com/troubleshoot.html",
	},
	{
		ID: "capacity-none", Rule: diag.JobNode, Cause: Devices,
		Texts:  []string{"InsufficientInstanceCapacity", "ReservationCapacityExceeded", "InsufficientReservedInstanceCapacity"},
		Says:   "EC2 has no capacity for the node",
		Hint:   "1. the launch does not target the block: market type and reservation id both; 2. the block is not active yet, is over, or all its instances run",
		Source: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html",
	},
}

var jobModules = []Row{
	{
		ID: "slurm-hardware", Rule: diag.JobNode, Cause: Modules,
		Texts:  []string{"Low socket*core*thread count", "gres/gpu count reported lower than configured"},
		Says:   "Slurm was told of more CPUs or GPUs than the node has, and drains it",
		Hint:   "compare the node's line of slurm.conf with `slurmd -C` on the node: 1. a GPU or the whole type's table is wrong; 2. CpuOptions or ThreadsPerCore of the launch differ",
		Source: "https://github.com/awslabs/awsome-distributed-ai/pull/102",
	},
	{
		ID: "kernel-headers", Rule: diag.AMIKernel, Cause: Modules,
		Texts: []string{
			"Unable to find a match: kernel-devel", "No match for argument: kernel-devel", "Unable to locate package linux-headers-", "kernel headers for kernel * cannot be found",
			"Your kernel headers for kernel",
		},
		Says:   "the headers of the running kernel cannot be had, so no module is built for it",
		Hint:   "the mirror keeps only the newest kernel's: begin from a newer parent image, or update the kernel first, reboot, and build then",
		Source: "https://github.com/aws/aws-parallelcluster/issues/7406",
	},
	{
		ID: "package-version", Rule: diag.JobNode, Cause: Modules,
		Texts:  []string{"E: Version '*' for '*' was not found", "E: Unable to locate package libnvidia-", "E: Unable to locate package nvidia-"},
		Says:   "a script asks for a package version that the node's mirrors do not have",
		Hint:   "pins that were taken from the host's driver do not hold for another image: pin what the mirror offers, or bake the packages into the image",
		Source: "https://github.com/aws-samples/sample-physical-ai-scaffolding-kit/pull/27",
	},
	{
		ID: "image-release", Rule: diag.AMIParallelCluster, Cause: Modules,
		Texts:  []string{"This AMI was created with ParallelCluster", "This AMI was not baked by ParallelCluster", "AMI was not baked by ParallelCluster"},
		Says:   "the image is of another ParallelCluster version than the cluster",
		Hint:   "build the image on the parent of the cluster's version: an image is tied to it",
		Source: "https://github.com/aws/aws-parallelcluster/pull/4909",
	},
}

var jobEnvironment = []Row{
	{
		ID: "hook-download", Rule: diag.JobNode, Cause: Environment,
		Texts:  []string{"Failed to download OnNode*script", "Failed to download OnNodeConfigured", "Failed to download OnNodeStart"},
		Says:   "the node could not fetch a script of the configuration",
		Hint:   "1. the node's role may not read the bucket: S3Access with the script's bucket; 2. no road to S3 from the subnet; 3. a key that is not there",
		Source: "https://github.com/aws/aws-parallelcluster/issues/6115",
	},
	{
		ID: "hook-failed", Rule: diag.JobNode, Cause: Environment,
		Texts:  []string{"Failed to execute OnNode*script", "Failed to execute OnNodeConfigured", "Failed to execute OnNodeStart"},
		Says:   "a script of the configuration failed on the node, so ParallelCluster replaces it",
		Hint:   "the script's own last lines stand before, in /var/log/cloud-init-output.log: mend the script, or run nodes once without it",
		Source: hooksSource,
	},
	{
		ID: "cpu-bind", Rule: diag.CPUPerRank, Cause: Environment,
		Texts:  []string{"Unable to satisfy cpu bind request", "CPU binding outside of job step allocation"},
		Says:   "srun is asked to bind ranks to CPUs that the step does not have",
		Hint:   "the job was submitted from inside another job, whose SLURM_CPU_BIND variables it inherits: submit from the head or a login node, or unset SLURM_CPU_BIND*",
		Source: slurmSource,
	},
	{
		ID: "job-shape", Rule: diag.JobEnded, Cause: Environment,
		Texts: []string{
			"Requested node configuration is not available", "More processors requested than permitted", "Unable to create step for job", "Invalid generic resource (gres) specification",
			"invalid partition specified", "Requested time limit is invalid",
		},
		Says:   "Slurm cannot give what the job asks for",
		Hint:   "compare nodes, tasks, CPUs per task and GPUs of the job with scontrol show partition and scontrol show node",
		Source: "https://slurm.schedmd.com/sbatch.html",
	},
}

var jobBandwidth = []Row{
	{
		ID: "loss-nan", Rule: diag.TrainLoss, Cause: Bandwidth,
		Texts:  []string{"found NaN in local", "found Inf in local", "NaN in loss", "Loss is nan"},
		Says:   "a rank found a value in loss or gradient that is no number",
		Hint:   "1. the line names rank and node: the same node again means hardware; 2. on changing ranks: learning rate, precision or data",
		Source: "https://github.com/NVIDIA/Megatron-LM",
	},
}

var jobEnded = []Row{
	{
		ID: "gpu-memory-full", Rule: diag.JobEnded, Cause: Ended,
		Texts:  []string{"CUDA out of memory", "CUDA error: out of memory", "Cuda failure*out of memory", "Test CUDA failure*out of memory"},
		Says:   "a GPU's memory is full",
		Hint:   "1. smaller messages, batch or model; 2. another process is on the GPU: nvidia-smi; 3. nccl-tests need about three times the largest message",
		Source: "https://pytorch.org/docs/stable/notes/cuda.html",
	},
	{
		ID: "launch-failed", Rule: diag.JobEnded, Cause: Ended,
		Texts:  []string{"Task launch for StepId=", "Application launch failed", "srun: error: Unable to create step"},
		Says:   "srun could not start the ranks on a node",
		Hint:   "the end of the line says why; of a node that does not answer: slurmd and munge there, and whether the instance is up",
		Source: slurmSource,
	},
}

package rule

import "github.com/weft-hpc/weft/fabric/diag"

// NodeScript is what installs software on a node: a component of an image, a custom action, user data.
type NodeScript struct {
	Input
	// What it is, for findings: "image component efa".
	What string
	Text Value[string]
	// InstanceTypes that the software is for; empty: those of the options.
	InstanceTypes []string
}

// JobScript is a Slurm batch script, another shell script, or what gives a job its environment.
type JobScript struct {
	Input
	// Settings are the variables that the job's programs get.
	Settings []Setting
	// Sourced are the files that it reads into itself.
	Sourced []Sourced
	// Job is what the script asks Slurm for.
	Job Allocation
	// Steps are the programs that it starts.
	Steps []Step
	// InstanceType that the job runs on, where the source tells.
	InstanceType Value[string]
	// Slurm is the version that runs it, where the source tells.
	Slurm Value[string]
}

// Sourced is a file that a script reads into itself.
type Sourced struct {
	Name  Value[string]
	Place diag.Place
}

// Allocation is what a job or a step asks Slurm for, in the words of its options.
type Allocation struct {
	// Batch says that Slurm runs the script: it has options for sbatch.
	Batch bool
	Place diag.Place

	Partition    Value[string]
	Constraint   Value[string]
	Nodes        Value[int]
	Tasks        Value[int] // --ntasks
	TasksPerNode Value[int]
	TasksPerGPU  Value[int]
	TasksPerCore Value[int]
	CPUsPerTask  Value[int]
	CPUsPerGPU   Value[int]
	GPUsPerNode  Value[int] // --gpus-per-node or --gres=gpu:
	GPUs         Value[int] // --gpus
	GPUsPerTask  Value[int]
	Exclusive    Value[bool] // a job's: whole nodes
	Distribution Value[string]
}

// Step is a program that a script starts.
type Step struct {
	// Launcher is srun, mpirun, torchrun or empty: a program that runs where the script runs.
	Launcher string
	Allocation
	// Binding is --cpu-bind of srun, or --bind-to of mpirun.
	Binding Value[string]
	// Ranks that each task starts itself: --nproc-per-node of torchrun; absent: the task is the rank.
	Ranks Value[int]
	// InheritedCPUs is SRUN_CPUS_PER_TASK as the step gets it.
	InheritedCPUs Value[int]
	// Experts is what its program says of expert parallelism.
	Experts Experts
	// CPUCounts are the numbers of CPUs of a task that variables of its environment give it, by name.
	CPUCounts map[string]Value[int]
	// Open says that some of its options are not known.
	Open bool
	// Conditional says that it is started on some ways through the script only.
	Conditional bool
}

package config

// Workload is what the cluster is for.
type Workload struct {
	// Kind of model: dense, or moe (mixture of experts).
	Kind string `yaml:"kind" weft:"oneof=dense|moe"`
	// TensorParallel is the size of a tensor-parallel group, in ranks.
	TensorParallel int `yaml:"tensorParallel" weft:"min=1,max=1024"`
	// PipelineParallel is the number of pipeline stages.
	PipelineParallel int `yaml:"pipelineParallel" weft:"min=1,max=1024"`
	// ExpertParallel is the size of an expert-parallel group, in ranks.
	ExpertParallel int `yaml:"expertParallel" weft:"min=1,max=4096"`
	// ExpertTensorParallel is the tensor parallel size inside an expert; 0 takes tensorParallel, as Megatron does.
	ExpertTensorParallel int `yaml:"expertTensorParallel" weft:"min=0,max=1024"`
	// Dispatcher of expert-parallel traffic. nccl is plain all-to-all; hybridep is node-only on EFA.
	Dispatcher string `yaml:"dispatcher" weft:"oneof=nccl|hybridep|deepep-v1|deepep-v1-nvshmem|deepep-v2|pplx|uccl"`
	// FP8Dispatch sends tokens in FP8.
	FP8Dispatch bool `yaml:"fp8Dispatch"`
	// Framework of the training job; left out, dispatcher rules of a framework are not judged.
	Framework string `yaml:"framework" weft:"oneof=megatron-lm|torch|other"`
	// FrameworkVersion is the framework's version, for example 0.19.0.
	FrameworkVersion string `yaml:"frameworkVersion"`
	// RanksPerNode is the number of consecutive ranks on a node; 0 is one for each accelerator.
	RanksPerNode int `yaml:"ranksPerNode" weft:"min=0,max=64"`
	// CPUsPerRank is what a job asks for; 0 is the node's vCPUs divided by its ranks.
	CPUsPerRank int `yaml:"cpusPerRank" weft:"min=0,max=512"`
	// Container image of the training job, in Enroot's words.
	Container string `yaml:"container"`
	// Components are versions inside the container that weft is told, for example nccl: 2.31.2.
	Components map[string]string `yaml:"components"`
}

// Validation runs after each deployment.
type Validation struct {
	// Enabled runs the validation order at the end of each `pulumi up`.
	Enabled bool `yaml:"enabled"`
	// Steps that run; left out, all that the plan has use for.
	Steps []string `yaml:"steps" weft:"oneof=host|container|latency|dispatcher|training|blocks"`
	// Thresholds as shares of the expected figure, 0 to 1; left out, the catalogue's.
	Thresholds Thresholds `yaml:"thresholds"`
	// Commands of your own in place of weft's; left out, weft looks for the programs where images have them.
	Commands Commands `yaml:"commands"`
}

// Commands are what validation steps run.
type Commands struct {
	// NCCLTests is the folder of nccl-tests' programs, on the nodes and in the container.
	NCCLTests string `yaml:"ncclTests"`
	// Dispatcher is a shell command that measures expert-parallel traffic: one process on each node, with MASTER_ADDR,
	// MASTER_PORT, WORLD_SIZE (nodes) and RANK (of the node) set.
	Dispatcher string `yaml:"dispatcher"`
	// Training is a shell command that trains for a short while: one process for each rank, with MASTER_ADDR, MASTER_PORT,
	// WORLD_SIZE, RANK and LOCAL_RANK set.
	Training string `yaml:"training"`
}

// Thresholds are shares of an expected figure below which a step fails. 0 takes the catalogue's.
type Thresholds struct {
	// AllReduce is the share of the all-reduce ceiling.
	AllReduce float64 `yaml:"allReduce" weft:"min=0,max=1"`
	// AllToAll is the share of the all-to-all ceiling.
	AllToAll float64 `yaml:"allToAll" weft:"min=0,max=1"`
	// BetweenBlocks is the share of inside-block bandwidth that pairs between blocks must reach.
	BetweenBlocks float64 `yaml:"betweenBlocks" weft:"min=0,max=1"`
}

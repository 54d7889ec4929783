package verdict

import (
	"time"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
)

// Order is a whole run of the validation order, as far as it got.
type Order struct {
	Plan     plan.Cluster
	Weft     string // version of weft
	ID       string // of the run
	Started  time.Time
	Finished time.Time // zero while it runs or waits
	Until    time.Time // when a waiting run is expected to go on; zero where nobody knows
	// Steps in the order in which they ran, also those that did not.
	Steps []Step
	// Places is the topology of the nodes, where it is known.
	Places []result.Place
}

// Step is what came out of one step on one group of nodes.
type Step struct {
	Name       string // plan.StepHost, …
	Group      plan.NodeGroup
	Workload   config.Workload
	Thresholds config.Thresholds
	// Rules are the user's levels by rule.
	Rules map[diag.ID]diag.Override
	// Jobs that the step submitted, in their order. Empty for a step that was not run.
	Jobs []Job
	// Skipped says in one sentence why the step was not run: no use for it, or a step before it failed. Empty for one that was.
	Skipped string
	// Places is the topology of the nodes, where it is known. Step blocks needs it.
	Places []result.Place
	// Host is what the host step found installed, to compare a container with. [Run] fills it in from its own steps where it is nil.
	Host map[catalog.Component]string
}

// Job is one job and what became of it.
type Job struct {
	ID   string // of Slurm
	Name string // as submitted: weft-host-all_reduce
	// State in Slurm's words, without what follows it: PENDING, RUNNING, COMPLETED, FAILED, TIMEOUT, CANCELLED, NODE_FAIL,
	// OUT_OF_MEMORY, BOOT_FAIL, DEADLINE, PREEMPTED. SUBMIT_FAILED is weft's own, for a job that sbatch refused.
	State State
	// Reason in Slurm's words: Reservation, ReqNodeNotAvail, Resources, … For SUBMIT_FAILED what sbatch said.
	Reason string
	// Reservation that a pending job waits for: pcluster-cr-… for a block that has not started.
	Reservation string
	// ExitCode of the batch script; nil before the job has ended.
	ExitCode *int
	// Nodes that the job ran on, or asked for, in rank order. Every one of them must prove its road.
	Nodes []string
	// Lost are nodes that went down while the job ran, with Slurm's reason.
	Lost map[string]string
	// Outputs of the programs that the job ran.
	Outputs []Output
	// Seen is what the job's script read on each node before the programs started.
	Seen []NodeFacts
	// Said are lines of sbatch, srun and the batch script that belong to no program: "srun: unrecognized option '--container-image'".
	Said     []evidence.Excerpt
	Started  time.Time
	Finished time.Time
}

// State of a job in Slurm's words.
type State string

// The states.
const (
	Pending      State = "PENDING"
	Running      State = "RUNNING"
	Completed    State = "COMPLETED"
	JobFailed    State = "FAILED"
	TimedOut     State = "TIMEOUT"
	Cancelled    State = "CANCELLED"
	NodeFail     State = "NODE_FAIL"
	OutOfMemory  State = "OUT_OF_MEMORY"
	BootFail     State = "BOOT_FAIL"
	Deadline     State = "DEADLINE"
	Preempted    State = "PREEMPTED"
	SubmitFailed State = "SUBMIT_FAILED"
)

// Output is what one program printed, and who took part. One program may have several files: a main output and a debug log for each node.
type Output struct {
	Documents []evidence.Document
	// Nodes that took part, in rank order; for fi_pingpong the client, then the server. Empty: all of the job's.
	Nodes []string
	// Round is the number of the round in a search for a slow node, from 1; 0 for a run of its own. The groups of a round ran at the
	// same time.
	Round int
	// ExitCode of the program; nil where nobody noted it.
	ExitCode *int
}

// NodeFacts is what the job's script read on one node, in the place where the programs run: in the container in a container step.
type NodeFacts struct {
	Node string
	// CPUsPerRank is how many CPUs one rank may run on; 0: not read.
	CPUsPerRank int
	// EFADevices that libfabric lists; nil: not read.
	EFADevices *int
	// Versions of what is installed, as the programs print them.
	Versions map[catalog.Component]string
}

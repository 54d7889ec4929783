package rule

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

const (
	sourceCPUs = "measured: 8 GiB all-reduce at a quarter with one core a rank; Slurm, srun and sbatch manuals"
	stepSRUN   = "srun"
	stepMPI    = "mpirun"
)

// judgeCPUs compares what each rank of a job's steps gets with its share of the node.
func judgeCPUs(v *view) {
	for i := range v.JobScripts {
		s := &v.JobScripts[i]
		if !s.Job.Batch {
			continue
		}
		for _, step := range s.Steps {
			for _, h := range v.homes(s) {
				if v.judgeStep(s, step, h) {
					break // one finding a step: the same options are wrong on every type
				}
			}
		}
	}
}

// ranks is how a step's ranks sit on a node of one type.
type ranks struct {
	Step
	job       Allocation
	home      home
	node      catalog.InstanceType // zero where the type is not known
	gpus      int                  // of a node; 0: nobody tells
	tasks     int                  // on a node
	perTask   int                  // ranks that a task starts
	wholeNode bool
}

// judgeStep reports whether it found something.
func (v *view) judgeStep(s *JobScript, step Step, h home) bool {
	r := ranks{Step: step, job: s.Job, home: h, wholeNode: h.exclusive || IsTrue(s.Job.Exclusive)}
	r.node, _ = catalog.Instance(h.instanceType)
	if !r.usesGPUs() {
		return false
	}
	if unknown, ok := r.unread(); ok {
		v.addUnknown(s, step.Place, unknown)
		return true
	}
	if !r.count() {
		return false
	}
	cpus, narrow, ok := r.cpus()
	if !ok {
		return false
	}
	if r.tooMany(v) {
		return true
	}
	need := r.share()
	if need == 0 || cpus >= need*r.perTask {
		return false
	}
	level := v.rule.Level()
	if strings.HasPrefix(narrow, perCoreOption) {
		level = diag.Warn // whether it binds depends on how Slurm is set up
	}
	v.addAt(level, step.Place, r.got(cpus, narrow), r.want(need), r.hint(need, narrow), sourceCPUs)
	return true
}

// addUnknown tells of what the current rule needed of a start and nobody knows.
func (v *view) addUnknown(s *JobScript, place diag.Place, what string) {
	v.findings.Add(diag.Finding{
		Rule: diag.ValueUnknown, Place: place, Got: fmt.Sprintf("%s of this start is not known, so that %s was not judged", what, v.rule.ID),
		Want: "its value", Hint: s.Later.hint(),
	})
}

// usesGPUs reports that the job asked for GPUs, or has whole nodes with some.
func (r ranks) usesGPUs() bool {
	for _, a := range []Allocation{r.job, r.Allocation} {
		for _, n := range []Value[int]{a.GPUsPerNode, a.GPUs, a.GPUsPerTask, a.TasksPerGPU} {
			if n.IsUnknown() || n.Or(0) > 0 {
				return true
			}
		}
	}
	return r.wholeNode && r.node.Accelerator.Kind == "gpu"
}

// unread names what is not known and decides.
func (r ranks) unread() (string, bool) {
	cpus := first(r.CPUsPerTask, r.InheritedCPUs, r.job.CPUsPerTask)
	switch {
	case cpus.IsUnknown():
		return "--cpus-per-task", true
	case r.Open && cpus.IsAbsent() && !r.wholeNode:
		return "a part of the options", true
	}
	return "", false
}

// first gives the first value that is there.
func first[T any](values ...Value[T]) Value[T] {
	for _, v := range values {
		if !v.IsAbsent() {
			return v
		}
	}
	return Value[T]{}
}

// count works out how many GPUs and tasks a node has; false where nobody tells.
func (r *ranks) count() bool {
	nodes := first(r.Nodes, r.job.Nodes)
	gpus, total := first(r.GPUsPerNode, r.job.GPUsPerNode), first(r.GPUs, r.job.GPUs)
	switch {
	case gpus.IsKnown():
		r.gpus = gpus.Or(0)
	case total.IsKnown() && nodes.Or(0) > 0:
		r.gpus = total.Or(0) / nodes.Or(1)
	default:
		r.gpus = r.node.Accelerator.Count
	}
	tasks, ok := r.tasksPerNode(nodes)
	r.tasks = tasks
	r.perTask = r.Ranks.Or(1)
	if r.Ranks.IsUnknown() {
		r.perTask = max(r.gpus/max(tasks, 1), 1)
	}
	return ok && tasks > 0
}

// tasksPerNode: srun starts one task for each node where nobody asks for more. Programs without srun run once. The step's own wish goes before
// the job's.
func (r *ranks) tasksPerNode(nodes Value[int]) (int, bool) {
	switch {
	case r.Launcher != stepSRUN && r.Launcher != stepMPI:
		return 1, true
	case r.TasksPerNode.IsAbsent() && !r.Tasks.IsAbsent():
		return spread(r.Tasks, nodes)
	}
	if perNode := first(r.TasksPerNode, r.job.TasksPerNode); !perNode.IsAbsent() {
		return perNode.Get()
	}
	if !r.job.Tasks.IsAbsent() {
		return spread(r.job.Tasks, nodes)
	}
	return r.tasksByGPU(nodes)
}

// spread is how many of all tasks a node gets.
func spread(tasks, nodes Value[int]) (int, bool) {
	n, known := tasks.Get()
	if n == 1 {
		return 1, true
	}
	count := nodes.Or(0)
	if !known || count <= 0 {
		return 0, false
	}
	return (n + count - 1) / count, true
}

// tasksByGPU is for tasks that nobody counts: as many as the GPUs tell, else one.
func (r *ranks) tasksByGPU(nodes Value[int]) (int, bool) {
	perGPU, perTask := first(r.TasksPerGPU, r.job.TasksPerGPU), first(r.GPUsPerTask, r.job.GPUsPerTask)
	switch {
	case perGPU.IsUnknown() || perTask.IsUnknown():
		return 0, false
	case perGPU.IsKnown() && r.gpus > 0:
		return perGPU.Or(0) * r.gpus, true
	case perTask.Or(0) > 0 && r.gpus > 0:
		return r.gpus / perTask.Or(1), true
	default:
		return 1, nodes.IsKnown()
	}
}

// narrowing are bindings that keep a task on one core, or its own CPUs.
var narrowing = []string{"cores", "core", "threads", "thread", "rank", "map_cpu", "hwthread", "hwthreads"}

// perCoreOption binds tasks to cores too, unless --cpu-bind=none stands beside it.
const perCoreOption = "--ntasks-per-core"

// narrow names what binds a task to one core; empty where nothing does.
func (r ranks) narrow() string {
	for part := range strings.SplitSeq(strings.ToLower(r.Binding.Or("")), ",") {
		kind, _, _ := strings.Cut(part, ":")
		switch {
		case kind == "none" || kind == "no":
			return ""
		case !slices.Contains(narrowing, kind):
		case r.Launcher == stepMPI:
			return "--bind-to " + kind
		default:
			return "--cpu-bind=" + kind
		}
	}
	if perCore := first(r.TasksPerCore, r.job.TasksPerCore); perCore.IsKnown() && r.Launcher == stepSRUN {
		return fmt.Sprintf("%s=%d", perCoreOption, perCore.Or(1))
	}
	return ""
}

// cpus is how many CPUs a task gets, and what narrowed them to that; false where nobody can tell.
func (r ranks) cpus() (n int, narrow string, ok bool) {
	if r.Launcher == stepSRUN {
		return r.ofStep()
	}
	n, ok = r.allocated()
	n /= r.tasks
	if narrow := r.narrow(); narrow != "" && r.Launcher == stepMPI {
		return 1, narrow, true
	}
	return n, "", ok
}

// ofStep is what srun gives a task: what was asked for, else what its binding leaves of the allocation.
func (r ranks) ofStep() (int, string, bool) {
	narrow := r.narrow()
	asked := first(r.CPUsPerTask, r.InheritedCPUs, r.job.CPUsPerTask)
	switch c, known := asked.Get(); {
	case strings.HasSuffix(narrow, "=rank") || strings.HasSuffix(narrow, "=map_cpu"):
		return 1, narrow, true
	case r.masked() > 0:
		return r.masked(), "--cpu-bind=mask_cpu", true
	case known:
		return c, "", true
	case narrow != "":
		return 1, narrow, true
	case r.wholeNode && r.node.Name == "":
		return 0, "", false // all of a node's CPUs, however many those are
	}
	n, ok := r.allocated()
	return n / r.tasks, "", ok
}

// masked is the smallest number of CPUs in --cpu-bind=mask_cpu; 0 where there is none.
func (r ranks) masked() int {
	list, ok := strings.CutPrefix(strings.ToLower(r.Binding.Or("")), "mask_cpu:")
	if !ok {
		return 0
	}
	least := 0
	for mask := range strings.SplitSeq(list, ",") {
		n := 0
		for _, digit := range strings.TrimPrefix(mask, "0x") {
			value, err := strconv.ParseUint(string(digit), 16, 8)
			if err != nil {
				return 0
			}
			n += bits.OnesCount64(value)
		}
		if least == 0 || n < least {
			least = n
		}
	}
	return least
}

// allocated is how many CPUs of a node the job has.
func (r ranks) allocated() (int, bool) {
	jobTasks := max(r.job.TasksPerNode.Or(0), r.tasks)
	switch {
	case r.wholeNode:
		return r.node.VCPUs, r.node.Name != ""
	case r.job.CPUsPerTask.IsKnown():
		return r.job.CPUsPerTask.Or(0) * jobTasks, true
	case r.job.CPUsPerGPU.IsKnown():
		return r.job.CPUsPerGPU.Or(0) * r.gpus, r.gpus > 0
	case r.job.CPUsPerTask.IsUnknown() || r.job.CPUsPerGPU.IsUnknown() || r.job.Exclusive.IsUnknown():
		return 0, false
	default:
		return jobTasks, true
	}
}

// share is what a rank should get: the node's vCPUs by its GPUs, or by its ranks where those are more.
func (r ranks) share() int {
	if r.node.Name == "" {
		return catalog.LeastCPUsPerGPU()
	}
	if r.node.Accelerator.Kind != "gpu" {
		return 0
	}
	return r.node.VCPUs / max(r.node.Accelerator.Count, r.tasks*r.perTask, 1)
}

// tooMany reports a job that no node can hold.
func (r ranks) tooMany(v *view) bool {
	c, known := first(r.CPUsPerTask, r.job.CPUsPerTask).Get()
	if !known || r.node.Name == "" || c*r.tasks <= r.node.VCPUs {
		return false
	}
	v.add(r.Place, fmt.Sprintf("--cpus-per-task=%d for %d tasks on a node, %d CPUs", c, r.tasks, c*r.tasks),
		fmt.Sprintf("at most the %d vCPUs of %s", r.node.VCPUs, r.node.Name), fmt.Sprintf("set --cpus-per-task=%d: Slurm cannot start the job otherwise", r.node.VCPUs/r.tasks), sourceCPUs)
	return true
}

func (r ranks) got(cpus int, narrow string) string {
	who := fmt.Sprintf("each of %d tasks on a node gets %d", r.tasks, cpus)
	if r.tasks == 1 {
		who = fmt.Sprintf("the task on a node gets %d", cpus)
	}
	noun := "CPUs"
	if cpus == 1 {
		noun = "CPU"
	}
	out := who + " " + noun
	if r.perTask > 1 {
		out += fmt.Sprintf(" for %d ranks", r.perTask)
	}
	if narrow != "" {
		out += ", by " + narrow
	}
	return out
}

func (r ranks) want(need int) string {
	if r.node.Name == "" {
		return fmt.Sprintf("the node's vCPUs ÷ GPUs for each rank: 24 of 192 on p5.48xlarge, %d where a type has least", need)
	}
	return fmt.Sprintf("%d for each rank: %d vCPUs of %s by %d", need, r.node.VCPUs, r.node.Name, max(r.node.Accelerator.Count, r.tasks*r.perTask))
}

func (r ranks) hint(need int, narrow string) string {
	value := strconv.Itoa(need * r.perTask)
	if r.node.Name == "" {
		value = strconv.Itoa(24*r.perTask) + " (on p5.48xlarge)"
	}
	switch {
	case narrow != "" && r.Launcher == stepMPI:
		return "use --bind-to none, or --map-by with PE=" + value
	case narrow != "":
		return "remove " + narrow + ", or set --cpus-per-task=" + value + " beside it"
	case r.Launcher == stepSRUN:
		return "set --cpus-per-task=" + value + " for the job and for srun, or give the job whole nodes with --exclusive"
	default:
		return "set --cpus-per-task=" + value + " for the job, or give it whole nodes with --exclusive"
	}
}

package read

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/jobscript"
	"github.com/weft-hpc/weft/fabric/rule"
)

// JobScript reads a script, an environment file or a Dockerfile. Places are of the file of the input.
func JobScript(s *jobscript.Script, in rule.Input) rule.JobScript {
	j := job{in: in}
	out := rule.JobScript{Input: in, Job: j.allocation(s.Directives, s.Kind == jobscript.Batch)}
	if len(s.Directives) > 0 {
		out.Job.Place = j.at(s.Directives[0].Position, "")
	}
	if !out.Job.Exclusive.IsKnown() {
		out.Job.Exclusive = exclusive(s.Directives)
	}
	for _, a := range s.Settings {
		out.Settings = append(out.Settings, j.setting(a, out.Job.Nodes))
	}
	for _, w := range s.Sourced {
		out.Sourced = append(out.Sourced, rule.Sourced{Name: text(w), Place: j.place(w.Position)})
	}
	for _, start := range s.Starts {
		if !isTool(start) {
			out.Steps = append(out.Steps, j.step(start))
		}
	}
	return out
}

// tools are programs that jobs run on their nodes beside the work: what they get does not matter.
var tools = []string{
	"cat", "cp", "chmod", "date", "dcgmi", "df", "docker", "echo", "env", "enroot", "fi_info", "free", "hostname", "ibv_devinfo", "ls", "lscpu", "mkdir",
	"mv", "nproc", "numactl", "nvidia-smi", "printenv", "rm", "rsync", "scontrol", "sleep", "sync", "taskset", "test", "true", "ulimit", "uname",
}

func isTool(s *jobscript.Start) bool {
	for s.Inner != nil {
		s = s.Inner
	}
	if s.Launcher == "torchrun" {
		return false
	}
	return len(s.Program) == 0 || s.Program[0].Known && slices.Contains(tools, path.Base(s.Program[0].Text))
}

type job struct {
	in rule.Input
}

func (j job) place(p jobscript.Position) diag.Place { return j.at(p, "") }

// at is a position in the input's file.
func (j job) at(p jobscript.Position, path string) diag.Place {
	at := j.in.Place
	at.Line, at.Column, at.Path = p.Line, p.Column, path
	return at
}

// text is a word as a value. A default is one that the environment can replace.
func text(w jobscript.Word) rule.Value[string] {
	if value, known := w.Value(); known {
		return rule.Known(value)
	}
	return rule.Unknown[string]()
}

func (j job) setting(a jobscript.Assignment, nodes rule.Value[int]) rule.Setting {
	s := rule.Setting{Name: a.Name, Value: text(a.Value), Conditional: a.Conditional, Place: j.at(a.Position, a.Name), OneNode: nodes.Or(0) == 1}
	if !a.Value.Known {
		s.Begins = a.Value.Text
	}
	if a.OneCommand != nil {
		s.OneCommand = true
		s.OneNode = s.OneNode || withinNode(a.OneCommand)
	}
	return s
}

// withinNode reports that all processes of a start run on one node.
func withinNode(s *jobscript.Start) bool {
	switch s.Launcher {
	case "srun":
		return number(s.Options, "nodes").Or(0) == 1
	case "mpirun":
		host, ok := jobscript.Last(s.Options, "host")
		return ok && host.Value.Known && !strings.Contains(host.Value.Text, ",")
	case "torchrun":
		nodes := number(s.Options, "nnodes")
		return nodes.IsAbsent() || nodes.Or(0) == 1
	case "":
		return len(s.Program) > 0 && s.Program[0].Known && !strings.HasSuffix(s.Program[0].Text, ".sh")
	default:
		return false
	}
}

// number reads an option as a number: absent where nobody gives it, unknown where it cannot be read.
func number(options []jobscript.Option, names ...string) rule.Value[int] {
	o, given := jobscript.Last(options, names...)
	if !given {
		return rule.Absent[int]()
	}
	return whole(text(o.Value))
}

// whole reads a number. A range such as 2-4 is not known before the job starts.
func whole(v rule.Value[string]) rule.Value[int] {
	if n, err := strconv.Atoi(strings.TrimSpace(v.Or(""))); err == nil {
		return rule.Known(n)
	}
	return rule.Unknown[int]()
}

// counted reads the number behind a kind of generic resources: gpu:h100:8, gpu:8, 8.
func counted(options []jobscript.Option, name string) rule.Value[int] {
	o, given := jobscript.Last(options, name)
	if !given {
		return rule.Absent[int]()
	}
	value, known := o.Value.Value()
	if !known {
		return rule.Unknown[int]()
	}
	total, found := 0, false
	for part := range strings.SplitSeq(value, ",") {
		kind, _, _ := strings.Cut(part, ":")
		if name == "gres" && kind != "gpu" && kind != "gres/gpu" {
			continue
		}
		found = true
		last := part[strings.LastIndexByte(part, ':')+1:]
		n, err := strconv.Atoi(last)
		switch {
		case err == nil:
			total += n
		case last == "gpu":
			total++ // a kind without a number is one
		default:
			return rule.Unknown[int]()
		}
	}
	if !found {
		return rule.Absent[int]()
	}
	return rule.Known(total)
}

func word(options []jobscript.Option, name string) rule.Value[string] {
	if o, given := jobscript.Last(options, name); given {
		return text(o.Value)
	}
	return rule.Absent[string]()
}

func (j job) allocation(options []jobscript.Option, batch bool) rule.Allocation {
	gpus := counted(options, "gpus-per-node")
	if gpus.IsAbsent() {
		gpus = counted(options, "gres")
	}
	return rule.Allocation{
		Batch:        batch,
		Partition:    word(options, "partition"),
		Constraint:   word(options, "constraint"),
		Nodes:        number(options, "nodes"),
		Tasks:        number(options, "ntasks"),
		TasksPerNode: number(options, "ntasks-per-node", "tasks-per-node"),
		TasksPerGPU:  number(options, "ntasks-per-gpu"),
		TasksPerCore: number(options, "ntasks-per-core"),
		CPUsPerTask:  number(options, "cpus-per-task"),
		CPUsPerGPU:   number(options, "cpus-per-gpu"),
		GPUsPerNode:  gpus,
		GPUs:         counted(options, "gpus"),
		GPUsPerTask:  counted(options, "gpus-per-task"),
		Distribution: word(options, "distribution"),
	}
}

// exclusive reads --exclusive of a job: whole nodes, or with user and the like none of them.
func exclusive(options []jobscript.Option) rule.Value[bool] {
	o, given := jobscript.Last(options, "exclusive")
	if !given {
		return rule.Absent[bool]()
	}
	value := o.Value.Text
	return rule.Known(value == "" || value == "exclusive" || value == "topo")
}

// step reads a start, and of a launcher within a launcher the ranks that it starts.
func (j job) step(s *jobscript.Start) rule.Step {
	out := rule.Step{
		Launcher: s.Launcher, Allocation: j.allocation(s.Options, false), Open: s.Open, Conditional: s.Conditional,
		Ranks: ranksOf(s), CPUCounts: map[string]rule.Value[int]{},
	}
	out.Place = j.at(s.Position, "")
	switch s.Launcher {
	case "srun":
		out.Binding = word(s.Options, "cpu-bind")
	case "mpirun":
		out.Binding = bindingOf(s.Options)
		out.TasksPerNode = number(s.Options, "npernode")
		out.Tasks = number(s.Options, "np")
		out.Nodes = rule.Absent[int]()
	}
	for name, w := range s.Environment {
		if n, ok := rule.CPUCount(name, text(w)); ok {
			out.CPUCounts[name] = n
		}
	}
	out.InheritedCPUs = out.CPUCounts["SRUN_CPUS_PER_TASK"]
	out.Experts = j.experts(s)
	return out
}

// bindingOf reads what mpirun binds to. With several CPUs for each rank a rank has those.
func bindingOf(options []jobscript.Option) rule.Value[string] {
	if _, given := jobscript.Last(options, "cpus-per-rank"); given {
		return rule.Absent[string]()
	}
	if m, given := jobscript.Last(options, "map-by"); given && strings.Contains(strings.ToLower(m.Value.Text), "pe=") {
		return rule.Absent[string]()
	}
	if _, given := jobscript.Last(options, "bind-to-core"); given {
		return rule.Known("core")
	}
	return word(options, "bind-to")
}

// ranksOf is how many ranks each task starts: of torchrun, also inside srun. Words such as gpu and auto are as many as there are GPUs.
func ranksOf(s *jobscript.Start) rule.Value[int] {
	for ; s != nil; s = s.Inner {
		if s.Launcher != "torchrun" {
			continue
		}
		if n := number(s.Options, "nproc-per-node", "num-processes"); !n.IsAbsent() {
			return n
		}
		if s.Open {
			return rule.Unknown[int]()
		}
		return rule.Known(1)
	}
	return rule.Absent[int]()
}

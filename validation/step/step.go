// Package step renders the validation order of a plan as Slurm jobs.
//
// The order is six steps: the host's network, the same in the training image, latency between nodes, the expert-parallel dispatcher, a
// short training run, and pairs of nodes inside and between capacity blocks. Each becomes one job for each group of nodes. A job's script
// is whole: sbatch takes it, started in the folder of a run, and everything it makes lies under out/<job>/ there. What it expects comes
// from the plan; what it measures is judged elsewhere.
//
// Package step is pure: the same plan gives the same scripts.
package step

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
)

// Job is one Slurm job of a validation.
type Job struct {
	// Name is unique in an order and makes a file name: host-train.
	Name string `json:"name"`
	// Step of the order: plan.StepHost, …; Suspects for a search for slow nodes.
	Step string `json:"step"`
	// Group of nodes, by the plan's name. A job between blocks names the first of its two.
	Group string `json:"group"`
	// Nodes is how many nodes it takes.
	Nodes int `json:"nodes"`
	// Hosts that it must run on, in rank order; empty: Slurm chooses, or all of the group.
	Hosts []string `json:"hosts,omitempty"`
	// Script is the batch script.
	Script string `json:"script"`
	// Outputs are the files that it makes in the folder of the run, beside out/<job>/programs.tsv and out/<job>/facts/.
	Outputs []string `json:"outputs"`
	// DependsOn names jobs that must have gone well before.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Limit of its running time.
	Limit time.Duration `json:"limit"`
	// Why it runs, in one sentence.
	Why string `json:"why"`
}

// Skipped is a step that has no use on a group of nodes, or can't be rendered.
type Skipped struct {
	Step  string `json:"step"`
	Group string `json:"group"`
	Why   string `json:"why"` // in one sentence
}

// Order is all jobs of a validation, in their order, and what is left out.
type Order struct {
	Jobs    []Job     `json:"jobs"`
	Skipped []Skipped `json:"skipped,omitempty"`
}

// Suspects is the step of jobs that look for slow nodes.
const Suspects = "suspects"

// GateCode is the exit code of a job that its own script stopped, in a run that nobody watches.
const GateCode = 65

// Unwatched is the file in the folder of a run that says that nobody watches it.
const Unwatched = "unwatched"

// Options are what a plan does not know.
type Options struct {
	// MPI is how srun starts MPI programs; empty takes pmix, which ParallelCluster's Slurm is built with.
	MPI string
	// Hosts are the nodes of each group by name, where they are known. Without, they are read off Places where those name all of a group's
	// nodes; else jobs take all that the plan gives them.
	Hosts map[string][]string
	// Places is where nodes sit in the network, where that is known: pairs for latency are chosen by it.
	Places []result.Place
	// MaxBytes bounds the sizes of a sweep; 0 goes by the memory of an accelerator.
	MaxBytes int64
}

// New renders the order of a plan.
func New(c plan.Cluster, o Options) Order {
	b := builder{plan: c, options: o}
	if o.MPI == "" {
		b.options.MPI = "pmix"
	}
	for _, name := range c.Steps {
		for _, g := range c.Groups {
			b.step(name, g)
		}
		if name == plan.StepBlocks {
			b.between()
		}
	}
	return b.order
}

type builder struct {
	plan    plan.Cluster
	options Options
	order   Order
}

func (b *builder) skip(name string, g plan.NodeGroup, format string, args ...any) {
	b.order.Skipped = append(b.order.Skipped, Skipped{Step: name, Group: g.Name, Why: fmt.Sprintf(format, args...)})
}

// step adds a step's job on a group.
func (b *builder) step(name string, g plan.NodeGroup) {
	if why := useless(name, g); why != "" {
		b.skip(name, g, "%s", why)
		return
	}
	map[string]func(plan.NodeGroup){
		plan.StepHost: b.host, plan.StepContainer: b.container, plan.StepLatency: b.latency, plan.StepDispatcher: b.dispatcher,
		plan.StepTraining: b.training, plan.StepBlocks: b.inside,
	}[name](g)
}

// useless says why a group has no use for a step; empty where it has.
func useless(name string, g plan.NodeGroup) string {
	switch {
	case g.Healthy.Accelerators == 0 && name != plan.StepLatency:
		return g.InstanceType + " has no accelerators"
	case name != plan.StepTraining && (g.Nodes < 2 || !g.EFA):
		return "the group's nodes do not talk over EFA"
	default:
		return ""
	}
}

// add puts a script's job into the order, behind the last job of its group.
func (b *builder) add(s script, why string) {
	name := s.step + "-" + s.group.Name
	j := Job{
		Name: name, Step: s.step, Group: s.group.Name, Nodes: s.nodes, Hosts: s.hosts, Script: s.render(name), Outputs: s.outputs(name),
		Limit: s.limit, Why: why,
	}
	if last := b.last(s.group.Name); last != "" {
		j.DependsOn = []string{last}
	}
	b.order.Jobs = append(b.order.Jobs, j)
}

func (b *builder) last(group string) string {
	for _, j := range slices.Backward(b.order.Jobs) {
		if j.Group == group {
			return j.Name
		}
	}
	return ""
}

// known gives the names of a group's nodes, as many as the plan has; nil where they are not known.
func (b *builder) known(g plan.NodeGroup) []string {
	hosts := b.options.Hosts[g.Name]
	if len(hosts) == 0 {
		hosts = b.placed(g)
	}
	return slices.Clone(hosts[:min(len(hosts), g.Nodes)])
}

// placed gives the names of a group's nodes where all of them have a place in the network; nil otherwise. ParallelCluster names its
// static nodes <queue>-st-<compute resource>-<number>, and a queue has the name of its group.
func (b *builder) placed(g plan.NodeGroup) []string {
	var hosts []string
	for _, p := range b.options.Places {
		if strings.HasPrefix(p.Node, g.Name+"-st-") {
			hosts = append(hosts, p.Node)
		}
	}
	if len(hosts) != g.Nodes {
		return nil
	}
	slices.Sort(hosts)
	return hosts
}

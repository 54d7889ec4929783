package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

const sourceExperts = "measured: all-to-all between nodes is capped at the GPU's share of EFA"

// Experts is what a program's arguments say of expert parallelism, in Megatron-LM's words.
type Experts struct {
	Place    diag.Place
	Parallel Value[int] // --expert-model-parallel-size; absent: the program says nothing
	// Tensor is --expert-tensor-parallel-size, or what it defaults to: --tensor-model-parallel-size.
	Tensor Value[int]
	// Backend is --moe-flex-dispatcher-backend of the flex dispatcher; absent: NCCL's all-to-all.
	Backend Value[string]
}

// ranks of one expert-parallel group. A size that is not known counts as 1: there are as many ranks at least.
func (e Experts) ranks() int { return e.Parallel.Or(1) * e.Tensor.Or(1) }

// wideGroup is an expert-parallel group that does not fit into a node.
type wideGroup struct {
	Experts
	home home
	gpus int // of a node
}

// judgeSpan tells of groups that leave their node, and of sizes that nobody knows.
func judgeSpan(v *view) {
	v.unknownSizes()
	v.eachWideGroup(func(g wideGroup) {
		level, hint := diag.Warn, fmt.Sprintf("keep --expert-model-parallel-size times --expert-tensor-parallel-size at %d or below", g.gpus)
		if d, ok := g.dispatcher(); ok && !d.OverNodes && d.Name != deepEP {
			level, hint = diag.Error, hint+", or take another dispatcher: "+d.Name+" has no road over EFA"
		}
		v.addAt(level, g.Place, fmt.Sprintf("an expert-parallel group of %d ranks on nodes of %d GPUs", g.ranks(), g.gpus),
			"within a node, where NVLink carries it", hint, sourceExperts)
	})
}

// unknownSizes tells of groups whose size is not known before the job starts.
func (v *view) unknownSizes() {
	for i := range v.JobScripts {
		s := &v.JobScripts[i]
		for _, step := range s.Steps {
			switch e := step.Experts; {
			case step.oneNode(s):
			case e.Parallel.IsUnknown():
				v.addUnknown(s, e.Place, "--expert-model-parallel-size")
			case e.Tensor.IsUnknown():
				v.addUnknown(s, e.Place, "--expert-tensor-parallel-size, or --tensor-model-parallel-size in its place,")
			}
		}
	}
}

// oneNode reports that there is no other node to go to.
func (s Step) oneNode(script *JobScript) bool { return first(s.Nodes, script.Job.Nodes).Or(0) == 1 }

// judgeBackend tells of dispatchers that do not go over EFA between nodes, or go through the CPU.
func judgeBackend(v *view) {
	v.eachWideGroup(func(g wideGroup) {
		d, known := g.dispatcher()
		node, _ := catalog.Instance(g.home.instanceType)
		switch {
		case !known:
		case d.Name == deepEP:
			v.addAt(diag.Warn, g.Place, fmt.Sprintf("--moe-flex-dispatcher-backend %s over nodes", g.Backend.Or("")), "a dispatcher with a road over EFA",
				d.Note+"; UCCL's takes its place too; both go through a CPU proxy: take deepepv2, or keep the group in a node", d.Source.Ref)
		case !d.OverNodes:
			v.add(g.Place, fmt.Sprintf("--moe-flex-dispatcher-backend %s over nodes: %s", g.Backend.Or(""), d.Note), "a dispatcher with a road over EFA",
				"take deepepv2 or --moe-token-dispatcher-type alltoall, or keep the group in a node", d.Source.Ref)
		case len(d.GPUInitiated) > 0 && node.Name != "" && !slices.Contains(d.GPUInitiated, node.Family()):
			v.addAt(diag.Warn, g.Place, fmt.Sprintf("%s on %s, where it goes through a CPU proxy", d.Name, node.Name),
				fmt.Sprintf("a family whose EFA device takes GPU-initiated traffic: %v", d.GPUInitiated), "take one of those, or keep the group in a node", d.Source.Ref)
		}
	})
}

// judgeRankOrder tells of tasks that Slurm deals out node by node: the first word of --distribution is about nodes.
func judgeRankOrder(v *view) {
	for i := range v.JobScripts {
		s := &v.JobScripts[i]
		for _, step := range s.Steps {
			if step.Launcher != stepSRUN || step.Experts.ranks() == 1 || step.oneNode(s) || !step.Ranks.IsAbsent() {
				continue
			}
			how := first(step.Distribution, s.Job.Distribution).Or("")
			if over, _, _ := strings.Cut(how, ":"); over == "cyclic" {
				v.add(step.Place, "--distribution="+how+": consecutive ranks on different nodes", "consecutive ranks that fill a node before the next",
					"leave --distribution out, or give it block", "Slurm, srun manual; Megatron-LM groups consecutive ranks")
			}
		}
	}
}

// deepEP is what Megatron-LM's backend deepep is, unless a patched build or UCCL stands in for it: a script does not tell.
const deepEP = "deepep-v1"

// dispatcher finds the catalogue's row of the flex dispatcher's backend.
func (e Experts) dispatcher() (catalog.Dispatcher, bool) {
	name := map[string]string{"hybridep": "hybridep", "deepep": deepEP, "deepepv2": "deepep-v2"}[e.Backend.Or("")]
	return catalog.DispatcherOf(name)
}

// eachWideGroup goes through the groups that leave their node, one a step.
func (v *view) eachWideGroup(visit func(wideGroup)) {
	for i := range v.JobScripts {
		s := &v.JobScripts[i]
		for _, step := range s.Steps {
			if step.oneNode(s) {
				continue
			}
			for _, h := range v.homes(s) {
				gpus := gpusOf(h.instanceType)
				if asked := first(step.GPUsPerNode, s.Job.GPUsPerNode).Or(0); asked > 0 {
					gpus = min(gpus, asked)
				}
				if gpus > 0 && step.Experts.ranks() > gpus {
					visit(wideGroup{step.Experts, h, gpus})
					break
				}
			}
		}
	}
}

// gpusOf is the number of a type's accelerators; of a type that nobody names, the most that a type with GPUs has.
func gpusOf(instanceType string) int {
	if t, ok := catalog.Instance(instanceType); ok {
		return t.Accelerator.Count
	}
	return catalog.MostGPUs()
}

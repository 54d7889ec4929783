package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

func (p *planner) checkWorkload() {
	for i, g := range p.plan.Groups {
		if g.Ranks.PerNode == 0 || g.Healthy.Accelerators == 0 {
			continue
		}
		p.checkCPUs(g)
		if d, ok := catalog.DispatcherOf(p.config.Workload.Dispatcher); ok && p.config.Workload.Kind == "moe" {
			p.checkRankOrder(g)
			p.checkSpan(g, d)
			p.checkDispatcher(i, g, d)
		}
	}
}

// checkCPUs compares what a job asks for with a rank's share: Slurm gives a rank what was asked, and one core
// moved a quarter of the bandwidth (92 instead of 368 GB/s of all-reduce, 8.7 instead of 95 of all-to-all).
func (p *planner) checkCPUs(g NodeGroup) {
	t, _ := catalog.Instance(g.InstanceType)
	share, asked := t.VCPUs/g.Ranks.PerNode, p.config.Workload.CPUsPerRank
	switch {
	case share == 0:
		p.add(diag.CPUPerRank, "workload.ranksPerNode", fmt.Sprintf("%d ranks on a node", g.Ranks.PerNode),
			fmt.Sprintf("at most %d, the vCPUs of %s", t.VCPUs, t.Name), "leave ranksPerNode out: one rank for each accelerator", "")
	case asked == 0 || asked == share:
	case asked < share:
		p.add(diag.CPUPerRank, "workload.cpusPerRank",
			fmt.Sprintf("%d vCPUs a rank", asked),
			fmt.Sprintf("%d: %d vCPUs of %s by %d ranks", share, t.VCPUs, t.Name, g.Ranks.PerNode),
			fmt.Sprintf("leave cpusPerRank out, or set it to %d", share), "measured: 8 GiB all-reduce at a quarter with one core a rank")
	default:
		p.add(diag.CPUPerRank, "workload.cpusPerRank",
			fmt.Sprintf("%d vCPUs a rank, %d in all", asked, asked*g.Ranks.PerNode),
			fmt.Sprintf("at most %d: %s has %d vCPUs for %d ranks", share, t.Name, t.VCPUs, g.Ranks.PerNode),
			fmt.Sprintf("leave cpusPerRank out, or set it to %d: Slurm can't start the job otherwise", share), "")
	}
}

func (p *planner) checkRankOrder(g NodeGroup) {
	if g.Ranks.PerNode == g.Healthy.Accelerators {
		return
	}
	p.add(diag.MoERankOrder, "workload.ranksPerNode",
		fmt.Sprintf("%d ranks on a node of %s", g.Ranks.PerNode, g.InstanceType),
		fmt.Sprintf("%d consecutive ranks, one for each accelerator", g.Healthy.Accelerators),
		"leave ranksPerNode out: expert-parallel groups are counted in whole nodes", "Megatron-LM and hybrid-EP group ranks by node")
}

// expertRanks is the number of ranks that one expert-parallel group spans: EP × ETP, where ETP defaults to TP
// (Megatron-LM).
func (p *planner) expertRanks() int {
	w := p.config.Workload
	etp := w.ExpertTensorParallel
	if etp == 0 {
		etp = w.TensorParallel
	}
	return w.ExpertParallel * etp
}

// checkSpan judges an expert-parallel group that leaves its node: traffic falls from NVLink to the GPU's share
// of EFA, and a dispatcher without a road over EFA stops.
func (p *planner) checkSpan(g NodeGroup, d catalog.Dispatcher) {
	span := p.expertRanks()
	if span <= g.Ranks.PerNode {
		return
	}
	hint := fmt.Sprintf("keep expertParallel × expertTensorParallel at %d or below", g.Ranks.PerNode)
	level := diag.Warn
	if !d.OverNodes {
		level = diag.Error
		hint += ", or take dispatcher deepep-v2"
		p.add(diag.MoEDispatcher, "workload.dispatcher", fmt.Sprintf("%s over nodes: %s", d.Name, d.Note),
			"a dispatcher with a road over EFA", "take deepep-v2 or nccl, or "+hint, d.Source.Ref)
	}
	p.addAt(level, diag.MoEEPSpansNodes, "workload.expertParallel",
		fmt.Sprintf("an expert-parallel group of %d ranks on nodes of %d", span, g.Ranks.PerNode),
		fmt.Sprintf("within a node, where NVLink carries it: between nodes a rank has %.0f GB/s", g.Expect.RankGBps),
		hint, "measured: all-to-all between nodes is capped at the GPU's share of EFA")
}

// checkDispatcher judges how a dispatcher goes over EFA.
func (p *planner) checkDispatcher(i int, g NodeGroup, d catalog.Dispatcher) {
	w := p.config.Workload
	over := p.expertRanks() > g.Ranks.PerNode
	family, _, _ := strings.Cut(g.InstanceType, ".")
	if over && len(d.GPUInitiated) > 0 && !slices.Contains(d.GPUInitiated, family) {
		p.addAt(diag.Warn, diag.MoEDispatcher, groupPath(i)+".instanceType",
			fmt.Sprintf("%s, where %s goes through a CPU proxy", g.InstanceType, d.Name),
			"a family whose EFA device takes GPU-initiated traffic: "+strings.Join(d.GPUInitiated, ", "),
			"take one of those, or keep the expert-parallel group in a node", d.Source.Ref)
	}
	if ranks := g.Ranks.PerNode * g.Nodes; over && d.MaxRanks > 0 && ranks > d.MaxRanks {
		p.add(diag.MoEDispatcher, "workload.dispatcher", fmt.Sprintf("%s on up to %d ranks", d.Name, ranks),
			fmt.Sprintf("at most %d ranks", d.MaxRanks), "take deepep-v2, or fewer nodes a job", d.Source.Ref)
	}
	if d.Name == "hybridep" && w.FP8Dispatch && w.Framework == "megatron-lm" && w.FrameworkVersion == "0.19.0" {
		p.add(diag.MoEDispatcher, "workload.fp8Dispatch", "FP8 dispatch with hybridep in Megatron-LM 0.19.0", "BF16 dispatch",
			"set fp8Dispatch to false, or take another dispatcher", "Megatron-LM 0.19.0, flex dispatcher")
	}
}

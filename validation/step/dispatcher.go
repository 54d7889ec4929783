package step

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
)

// benchmark is how a dispatcher is measured by itself. Each starts one process on each node, which makes the node's ranks. In commands
// {ranks} is the number of a node's ranks and {nics} that of EFA devices for each.
type benchmark struct {
	folders []string // where images have it
	over    string   // over nodes
	inside  string   // inside a node
	proof   []string // environment that makes it tell its road
}

var deepEPFolders = []string{"/opt/DeepEP", "/workspace/DeepEP", "/DeepEP"}

// benchmarks by dispatcher: the programs that the libraries bring.
var benchmarks = map[string]benchmark{
	"deepep-v1": {
		folders: deepEPFolders,
		over:    "python3 -u tests/test_internode.py --num-processes {ranks}", inside: "python3 -u tests/test_intranode.py --num-processes {ranks}",
	},
	"deepep-v1-nvshmem": {
		folders: deepEPFolders,
		over:    "python3 -u tests/test_internode.py --num-processes {ranks}", inside: "python3 -u tests/test_intranode.py --num-processes {ranks}",
		proof: []string{"NVSHMEM_DEBUG=INFO"},
	},
	"deepep-v2": {
		folders: deepEPFolders,
		over:    "python3 -u tests/elastic/test_ep.py --num-processes {ranks}", inside: "python3 -u tests/elastic/test_ep.py --num-processes {ranks}",
	},
	"hybridep": {
		folders: deepEPFolders,
		inside:  "python3 -u tests/test_hybrid_ep.py --num-processes {ranks}",
	},
	"pplx": {
		folders: []string{"/app", "/opt/pplx-garden", "/workspace/pplx-garden"},
		over: "python3 -u -m benchmarks.bench_all_to_all --world-size $((WORLD_SIZE * {ranks})) --node-rank $RANK --nvlink {ranks}" +
			" --nets-per-gpu {nics} --init-method tcp://$MASTER_ADDR:$MASTER_PORT",
	},
	"uccl": {
		folders: []string{"/opt/uccl/ep", "/workspace/uccl/ep", "/uccl/ep"},
		over: "torchrun --nnodes $WORLD_SIZE --node_rank $RANK --nproc_per_node {ranks} --master_addr $MASTER_ADDR --master_port $MASTER_PORT" +
			" bench/test_internode.py --num-tokens 4096 --hidden 7168",
		inside: "torchrun --nproc_per_node {ranks} bench/test_intranode.py --num-tokens 4096 --hidden 7168",
	},
}

// spanned is over how many nodes one expert-parallel group goes: EP × ETP ranks, ETP being TP where it is not given (Megatron-LM).
func (b *builder) spanned(g plan.NodeGroup) int {
	w := b.plan.Config.Workload
	etp := w.ExpertTensorParallel
	if etp == 0 {
		etp = max(1, w.TensorParallel)
	}
	ranks := max(1, w.ExpertParallel) * etp
	return (ranks + g.Ranks.PerNode - 1) / g.Ranks.PerNode
}

// dispatcher measures the expert-parallel library alone, on all expert-parallel groups at the same time: one group alone has the network
// for itself, which training has not.
func (b *builder) dispatcher(g plan.NodeGroup) {
	w := b.plan.Config.Workload
	k := b.spanned(g)
	if k > g.Nodes {
		b.skip(plan.StepDispatcher, g, "an expert-parallel group spans %d nodes, the group has %d", k, g.Nodes)
		return
	}
	measure, why := b.measure(w.Dispatcher, g, k)
	if measure == nil {
		b.skip(plan.StepDispatcher, g, "%s", why)
		return
	}
	d, _ := catalog.DispatcherOf(w.Dispatcher)
	env := slices.Concat(road(g), benchmarks[w.Dispatcher].proof, settings(d))
	s := script{
		step: plan.StepDispatcher, group: g, nodes: g.Nodes, hosts: b.known(g), image: w.Container, mpi: b.options.MPI,
		environment: unique(env), limit: 35*minute + timed(k),
	}
	s.do(`all=$(pick 0 "${#nodes[@]}")`)
	s.facts(`"$all"`)
	var lines []string
	for i := range g.Nodes / k {
		label := fmt.Sprintf("dispatch-%d", i)
		s.labels = append(s.labels, label)
		where := fmt.Sprintf(`"$(pick %d %d)"`, i*k, k)
		lines = append(lines, fmt.Sprintf("program %s 0 %s 1800 %s &", label, where, measure(label, where, i*k)))
	}
	s.do("%s\nall_ended", strings.Join(lines, "\n"))
	if k > 1 {
		s.do("for log in \"$out\"/dispatch-*.log; do\n  log=${log##*/}\n  gate_road \"${log%%.log}\"\ndone")
	}
	b.add(s, fmt.Sprintf("%s alone, %s, with the proof of the road that it takes", w.Dispatcher, groups(g.Nodes/k, k)))
}

func groups(count, nodes int) string {
	switch {
	case nodes == 1:
		return fmt.Sprintf("inside each of %d nodes", count)
	case count == 1:
		return fmt.Sprintf("over %d nodes", nodes)
	default:
		return fmt.Sprintf("in %d groups of %d nodes at the same time", count, nodes)
	}
}

// measure gives how one expert-parallel group is measured: by a label, some nodes and the place of the first of them in the job. Nil with
// the reason where nothing measures it.
func (b *builder) measure(name string, g plan.NodeGroup, nodes int) (command func(label, where string, first int) string, why string) {
	if own := b.plan.Config.Validation.Commands.Dispatcher; own != "" {
		return nodeWise("", own), ""
	}
	if name == "nccl" { // plain all-to-all, at the sizes that experts see
		return func(label, where string, _ int) string {
			return "ranks " + where + " " + b.perf("alltoall_perf", label, 16*mib, 256*mib)
		}, ""
	}
	bench, ok := benchmarks[name]
	run := bench.inside
	if nodes > 1 || run == "" {
		run = bench.over
	}
	switch {
	case !ok:
		return nil, fmt.Sprintf("weft knows no benchmark of dispatcher %q: name one in validation.commands.dispatcher", name)
	case run == "":
		return nil, name + " has no road over nodes"
	}
	run = strings.NewReplacer("{ranks}", fmt.Sprint(g.Ranks.PerNode), "{nics}",
		fmt.Sprint(max(1, g.Healthy.EFADevices/max(1, g.Healthy.Accelerators)))).Replace(run)
	return nodeWise(strings.Join(bench.folders, " "), run), ""
}

// nodeWise starts a command once on each node, in the first of the folders that is there; the first node's address is where ranks meet.
func nodeWise(folders, run string) func(label, where string, first int) string {
	return func(_, where string, first int) string {
		return fmt.Sprintf(`once %s bash -c "$node_wise" node "$(address "${nodes[%d]}")" %d %s %s`, where, first, 29500+first, quote(folders), quote(run))
	}
}

// settings are what a dispatcher needs in a job's environment, sorted by name.
func settings(d catalog.Dispatcher) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		out = append(out, name+"="+d.Env[name])
	}
	return out
}

// unique keeps the last setting of each name, in the order of their first.
func unique(env []string) []string {
	var out []string
	for _, setting := range env {
		name, _, _ := strings.Cut(setting, "=")
		i := slices.IndexFunc(out, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		if i < 0 {
			out = append(out, setting)
			continue
		}
		out[i] = setting
	}
	return out
}

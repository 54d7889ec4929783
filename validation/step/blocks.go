package step

import (
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/suspect"
)

// mostPairs is how many pairs of a block, or between two, are measured at the same time.
const mostPairs = 4

// inside measures pairs of one block: what pairs between blocks are compared with.
func (b *builder) inside(g plan.NodeGroup) {
	if g.Capacity.Market != plan.CapacityBlock {
		b.skip(plan.StepBlocks, g, "the group stands on no capacity block")
		return
	}
	hosts := near(b.known(g), b.options.Places)
	n := g.Nodes
	if len(hosts) > 0 {
		n = len(hosts)
	}
	s := script{
		step: plan.StepBlocks, group: g, nodes: n, hosts: hosts, mpi: b.options.MPI, environment: road(g), limit: 5*minute + 2*timed(2),
	}
	var pairs [][2]string
	for i := range min(mostPairs, n/2) {
		pairs = append(pairs, [2]string{node(hosts, 2*i), node(hosts, 2*i+1)})
	}
	b.pairs(&s, "inside", pairs, `ranks "$1,$2"`)
	b.add(s, fmt.Sprintf("pairs of nodes inside the block of group %s", g.Name))
}

// between measures pairs of which each node stands in another block. One job spans two partitions as a heterogeneous job of two parts.
func (b *builder) between() {
	var blocks []plan.NodeGroup
	for _, g := range b.plan.Groups {
		if g.Capacity.Market == plan.CapacityBlock && g.EFA && g.Healthy.Accelerators > 0 {
			blocks = append(blocks, g)
		}
	}
	for i, first := range blocks {
		for _, second := range blocks[i+1:] {
			if first.Capacity.Key() == second.Capacity.Key() || first.InstanceType != second.InstanceType {
				b.skip(plan.StepBlocks, first, "%s and %s stand on one block, or are of two instance types", first.Name, second.Name)
				continue
			}
			b.across(first, second)
		}
	}
}

func (b *builder) across(first, second plan.NodeGroup) {
	n := min(mostPairs, first.Nodes, second.Nodes)
	s := script{
		step: plan.StepBlocks, group: first, second: &second, nodes: n, mpi: b.options.MPI, environment: road(first), limit: 5*minute + 2*timed(2),
	}
	s.do(`mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST_HET_GROUP_0")` + "\n" +
		`mapfile -t others < <(scontrol show hostnames "$SLURM_JOB_NODELIST_HET_GROUP_1")`)
	s.do("%s", s.spanning())
	var pairs [][2]string
	for i := range n {
		pairs = append(pairs, [2]string{fmt.Sprintf(`"${nodes[%d]}"`, i), fmt.Sprintf(`"${others[%d]}"`, i)})
	}
	b.pairs(&s, "between", pairs, `spanning "$1" "$2"`)
	name := plan.StepBlocks + "-" + first.Name + "-" + second.Name
	b.order.Jobs = append(b.order.Jobs, Job{
		Name: name, Step: plan.StepBlocks, Group: first.Name, Nodes: 2 * n, Script: s.render(name), Outputs: s.outputs(name),
		DependsOn: []string{b.last(first.Name), b.last(second.Name)}, Limit: s.limit,
		Why: fmt.Sprintf("pairs of nodes between the blocks of groups %s and %s, against pairs inside", first.Name, second.Name),
	})
}

// pairs measures both collectives on pairs of nodes, all pairs at the same time.
func (b *builder) pairs(s *script, label string, pairs [][2]string, launcher string) {
	for _, program := range []string{"all_reduce", "alltoall"} {
		var lines []string
		for i, p := range pairs {
			name := fmt.Sprintf("%s-%s-%d", label, program, i)
			s.labels = append(s.labels, name)
			lines = append(lines, fmt.Sprintf("pair %s 0 %s %s %s &", name, p[0], p[1], b.perf(program+"_perf", name, 64*mib, min(4*gib, b.most(s.group)))))
		}
		if program == "all_reduce" {
			s.do("# pair LABEL ROUND A B COMMAND...: a program on two nodes.\npair() {\n  local label=$1 round=$2 a=$3 b=$4\n  shift 4\n"+
				"  program \"$label\" \"$round\" \"$a,$b\" %d on_both \"$a\" \"$b\" \"$@\"\n}\n\non_both() {\n  local both=(\"$1\" \"$2\")\n  shift 2\n  %s \"$@\"\n}",
				int(timed(2).Seconds()), strings.NewReplacer("$1", "${both[0]}", "$2", "${both[1]}").Replace(launcher))
		}
		s.do("%s\nwait", strings.Join(lines, "\n"))
	}
	s.do("all_ended")
}

// spanning is the function that starts a program on one node of each part of a heterogeneous job, as one step.
func (s *script) spanning() string {
	part := func(n int, g plan.NodeGroup) string {
		options := fmt.Sprintf("--het-group=%d --nodelist=\"$%d\" --nodes=1 --ntasks=%d --ntasks-per-node=%d --cpus-per-task=%d", n, n+1, g.Ranks.PerNode, g.Ranks.PerNode, g.Ranks.CPUs)
		if g.Healthy.Kind == "gpu" {
			options += fmt.Sprintf(" --gpus-per-node=%d", g.Healthy.Accelerators)
		}
		return options
	}
	return fmt.Sprintf("# spanning A B COMMAND...: a program with all ranks of two nodes, one of each part of the job.\n"+
		"spanning() {\n  timeout --kill-after=30 \"$limit\" srun --label --kill-on-bad-exit=1 --mpi=%s %s \\\n    env \"${road[@]}\" \"${@:3}\" : \\\n    %s \\\n    env \"${road[@]}\" \"${@:3}\"\n}",
		s.mpi, part(0, s.group), part(1, *s.second))
}

// Suspect renders rounds of a search for slow nodes as one job: the groups of a round run at the same time, the rounds one after the other.
// first is the number of the first round.
func Suspect(c plan.Cluster, group string, rounds []suspect.Round, first int, o Options) Job {
	b := builder{plan: c, options: o}
	if o.MPI == "" {
		b.options.MPI = "pmix"
	}
	s := script{step: Suspects, mpi: b.options.MPI, limit: 5 * minute}
	for _, g := range c.Groups {
		if g.Name == group {
			s.group = g
		}
	}
	s.environment = road(s.group)
	for i, round := range rounds {
		s.limit += timed(2)
		var lines []string
		for j, nodes := range round.Groups {
			label := fmt.Sprintf("round-%d-%d", first+i, j)
			s.labels = append(s.labels, label)
			s.hosts = union(s.hosts, nodes)
			where := quote(strings.Join(nodes, ","))
			lines = append(lines, fmt.Sprintf("program %s %d %s %d ranks %s %s &", label, first+i, where, int(timed(2).Seconds()), where,
				b.perf("all_reduce_perf", label, gib, min(4*gib, b.most(s.group)))))
		}
		s.do("%s\nwait", strings.Join(lines, "\n"))
	}
	s.do("all_ended")
	s.nodes = len(s.hosts)
	name := fmt.Sprintf("%s-%s-%d", Suspects, group, first)
	return Job{
		Name: name, Step: Suspects, Group: group, Nodes: s.nodes, Hosts: s.hosts, Script: s.render(name), Outputs: s.outputs(name), Limit: s.limit,
		Why: "groups of nodes against each other name the slow one",
	}
}

func union(a, b []string) []string {
	seen := map[string]bool{}
	for _, v := range a {
		seen[v] = true
	}
	for _, v := range b {
		if !seen[v] {
			a = append(a, v)
		}
	}
	return a
}

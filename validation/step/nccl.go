package step

import (
	"fmt"
	"time"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

const (
	mib int64 = 1 << 20
	gib int64 = 1 << 30
)

// road is the environment of every program that NCCL moves data for. NCCL_NET and FI_PROVIDER together make a fallback to sockets fail
// with exit code 3; either alone lets it pass in silence (measured with aws-ofi-nccl 1.17.3 and 1.21.1). The three subsystems show which
// network was taken, what the environment said, and which road each channel uses.
func road(g plan.NodeGroup) []string {
	env := []string{"NCCL_DEBUG=INFO", "NCCL_DEBUG_SUBSYS=INIT,ENV,NET"}
	if g.EFA {
		env = append(env, "NCCL_NET=Libfabric", "FI_PROVIDER="+provider(g))
	}
	return env
}

func provider(g plan.NodeGroup) string {
	if g.Healthy.Provider == "" {
		return "efa"
	}
	return g.Healthy.Provider
}

// most is the largest message: large enough to fill the road, small enough for three buffers of it (sent, received, expected) in an
// accelerator's memory.
func (b *builder) most(g plan.NodeGroup) int64 {
	if b.options.MaxBytes > 0 {
		return b.options.MaxBytes
	}
	t, _ := catalog.Instance(g.InstanceType)
	switch memory := int64(t.Accelerator.MemoryMiB) * mib; {
	case memory >= 64*gib:
		return 16 * gib
	case memory >= 30*gib:
		return 8 * gib
	default:
		return 2 * gib
	}
}

// sizeText writes a size as nccl-tests reads it.
func sizeText(n int64) string {
	switch {
	case n >= gib && n%gib == 0:
		return fmt.Sprintf("%dG", n/gib)
	case n >= mib && n%mib == 0:
		return fmt.Sprintf("%dM", n/mib)
	default:
		return fmt.Sprint(n)
	}
}

// perf is the command of an nccl-tests program; its JSON, where the program can write it, lies beside its log.
func (b *builder) perf(program, label string, from, to int64) string {
	folder := b.plan.Config.Validation.Commands.NCCLTests
	if folder == "" {
		folder = "/opt/nccl-tests/build"
	}
	return fmt.Sprintf(`bash -c "$perf" perf %s %s "$PWD/$out/%s.json" -b %s -e %s -f 2 -g 1 -n 20 -w 5`,
		program, quote(folder), label, sizeText(from), sizeText(to))
}

// timed gives how long one sweep may take: starting ranks takes the longer the more there are.
func timed(nodes int) time.Duration { return 10*minute + time.Duration(nodes)*10*time.Second }

// collective adds a sweep over all nodes, with what it must show where nobody watches.
func (b *builder) collective(s *script, program, label string, from, to int64) {
	limit := timed(s.nodes)
	s.limit += limit
	s.run(label, "program %s 0 \"$all\" %d ranks \"$all\" %s || finish\ngate_road %s", label, int(limit.Seconds()), b.perf(program, label, from, to), label)
	if floor := floorOf(catalog.Collective(label), s.group, b.plan.Config.Validation.Thresholds); floor > 0 && s.nodes == s.group.Nodes {
		s.do("gate_speed %s %.1f", label, floor)
	}
}

// floorOf is the bus bandwidth that a collective must reach on all of a group's nodes; 0 where only published runs tell.
func floorOf(c catalog.Collective, g plan.NodeGroup, t config.Thresholds) float64 {
	gate, ok := catalog.GateOf(c, g.Nodes)
	if !ok {
		return 0
	}
	share := gate.Share
	switch {
	case c == catalog.AllReduce && t.AllReduce > 0:
		share = t.AllReduce
	case c == catalog.AllToAll && t.AllToAll > 0:
		share = t.AllToAll
	}
	switch gate.Of {
	case catalog.GateCeiling:
		return share * g.Expect.AllToAllBusGBps
	case catalog.GateNode:
		return share * g.Expect.NodeGBps
	default:
		return 0
	}
}

// network makes a script that measures both collectives over all nodes of a group.
func (b *builder) network(name string, g plan.NodeGroup, image string) script {
	s := script{
		step: name, group: g, nodes: g.Nodes, hosts: b.known(g), image: image, mpi: b.options.MPI, environment: road(g), limit: 5 * minute,
	}
	s.do(`all=$(pick 0 "${#nodes[@]}")`)
	s.facts(`"$all"`)
	b.collective(&s, "all_reduce_perf", string(catalog.AllReduce), 8, b.most(g))
	b.collective(&s, "alltoall_perf", string(catalog.AllToAll), mib, b.most(g))
	return s
}

func (b *builder) host(g plan.NodeGroup) {
	b.add(b.network(plan.StepHost, g, ""), fmt.Sprintf("all-reduce and all-to-all on the host over %d nodes prove that NCCL goes over EFA, and how fast", g.Nodes))
}

// imageMinutes is how long Enroot may take to fetch and unpack a training image on every node, the first time.
const imageMinutes = 20 * minute

func (b *builder) container(g plan.NodeGroup) {
	s := b.network(plan.StepContainer, g, b.plan.Config.Workload.Container)
	s.limit += imageMinutes
	b.add(s, "the same inside the training image: its EFA stack can differ from the host's")
}

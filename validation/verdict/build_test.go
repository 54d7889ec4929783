package verdict_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/verdict"
)

const gib = int64(1) << 30

// group plans nodes of a type.
func group(t testing.TB, instanceType string, nodes int) plan.NodeGroup {
	t.Helper()
	g, _ := plan.Group(config.Group{Name: "train", InstanceType: instanceType, Count: nodes, EFA: true, Layout: "auto"})
	require.Positive(t, g.Expect.NodeGBps)
	return g
}

func nodeNames(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("train-st-gpu-%d", i+1))
	}
	return out
}

// table is a complete sweep over nodes with eight ranks each: bus bandwidth by size.
func table(c catalog.Collective, nodes []string, points ...result.Point) evidence.Document {
	s := &evidence.Sweep{
		Program: string(c) + "_perf", Collective: string(c), Worlds: 1, Complete: true, Wrong: new(int64),
		Asked: evidence.Asked{Checked: true, MaxBytes: points[len(points)-1].Bytes},
	}
	for i, n := range nodes {
		for d := range 8 {
			s.Ranks = append(s.Ranks, evidence.Rank{Rank: 8*i + d, Host: n, Device: d})
		}
	}
	file := string(c) + ".txt"
	for i, p := range points {
		s.Rows = append(s.Rows, evidence.Row{
			Bytes: p.Bytes, Type: "float", OutOfPlace: &evidence.Half{TimeUS: 1, BusGBps: p.BusGBps, AlgGBps: p.AlgGBps, Wrong: new(int64)},
			Excerpt: evidence.Excerpt{File: file, Line: 40 + i, Text: fmt.Sprintf("%d float %.2f %.2f 0", p.Bytes, p.AlgGBps, p.BusGBps)},
		})
	}
	return evidence.Document{File: file, Kinds: []string{"nccl-tests"}, Sweep: s}
}

// bus is the bus bandwidth of an algorithm bandwidth, after nccl-tests' definition.
func bus(c catalog.Collective, alg float64, ranks int) float64 {
	n := float64(ranks)
	if c == catalog.AllReduce {
		return alg * 2 * (n - 1) / n
	}
	return alg * (n - 1) / n
}

func at(c catalog.Collective, bytes int64, alg float64, ranks int) result.Point {
	return result.Point{Bytes: bytes, AlgGBps: alg, BusGBps: bus(c, alg, ranks)}
}

// proof is a log in which every node proves EFA.
func proof(nodes []string, nics int) evidence.Document {
	p := &evidence.Path{NCCL: "2.31.2", Plugin: "1.21.1", Ranks: 8 * len(nodes), NNodes: len(nodes), Lines: 100}
	for i, n := range nodes {
		p.Nodes = append(p.Nodes, evidence.NodePath{
			Host: n, Networks: map[string]int{"Libfabric": 8}, Providers: map[string]int{"efa": 8}, NICs: []int{nics},
			Channels: evidence.Channels{Net: 16, Libfabric: 16, GDR: 16, Local: 64},
			First: map[string]evidence.Excerpt{
				"network":  {File: "nccl.log", Line: 10 + i, Text: "Using network Libfabric"},
				"provider": {File: "nccl.log", Line: 30 + i, Text: fmt.Sprintf("NET/OFI Selected provider is efa, fabric is efa-direct (found %d nics)", nics)},
				"channel":  {File: "nccl.log", Line: 50 + i, Text: "Channel 00/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0/GDRDMA"},
			},
		})
	}
	return evidence.Document{File: "nccl.log", Kinds: []string{"nccl-log"}, Path: p}
}

// hostStep is the host step of a group, complete: two collectives and the proof.
func hostStep(g plan.NodeGroup, docs ...evidence.Document) verdict.Step {
	nodes := nodeNames(g.Nodes)
	job := verdict.Job{ID: "12", Name: "weft-host", State: verdict.Completed, ExitCode: new(int), Nodes: nodes}
	for _, d := range docs {
		job.Outputs = append(job.Outputs, verdict.Output{Documents: []evidence.Document{d}})
	}
	return verdict.Step{Name: plan.StepHost, Group: g, Workload: config.Default().Workload, Jobs: []verdict.Job{job}}
}

// good is a host step of two p6-b200 nodes with the figures that others measured.
func good(t testing.TB) verdict.Step {
	t.Helper()
	g := group(t, "p6-b200.48xlarge", 2)
	nodes := nodeNames(2)
	return hostStep(g, proof(nodes, 8),
		table(catalog.AllReduce, nodes, at(catalog.AllReduce, 8*gib, 368, 16), at(catalog.AllReduce, 16*gib, 374, 16)),
		table(catalog.AllToAll, nodes, at(catalog.AllToAll, 8*gib, 94, 16), at(catalog.AllToAll, 16*gib, 95, 16)))
}

func rules(l diag.List, level diag.Level) []diag.ID {
	out := []diag.ID{}
	for _, f := range l {
		if f.Severity() == level {
			out = append(out, f.Rule)
		}
	}
	return out
}

// judgedFigure is the figure of a collective that decides.
func judgedFigure(t testing.TB, s result.Step, c catalog.Collective) result.Figure {
	t.Helper()
	for _, f := range s.Figures {
		if f.Least > 0 && len(f.What) > len(c) && f.What[:len(c)+1] == string(c)+"," {
			return f
		}
	}
	t.Fatalf("no figure of %s decides", c)
	return result.Figure{}
}

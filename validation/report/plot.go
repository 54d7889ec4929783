package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/report/chart"
	"github.com/weft-hpc/weft/validation/report/unit"
	"github.com/weft-hpc/weft/validation/result"
)

// plotView is a chart with as much of its table as a page should hold.
type plotView struct {
	chart.Chart
	Left string // rows that are not shown; "" for none
}

// mostRows of a table are shown.
const mostRows = 2000

// plotList collects the charts that have something to show.
type plotList []plotView

func (l *plotList) add(c chart.Chart, ok bool) {
	if !ok {
		return
	}
	v := plotView{Chart: c}
	if n := len(c.Table.Rows) - mostRows; n > 0 {
		v.Table.Rows, v.Left = c.Table.Rows[:mostRows], unit.Count(int64(n))
	}
	*l = append(*l, v)
}

// plots are all charts of a run, in the order of the validation.
func plots(run result.Run) []plotView {
	var l plotList
	l.bandwidths(run)
	l.pairs(run)
	l.add(chart.Nodes("roads", "NICs and GPUDirect RDMA, by node", run.Nodes))
	l.add(chart.Topology("topology", "Where the nodes sit", run.Topology, run.Nodes))
	l.trainings(run)
	return l
}

// like is what curves of one plot have in common: host and container of a collective over as many nodes stand together; what compares blocks
// stands apart.
type like struct {
	group, collective string
	nodes             int
	blocks            bool
}

func (l *plotList) bandwidths(run result.Run) {
	var order []like
	curves := map[like][]result.Curve{}
	for _, step := range run.Steps {
		for _, c := range step.Curves {
			key := like{step.Group, c.Collective, c.Nodes, step.Name == plan.StepBlocks}
			if curves[key] == nil {
				order = append(order, key)
			}
			curves[key] = append(curves[key], c)
		}
	}
	for i, key := range order {
		l.add(chart.Bandwidth(fmt.Sprintf("bandwidth-%d", i+1), curveTitle(key, curves[key][0], len(run.Groups) > 1), curves[key]))
	}
}

// collectives are the names of nccl-tests in words.
var collectives = map[string]string{
	"all_reduce": "All-reduce", "alltoall": "All-to-all", "all_gather": "All-gather", "reduce_scatter": "Reduce-scatter", "broadcast": "Broadcast",
	"reduce": "Reduce", "sendrecv": "Send and receive", "gather": "Gather", "scatter": "Scatter",
}

func collective(name string) string { return cmp.Or(collectives[name], name, "A collective") }

func curveTitle(key like, c result.Curve, groups bool) string {
	out := fmt.Sprintf("%s over %s, %s", collective(key.collective), unit.Plural(key.nodes, "node", "nodes"), unit.Plural(c.Ranks, "rank", "ranks"))
	if key.blocks {
		out += ", inside and between blocks"
	}
	if groups && key.group != "" {
		out += ", " + key.group
	}
	return out
}

func (l *plotList) pairs(run result.Run) {
	l.add(chart.Pairs("latency", "One-way latency of small messages, by pair", chart.Latency, run.Pairs))
	l.add(chart.ByDistance("latency-distance", "Latency by distance in the network", chart.Latency, run.Pairs))
	for i, name := range pairCollectives(run.Pairs) {
		of := slices.DeleteFunc(slices.Clone(run.Pairs), func(p result.Pair) bool { return p.Collective != name })
		l.add(chart.Pairs(fmt.Sprintf("pair-bandwidth-%d", i+1), collective(name)+" by pair", chart.BusBandwidth, of))
		l.add(chart.ByDistance(fmt.Sprintf("pair-distance-%d", i+1), collective(name)+" by distance in the network", chart.BusBandwidth, of))
	}
}

func pairCollectives(pairs []result.Pair) []string {
	var out []string
	for _, p := range pairs {
		if p.BusGBps > 0 {
			out = append(out, p.Collective)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (l *plotList) trainings(run result.Run) {
	for i, step := range run.Steps {
		title := "Time of each iteration, and the loss"
		if len(run.Groups) > 1 && step.Group != "" {
			title += ", " + step.Group
		}
		l.add(chart.Training(fmt.Sprintf("training-%d", i+1), title, step.Iterations))
	}
}

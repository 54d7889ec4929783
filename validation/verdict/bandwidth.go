package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
)

// saturates is the size from which on a message fills the network: below it a low figure says nothing of the road. Published sweeps
// reach 90 % of their peak at 1 GiB, and the rest by 4 GiB.
const saturates int64 = 1 << 30

// tolerance is what a measurement may lie above its ceiling: clocks and rounding of printed figures.
const tolerance = 0.02

// expectation is what a collective is compared with.
type expectation struct {
	gbps    float64 // bus bandwidth
	share   float64 // of it to reach
	from    int64   // median of the rows at this size and above; 0: the peak of all rows
	formula string  // how gbps comes about, with its numbers
	source  string
	// physical bounds bus bandwidth whatever the algorithm; 0: nothing does.
	physical        float64
	physicalFormula string
	reference       *catalog.Reference
	weak            string // why the figure is only a floor; empty for a firm one
}

// collectives judges the runs of nccl-tests of a step: each by itself, and that both are there.
func (j *judging) collectives() {
	var seen []catalog.Collective
	for _, s := range j.sweeps() {
		j.curve(s)
		if s.from.Round > 0 {
			continue // the search for a slow node compares rounds with one another
		}
		seen = append(seen, catalog.Collective(s.Collective))
		if j.sound(s) {
			j.bandwidth(s)
		}
	}
	for _, c := range []catalog.Collective{catalog.AllReduce, catalog.AllToAll} {
		if !slices.Contains(seen, c) && j.Group.Name != "" {
			j.add(diag.Finding{
				Rule: diag.PerfUnjudged, Got: fmt.Sprintf("no table of %s", c), Want: fmt.Sprintf("a run of %s_perf over all nodes of the step", c),
				Hint: "look at the job's output: the program did not start, or its output was not collected",
			})
		}
	}
}

// bandwidth judges one sound run.
func (j *judging) bandwidth(s *sweep) {
	if s.nodes < 2 {
		j.unjudged(s, fmt.Sprintf("%s stays inside one node", s.name()), "a run over two nodes or more", "give the job at least two nodes")
		return
	}
	if len(s.rows) == 0 {
		j.unjudged(s, fmt.Sprintf("%s: no row with a bandwidth", s.name()), "a row for each size", "look at the program's output: it measured nothing")
		return
	}
	e, ok := j.expect(s)
	if !ok {
		j.inform(s)
		return
	}
	if j.impossible(s, e) {
		return
	}
	f := e.judge(s)
	switch {
	case e.tooSmall(s, f):
		f.Outcome = result.Failed
		j.tooSmall(s, e)
	case f.Outcome == result.Failed:
		j.below(s, e, f)
	case e.weak != "":
		j.weak(s, e)
	}
	j.figure(f)
	j.inform(s)
	j.worstRow(s, e)
}

// tooSmall says whether the sizes tell nothing of the road. A share of a physical ceiling that is reached is reached at any size; a
// published figure of a small size shows only that the run is as far from its peak.
func (e expectation) tooSmall(s *sweep, f result.Figure) bool {
	return f.Measured == 0 || s.largest() < max(e.from, saturates) && (f.Outcome == result.Failed || e.reference != nil)
}

// expect finds what a run is compared with; false for collectives that have no gate.
func (j *judging) expect(s *sweep) (expectation, bool) {
	gate, ok := catalog.GateOf(catalog.Collective(s.Collective), s.nodes)
	node := j.Group.Expect.NodeGBps
	if !ok || node <= 0 || s.perNode() == 0 {
		return expectation{}, false
	}
	e := expectation{share: gate.Share, from: gate.MinBytes, source: cite(gate.Source)}
	switch gate.Of {
	case catalog.GateCeiling:
		e.allToAll(s, node)
	case catalog.GateNode:
		e.node(s, node)
	default:
		e.published(s, node, j.Group.InstanceType)
	}
	if own := j.threshold(gate.Collective); own > 0 {
		e.share = own
		e.source += fmt.Sprintf("; share: the cluster's own threshold, %s", percent(own))
	}
	return e, true
}

func cite(s catalog.Source) string { return fmt.Sprintf("%s (read %s)", s.Ref, s.Date) }

func (j *judging) threshold(c catalog.Collective) float64 {
	switch c {
	case catalog.AllReduce:
		return j.Thresholds.AllReduce
	case catalog.AllToAll:
		return j.Thresholds.AllToAll
	default:
		return 0
	}
}

func (e *expectation) allToAll(s *sweep, node float64) {
	rank := node / float64(s.perNode())
	e.gbps, _ = catalog.AllToAllCeiling(rank, s.ranks, s.perNode())
	e.formula = fmt.Sprintf("%s GB/s a rank · %d / (%d − %d) = %s GB/s", number(rank), s.ranks-1, s.ranks, s.perNode(), number(e.gbps))
	e.physical, e.physicalFormula = e.gbps, e.formula
}

// node compares with what the node's network cards carry, and bounds by what no algorithm passes.
func (e *expectation) node(s *sweep, node float64) {
	e.gbps = node
	e.formula = fmt.Sprintf("%s GB/s of the node's EFA devices", number(node))
	e.bound(s, node)
}

// bound is the physics of an all-reduce: each node sends and takes 2·(N−1)/N of the data through its cards, whatever the algorithm, so
// that algbw ≤ B·N/(2(N−1)), and busbw is 2(n−1)/n of that.
func (e *expectation) bound(s *sweep, node float64) {
	nodes, ranks := float64(s.nodes), float64(s.ranks)
	e.physical = node * nodes / (nodes - 1) * (ranks - 1) / ranks
	e.physicalFormula = fmt.Sprintf("%s GB/s · %d / %d · %d / %d = %s GB/s", number(node), s.nodes, s.nodes-1, s.ranks-1, s.ranks, number(e.physical))
}

// published compares with a run that others published, at the size nearest to the largest that was run; without one with the node's
// bandwidth, which so few nodes pass when they are well.
func (e *expectation) published(s *sweep, node float64, instanceType string) {
	for _, r := range catalog.References(catalog.AllReduce, instanceType) {
		if r.Nodes == s.nodes && r.Program == "nccl-tests" {
			e.reference = &r
		}
	}
	if e.reference == nil {
		e.node(s, node)
		e.weak = fmt.Sprintf("nobody published %s of %s", count(s.nodes, "node"), instanceType)
		return
	}
	p := nearest(e.reference.Points, s.largest())
	e.gbps = p.GBps
	e.formula = fmt.Sprintf("%s GB/s, published for %s at %s", number(p.GBps), count(s.nodes, "node"), size(p.Bytes))
	e.source = cite(e.reference.Source)
	e.bound(s, node)
}

// nearest is the largest published size that was run, or the smallest one that was published.
func nearest(points []catalog.Point, largest int64) catalog.Point {
	best := points[0]
	for _, p := range points {
		if p.Bytes <= largest && p.Bytes > best.Bytes {
			best = p
		}
	}
	return best
}

// judge makes the figure that decides.
func (e expectation) judge(s *sweep) result.Figure {
	rows := s.rows
	f := result.Figure{Expected: e.gbps, Unit: "GB/s", Least: e.share, Source: e.source}
	if e.from > 0 {
		rows = slices.DeleteFunc(slices.Clone(s.rows), func(r row) bool { return r.Bytes < e.from })
		f.What = fmt.Sprintf("%s, bus bandwidth, median of %s from %s", s.Collective, count(len(rows), "row"), size(e.from))
	} else {
		rows = []row{peak(rows)}
		f.What = fmt.Sprintf("%s, bus bandwidth, peak, at %s", s.Collective, size(rows[0].Bytes))
	}
	if len(rows) == 0 {
		return f
	}
	values := make([]float64, 0, len(rows))
	for _, r := range rows {
		values = append(values, r.half.BusGBps)
		f.Raw = append(f.Raw, r.Excerpt)
	}
	f.Measured = median(values)
	f.Share = f.Measured / e.gbps
	f.Formula = fmt.Sprintf("%s; %s / %s = %s, at least %s", e.formula, number(f.Measured), number(e.gbps), percent(f.Share), percent(e.share))
	if len(rows) > 1 {
		f.Formula = fmt.Sprintf("median of %s = %s GB/s; %s", numbers(values), number(f.Measured), f.Formula)
	}
	f.Outcome = result.Passed
	if f.Share < e.share {
		f.Outcome = result.Failed
	}
	return f
}

func numbers(values []float64) string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		texts = append(texts, number(v))
	}
	return strings.Join(texts, ", ")
}

func peak(rows []row) row {
	best := rows[0]
	for _, r := range rows[1:] {
		if r.half.BusGBps > best.half.BusGBps {
			best = r
		}
	}
	return best
}

// impossible finds figures that the network cannot carry.
func (j *judging) impossible(s *sweep, e expectation) bool {
	top := peak(s.rows)
	if e.physical == 0 || top.half.BusGBps <= e.physical*(1+tolerance) {
		return false
	}
	j.quote(top.Excerpt)
	j.add(diag.Finding{
		Rule: diag.PerfImpossible, Place: at(top.Excerpt, fileless(top.Excerpt, s.from.job.place())),
		Got: fmt.Sprintf("%s: bus bandwidth of %s GB/s at %s, %s of what the network carries", s.name(), number(top.half.BusGBps), size(top.Bytes),
			percent(top.half.BusGBps/e.physical)),
		Want:   fmt.Sprintf("at most %s, %s for the measurement itself", e.physicalFormula, percent(tolerance)),
		Hint:   "the data did not go over the network: compare ranks and hosts in the table's header with the job, and NCCL's nNodes",
		Source: "the cards' bandwidth by design",
	})
	return true
}

func (j *judging) below(s *sweep, e expectation, f result.Figure) {
	place := s.place()
	if len(f.Raw) > 0 && f.Raw[0].File != "" {
		place = at(f.Raw[len(f.Raw)-1], "")
	}
	j.add(diag.Finding{
		Rule: diag.PerfBelow, Place: place,
		Got:    fmt.Sprintf("%s: %s GB/s, %s of %s GB/s", f.What, number(f.Measured), percent(f.Share), number(e.gbps)),
		Want:   fmt.Sprintf("at least %s GB/s: %s of %s", number(e.share*e.gbps), percent(e.share), e.formula),
		Hint:   j.slowHint(),
		Source: e.source,
	})
}

// slowHint says where to look first.
func (j *judging) slowHint() string {
	if !j.road.good() {
		return "mend what the findings about the road between nodes name first"
	}
	return "the road is EFA with all cards: look at the CPUs of each rank, at variables that are set, and for a slow node by pairs"
}

func (j *judging) tooSmall(s *sweep, e expectation) {
	j.unjudged(s,
		fmt.Sprintf("%s: the largest size is %s, too small to fill the network", s.name(), size(s.largest())),
		fmt.Sprintf("rows at %s and above", size(max(e.from, saturates))),
		"run up to 8 GiB: -b 8 -e 8G -f 2")
}

func (j *judging) unjudged(s *sweep, got, want, hint string) {
	j.add(diag.Finding{Rule: diag.PerfUnjudged, Place: s.place(), Got: got, Want: want, Hint: hint})
}

func (j *judging) weak(s *sweep, e expectation) {
	j.add(diag.Finding{
		Rule: diag.PerfUnjudged, Level: diag.Note, Place: s.place(),
		Got:  fmt.Sprintf("%s: compared with %s, because %s", s.name(), e.formula, e.weak),
		Want: "a published run of the same type and number of nodes",
		Hint: "keep this run's figures as the cluster's own reference, and set validation.thresholds.allReduce by them",
	})
}

// worstRow informs of the lowest of the large rows, and warns where it falls out of a peak that is good.
func (j *judging) worstRow(s *sweep, e expectation) {
	var low *row
	for i, r := range s.rows {
		if r.Bytes >= max(e.from, saturates) && (low == nil || r.half.BusGBps < low.half.BusGBps) {
			low = &s.rows[i]
		}
	}
	if low == nil {
		return
	}
	f := result.Figure{
		What:     fmt.Sprintf("%s, bus bandwidth, worst row from %s, at %s", s.Collective, size(max(e.from, saturates)), size(low.Bytes)),
		Measured: low.half.BusGBps, Expected: e.gbps, Unit: "GB/s", Share: low.half.BusGBps / e.gbps,
		Formula: fmt.Sprintf("%s / %s = %s", number(low.half.BusGBps), number(e.gbps), percent(low.half.BusGBps/e.gbps)),
		Source:  e.source, Outcome: result.Passed, Raw: []evidence.Excerpt{low.Excerpt},
	}
	if best := peak(s.rows); f.Share < e.share && best.half.BusGBps >= e.share*e.gbps {
		f.Outcome = result.Warned
		j.add(diag.Finding{
			Rule: diag.PerfBelow, Level: diag.Warn, Place: at(low.Excerpt, fileless(low.Excerpt, s.from.job.place())),
			Got:    fmt.Sprintf("%s: %s GB/s at %s, after %s GB/s at %s", s.name(), number(low.half.BusGBps), size(low.Bytes), number(best.half.BusGBps), size(best.Bytes)),
			Want:   fmt.Sprintf("at least %s GB/s at every size from %s", number(e.share*e.gbps), size(max(e.from, saturates))),
			Hint:   "run it again: one disturbed row is a neighbour's traffic or a retry, the same row twice is a fault",
			Source: e.source,
		})
	}
	j.figure(f)
}

// inform adds what is worth knowing of a run and decides nothing: what an all-reduce moved through the node's cards, else the peak; and the
// median of the large sizes.
func (j *judging) inform(s *sweep) {
	top, node := peak(s.rows), j.Group.Expect.NodeGBps
	if catalog.Collective(s.Collective) == catalog.AllReduce && node > 0 && s.nodes > 1 {
		j.figure(carried(s, top, node))
	}
	j.figure(result.Figure{
		What:     fmt.Sprintf("%s, bus bandwidth, highest, at %s", s.Collective, size(top.Bytes)),
		Measured: top.half.BusGBps, Unit: "GB/s", Outcome: result.Passed, Formula: number(top.half.BusGBps) + " GB/s, as printed",
		Source: "the run itself", Raw: []evidence.Excerpt{top.Excerpt},
	})
	var large []float64
	for _, r := range s.rows {
		if r.Bytes >= saturates {
			large = append(large, r.half.BusGBps)
		}
	}
	if len(large) > 1 {
		j.figure(result.Figure{
			What:     fmt.Sprintf("%s, bus bandwidth, median of %s from %s", s.Collective, count(len(large), "row"), size(saturates)),
			Measured: median(large), Unit: "GB/s", Outcome: result.Passed,
			Formula: fmt.Sprintf("median of %s = %s GB/s", numbers(large), number(median(large))), Source: "the run itself",
		})
	}
}

// carried is what an all-reduce moved through a node's cards.
func carried(s *sweep, top row, node float64) result.Figure {
	nodes := float64(s.nodes)
	most := node * nodes / (2 * (nodes - 1))
	f := result.Figure{
		What:     fmt.Sprintf("%s, algorithm bandwidth, highest, at %s", s.Collective, size(top.Bytes)),
		Measured: top.half.AlgGBps, Expected: most, Unit: "GB/s", Share: top.half.AlgGBps / most, Outcome: result.Passed,
		Source: "a node sends and takes 2·(N−1)/N of the data through its cards", Raw: []evidence.Excerpt{top.Excerpt},
	}
	f.Formula = fmt.Sprintf("%s GB/s of the node · %d / (2 · %d) = %s GB/s; %s / %s = %s",
		number(node), s.nodes, s.nodes-1, number(most), number(top.half.AlgGBps), number(most), percent(f.Share))
	return f
}

package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/suspect"
)

// betweenShare is what pairs between blocks reach of pairs inside one, where the user says nothing.
const betweenShare = catalog.MedianShare

// measuredPair is a run over two nodes with the figure that counts: the median of its large rows.
type measuredPair struct {
	a, b       string
	collective string
	gbps       float64
	row        evidence.Excerpt
	round      int
}

// pairs are the runs of nccl-tests over two nodes that are sound enough to compare.
func (j *judging) pairs() []measuredPair {
	var out []measuredPair
	for _, s := range j.sweeps() {
		nodes := unique(s.from.Nodes)
		gbps, row := s.large()
		if len(nodes) == 2 && s.Complete && s.Worlds < 2 {
			out = append(out, measuredPair{nodes[0], nodes[1], s.Collective, gbps, row, s.from.Round})
		}
	}
	return out
}

// large is the median of the rows that fill the network, or of the largest size where none does.
func (s *sweep) large() (float64, evidence.Excerpt) {
	var values []float64
	var line evidence.Excerpt
	from := min(saturates, s.largest())
	for _, r := range s.rows {
		if r.Bytes >= from {
			values, line = append(values, r.half.BusGBps), r.Excerpt
		}
	}
	if len(values) == 0 {
		return 0, line
	}
	return median(values), line
}

// stragglers names slow nodes from the rounds of pairs. That a collective over all nodes was below its gate as well makes it an error.
func (j *judging) stragglers() {
	var measured []suspect.Measured
	var nodes []string
	for _, p := range j.pairs() {
		if p.round > 0 {
			measured = append(measured, suspect.Measured{Round: p.round, Nodes: []string{p.a, p.b}, Value: p.gbps})
			nodes = append(nodes, p.a, p.b)
		}
	}
	if len(measured) == 0 {
		return
	}
	_, known := suspect.Next(unique(nodes), measured, Distance(j.Places))
	for _, p := range known.Slow {
		j.straggler(p, known)
	}
	for _, m := range known.Roads {
		j.add(diag.Finding{
			Rule: diag.PerfStraggler, Level: diag.Note, Place: diag.Place{Resource: list(m.Nodes)},
			Got:  fmt.Sprintf("%s GB/s between them in round %d, while each is fast with others", number(m.Value), m.Round),
			Want: fmt.Sprintf("%s GB/s, the median of the fast pairs", number(known.Median)), Hint: "measure this pair again: once is chance, twice is the road between them",
		})
	}
	for _, m := range known.Above {
		j.add(diag.Finding{
			Rule: diag.PerfStraggler, Level: diag.Note, Place: diag.Place{Resource: list(m.Nodes)},
			Got:  fmt.Sprintf("%s GB/s between them in round %d, far above the others: beside it half of the nodes or more are slow", number(m.Value), m.Round),
			Want: fmt.Sprintf("about %s GB/s, which most pairs reach", number(known.Median)),
			Hint: "measure this pair again: once is chance (a device or a link that others share was free), twice says that most nodes are slow",
		})
	}
	if len(known.Undecided) > 0 {
		j.add(diag.Finding{
			Rule: diag.PerfStraggler, Level: diag.Note, Place: diag.Place{Resource: list(known.Undecided)},
			Got: "in slow pairs or failed runs only, without a partner that tells which of them it is", Want: "a pair with a node that is known to be good",
			Hint: "run a further round: each of them with a good node",
		})
	}
}

func (j *judging) straggler(p suspect.Proof, known suspect.Conclusion) {
	var shown []string
	for _, m := range p.Evidence {
		shown = append(shown, fmt.Sprintf("%s GB/s with %s", number(m.Value), list(slices.DeleteFunc(slices.Clone(m.Nodes), func(n string) bool { return n == p.Node }))))
	}
	f := diag.Finding{
		Rule: diag.PerfStraggler, Place: diag.Place{Resource: p.Node},
		Got:  fmt.Sprintf("slow in every pair: %s; %s fast with others", list(shown), areFast(p.Partners)),
		Want: fmt.Sprintf("at least %s of %s GB/s, the median of the fast pairs", percent(suspect.Share), number(known.Median)),
		Hint: fmt.Sprintf("drain it (`scontrol update nodename=%s state=drain reason=slow`), look at nvidia-smi -q for clocks, ECC and link errors and at "+
			"`rdma -p statistic show` for drops, then replace the instance", p.Node),
		Source: "a collective waits for its slowest rank: only runs over different groups name it",
	}
	if j.has(diag.PerfBelow) {
		f.Level = diag.Error
	}
	j.add(f)
}

func areFast(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return list(names) + " are"
}

// Distance says how many levels of the network two nodes do not share, after their places; nil where no place is known. Paths that are not
// alike in length are compared from the root on, and a node without a place is as far as can be.
func Distance(places []result.Place) suspect.Distance {
	if len(places) == 0 {
		return nil
	}
	paths := map[string][]string{}
	deepest := 0
	for _, p := range places {
		paths[short(p.Node)] = p.Path
		deepest = max(deepest, len(p.Path))
	}
	return func(a, b string) int {
		shared := 0
		pa, pb := paths[short(a)], paths[short(b)]
		for shared < min(len(pa), len(pb)) && pa[shared] == pb[shared] {
			shared++
		}
		return deepest - shared
	}
}

// blocks compares pairs between blocks with pairs inside one, each collective by itself, by medians.
func (j *judging) blocks() {
	block := map[string]string{}
	for _, p := range j.Places {
		block[short(p.Node)] = p.Block
	}
	inside, between := map[string][]measuredPair{}, map[string][]measuredPair{}
	for _, p := range j.pairs() {
		switch {
		case block[p.a] == "" || block[p.b] == "" || p.gbps <= 0:
		case block[p.a] == block[p.b]:
			inside[p.collective] = append(inside[p.collective], p)
		default:
			between[p.collective] = append(between[p.collective], p)
		}
	}
	both := false
	for _, c := range slices.Sorted(maps.Keys(between)) {
		if len(inside[c]) > 0 {
			both = true
			j.betweenBlocks(c, inside[c], between[c])
		}
	}
	if !both {
		j.add(diag.Finding{
			Rule: diag.PerfUnjudged, Got: fmt.Sprintf("%s inside a block and %s between blocks", count(total(inside), "pair"), count(total(between), "pair")),
			Want: "pairs of both kinds with the same collective", Hint: "the block of each node must be known (its capacity reservation); run pairs inside and between",
		})
	}
}

func total(m map[string][]measuredPair) int {
	n := 0
	for _, p := range m {
		n += len(p)
	}
	return n
}

func (j *judging) betweenBlocks(collective string, inside, between []measuredPair) {
	least := cmp.Or(j.Thresholds.BetweenBlocks, betweenShare)
	in, out := figures(inside), figures(between)
	f := result.Figure{
		What:     fmt.Sprintf("%s, pairs between blocks beside pairs inside one, medians of %d and %d", collective, len(out), len(in)),
		Measured: median(out), Expected: median(in), Unit: "GB/s", Share: median(out) / median(in), Least: least, Outcome: result.Passed,
		Source: "the pairs of this run; equal pairs measure within 5 %",
	}
	f.Formula = fmt.Sprintf("median of %s = %s; median of %s = %s; %s / %s = %s, at least %s", numbers(out), number(f.Measured), numbers(in), number(f.Expected),
		number(f.Measured), number(f.Expected), percent(f.Share), percent(least))
	if f.Share < least {
		f.Outcome = result.Warned
		slowest := slices.MinFunc(between, func(a, b measuredPair) int { return cmp.Compare(a.gbps, b.gbps) })
		j.add(diag.Finding{
			Rule: diag.TopoBetween, Place: at(slowest.row, fmt.Sprintf("%s and %s", slowest.a, slowest.b)),
			Got: fmt.Sprintf("%s between blocks reaches %s GB/s, %s of the %s GB/s inside one; the slowest pair %s GB/s", collective, number(f.Measured),
				percent(f.Share), number(f.Expected), number(slowest.gbps)),
			Want: fmt.Sprintf("at least %s", percent(least)),
			Hint: "blocks can lie on different spines and never merge: keep tensor and expert parallel groups and each data-parallel replica inside a block, or " +
				"run one job a block", Source: f.Source,
		})
	}
	j.figure(f)
}

func figures(pairs []measuredPair) []float64 {
	out := make([]float64, 0, len(pairs))
	for _, p := range pairs {
		out = append(out, p.gbps)
	}
	return out
}

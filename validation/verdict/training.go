package verdict

import (
	"fmt"
	"math"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
)

const (
	// warmup are the first iterations, which compile kernels and open connections: the first of a recorded run took 300 s.
	warmup = 4
	// stall is how many times the median an iteration may take.
	stall = 3
	// thirds needs as many iterations on each side of the loss's comparison.
	leastOfThird = 2
)

const trainingSource = "awslabs/awsome-distributed-ai, megatron-bridge bench: 24 iterations, the first 4 dropped, stall from 3 × the median"

// training judges the runs of training programs.
func (j *judging) training() {
	n := 0
	for _, o := range j.outputs() {
		for i := range o.Documents {
			if t := o.Documents[i].Training; t != nil && len(t.Iterations) > 0 {
				j.run(o, t)
				n++
			}
		}
	}
	if n == 0 && j.Group.Name != "" {
		j.add(diag.Finding{
			Rule: diag.PerfUnjudged, Got: "no iteration in any output", Want: "a line for each iteration",
			Hint: "the last rank prints them: collect the output of all nodes, and set --log-interval 1",
		})
	}
}

func (j *judging) run(o output, t *evidence.Training) {
	j.out.Iterations = append(j.out.Iterations, t.Iterations...)
	where := func(e evidence.Excerpt) diag.Place { return at(e, fileless(e, o.job.place())) }
	last := t.Iterations[len(t.Iterations)-1]
	if t.Of > 0 && !t.Concluded {
		j.quote(last.Excerpt)
		j.add(diag.Finding{
			Rule: diag.PerfData, Place: where(last.Excerpt), Got: fmt.Sprintf("the log ends after iteration %d of %d", last.Number, t.Of),
			Want: "all iterations", Hint: "look at what the ranks said last, and at the state of the nodes",
		})
	}
	if !j.finite(t, where) {
		return
	}
	warm := warmOf(t.Iterations)
	if len(warm) < 3*leastOfThird {
		j.add(diag.Finding{
			Rule: diag.PerfUnjudged, Place: where(last.Excerpt),
			Got:  fmt.Sprintf("%s after the first %d", count(len(warm), "iteration"), warmup),
			Want: fmt.Sprintf("%d at least: neither the loss nor stalls can be judged", 3*leastOfThird), Hint: "let the step run 24 iterations",
		})
		return
	}
	j.falling(warm, where)
	j.stalls(warm, where)
}

// finite finds a loss that is no number.
func (j *judging) finite(t *evidence.Training, where func(evidence.Excerpt) diag.Place) bool {
	for _, i := range t.Iterations {
		lost := i.Loss != nil && (math.IsNaN(float64(*i.Loss)) || math.IsInf(float64(*i.Loss), 0))
		if !lost && i.NaN == 0 {
			continue
		}
		got := fmt.Sprintf("iteration %d counts %d iterations with NaN", i.Number, i.NaN)
		if lost {
			got = fmt.Sprintf("the loss is %v at iteration %d", float64(*i.Loss), i.Number)
		}
		j.quote(i.Excerpt)
		j.add(diag.Finding{
			Rule: diag.TrainLoss, Place: where(i.Excerpt), Got: got, Want: "a finite loss at every iteration",
			Hint:   "run the same with NCCL's all-to-all as dispatcher and in BF16: if the loss is finite there, the dispatcher or FP8 is at fault, else learning rate or data",
			Source: trainingSource,
		})
		return false
	}
	return true
}

// warmOf drops the first iterations.
func warmOf(all []evidence.Iteration) []evidence.Iteration {
	var out []evidence.Iteration
	for n, i := range all {
		if n >= warmup {
			out = append(out, i)
		}
	}
	return out
}

// falling compares the loss of the first third with that of the last, by their medians.
func (j *judging) falling(warm []evidence.Iteration, where func(evidence.Excerpt) diag.Place) {
	var losses []float64
	for _, i := range warm {
		if i.Loss != nil {
			losses = append(losses, float64(*i.Loss))
		}
	}
	third := len(losses) / 3
	if third < leastOfThird {
		j.add(diag.Finding{
			Rule: diag.PerfUnjudged, Level: diag.Warn, Place: where(warm[0].Excerpt), Got: fmt.Sprintf("the loss stands in %s", count(len(losses), "line")),
			Want: "a loss in each line", Hint: "set --log-interval 1; a loss below zero is left out by Megatron-LM",
		})
		return
	}
	begin, end := median(losses[:third]), median(losses[len(losses)-third:])
	f := result.Figure{
		What: fmt.Sprintf("loss, median of the last %d iterations beside the first %d after warm-up", third, third), Measured: end, Expected: begin,
		Share: end / begin, Most: 1, Outcome: result.Passed, Source: trainingSource,
		Formula: fmt.Sprintf("%s / %s = %s, below 100 %%", number(end), number(begin), percent(end/begin)),
		Raw:     []evidence.Excerpt{warm[0].Excerpt, warm[len(warm)-1].Excerpt},
	}
	if end >= begin {
		f.Outcome = result.Failed
		j.add(diag.Finding{
			Rule: diag.TrainLoss, Place: where(warm[len(warm)-1].Excerpt), Got: fmt.Sprintf("the loss goes from %s to %s", number(begin), number(end)),
			Want: "a loss that falls", Hint: "a few iterations are enough for it to fall from its start; look at learning rate, data and at gradients that are zero",
			Source: trainingSource,
		})
	}
	j.figure(f)
}

// stalls finds iterations that take far longer than the others.
func (j *judging) stalls(warm []evidence.Iteration, where func(evidence.Excerpt) diag.Place) {
	times := make([]float64, 0, len(warm))
	for _, i := range warm {
		times = append(times, i.MS)
	}
	middle := median(times)
	var slow []string
	var at evidence.Excerpt
	for _, i := range warm {
		if i.MS > stall*middle {
			slow = append(slow, fmt.Sprintf("%d (%s ms)", i.Number, number(i.MS)))
			if at.Text == "" {
				at = i.Excerpt
			}
		}
	}
	j.figure(result.Figure{
		What: fmt.Sprintf("iteration time, median of %d after warm-up", len(times)), Measured: middle, Unit: "ms", Outcome: result.Passed,
		Formula: fmt.Sprintf("median %s ms, 95th percentile %s ms", number(middle), number(quantile(times, 0.95))), Source: "the run itself: this cluster's baseline",
	})
	if len(slow) == 0 {
		return
	}
	j.quote(at)
	j.add(diag.Finding{
		Rule: diag.TrainStall, Place: where(at), Got: fmt.Sprintf("%s over %d × the median of %s ms: %s", count(len(slow), "iteration"), stall, number(middle), list(slow)),
		Want:   fmt.Sprintf("every iteration below %s ms", number(stall*middle)),
		Hint:   "compare with checkpoints and evaluation in the log; without them look at data loading (CPUs a rank), at the file system and at retransmissions",
		Source: trainingSource,
	})
}

package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/report/svg"
	"github.com/weft-hpc/weft/validation/report/unit"
)

// How iterations are read, as AWS's Megatron benchmark does (awsome-distributed-ai, megatron-bridge/bench): the first four warm up, and
// an iteration that takes more than three times the median of the others is a stall.
const (
	warmUp      = 4
	stallFactor = 3
)

// Training draws the time of each iteration with stalls marked, and under it the loss. ok is false without an iteration that took time.
func Training(id, title string, iterations []evidence.Iteration) (c Chart, ok bool) {
	t := newTraining(iterations)
	if len(t.iterations) == 0 {
		return Chart{}, false
	}
	c = Chart{ID: id, Title: title, Desc: t.describe(), Table: t.table(), Legend: t.legend()}
	c.SVG = t.draw(id, title, c.Desc)
	return c, true
}

type training struct {
	iterations []evidence.Iteration
	median     float64
	losses     bool
}

func newTraining(iterations []evidence.Iteration) training {
	var t training
	for _, i := range iterations {
		if i.MS > 0 && finite(i.MS) {
			t.iterations = append(t.iterations, i)
			t.losses = t.losses || i.Loss != nil
		}
	}
	slices.SortStableFunc(t.iterations, func(a, b evidence.Iteration) int { return cmp.Compare(a.Number, b.Number) })
	var times []float64
	for _, i := range t.iterations[min(warmUp, max(len(t.iterations)-1, 0)):] {
		times = append(times, i.MS)
	}
	slices.Sort(times)
	t.median = median(times)
	return t
}

func (t training) stalled(i int) bool {
	return i >= warmUp && t.iterations[i].MS > stallFactor*t.median
}

func (t training) stalls() []int {
	var out []int
	for i := range t.iterations {
		if t.stalled(i) {
			out = append(out, i)
		}
	}
	return out
}

func (t training) draw(id, title, desc string) template.HTML {
	height := 220.0
	if t.losses {
		height += 110
	}
	c := svg.New(id, title, desc, width, height)
	a := area{left: 54, right: width - 8, top: 40, bottom: 190}
	last := t.iterations[len(t.iterations)-1].Number
	x := scale{from: float64(t.iterations[0].Number), to: float64(last), start: a.left + 8, end: a.right - 8}
	y := t.times(c, a)
	t.ticks(c, x, a.bottom, height-12)
	t.bars(c, a, x, y)
	if t.losses {
		t.loss(c, area{left: 54, right: width - 8, top: 236, bottom: height - 30}, x)
	}
	return c.HTML()
}

// times draws the axis of times: up to the slowest iteration, but a first one that takes many times as long as the rest, because programs
// are compiled in it, is cut off.
func (t training) times(c *svg.Canvas, a area) scale {
	top := t.median
	for i, it := range t.iterations {
		if i >= warmUp || it.MS <= 2*stallFactor*t.median {
			top = max(top, it.MS)
		}
	}
	return a.yAxis(c, top/1000*1.02, "seconds an iteration")
}

func (t training) ticks(c *svg.Canvas, x scale, bottom, text float64) {
	c.Line(classAxis, 54, bottom, width-8, bottom)
	if !t.losses {
		text = bottom + 17
	}
	for _, n := range iterationTicks(int(x.from), int(x.to)) {
		c.Text(classTick, x.at(float64(n)), text, svg.Middle, unit.Count(int64(n)))
	}
}

// iterationTicks gives the first iteration and about five round numbers after it.
func iterationTicks(from, to int) []int {
	out := []int{from}
	ticks := linearTicks(float64(to) - float64(from))
	step := max(int(ticks[1]), 1)
	for i := range len(ticks) {
		n := (from/step + 1 + i) * step
		if n > from && n <= to && n-from >= step/2 {
			out = append(out, n)
		}
	}
	return out
}

// mostMarks is how many iterations are drawn as bars; of more a line is drawn, and the stalls.
const mostMarks = 240

func (t training) bars(c *svg.Canvas, a area, x, y scale) {
	medianAt := y.at(t.median / 1000)
	w := min((a.right-a.left-16)/float64(max(len(t.iterations), 1))*0.7, 14)
	var line []svg.XY
	for i, it := range t.iterations {
		at, top := x.at(float64(it.Number)), max(y.at(it.MS/1000), a.top)
		line = append(line, svg.XY{X: at, Y: top})
		if len(t.iterations) <= mostMarks {
			c.Rect(t.class(i), at-w/2, top, w, a.bottom-top, 1, t.tip(i))
		}
		if it.MS/1000 > y.to*1.001 {
			c.Text("tick halo", at-w/2, a.top-4, svg.Start, "↑ "+unit.Number(it.MS/1000)+" s")
		}
	}
	if len(t.iterations) > mostMarks {
		c.Polyline("line s0", line)
	}
	for _, i := range t.stalls() {
		c.Mark(svg.Cross, "failed mark", line[i].X, max(line[i].Y-9, a.top-4), 4, t.tip(i))
	}
	c.Line("median", a.left, medianAt, a.right, medianAt)
}

func (t training) class(i int) string {
	switch {
	case t.stalled(i):
		return "failed"
	case i < warmUp:
		return "notrun"
	default:
		return "s0"
	}
}

func (t training) tip(i int) string {
	it := t.iterations[i]
	text := fmt.Sprintf("iteration %d: %s s", it.Number, unit.Number(it.MS/1000))
	if it.Loss != nil {
		text += ", loss " + unit.Number(float64(*it.Loss))
	}
	return text
}

// loss draws a line that breaks where the loss is no number, with a mark there.
func (t training) loss(c *svg.Canvas, a area, x scale) {
	top := 0.0
	for _, it := range t.iterations {
		if it.Loss != nil && finite(float64(*it.Loss)) {
			top = max(top, float64(*it.Loss))
		}
	}
	y := scale{from: 0, to: max(top*1.05, 1e-9), start: a.bottom, end: a.top}
	c.Text(classLabel, 4, a.top-16, svg.Start, "loss")
	for _, v := range []float64{0, top} {
		c.Line(classGrid, a.left, y.at(v), a.right, y.at(v))
		c.Text(classTick, a.left-6, y.at(v)+4, svg.End, unit.Number(v))
	}
	var line []svg.XY
	flush := func() {
		if len(line) > 0 {
			c.Polyline("line s1", line)
		}
		line = nil
	}
	for _, it := range t.iterations {
		switch {
		case it.Loss == nil:
		case !finite(float64(*it.Loss)):
			flush()
			c.Mark(svg.Cross, "failed mark", x.at(float64(it.Number)), a.top, 4, fmt.Sprintf("iteration %d: loss %s", it.Number, unit.Number(float64(*it.Loss))))
		default:
			line = append(line, svg.XY{X: x.at(float64(it.Number)), Y: y.at(float64(*it.Loss))})
		}
	}
	flush()
}

func (t training) bad() int {
	n := 0
	for _, it := range t.iterations {
		n += truth(it.Loss != nil && !finite(float64(*it.Loss)))
	}
	return n
}

func (t training) describe() string {
	text := fmt.Sprintf("%s, median %s s after the first %d.", unit.Plural(len(t.iterations), "iteration", "iterations"), unit.Number(t.median/1000), warmUp)
	if n := len(t.stalls()); n > 0 {
		text += fmt.Sprintf(" %s more than %d times the median.", unit.Plural(n, "takes", "take"), stallFactor)
	}
	first, last := t.firstAndLastLoss()
	if !math.IsNaN(first) {
		text += fmt.Sprintf(" Loss goes from %s to %s.", unit.Number(first), unit.Number(last))
	}
	if n := t.bad(); n > 0 {
		text += fmt.Sprintf(" The loss is no number in %s.", unit.Plural(n, "iteration", "iterations"))
	}
	return text
}

func (t training) firstAndLastLoss() (first, last float64) {
	first = math.NaN()
	for _, it := range t.iterations {
		if it.Loss == nil || !finite(float64(*it.Loss)) {
			continue
		}
		last = float64(*it.Loss)
		if math.IsNaN(first) {
			first = last
		}
	}
	return first, last
}

func (t training) legend() []Key {
	key := func(class, text string) Key {
		return Key{swatch(func(c *svg.Canvas) { c.Rect(class, 6, 2, 14, 10, 1, "") }), text}
	}
	out := []Key{
		key("s0", "iteration"), key("notrun", fmt.Sprintf("warming up (the first %d)", warmUp)),
		{swatch(func(c *svg.Canvas) { c.Line("median", 1, 7, 25, 7) }), "median " + unit.Number(t.median/1000) + " s"},
	}
	if len(t.stalls()) > 0 {
		out = append(out, Key{swatch(func(c *svg.Canvas) {
			c.Rect("failed", 2, 2, 10, 10, 1, "")
			c.Mark(svg.Cross, "failed mark", 19, 7, 4, "")
		}), fmt.Sprintf("stall: more than %d × the median", stallFactor)})
	}
	if t.bad() > 0 {
		out = append(out, Key{swatch(func(c *svg.Canvas) { c.Mark(svg.Cross, "failed mark", 13, 7, 4, "") }), "the loss is no number"})
	}
	return out
}

func (t training) table() Table {
	out := Table{Head: []string{"iteration", "time, ms", "of the median", "loss", "gradient norm", "TFLOP/s a GPU", "skipped", "NaN", "stall"}}
	for i, it := range t.iterations {
		stall := ""
		if t.stalled(i) {
			stall = "yes"
		}
		out.add(unit.Count(int64(it.Number)), unit.Number(it.MS), share(it.MS, t.median), float(it.Loss), float(it.Grad), orUnknown(it.TFLOPS),
			fmt.Sprint(it.Skipped), fmt.Sprint(it.NaN), stall)
	}
	return out
}

func float(f *evidence.Float) string {
	if f == nil {
		return unit.NotKnown
	}
	return unit.Number(float64(*f))
}

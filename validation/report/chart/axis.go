package chart

import (
	"math"

	"github.com/weft-hpc/weft/validation/report/svg"
	"github.com/weft-hpc/weft/validation/report/unit"
)

// scale takes values to positions of the picture.
type scale struct {
	from, to     float64 // of the values
	start, end   float64 // of the picture
	logarithmic2 bool
}

func (s scale) at(v float64) float64 {
	from, to := s.from, s.to
	if s.logarithmic2 {
		v, from, to = math.Log2(v), math.Log2(from), math.Log2(to)
	}
	if to == from {
		return (s.start + s.end) / 2
	}
	share := (v - from) / (to - from)
	return s.start + min(max(share, -0.1), 1.1)*(s.end-s.start)
}

// steps are the distances between round numbers within a power of ten.
var steps = []float64{1, 2, 2.5, 5, 10}

// linearTicks gives round numbers from 0 to the first at or above top, at most about six.
func linearTicks(top float64) []float64 {
	if top <= 0 || !finite(top) {
		return []float64{0, 1}
	}
	rough := top / 5
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	if power == 0 || !finite(power) {
		return []float64{0, top}
	}
	step := power * 10
	for _, s := range steps {
		if power*s >= rough*0.999 {
			step = power * s
			break
		}
	}
	n := int(math.Ceil(top/step - 1e-9))
	out := make([]float64, 0, n+1)
	for i := 0; i <= n; i++ {
		out = append(out, float64(i)*step)
	}
	return out
}

// sizeTicks gives powers of two between two sizes, at most seven; their distance divides the powers of 1024 where it can.
func sizeTicks(from, to int64) []int64 {
	low, high := math.Ceil(math.Log2(float64(from))-1e-9), min(math.Floor(math.Log2(float64(to))+1e-9), 62)
	for _, step := range []float64{1, 2, 5, 10, 20} {
		first := math.Ceil(low/step) * step
		n := int(math.Floor((high-first)/step)) + 1
		if n > 7 {
			continue
		}
		var out []int64
		for i := range max(n, 0) {
			out = append(out, 1<<uint(first+float64(i)*step))
		}
		return out
	}
	return nil
}

// area is the part of a picture between its axes.
type area struct{ left, right, top, bottom float64 }

// yAxis draws a grid with numbers and gives the scale of a linear axis from 0.
func (a area) yAxis(c *svg.Canvas, top float64, title string) scale {
	ticks := linearTicks(top)
	s := scale{from: 0, to: ticks[len(ticks)-1], start: a.bottom, end: a.top}
	for _, v := range ticks {
		y := s.at(v)
		c.Line(classGrid, a.left, y, a.right, y)
		c.Text(classTick, a.left-6, y+4, svg.End, unit.Number(v))
	}
	c.Text(classLabel, 4, 16, svg.Start, title)
	return s
}

// sizeAxis draws the axis of message sizes, whose distances are powers of two.
func (a area) sizeAxis(c *svg.Canvas, from, to int64) scale {
	s := scale{from: float64(from), to: float64(to), start: a.left + 8, end: a.right - 8, logarithmic2: true}
	for _, n := range sizeTicks(from, to) {
		x := s.at(float64(n))
		c.Line(classGrid, x, a.top, x, a.bottom)
		c.Text(classTick, x, a.bottom+20, svg.Middle, unit.Bytes(n))
	}
	c.Line(classAxis, a.left, a.bottom, a.right, a.bottom)
	return s
}

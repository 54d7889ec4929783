package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/validation/report/svg"
	"github.com/weft-hpc/weft/validation/report/unit"
	"github.com/weft-hpc/weft/validation/result"
)

// bandShare is how far two equal clusters were seen apart: published runs on two clusters agree within 1 %, so that 5 % is wide enough
// for a band around one of them.
const bandShare = 0.05

// most is how many curves get a look of their own; more are drawn thin and stand in the table.
const most = seriesClasses

var seriesMarkers = [seriesClasses]svg.Marker{svg.Dot, svg.Diamond, svg.Square, svg.Triangle, svg.Ring, svg.Cross}

// Bandwidth draws bus bandwidth against message size, for curves that are measured alike: the same collective over as many nodes. The
// ceilings and floors of all of them are drawn, and a band around a published run. ok is false where no curve has a point.
func Bandwidth(id, title string, curves []result.Curve) (c Chart, ok bool) {
	p := bandwidth{curves: measured(curves)}
	p.from, p.to = sizeRange(p.curves)
	if p.from == 0 {
		return Chart{}, false
	}
	chart := Chart{ID: id, Title: title, Desc: p.describe(), Table: p.table()}
	chart.SVG = p.draw(id, title, chart.Desc)
	chart.Legend = p.legend()
	chart.Notes = p.notes()
	return chart, true
}

type bandwidth struct {
	curves   []result.Curve
	from, to int64 // sizes
}

// measured gives the curves that have points that can be drawn, in the order of their sizes.
func measured(curves []result.Curve) []result.Curve {
	var out []result.Curve
	for _, c := range curves {
		c.Points, c.Reference = drawable(c.Points), drawable(c.Reference)
		if len(c.Points) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// drawable leaves out size 0, which nccl-tests prints where a size rounds down to nothing.
func drawable(points []result.Point) []result.Point {
	out := slices.DeleteFunc(slices.Clone(points), func(p result.Point) bool { return p.Bytes <= 0 || !finite(p.BusGBps) || p.BusGBps < 0 })
	slices.SortStableFunc(out, func(a, b result.Point) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return out
}

func sizeRange(curves []result.Curve) (from, to int64) {
	for _, c := range curves {
		for _, p := range c.Points {
			if from == 0 || p.Bytes < from {
				from = p.Bytes
			}
			to = max(to, p.Bytes)
		}
	}
	return from, to
}

func (p bandwidth) top() float64 {
	top := 0.0
	for _, c := range p.curves {
		top = max(top, c.CeilingGBps, c.FloorGBps)
		for _, point := range c.Points {
			top = max(top, point.BusGBps)
		}
		for _, point := range c.Reference {
			top = max(top, point.BusGBps*(1+bandShare))
		}
	}
	return top * 1.02
}

func (p bandwidth) draw(id, title, desc string) template.HTML {
	const height = 300
	c := svg.New(id, title, desc, width, height)
	a := area{left: 58, right: width - 8, top: 30, bottom: height - 30}
	y := a.yAxis(c, p.top(), "bus bandwidth, GB/s")
	x := a.sizeAxis(c, p.from, p.to)
	for _, reference := range p.references() {
		band(c, reference, x, y)
	}
	for _, v := range p.levels(func(c result.Curve) float64 { return c.CeilingGBps }) {
		level(c, a, y.at(v), -6, "ceiling", "ceiling "+unit.Number(v))
	}
	for _, v := range p.levels(func(c result.Curve) float64 { return c.FloorGBps }) {
		level(c, a, y.at(v), 15, "floor", "floor "+unit.Number(v))
	}
	for i := len(p.curves) - 1; i >= 0; i-- { // the first one on top
		p.curve(c, i, x, y)
	}
	return c.HTML()
}

// levels are the distinct values above 0 that curves are held against, ascending.
func (p bandwidth) levels(of func(result.Curve) float64) []float64 {
	var out []float64
	for _, c := range p.curves {
		if v := of(c); v > 0 && finite(v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func level(c *svg.Canvas, a area, y, below float64, class, text string) {
	c.Line(class, a.left, y, a.right, y)
	c.Text(class+"-text halo", a.left+8, y+below, svg.Start, text)
}

// reference is a published run that curves are compared with.
type reference struct {
	points []result.Point
	source string
}

// references are the distinct published runs, by their sources.
func (p bandwidth) references() []reference {
	var out []reference
	for _, c := range p.curves {
		if len(c.Reference) == 0 || slices.ContainsFunc(out, func(r reference) bool { return r.source == c.Source && slices.Equal(r.points, c.Reference) }) {
			continue
		}
		out = append(out, reference{c.Reference, c.Source})
	}
	return out
}

// band draws a published run with its width; one of a single size is a bar of that height. Sizes that were not measured stay outside.
func band(c *svg.Canvas, r reference, x, y scale) {
	var upper, lower, middle []svg.XY
	for _, p := range r.points {
		if float64(p.Bytes) < x.from || float64(p.Bytes) > x.to {
			continue
		}
		at := x.at(float64(p.Bytes))
		upper = append(upper, svg.XY{X: at, Y: y.at(p.BusGBps * (1 + bandShare))})
		lower = append(lower, svg.XY{X: at, Y: y.at(p.BusGBps * (1 - bandShare))})
		middle = append(middle, svg.XY{X: at, Y: y.at(p.BusGBps)})
	}
	if len(middle) == 1 {
		c.Rect("band", middle[0].X-5, upper[0].Y, 10, lower[0].Y-upper[0].Y, 1, "published: "+unit.Number(r.points[0].BusGBps)+" GB/s")
		return
	}
	slices.Reverse(lower)
	c.Polygon("band", append(upper, lower...))
	c.Polyline("reference", middle)
}

func (p bandwidth) curve(c *svg.Canvas, i int, x, y scale) {
	curve := p.curves[i]
	points := make([]svg.XY, 0, len(curve.Points))
	for _, point := range curve.Points {
		points = append(points, svg.XY{X: x.at(float64(point.Bytes)), Y: y.at(point.BusGBps)})
	}
	if i >= most {
		c.Polyline("line rest", points)
		return
	}
	class := fmt.Sprintf("s%d", i)
	c.Polyline("line "+class, points)
	for j, at := range points {
		point := curve.Points[j]
		c.Mark(seriesMarkers[i], class+" mark", at.X, at.Y, 3, fmt.Sprintf("%s, %s: %s GB/s", p.name(i), unit.Bytes(point.Bytes), unit.Number(point.BusGBps)))
	}
}

// name is what tells a curve from the others of the chart: where it ran, or its own name where that does not.
func (p bandwidth) name(i int) string {
	c := p.curves[i]
	same := 0
	for _, other := range p.curves {
		if other.Where == c.Where {
			same++
		}
	}
	if same == 1 && c.Where != "" {
		return c.Where
	}
	return cmp.Or(c.Name, c.Where, fmt.Sprintf("curve %d", i+1))
}

func (p bandwidth) legend() []Key {
	var out []Key
	for i := range min(len(p.curves), most) {
		class := fmt.Sprintf("s%d", i)
		out = append(out, Key{swatch(func(c *svg.Canvas) {
			c.Line("line "+class, 1, 7, 25, 7)
			c.Mark(seriesMarkers[i], class+" mark", 13, 7, 3.5, "")
		}), p.name(i)})
	}
	if n := len(p.curves) - most; n > 0 {
		out = append(out, Key{swatch(func(c *svg.Canvas) { c.Line("line rest", 1, 7, 25, 7) }), fmt.Sprintf("%d more, in the table", n)})
	}
	if len(p.levels(func(c result.Curve) float64 { return c.CeilingGBps })) > 0 {
		out = append(out, Key{swatch(func(c *svg.Canvas) { c.Line("ceiling", 1, 7, 25, 7) }), "physical ceiling"})
	}
	if len(p.levels(func(c result.Curve) float64 { return c.FloorGBps })) > 0 {
		out = append(out, Key{swatch(func(c *svg.Canvas) { c.Line("floor", 1, 7, 25, 7) }), "floor: large sizes must reach it"})
	}
	if len(p.references()) > 0 {
		out = append(out, Key{swatch(func(c *svg.Canvas) {
			c.Rect("band", 1, 2, 24, 10, 1, "")
			c.Line("reference", 1, 7, 25, 7)
		}), fmt.Sprintf("published run ± %s", unit.Percent(bandShare))})
	}
	return out
}

func (p bandwidth) notes() []string {
	var out []string
	for _, r := range p.references() {
		if r.source != "" {
			out = append(out, "Published run: "+r.source)
		}
	}
	return out
}

func (p bandwidth) describe() string {
	var parts []string
	for i, c := range p.curves {
		if i >= most {
			parts = append(parts, fmt.Sprintf("and %d more", len(p.curves)-most))
			break
		}
		best := slices.MaxFunc(c.Points, func(a, b result.Point) int { return cmp.Compare(a.BusGBps, b.BusGBps) })
		parts = append(parts, fmt.Sprintf("%s peaks at %s GB/s at %s", p.name(i), unit.Number(best.BusGBps), unit.Bytes(best.Bytes)))
	}
	text := "Bus bandwidth against message size: " + strings.Join(parts, ", ") + "."
	for _, v := range p.levels(func(c result.Curve) float64 { return c.CeilingGBps }) {
		text += fmt.Sprintf(" Ceiling %s GB/s.", unit.Number(v))
	}
	for _, v := range p.levels(func(c result.Curve) float64 { return c.FloorGBps }) {
		text += fmt.Sprintf(" Floor %s GB/s.", unit.Number(v))
	}
	return text
}

// table has a row for each size and curve, as many columns whatever the number of curves.
func (p bandwidth) table() Table {
	t := Table{Head: []string{"curve", "size", "time, µs", "algbw, GB/s", "busbw, GB/s", "of the ceiling", "published, GB/s"}}
	for i, c := range p.curves {
		published := map[int64]float64{}
		for _, r := range c.Reference {
			published[r.Bytes] = r.BusGBps
		}
		for _, point := range c.Points {
			t.add(p.name(i), unit.Bytes(point.Bytes), orUnknown(point.TimeUS), orUnknown(point.AlgGBps), unit.Number(point.BusGBps),
				share(point.BusGBps, c.CeilingGBps), orUnknown(published[point.Bytes]))
		}
	}
	return t
}

func orUnknown(v float64) string {
	if v == 0 || math.IsNaN(v) {
		return unit.NotKnown
	}
	return unit.Number(v)
}

func share(v, of float64) string {
	if of <= 0 {
		return unit.NotKnown
	}
	return unit.Percent(v / of)
}

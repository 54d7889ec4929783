package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/weft-hpc/weft/validation/report/svg"
	"github.com/weft-hpc/weft/validation/report/unit"
	"github.com/weft-hpc/weft/validation/result"
)

// mostDots is how many pairs a row of dots shows; of more, the best and the worst are drawn and those between thinned out evenly. The table has all.
const mostDots = 1500

// ByDistance draws a measure of pairs as a row of dots for each distance in the network, with its median: what lies between blocks beside
// what lies inside. ok is false where fewer than two distances are known, and where Pairs shows the same because there are many nodes.
func ByDistance(id, title string, m Measure, pairs []result.Pair) (c Chart, ok bool) {
	p := pairing{Measure: m, pairs: measuredPairs(pairs, m)}
	p.nodes = nodesOf(p.pairs)
	if len(p.distances()) < 2 || len(p.nodes) > largestMatrix {
		return Chart{}, false
	}
	c = Chart{ID: id, Title: title, Desc: p.describe(), Table: p.medians()}
	c.Legend = p.stripLegend()
	c.SVG = p.strips(id, title, c.Desc)
	return c, true
}

func (p pairing) stripLegend() []Key {
	out := []Key{
		{swatch(func(c *svg.Canvas) { c.Mark(svg.Dot, "s0 mark", 13, 7, 3.5, "") }), "a pair"},
		{swatch(func(c *svg.Canvas) { c.Line("median", 13, 1, 13, 13) }), "median"},
	}
	if p.suspects() > 0 {
		out = append(out, Key{swatch(func(c *svg.Canvas) { c.Mark(svg.Cross, "failed mark", 13, 7, 4, "") }), "suspect"})
	}
	return out
}

// distances are those of the pairs, nearest first as far as latency tells.
func (p pairing) distances() []string {
	var out []string
	for _, pair := range p.pairs {
		out = append(out, pair.Distance)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	latency := pairing{Measure: Latency, pairs: p.pairs}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(median(latency.values(a)), median(latency.values(b))) })
	return out
}

// values are a distance's, ascending.
func (p pairing) values(distance string) []float64 {
	var out []float64
	for _, pair := range p.pairs {
		if pair.Distance == distance {
			out = append(out, p.Of(pair))
		}
	}
	slices.Sort(out)
	return out
}

// median of ascending values.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func (p pairing) strips(id, title, desc string) template.HTML {
	const left, top, row = 8.0, 8.0, 62.0
	distances := p.distances()
	bottom := top + row*float64(len(distances))
	c := svg.New(id, title, desc, width, bottom+44)
	_, high := p.bounds()
	ticks := linearTicks(high * 1.02)
	x := scale{from: 0, to: ticks[len(ticks)-1], start: left + 12, end: width - 20}
	for _, v := range ticks {
		c.Line(classGrid, x.at(v), top, x.at(v), bottom)
		c.Text(classTick, x.at(v), bottom+17, svg.Middle, unit.Number(v))
	}
	c.Text(classLabel, width-8, bottom+37, svg.End, p.Name+", "+p.Unit)
	for i, d := range distances {
		y := top + row*float64(i)
		c.Text(classLabel+" halo", left+4, y+16, svg.Start, cmp.Or(d, "all pairs")+fmt.Sprintf(" (%s)", unit.Count(int64(len(p.values(d))))))
		p.strip(c, x, y+38, d)
	}
	return c.HTML()
}

// strip draws the dots of one distance around a line, apart from each other by an order that repeats.
func (p pairing) strip(c *svg.Canvas, x scale, y float64, distance string) {
	pairs := thinned(p.of(distance), p.Of)
	for i, pair := range pairs {
		class, marker, r := "s0 mark dim", svg.Dot, 2.6
		if pair.Suspect {
			class, marker, r = "failed mark", svg.Cross, 4
		}
		c.Mark(marker, class, x.at(p.Of(pair)), y+float64(i*7%5-2)*3, r, p.tip(pair))
	}
	m := x.at(median(p.values(distance)))
	c.Line("median", m, y-13, m, y+13)
}

func (p pairing) of(distance string) []result.Pair {
	return slices.DeleteFunc(slices.Clone(p.pairs), func(pair result.Pair) bool { return pair.Distance != distance })
}

// thinned gives at most mostDots pairs, ascending by value. Suspects and both ends stay.
func thinned(pairs []result.Pair, of func(result.Pair) float64) []result.Pair {
	slices.SortStableFunc(pairs, func(a, b result.Pair) int { return cmp.Compare(of(a), of(b)) })
	every := (len(pairs) + mostDots - 1) / mostDots
	if every <= 1 {
		return pairs
	}
	var out []result.Pair
	for i, p := range pairs {
		if p.Suspect || i%every == 0 || i == len(pairs)-1 {
			out = append(out, p)
		}
	}
	return out
}

func (p pairing) medians() Table {
	t := Table{Head: []string{"distance", "pairs", "median, " + p.Unit, "least, " + p.Unit, "most, " + p.Unit}}
	for _, d := range p.distances() {
		v := p.values(d)
		t.add(cmp.Or(d, unit.NotKnown), unit.Count(int64(len(v))), unit.Number(median(v)), unit.Number(v[0]), unit.Number(v[len(v)-1]))
	}
	return t
}

func upper(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

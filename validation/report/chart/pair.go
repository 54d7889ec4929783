package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/weft-hpc/weft/validation/report/svg"
	"github.com/weft-hpc/weft/validation/report/unit"
	"github.com/weft-hpc/weft/validation/result"
)

// Measure is what of a pair is shown.
type Measure struct {
	Name string // latency, one way
	Unit string // µs
	Of   func(result.Pair) float64
}

// Latency is the time of small messages in one direction, BusBandwidth a collective's over the two nodes.
var (
	Latency      = Measure{"one-way latency", "µs", func(p result.Pair) float64 { return p.LatencyUS }}
	BusBandwidth = Measure{"bus bandwidth", "GB/s", func(p result.Pair) float64 { return p.BusGBps }}
)

// largestMatrix is how many nodes a matrix can show with readable figures; more pairs are dots in a row for each distance.
const largestMatrix = 16

// Pairs draws a measure between nodes: a matrix, or dots by distance where there are many nodes. ok is false where no pair has it.
func Pairs(id, title string, m Measure, pairs []result.Pair) (c Chart, ok bool) {
	p := pairing{Measure: m, pairs: measuredPairs(pairs, m)}
	if len(p.pairs) == 0 {
		return Chart{}, false
	}
	p.nodes = nodesOf(p.pairs)
	p.short, p.common = shortNames(p.nodes)
	c = Chart{ID: id, Title: title, Desc: p.describe(), Table: p.table(), Notes: commonNote(p.common), Legend: p.legend()}
	if len(p.pairs) == 1 {
		c.SVG, c.Legend = p.link(id, title, c.Desc), nil
		return c, true
	}
	if len(p.nodes) <= largestMatrix {
		c.SVG = p.matrix(id, title, c.Desc)
		return c, true
	}
	c.SVG = p.strips(id, title, c.Desc)
	return c, true
}

type pairing struct {
	Measure
	pairs  []result.Pair
	nodes  []string
	short  map[string]string
	common string
}

func measuredPairs(pairs []result.Pair, m Measure) []result.Pair {
	out := slices.DeleteFunc(slices.Clone(pairs), func(p result.Pair) bool { return !(m.Of(p) > 0) || !finite(m.Of(p)) })
	slices.SortStableFunc(out, func(a, b result.Pair) int {
		return cmp.Or(naturally(a.A, b.A), naturally(a.B, b.B), cmp.Compare(a.Collective, b.Collective))
	})
	return out
}

func nodesOf(pairs []result.Pair) []string {
	var out []string
	for _, p := range pairs {
		out = append(out, p.A, p.B)
	}
	slices.SortFunc(out, naturally)
	return slices.Compact(out)
}

// naturally orders names so that node 2 comes before node 10.
func naturally(a, b string) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 && commonBeforeDigits(a, b) {
		return c
	}
	return cmp.Compare(a, b)
}

// commonBeforeDigits says that two names differ only in the number at their ends.
func commonBeforeDigits(a, b string) bool { return withoutNumber(a) == withoutNumber(b) }

func withoutNumber(s string) string {
	end := len(s)
	for end > 0 && s[end-1] >= '0' && s[end-1] <= '9' {
		end--
	}
	return s[:end]
}

func (p pairing) bounds() (low, high float64) {
	low, high = math.Inf(1), 0
	for _, pair := range p.pairs {
		low, high = min(low, p.Of(pair)), max(high, p.Of(pair))
	}
	return low, high
}

// longestName is how many characters of a name a matrix shows.
const longestName = 11

// nameWidth is the room that the longest name takes, with the letters of a phone.
func (p pairing) nameWidth() float64 {
	longest := 1
	for _, n := range p.nodes {
		longest = max(longest, utf8.RuneCountInString(p.short[n]))
	}
	return 9.5 * float64(min(longest, longestName))
}

// matrix has a cell for each pair, with its figure in it where there is room: stronger is more. A pair that was measured in one direction stands in both cells.
func (p pairing) matrix(id, title, desc string) template.HTML {
	const top = 30.0
	left := p.nameWidth() + 14
	side := min((width-left-8)/float64(len(p.nodes)), 64)
	row := min(side, 40)
	c := svg.New(id, title, desc, width, top+row*float64(len(p.nodes))+8)
	for i, n := range p.nodes {
		at := float64(i)
		c.TextTip(classTick, left-8, top+row*(at+0.5)+4, svg.End, fit(p.short[n], longestName), n)
		c.TextTip(classTick, left+side*(at+0.5), top-10, svg.Middle, fit(p.short[n], max(3, int(side/10))), n)
		c.Rect("cell-none", left+side*at+1, top+row*at+1, side-2, row-2, 2, n)
	}
	for _, cell := range p.cells() {
		p.cell(c, left+side*float64(cell.column), top+row*float64(cell.row), side, row, cell.Pair)
	}
	return c.HTML()
}

// link draws the only pair there is: two nodes, and the figure on the line between them.
func (p pairing) link(id, title, desc string) template.HTML {
	const height, boxWidth, boxHeight = 96.0, 128.0, 44.0
	c := svg.New(id, title, desc, width, height)
	pair, y := p.pairs[0], height/2
	class := "link"
	if pair.Suspect {
		class = "suspect"
	}
	c.Line(class, 8+boxWidth, y, width-8-boxWidth, y)
	for _, end := range []struct {
		x    float64
		name string
	}{{8, pair.A}, {width - 8 - boxWidth, pair.B}} {
		c.Rect("box", end.x, y-boxHeight/2, boxWidth, boxHeight, 6, end.name)
		c.TextTip(classTick, end.x+boxWidth/2, y+4, svg.Middle, fit(end.name, 15), end.name)
	}
	c.Text("figure halo", width/2, y-10, svg.Middle, unit.Number(p.Of(pair))+" "+p.Unit)
	c.Text(classTick, width/2, y+22, svg.Middle, fit(pair.Distance, 24))
	return c.HTML()
}

type cell struct {
	row, column int
	result.Pair
}

// cells gives each pair its cells: one, or two where the other direction was not measured.
func (p pairing) cells() []cell {
	index := map[string]int{}
	for i, n := range p.nodes {
		index[n] = i
	}
	taken := map[[2]int]bool{}
	var out, mirrored []cell
	for _, pair := range p.pairs {
		a, b := index[pair.A], index[pair.B]
		if !taken[[2]int{a, b}] {
			taken[[2]int{a, b}] = true
			out = append(out, cell{a, b, pair})
		}
	}
	for _, c := range out {
		if !taken[[2]int{c.column, c.row}] {
			mirrored = append(mirrored, cell{c.column, c.row, c.Pair})
		}
	}
	return append(out, mirrored...)
}

func (p pairing) cell(c *svg.Canvas, x, y, w, h float64, pair result.Pair) {
	low, high := p.bounds()
	strength := 0.5
	if high > low {
		strength = (p.Of(pair) - low) / (high - low)
	}
	// A spread of a few percent is none: the shade tells a share of the largest figure, so that noise does not look like a fault.
	strength *= min(1, (high-low)/high*2.5)
	c.Shade("heat", x+1, y+1, w-2, h-2, 0.12+0.63*strength, p.tip(pair)) // letters stay readable on the strongest
	if w >= 34 {
		c.Text("cell-text", x+w/2, y+h/2+4, svg.Middle, unit.Number(p.Of(pair)))
	}
	if pair.Suspect {
		c.Rect("suspect", x+2, y+2, w-4, h-4, 2, p.tip(pair)+", suspect")
	}
}

func (p pairing) tip(pair result.Pair) string {
	text := fmt.Sprintf("%s – %s: %s %s", pair.A, pair.B, unit.Number(p.Of(pair)), p.Unit)
	if pair.Distance != "" {
		text += ", " + pair.Distance
	}
	return text
}

func (p pairing) describe() string {
	if len(p.pairs) == 1 {
		return upper(p.Name) + " of the one pair that was measured: " + p.tip(p.pairs[0]) + "."
	}
	low, high := p.bounds()
	text := fmt.Sprintf("%s of %s, from %s to %s %s.", upper(p.Name), unit.Plural(len(p.pairs), "pair", "pairs"), unit.Number(low), unit.Number(high), p.Unit)
	for _, d := range p.distances() {
		if d != "" {
			text += fmt.Sprintf(" Median %s: %s %s.", d, unit.Number(median(p.values(d))), p.Unit)
		}
	}
	if n := p.suspects(); n > 0 {
		text += " " + unit.Plural(n, "pair is", "pairs are") + " suspect."
	}
	return text
}

func (p pairing) suspects() int {
	n := 0
	for _, pair := range p.pairs {
		n += truth(pair.Suspect)
	}
	return n
}

func (p pairing) legend() []Key {
	out := []Key{{swatch(func(c *svg.Canvas) {
		for i, opacity := range []float64{0.12, 0.4, 0.75} {
			c.Shade("heat", float64(i)*8+1, 1, 8, 12, opacity, "")
		}
	}), "stronger: more " + p.Unit}}
	if len(p.nodes) > largestMatrix {
		return p.stripLegend()
	}
	if p.suspects() > 0 {
		out = append(out, Key{swatch(func(c *svg.Canvas) { c.Rect("suspect", 5, 1, 16, 12, 2, "") }), "suspect"})
	}
	return out
}

func (p pairing) table() Table {
	t := Table{Head: []string{"from", "to", p.Name + ", " + p.Unit, "distance", "collective", "suspect"}}
	for _, pair := range p.pairs {
		suspect := ""
		if pair.Suspect {
			suspect = "yes"
		}
		t.add(pair.A, pair.B, unit.Number(p.Of(pair)), cmp.Or(pair.Distance, unit.NotKnown), cmp.Or(pair.Collective, unit.NotKnown), suspect)
	}
	return t
}

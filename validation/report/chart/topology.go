package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/validation/report/svg"
	"github.com/weft-hpc/weft/validation/report/unit"
	"github.com/weft-hpc/weft/validation/result"
)

const (
	// mostLevels is how many levels above the nodes are drawn, counted from the leaf: EC2 tells three or four.
	mostLevels = 4
	// mostNamed is how many nodes are drawn with their names.
	mostNamed = 24
	// blockClasses is how many looks of a block the page's style has: b0, b1, …
	blockClasses = 6
)

// Topology draws where nodes sit: from the spine to the leaf to the node, each node coloured by its block, with its outcome as a mark. ok is
// false where no place is known.
func Topology(id, title string, places []result.Place, nodes []result.Node) (c Chart, ok bool) {
	if len(places) == 0 {
		return Chart{}, false
	}
	t := newTopology(places, nodes)
	c = Chart{ID: id, Title: title, Desc: t.describe(), Table: t.table(), Notes: commonNote(t.common), Legend: t.legend()}
	c.SVG = t.draw(id, title, c.Desc)
	return c, true
}

type topology struct {
	places  []result.Place
	outcome map[string]result.Outcome
	blocks  []string
	short   map[string]string
	common  string
	levels  int
	root    *vertex // of all: drawn only through its children
	count   []map[string]bool
}

// vertex is a network node, or the root of all.
type vertex struct {
	name     string
	children []*vertex
	places   []result.Place // of a leaf
	y        float64
}

func newTopology(places []result.Place, nodes []result.Node) *topology {
	t := &topology{places: slices.Clone(places), outcome: map[string]result.Outcome{}, root: &vertex{}}
	slices.SortStableFunc(t.places, func(a, b result.Place) int { return cmp.Or(slices.Compare(a.Path, b.Path), naturally(a.Node, b.Node)) })
	for _, n := range nodes {
		t.outcome[n.Name] = n.Outcome
	}
	var names []string
	for _, p := range t.places {
		names = append(names, p.Node)
		t.blocks = append(t.blocks, p.Block)
		t.levels = max(t.levels, len(upwards(p.Path)))
	}
	slices.Sort(t.blocks)
	t.blocks = slices.Compact(t.blocks)
	t.short, t.common = shortNames(names)
	t.levels = max(t.levels, 1)
	t.count = make([]map[string]bool, t.levels)
	for _, p := range t.places {
		t.insert(p)
	}
	return t
}

// upwards gives the levels that are drawn. A path that is not known is a leaf of its own.
func upwards(path []string) []string {
	if len(path) == 0 {
		return []string{"place not known"}
	}
	return path[max(len(path)-mostLevels, 0):]
}

// insert adds a node at its leaf. Places come sorted by path, so that one look at the last child tells whether a vertex is there.
func (t *topology) insert(p result.Place) {
	at := t.root
	path := upwards(p.Path)
	for i, name := range path {
		level := t.levels - len(path) + i
		if t.count[level] == nil {
			t.count[level] = map[string]bool{}
		}
		t.count[level][strings.Join(path[:i+1], "\x00")] = true
		if n := len(at.children); n > 0 && at.children[n-1].name == name {
			at = at.children[n-1]
			continue
		}
		at.children = append(at.children, &vertex{name: name})
		at = at.children[len(at.children)-1]
	}
	at.places = append(at.places, p)
}

// measures of the picture.
const (
	columnWidth = 74.0
	lineHeight  = 22.0
	markSide    = 13.0
)

func (t *topology) named() bool { return len(t.places) <= mostNamed }

// nodesAt is where the nodes begin, across how many fit into a line.
func (t *topology) nodesAt() float64 { return 8 + columnWidth*float64(t.levels) }

func (t *topology) across() int {
	if t.named() {
		return 1
	}
	return int((width - t.nodesAt() - 8) / (markSide + 3))
}

func (t *topology) draw(id, title, desc string) template.HTML {
	height := t.layout(t.root, 30)
	c := svg.New(id, title, desc, width, height+4)
	for i, head := range t.heads() {
		c.Text(classLabel, 8+columnWidth*float64(i), 14, svg.Start, head)
	}
	c.Text(classLabel, t.nodesAt(), 14, svg.Start, "nodes")
	for _, v := range t.root.children {
		t.vertex(c, v, t.levels-depth(v))
	}
	return c.HTML()
}

func (t *topology) heads() []string {
	names := []string{"", "", "spine", "leaf"}
	return names[max(len(names)-t.levels, 0):]
}

// depth is how many levels of vertices lie from v to its leaves.
func depth(v *vertex) int {
	deepest := 0
	for _, c := range v.children {
		deepest = max(deepest, depth(c))
	}
	return deepest + 1
}

// layout gives every vertex its height, from y downwards, and returns where the next one may begin.
func (t *topology) layout(v *vertex, y float64) float64 {
	end := y
	if n := len(v.places); n > 0 {
		lines := (n + t.across() - 1) / t.across()
		end += lineHeight*float64(lines) + 10
	}
	for _, c := range v.children {
		end = t.layout(c, end)
	}
	v.y = (y + end - 10) / 2
	if len(v.children) > 0 && len(v.places) == 0 {
		v.y = (v.children[0].y + v.children[len(v.children)-1].y) / 2
	}
	return end
}

func (t *topology) vertex(c *svg.Canvas, v *vertex, level int) {
	x := 8 + columnWidth*float64(level)
	for _, child := range v.children {
		next := max(t.levels-depth(child), level+1)
		to := 8 + columnWidth*float64(next)
		c.Path("edge", "M"+point(x+8, v.y)+"C"+point(x+40, v.y)+" "+point(to-34, child.y)+" "+point(to, child.y), "")
		t.vertex(c, child, next)
	}
	c.Mark(svg.Square, "switch", x+4, v.y, 5, v.name)
	c.TextTip("small halo", x+1, v.y-9, svg.Start, fit(v.name, 7), v.name)
	t.nodes(c, v, x)
}

func point(x, y float64) string { return svg.Num(x) + " " + svg.Num(y) }

func (t *topology) nodes(c *svg.Canvas, v *vertex, x float64) {
	if len(v.places) == 0 {
		return
	}
	across := t.across()
	lines := (len(v.places) + across - 1) / across
	top := v.y - lineHeight*float64(lines)/2
	left := t.nodesAt()
	c.Path("edge", "M"+point(x+8, v.y)+"L"+point(left-4, v.y), "")
	c.Line("edge", left-4, top+3, left-4, top+lineHeight*float64(lines)-3)
	for i, p := range v.places {
		px := left + 2 + (markSide+3)*float64(i%across)
		py := top + lineHeight*(float64(i/across)+0.5)
		t.node(c, p, px, py)
	}
}

// node draws a square in its block's colour, and over it a mark for every outcome but passed.
func (t *topology) node(c *svg.Canvas, p result.Place, x, y float64) {
	outcome, seen := t.outcome[p.Node]
	tip := p.Node + ": " + cmp.Or(string(outcome), "not measured") + ", " + cmp.Or(p.Block, "no block")
	c.Rect(t.block(p.Block), x, y-markSide/2, markSide, markSide, 2, tip)
	if seen && outcome != result.Passed {
		c.Mark(outcomeMarker(outcome), "over", x+markSide/2, y, 3.6, tip)
	}
	if t.named() {
		c.TextTip(classTick, x+markSide+6, y+4, svg.Start, fit(t.short[p.Node], 22), p.Node)
	}
}

func (t *topology) block(name string) string {
	return fmt.Sprintf("b%d", slices.Index(t.blocks, name)%blockClasses)
}

func (t *topology) describe() string {
	text := fmt.Sprintf("%s under %s", unit.Plural(len(t.places), "node", "nodes"), unit.Plural(len(t.count[t.levels-1]), "leaf", "leaves"))
	if t.levels > 1 {
		text += " and " + unit.Plural(len(t.count[t.levels-2]), "spine", "spines")
	}
	var blocks []string
	for _, b := range t.blocks {
		n := 0
		for _, p := range t.places {
			n += truth(p.Block == b)
		}
		blocks = append(blocks, fmt.Sprintf("%s: %d", cmp.Or(b, "no block"), n))
	}
	return text + "; " + strings.Join(blocks, ", ") + "."
}

func (t *topology) legend() []Key {
	var out []Key
	for _, b := range t.blocks {
		out = append(out, Key{swatch(func(c *svg.Canvas) { c.Rect(t.block(b), 6, 1, 12, 12, 2, "") }), cmp.Or(b, "no block")})
	}
	for _, o := range outcomes {
		marked := slices.ContainsFunc(t.places, func(p result.Place) bool { return t.outcome[p.Node] == o })
		if marked && o != result.Passed {
			out = append(out, Key{swatch(func(c *svg.Canvas) {
				c.Rect("cell-none", 6, 1, 12, 12, 2, "")
				c.Mark(outcomeMarker(o), "over", 12, 7, 3.6, "")
			}), string(o)})
		}
	}
	return out
}

func (t *topology) table() Table {
	out := Table{Head: []string{"node", "block", "network nodes, root to leaf", "outcome"}}
	for _, p := range t.places {
		out.add(p.Node, cmp.Or(p.Block, unit.NotKnown), cmp.Or(strings.Join(p.Path, " → "), unit.NotKnown), cmp.Or(string(t.outcome[p.Node]), unit.NotKnown))
	}
	return out
}

package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/report/svg"
	"github.com/weft-hpc/weft/validation/report/unit"
	"github.com/weft-hpc/weft/validation/result"
)

// mostRows is how many nodes get a row of their own; of more nodes each is a tile.
const mostRows = 40

// Nodes draws the road of each node: the NICs that were found among those wanted, and what its channels to other nodes went over. ok is
// false where nothing is known of a node.
func Nodes(id, title string, nodes []result.Node) (c Chart, ok bool) {
	if len(nodes) == 0 {
		return Chart{}, false
	}
	sorted := slices.Clone(nodes)
	slices.SortStableFunc(sorted, func(a, b result.Node) int { return naturally(a.Name, b.Name) })
	names := make([]string, 0, len(sorted))
	for _, n := range sorted {
		names = append(names, n.Name)
	}
	short, common := shortNames(names)
	c = Chart{ID: id, Title: title, Desc: describeNodes(sorted), Table: nodeTable(sorted), Notes: commonNote(common)}
	if len(sorted) > mostRows {
		c.SVG, c.Legend = tiles(id, title, c.Desc, sorted), outcomeKeys(sorted)
		return c, true
	}
	c.SVG, c.Legend = nodeRows(id, title, c.Desc, sorted, short), roadKeys(sorted)
	return c, true
}

func describeNodes(nodes []result.Node) string {
	full, known, gdr, socket := 0, 0, 0, 0
	for _, n := range nodes {
		known += truth(n.NICs >= 0)
		full += truth(n.NICs >= 0 && n.NICs == n.Want)
		gdr += truth(n.Channels.Net > 0 && n.Channels.GDR == n.Channels.Net)
		socket += truth(n.Channels.Socket > 0)
	}
	text := fmt.Sprintf("Of %s, %d have all their NICs, %d send everything to other nodes with GPUDirect RDMA.", unit.Plural(len(nodes), "node", "nodes"), full, gdr)
	if socket > 0 {
		text += fmt.Sprintf(" %s.", unit.Plural(socket, "node uses sockets", "nodes use sockets"))
	}
	if missing := len(nodes) - known; missing > 0 {
		text += fmt.Sprintf(" Of %d no log tells the NICs.", missing)
	}
	return text
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// columns of a node's row.
const (
	nicsAt, nicsEnd   = 104.0, 276.0
	roadAt, roadEnd   = 292.0, 396.0
	rowHeight, rowsAt = 26.0, 30.0
)

func nodeRows(id, title, desc string, nodes []result.Node, short map[string]string) template.HTML {
	c := svg.New(id, title, desc, width, rowsAt+rowHeight*float64(len(nodes))+6)
	c.Text(classLabel, 24, 16, svg.Start, "node")
	c.Text(classLabel, nicsAt, 16, svg.Start, "NICs found")
	c.Text(classLabel, roadAt, 16, svg.Start, "channels")
	for i, n := range nodes {
		y := rowsAt + rowHeight*float64(i)
		c.Line(classGrid, 4, y, width-4, y)
		middle := y + rowHeight/2
		c.Mark(outcomeMarker(n.Outcome), OutcomeClass(n.Outcome)+" mark", 11, middle, 4.5, n.Name+": "+cmp.Or(n.Why, string(n.Outcome)))
		c.TextTip(classTick, 24, middle+4, svg.Start, fit(short[n.Name], 9), n.Name)
		nics(c, n, middle)
		road(c, n.Channels, middle)
	}
	return c.HTML()
}

// mostPips is how many NICs are drawn one by one: the most that an instance type has is 32.
const mostPips = 32

// nics draws a pip for each NIC wanted, full for those that were found, and one of another form for each too many.
func nics(c *svg.Canvas, n result.Node, y float64) {
	all := min(max(n.NICs, n.Want), mostPips)
	if n.NICs < 0 || all == 0 {
		c.Text(classTick, nicsAt, y+4, svg.Start, "not known")
		return
	}
	const forCount = 44.0
	step := min((nicsEnd-nicsAt-forCount)/float64(all), 9)
	for i := range all {
		class := "passed"
		switch {
		case i >= n.NICs:
			class = "missing"
		case i >= n.Want:
			class = "failed"
		}
		c.Rect(class, nicsAt+step*float64(i), y-6, max(step-1.6, 1.2), 12, 1, "")
	}
	c.Text(classTick, nicsAt+step*float64(all)+5, y+4, svg.Start, fmt.Sprintf("%d/%d", n.NICs, n.Want))
}

// part is what went over one road.
type part struct {
	n           int
	class, name string
}

func parts(ch evidence.Channels) []part {
	return []part{
		{ch.GDR, "passed", "Libfabric with GPUDirect RDMA"},
		{max(ch.Libfabric-ch.GDR, 0), "warned", "Libfabric without GPUDirect RDMA"},
		{ch.Socket, "failed", "sockets"},
		{ch.IB, "failed dim", "InfiniBand"},
		{ch.Other, "notrun", "another network"},
	}
}

// road draws a bar of the shares of a node's channels.
func road(c *svg.Canvas, ch evidence.Channels, y float64) {
	total := 0
	for _, p := range parts(ch) {
		total += max(p.n, 0)
	}
	if total == 0 {
		c.Text(classTick, roadAt, y+4, svg.Start, "none seen")
		return
	}
	x := roadAt
	for _, p := range parts(ch) {
		if p.n <= 0 {
			continue
		}
		w := (roadEnd - roadAt) * float64(p.n) / float64(total)
		c.Rect(p.class, x, y-6, max(w-1, 1), 12, 1, fmt.Sprintf("%d of %d channels: %s", p.n, total, p.name))
		x += w
	}
	c.Text(classTick, roadEnd+5, y+4, svg.Start, fmt.Sprintf("%d/%d", ch.GDR, total))
}

func roadKeys(nodes []result.Node) []Key {
	var all evidence.Channels
	missing := false
	for _, n := range nodes {
		all.GDR += n.Channels.GDR
		all.Libfabric += max(n.Channels.Libfabric, n.Channels.GDR)
		all.Socket += n.Channels.Socket
		all.IB += n.Channels.IB
		all.Other += n.Channels.Other
		missing = missing || n.NICs >= 0 && n.NICs < n.Want
	}
	var out []Key
	for _, p := range parts(all) {
		if p.n > 0 {
			out = append(out, Key{swatch(func(c *svg.Canvas) { c.Rect(p.class, 2, 2, 22, 10, 1, "") }), p.name})
		}
	}
	if missing {
		out = append(out, Key{swatch(func(c *svg.Canvas) { c.Rect("missing", 9, 1, 7, 12, 1, "") }), "missing NIC"})
	}
	return append(out, outcomeKeys(nodes)...)
}

// outcomes in the order in which a run is as bad as the worst of them.
var outcomes = []result.Outcome{result.Passed, result.Warned, result.NotRun, result.Waiting, result.Failed}

func outcomeKeys(nodes []result.Node) []Key {
	var out []Key
	for _, o := range outcomes {
		n := 0
		for _, node := range nodes {
			n += truth(node.Outcome == o)
		}
		if n > 0 {
			out = append(out, Key{swatch(func(c *svg.Canvas) { c.Mark(outcomeMarker(o), OutcomeClass(o)+" mark", 13, 7, 4.5, "") }), unit.Plural(n, "node", "nodes") + " " + string(o)})
		}
	}
	return out
}

// tiles draws a small mark for each node, in the order of their names.
func tiles(id, title, desc string, nodes []result.Node) template.HTML {
	const side, across = 11.6, 40
	rows := (len(nodes) + across - 1) / across
	c := svg.New(id, title, desc, width, float64(rows)*side+16)
	for i, n := range nodes {
		x, y := 8+side*(float64(i%across)+0.5), 8+side*(float64(i/across)+0.5)
		tip := fmt.Sprintf("%s: NICs %d of %d, %d of %d channels with GPUDirect RDMA", n.Name, n.NICs, n.Want, n.Channels.GDR, n.Channels.Net)
		if n.Why != "" {
			tip += ", " + n.Why
		}
		c.Mark(outcomeMarker(n.Outcome), OutcomeClass(n.Outcome)+" mark", x, y, 4, tip)
	}
	return c.HTML()
}

func nodeTable(nodes []result.Node) Table {
	t := Table{Head: []string{"node", "group", "block", "NICs", "wanted", "provider", "channels", "GDRDMA", "sockets", "outcome", "why"}}
	for _, n := range nodes {
		found := unit.NotKnown
		if n.NICs >= 0 {
			found = unit.Count(int64(n.NICs))
		}
		t.add(n.Name, n.Group, cmp.Or(n.Block, unit.NotKnown), found, fmt.Sprint(n.Want), cmp.Or(n.Provider, unit.NotKnown),
			fmt.Sprint(n.Channels.Net), fmt.Sprint(n.Channels.GDR), fmt.Sprint(n.Channels.Socket), string(n.Outcome), n.Why)
	}
	return t
}

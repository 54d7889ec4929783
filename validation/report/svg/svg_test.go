package svg_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/validation/report/svg"
)

func TestCanvas(t *testing.T) {
	t.Parallel()
	c := svg.New("a", "What", "More", 100, 50)
	c.Line("grid", 0, 1.005, 2, 3)
	c.Rect("bar", 1, 2, -3, 4, 2, "tip")
	c.Shade("cell", 1, 2, 3, 4, 1.5, "")
	c.Polyline("line s0", []svg.XY{{X: 1, Y: 2}, {X: 3, Y: 4}})
	c.Polygon("band", []svg.XY{{X: 1, Y: 2}})
	c.Text("tick", 1, 2, svg.Middle, "1 < 2")
	c.TextTip("tick", 1, 2, svg.End, "x", "the whole")
	c.Mark(svg.Dot, "s0", 5, 5, 2, "5 GB/s")
	require.Equal(t, `<svg viewBox="0 0 100 50" role="img" aria-labelledby="a-t a-d"><title id="a-t">What</title><desc id="a-d">More</desc>`+
		`<line class="grid" x1="0" y1="1" x2="2" y2="3"/><rect class="bar" x="1" y="2" width="0" height="4" rx="2"><title>tip</title></rect>`+
		`<rect class="cell" x="1" y="2" width="3" height="4" rx="2" fill-opacity="1"/><polyline class="line s0" points="1,2 3,4"/>`+
		`<polygon class="band" points="1,2"/><text class="tick" x="1" y="2" text-anchor="middle">1 &lt; 2</text>`+
		`<text class="tick" x="1" y="2" text-anchor="end">x<title>the whole</title></text>`+
		`<circle class="s0" cx="5" cy="5" r="2"><title>5 GB/s</title></circle></svg>`, string(c.HTML()))
}

func TestMarkersDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]svg.Marker{}
	for m := svg.Dot; m <= svg.Ring; m++ {
		c := svg.Ornament(10, 10)
		c.Mark(m, "s", 5, 5, 3, "")
		other, double := seen[string(c.HTML())]
		require.False(t, double, "markers %d and %d look the same", m, other)
		seen[string(c.HTML())] = m
	}
}

// Whatever goes in, well-formed XML with finite numbers comes out, and no text becomes an element.
func TestCanvasIsWellFormed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune(`<>&"'/ab=;x`)))
		number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300}))
		c := svg.New(text.Draw(t, "id"), text.Draw(t, "title"), text.Draw(t, "desc"), number.Draw(t, "w"), number.Draw(t, "h"))
		for m := svg.Dot; m <= svg.Ring; m++ {
			c.Mark(m, text.Draw(t, "class"), number.Draw(t, "x"), number.Draw(t, "y"), number.Draw(t, "r"), text.Draw(t, "tip"))
		}
		c.Shade(text.Draw(t, "class"), number.Draw(t, "x"), 0, number.Draw(t, "w"), 1, number.Draw(t, "o"), text.Draw(t, "tip"))
		c.Text(text.Draw(t, "class"), number.Draw(t, "x"), 0, svg.End, text.Draw(t, "text"))
		out := string(c.HTML())
		if strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
			t.Fatal(out)
		}
		dec := xml.NewDecoder(strings.NewReader(out))
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if e, ok := token.(xml.StartElement); ok && !known[e.Name.Local] {
				t.Fatalf("element %s in %s", e.Name.Local, out)
			}
		}
	})
}

var known = map[string]bool{"svg": true, "title": true, "desc": true, "circle": true, "rect": true, "path": true, "text": true}

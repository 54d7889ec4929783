// Package svg draws a picture as inline SVG for an HTML page: shapes that carry classes and no colours, so that the page's own style
// gives them those of a light or a dark screen, and of paper.
//
// Every text is escaped, every coordinate is finite and has two decimals at most, and the same calls give the same bytes.
package svg

import (
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Canvas collects a picture's elements. Make it with New.
type Canvas struct {
	b strings.Builder
}

// New begins a picture with what a screen reader tells of it. The id must be the only one of its kind on the page. Width and height are the
// picture's own units; it takes the width that the page gives it.
func New(id, title, desc string, width, height float64) *Canvas {
	c := &Canvas{}
	c.write(`<svg viewBox="0 0 `, num(width), ` `, num(height), `" role="img" aria-labelledby="`, esc(id), `-t `, esc(id), `-d">`)
	c.write(`<title id="`, esc(id), `-t">`, esc(title), `</title><desc id="`, esc(id), `-d">`, esc(desc), `</desc>`)
	return c
}

// Ornament begins a picture that repeats what stands beside it as text: screen readers pass it over.
func Ornament(width, height float64) *Canvas {
	c := &Canvas{}
	c.write(`<svg viewBox="0 0 `, num(width), ` `, num(height), `" width="`, num(width), `" height="`, num(height), `" aria-hidden="true">`)
	return c
}

// Line draws a straight line.
func (c *Canvas) Line(class string, x1, y1, x2, y2 float64) {
	c.open("line", class)
	c.numbers(attribute{"x1", x1}, attribute{"y1", y1}, attribute{"x2", x2}, attribute{"y2", y2})
	c.write("/>")
}

// Rect draws a rectangle with corners of a radius. A tip is shown to a pointer that rests on it; "" for none.
func (c *Canvas) Rect(class string, x, y, width, height, radius float64, tip string) {
	c.open("rect", class)
	c.numbers(attribute{"x", x}, attribute{"y", y}, attribute{"width", max(width, 0)}, attribute{"height", max(height, 0)})
	if radius > 0 {
		c.numbers(attribute{"rx", radius})
	}
	c.tip("rect", tip)
}

// Shade draws a rectangle whose fill has an opacity between 0 and 1: a cell of a heat map.
func (c *Canvas) Shade(class string, x, y, width, height, opacity float64, tip string) {
	c.open("rect", class)
	c.numbers(attribute{"x", x}, attribute{"y", y}, attribute{"width", max(width, 0)}, attribute{"height", max(height, 0)}, attribute{"rx", 2})
	c.numbers(attribute{"fill-opacity", min(max(finite(opacity), 0), 1)})
	c.tip("rect", tip)
}

// XY is a point of a picture, y downwards.
type XY struct{ X, Y float64 }

// Polyline draws lines from point to point.
func (c *Canvas) Polyline(class string, points []XY) { c.points("polyline", class, points) }

// Polygon draws a closed area.
func (c *Canvas) Polygon(class string, points []XY) { c.points("polygon", class, points) }

func (c *Canvas) points(element, class string, points []XY) {
	c.open(element, class)
	c.write(` points="`)
	for i, p := range points {
		if i > 0 {
			c.write(" ")
		}
		c.write(num(p.X), ",", num(p.Y))
	}
	c.write(`"/>`)
}

// Path draws SVG path data, which the caller makes of letters and of Num.
func (c *Canvas) Path(class, data, tip string) {
	c.open("path", class)
	c.write(` d="`, esc(data), `"`)
	c.tip("path", tip)
}

// Anchor says which part of a text stands at its point.
type Anchor string

// The anchors.
const (
	Start  Anchor = "start"
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// Text writes text with its baseline at y.
func (c *Canvas) Text(class string, x, y float64, anchor Anchor, text string) {
	c.open("text", class)
	c.numbers(attribute{"x", x}, attribute{"y", y})
	if anchor != Start {
		c.write(` text-anchor="`, string(anchor), `"`)
	}
	c.write(">", esc(text), "</text>")
}

// TextTip is Text with what a pointer that rests on it is shown: the whole of a shortened name.
func (c *Canvas) TextTip(class string, x, y float64, anchor Anchor, text, tip string) {
	c.open("text", class)
	c.numbers(attribute{"x", x}, attribute{"y", y})
	c.write(` text-anchor="`, string(anchor), `">`, esc(text), "<title>", esc(tip), "</title></text>")
}

// HTML ends the picture. html/template takes it as it is: nothing in it came in without being escaped.
func (c *Canvas) HTML() template.HTML {
	return template.HTML(c.b.String() + "</svg>") //nolint:gosec // every text and attribute went through html.EscapeString
}

func (c *Canvas) open(element, class string) {
	c.write("<", element)
	if class != "" {
		c.write(` class="`, esc(class), `"`)
	}
}

// attribute is a number of an element.
type attribute struct {
	name  string
	value float64
}

func (c *Canvas) numbers(attributes ...attribute) {
	for _, a := range attributes {
		c.write(" ", a.name, `="`, num(a.value), `"`)
	}
}

func (c *Canvas) tip(element, tip string) {
	if tip == "" {
		c.write("/>")
		return
	}
	c.write("><title>", esc(tip), "</title></", element, ">")
}

func (c *Canvas) write(parts ...string) {
	for _, p := range parts {
		c.b.WriteString(p)
	}
}

func esc(s string) string { return html.EscapeString(s) }

// Num writes a coordinate for path data.
func Num(v float64) string { return num(v) }

func num(v float64) string {
	return strconv.FormatFloat(math.Round(finite(v)*100)/100, 'f', -1, 64)
}

// farthest keeps a coordinate inside what a browser can draw, whatever was measured.
const farthest = 1e6

func finite(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -farthest), farthest)
}

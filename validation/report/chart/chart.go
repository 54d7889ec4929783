// Package chart draws what a validation run measured: bandwidth against size, latency by pair, the road of each node, iterations of a
// training, and where nodes sit in the network.
//
// A chart comes with a description and with a table of the figures that it shows, for readers who cannot see it or want to copy them.
// Outcomes differ by form as well as by colour.
package chart

import (
	"html/template"
	"math"

	"github.com/weft-hpc/weft/validation/report/svg"
	"github.com/weft-hpc/weft/validation/result"
)

// Chart is a picture and everything that is said beside it.
type Chart struct {
	ID     string
	Title  string
	Desc   string // what is to be seen, in a sentence or two
	SVG    template.HTML
	Legend []Key
	Notes  []string
	Table  Table
}

// Key is an entry of a legend.
type Key struct {
	Swatch template.HTML
	Text   string
}

// Table is figures in words: a header, and rows of as many cells.
type Table struct {
	Head []string
	Rows [][]string
}

func (t *Table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Every chart of a page is as wide, in its own units; the page shows them at about this size, and smaller on a phone, where it
// enlarges the letters.
const width = 480.0

// seriesClasses is how many looks of a series the page's style has: s0, s1, …
const seriesClasses = 6

// class names of the page's style.
const (
	classTick  = "tick"
	classLabel = "label"
	classGrid  = "grid"
	classAxis  = "axis"
)

// OutcomeClass is the class of the page's style for an outcome. What is no outcome looks like what was not run.
func OutcomeClass(o result.Outcome) string {
	switch o {
	case result.Passed:
		return "passed"
	case result.Warned:
		return "warned"
	case result.Waiting:
		return "waiting"
	case result.Failed:
		return "failed"
	default:
		return "notrun"
	}
}

// outcomeMarker tells outcomes apart without colour.
func outcomeMarker(o result.Outcome) svg.Marker {
	switch o {
	case result.Passed:
		return svg.Dot
	case result.Warned:
		return svg.Triangle
	case result.Waiting:
		return svg.Diamond
	case result.Failed:
		return svg.Cross
	default:
		return svg.Ring
	}
}

func swatch(draw func(c *svg.Canvas)) template.HTML {
	c := svg.Ornament(26, 14)
	draw(c)
	return c.HTML()
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

package chart

import (
	"html/template"

	"github.com/weft-hpc/weft/validation/report/svg"
	"github.com/weft-hpc/weft/validation/result"
)

// Gauge draws a figure's share of what was expected as a bar, with a line at the share that was asked for. It repeats what stands beside it. It is
// empty where there is nothing to compare.
func Gauge(f result.Figure) template.HTML {
	if f.Expected == 0 || !finite(f.Share) || f.Share < 0 {
		return ""
	}
	const w, h = 160.0, 12.0
	full := max(1, f.Share, f.Least, f.Most) * 1.02
	c := svg.Ornament(w, h)
	c.Rect("track", 0, 3, w, 6, 3, "")
	c.Rect(OutcomeClass(f.Outcome), 0, 3, w*min(f.Share/full, 1), 6, 3, "")
	for _, asked := range []float64{f.Least, f.Most} {
		if asked > 0 && finite(asked) {
			c.Line("need", w*asked/full, 0, w*asked/full, h)
		}
	}
	return c.HTML()
}

// Icon draws the mark of an outcome, for a badge beside its word.
func Icon(o result.Outcome) template.HTML {
	c := svg.Ornament(12, 12)
	if o == result.Passed {
		c.Path("stroked", "M2 6.5L5 9.5L10.5 2.8", "")
		return c.HTML()
	}
	c.Mark(outcomeMarker(o), "", 6, 6, 4, "")
	return c.HTML()
}

package sweep

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// add takes the row that waits as whole.
func (p *Parser) add(s *stream) {
	row, sound := s.columns.row(&s.row)
	at := p.done(s)
	if !sound {
		p.fault(at, "numbers in every column", "a half with a figure that is not a number is left out")
	}
	p.keep(s, at, row)
}

const wantRow = "a whole row, in one piece or in pieces that fit the columns of the header"

// end takes the row that waits as one that never became whole: the half that did is kept.
func (p *Parser) end(s *stream) {
	if len(s.row.text) == 0 {
		return
	}
	row, ok := s.columns.partial(&s.row)
	at := p.done(s)
	if !ok {
		p.fault(at, wantRow, "the row is left out: the log ends in it, or other programs printed into it; nccl-tests' option -J writes a file of its own")
		return
	}
	p.fault(at, wantRow, "the half that is out of place was kept, the other one was never printed")
	p.keep(s, at, row)
}

// done empties the row that waits and gives it as a line.
func (p *Parser) done(s *stream) line.Line {
	at := line.Line{Number: s.row.line, Text: s.row.text}
	s.row = pending{}
	p.waiting--
	return at
}

// keep adds a row to the run.
func (p *Parser) keep(s *stream, at line.Line, row evidence.Row) {
	r := p.current(s)
	switch {
	case row.Bytes == 0:
		r.sweep.ZeroRows++
	case p.rows >= maxRows:
		p.over.rows++
	default:
		p.rows++
		row.Excerpt = p.rowText(s, at)
		r.sweep.Rows = append(r.sweep.Rows, row)
	}
}

// rowText is the excerpt of a row. Its fields are figures and names of types: there is nothing to redact, and a long number is a size.
func (p *Parser) rowText(s *stream, at line.Line) evidence.Excerpt {
	text := bytes.TrimSpace(at.Text)
	strange := slices.ContainsFunc(s.columns, func(c column) bool { return c.name == unknown })
	if strange || len(text) > evidence.MaxText {
		return p.quote(at)
	}
	return evidence.Excerpt{File: p.file, Line: at.Number, Text: string(text)}
}

// row makes a row of the fields that are there. It is not sound when a figure is not a number; that half is nil then.
func (c layout) row(from *pending) (row evidence.Row, sound bool) {
	row.Root = -1 // as the programs print where no root takes part
	var halves [3]evidence.Half
	for i, t := range from.fit.fields {
		field := from.text[t.start:t.end]
		if c[i].half == 0 {
			lead(&row, c[i].name, field)
			continue
		}
		figure(&halves[c[i].half], c[i].name, field)
	}
	row.OutOfPlace, row.InPlace = whole(halves[1]), whole(halves[2])
	return row, row.OutOfPlace != nil && row.InPlace != nil
}

// lead sets what a row is of.
func lead(row *evidence.Row, n name, field []byte) {
	v, _ := integer(field)
	switch n {
	case size:
		row.Bytes = v
	case count:
		row.Count = v
	case typ:
		row.Type = text(field)
	case redop:
		row.Redop = text(field)
	case root:
		row.Root = int(v)
	case stamp:
		row.At = strings.Join(strings.Fields(string(field)), " ")
	}
}

// text is a field's, one string for all rows where it is a usual one.
func text(field []byte) string {
	switch string(field) {
	case "float":
		return "float"
	case "sum":
		return "sum"
	case "none":
		return "none"
	}
	return string(field)
}

// figure sets a figure of a half.
func figure(h *evidence.Half, n name, field []byte) {
	v, ok := number(field)
	if !ok {
		return // N/A
	}
	if n == wrong {
		w := int64(math.Min(v, math.MaxInt64/2))
		h.Wrong = &w
		return
	}
	if n >= iterMin && n <= iterCV {
		iteration(h, n, v)
		return
	}
	switch n {
	case timeUS:
		h.TimeUS = v
	case algBW:
		h.AlgGBps = v
	case busBW:
		h.BusGBps = v
	case maxError:
		h.MaxError = v
	}
}

// iteration sets a figure of how the iterations spread.
func iteration(h *evidence.Half, n name, v float64) {
	if h.Iterations == nil {
		h.Iterations = &evidence.Spread{}
	}
	switch n {
	case iterMin:
		h.Iterations.MinUS = v
	case iterMax:
		h.Iterations.MaxUS = v
	case iterP99:
		h.Iterations.P99US = v
	case iterCV:
		h.Iterations.CVPercent = v
	}
}

// whole gives a half of finite figures, nil for another one.
func whole(h evidence.Half) *evidence.Half {
	figures := []float64{h.TimeUS, h.AlgGBps, h.BusGBps, h.MaxError}
	if i := h.Iterations; i != nil {
		figures = append(figures, i.MinUS, i.MaxUS, i.P99US, i.CVPercent)
	}
	for _, f := range figures {
		if !finite(f) {
			return nil
		}
	}
	return &h
}

// partial makes a row of one that never became whole, of its first half, where that is whole without doubt: its fields stand where the
// format sets them, and it has all that is printed of it at once.
func (c layout) partial(from *pending) (row evidence.Row, ok bool) {
	n := 0
	for i := 1; i <= len(from.fit.fields) && i < len(c); i++ {
		if c[i-1].half == 1 && c[i].part {
			n = i // the end of what was measured last out of place
		}
	}
	if n == 0 {
		return evidence.Row{}, false
	}
	left := pending{text: from.text[:from.fit.fields[n-1].end]}
	left.fit = c[:n].fits(left.text)
	if !c[:n].proven(left.text, &left.fit) && !from.beyond(n) || !left.fit.aligned {
		return evidence.Row{}, false
	}
	row, _ = c.row(&left)
	row.InPlace = nil
	return row, row.OutOfPlace != nil
}

// beyond reports whether something follows the first n fields, a blank or more, so that the last of them has its end.
func (p *pending) beyond(n int) bool { return p.fit.fields[n-1].end < len(p.text) }

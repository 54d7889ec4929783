package sweep

import (
	"bytes"
	"slices"

	"github.com/weft-hpc/weft/validation/parse/line"
)

// pending is a row of which a part was printed. Its text is what the process printed of it so far, without what came in between.
type pending struct {
	text []byte
	line int // where it begins
	fit  fit
}

// maxPending bounds a row's text, in bytes: no row is longer than 250.
const maxPending = 1024

// rowLine reads a line that may be a row of a table or a part of one.
func (p *Parser) rowLine(l line.Line) {
	p.failure(l)
	s := p.stream(l.Label)
	text, foreign := own(l.Text)
	if foreign {
		l.Open = false
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if s.columns == nil {
		p.orphan(s, l, text)
		return
	}
	l.Text = text
	f := s.columns.fits(text)
	switch {
	case f.starts() && (!f.broken || len(f.fields) > 4):
		p.end(s)
		p.start(s, l, f)
	case len(s.row.text) > 0 && p.join(s, l):
	case l.Open && !f.broken && (len(f.fields) > 0 || digit(text[len(text)-1])):
		p.fault(l, "a whole row", "the file ends inside a row; the row is left out")
	case foreign && len(s.row.text) == 0 && len(f.fields) > 0 && !f.broken && f.fields[0].start > 0:
		p.start(s, l, f) // parted by a message before its type
	case s.lost(text):
		p.fault(l, "a whole row", "the left side of this row is missing; the row is left out")
	}
}

// own gives what of a line is not of NCCL's messages nor a remark that stands inside a row: alltoallv prints some there.
func own(text []byte) (row []byte, foreign bool) {
	row = text
	if before, _, found := line.Message(text); found {
		row, foreign = before, true
	}
	if i := bytes.IndexByte(row, '#'); i >= 0 {
		row, foreign = row[:i], true
	}
	return row, foreign
}

// starts reports whether a text begins like a row, with a size, a count and a type.
func (f *fit) starts() bool { return len(f.fields) > 2 }

// start begins a row; one that is whole is done at once.
func (p *Parser) start(s *stream, l line.Line, f fit) {
	s.row = pending{text: append(s.row.text[:0], l.Text...), line: l.Number, fit: f}
	p.waiting++
	p.advance(s, l)
}

// join puts a text behind the row that waits. It does so only where the header's columns prove that the two belong together: each field
// then stands where the format sets it, or the text is just what is printed after one measurement.
func (p *Parser) join(s *stream, l line.Line) bool {
	if len(s.row.text)+len(l.Text) > maxPending {
		return false
	}
	seam := s.columns.printed(&s.row.fit)
	for _, between := range [...]string{"", " "} { // a launcher's mark may have taken one blank
		text, f := s.behind(between, l.Text)
		if f.aligned && f.goesOn(&s.row.fit, seam) {
			return p.joined(s, l, text, f)
		}
	}
	text, f := s.behind("", l.Text)
	if seam && blank(l.Text[0]) && f.goesOn(&s.row.fit, seam) && s.columns.printed(&f) {
		return p.joined(s, l, text, f)
	}
	return false
}

// behind puts a text behind the row that waits.
func (s *stream) behind(between string, text []byte) ([]byte, fit) {
	text = slices.Concat(s.row.text, []byte(between), text)
	return text, s.columns.fits(text)
}

// goesOn reports whether the text has fields that the one before had not, or a longer last one where the program was not to measure.
func (f *fit) goesOn(before *fit, seam bool) bool {
	if f.broken {
		return false
	}
	more := len(f.fields) - len(before.fields)
	return more > 0 || more == 0 && !seam && !f.cut
}

func (p *Parser) joined(s *stream, l line.Line, text []byte, f fit) bool {
	s.row.text, s.row.fit = text, f
	p.advance(s, l)
	return true
}

// printed reports whether the fields end where the program stops printing until it has measured again.
func (c layout) printed(f *fit) bool {
	n := len(f.fields)
	return !f.cut && (n == len(c) || n > 0 && c[n].part)
}

// advance ends the row that waits when it is whole, or when it cannot become so.
func (p *Parser) advance(s *stream, l line.Line) {
	f := &s.row.fit
	switch {
	case f.broken:
		p.fault(p.done(s), wantRow, "the row is left out: it has fields that the header has no columns for; take the log as the program wrote it")
	case l.Open && !s.columns.proven(s.row.text, f):
		p.end(s)
	case f.whole:
		p.add(s)
	}
}

// proven reports whether a row at the end of a file without a line end is whole: its last field cannot have been longer.
func (c layout) proven(text []byte, f *fit) bool {
	if !f.whole || !f.aligned {
		return false
	}
	last := f.fields[len(f.fields)-1]
	field := text[last.start:last.end]
	return c[len(c)-1].name != wrong || string(field) == notChecked || len(field) < c[len(c)-1].width
}

// lost reports whether a text is just what is printed of a row after a measurement, where no row waits for it.
func (s *stream) lost(text []byte) bool {
	if !blank(text[0]) || len(s.row.text) > 0 {
		return false
	}
	for i, c := range s.columns {
		if !c.part {
			continue
		}
		f := s.columns[i:].fits(text)
		if !f.broken && !f.cut && len(f.fields) > 2 && f.aligned && s.columns[i:].printed(&f) {
			return true
		}
	}
	return false
}

// orphan tells, once, of rows that stand below no header.
func (p *Parser) orphan(s *stream, l line.Line, text []byte) {
	start := bytes.TrimLeft(text, " ")
	if s.orphans || p.rows > 0 || len(start) == 0 || !digit(start[0]) {
		return
	}
	f := usual.fits(text)
	if f.whole && f.aligned {
		s.orphans = true
		p.fault(l, "a header with the names of the columns above the rows", "rows without a header are not read; take the log as the program wrote it")
	}
}

// usual are the columns of most tables, to know a row by.
var usual, _ = parseHeader([]byte(
	"#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong"))

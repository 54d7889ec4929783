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
	open bool // no line end stands behind the text
}

// maxPending bounds a row's text, in bytes: no row is longer than 250.
const maxPending = 1024

// maxHost is the longest name of a host that POSIX allows, in bytes.
const maxHost = 255

// rowLine reads a line that may be a row of a table or a part of one.
func (p *Parser) rowLine(l line.Line) {
	p.failure(l)
	s := p.stream(l.Label)
	text, foreign := s.own(l.Text)
	l.Text = text
	switch {
	case len(text) == 0 || len(text) > maxPending:
	case s.columns == nil:
		p.orphan(s, l)
	case len(bytes.TrimSpace(text)) == 0:
		if foreign && len(s.row.text) > 0 && len(s.row.text)+len(text) <= maxPending {
			s.row.text = append(s.row.text, text...)
		}
	default:
		p.piece(s, l, foreign)
	}
}

// piece reads a text that stands in a table.
func (p *Parser) piece(s *stream, l line.Line, foreign bool) {
	ends := l.Open
	l.Open = l.Open || foreign // a message ends a line as the end of a file does: anywhere
	f := s.columns.fits(l.Text)
	begins := p.begins(s, l.Text, &f)
	waits := len(s.row.text) > 0
	switch {
	case waits && (!begins || !s.row.fit.starts()) && p.join(s, l):
	case begins:
		p.end(s)
		p.start(s, l, f)
	case waits:
		p.doubt(s, l, foreign)
	case foreign && f.early():
		p.start(s, l, f)
	default:
		p.remains(s, l, ends, &f)
	}
}

// doubt ends the row that waits when a part of a row came that does not fit: what comes next may not be what this row waits for.
func (p *Parser) doubt(s *stream, l line.Line, foreign bool) {
	if foreign || figures(l.Text) {
		p.end(s)
	}
}

// early reports whether a text is the beginning of a row that was parted by a message before its type.
func (f *fit) early() bool {
	return len(f.fields) > 0 && !f.broken && f.fields[0].start > 0
}

// remains tells of what is left of a row whose other parts are not there.
func (p *Parser) remains(s *stream, l line.Line, ends bool, f *fit) {
	switch {
	case ends && !f.broken && (len(f.fields) > 0 || digit(l.Text[len(l.Text)-1])):
		p.fault(l, "a whole row", "the file ends inside a row; the row is left out")
	case s.lost(l.Text):
		p.fault(l, "a whole row", "the left side of this row is missing; the row is left out")
	}
}

// figures reports whether a text begins with figures as half a row has them, the first of them perhaps without its beginning.
func figures(text []byte) bool {
	all := tokens(text)
	if len(all) < 3 {
		return false
	}
	for _, t := range all[:3] {
		if len(bytes.Trim(text[t.start:t.end], "0123456789.e+-/NA")) > 0 {
			return false
		}
	}
	return true
}

// own gives what of a line is not of NCCL's messages nor a remark that stands inside a row: alltoallv prints some there.
func (s *stream) own(text []byte) (row []byte, foreign bool) {
	row = text
	if before, message, found := line.Message(text); found {
		row, foreign = before, true
		if head, ok := line.ParseHead(message); ok && message[0] != '[' {
			row = s.glued(text, len(before), head.Host)
		}
	}
	if i := bytes.IndexByte(row, '#'); i >= 0 {
		row, foreign = row[:i], true
	}
	return row, foreign
}

// glued gives what stands before a message that follows without a blank, as in `-1vm:2146:2160 [0] NCCL INFO`. The ranks' hosts tell where
// the figure ends and the host's name begins, or else the columns do.
func (s *stream) glued(text []byte, at int, host []byte) []byte {
	for i := range host[:min(len(host), maxHost)] {
		if s.run != nil && s.run.hosts[string(host[i:])] {
			return text[:at+i]
		}
	}
	if at > maxPending || len(host) > maxHost {
		return text[:at]
	}
	for _, before := range [...][]byte{nil, s.row.text} {
		all := slices.Concat(before, text[:at+len(host)])
		if end, ok := s.columns.aligns(all, len(before)+at); ok {
			return text[:end-len(before)]
		}
	}
	return text[:at]
}

// aligns finds the place, from a first one, up to which a text's last field stands where the format sets it.
func (c layout) aligns(text []byte, first int) (end int, ok bool) {
	if first > 0 && blank(text[first-1]) {
		first++ // nothing of the last field is there yet
	}
	for end := first; end < len(text); end++ {
		if f := c.fits(text[:end]); f.aligned && !f.cut && !f.broken && len(f.fields) > 1 {
			return end, true
		}
	}
	return 0, false
}

// starts reports whether a text begins like a row, with a size, a count and a type.
func (f *fit) starts() bool { return len(f.fields) > 2 }

// begins reports whether a text begins a row.
func (p *Parser) begins(s *stream, text []byte, f *fit) bool {
	return f.starts() && (!f.broken || len(f.fields) > 4) && p.begun(s, text, f)
}

// begun reports whether a text has a row's beginning. Where its first field does not stand where the format sets it, blanks may be missing,
// or digits: then the size has to go with the count.
func (p *Parser) begun(s *stream, text []byte, f *fit) bool {
	if f.fields[0].end >= s.columns[0].end-1 { // a launcher's mark may have taken one blank
		return true
	}
	bytes, _ := integer(text[f.fields[0].start:f.fields[0].end])
	count, _ := integer(text[f.fields[1].start:f.fields[1].end])
	width, known := widths[string(text[f.fields[2].start:f.fields[2].end])]
	ranks := int64(distinct(p.current(s).sweep.Ranks))
	switch {
	case bytes == 0 || count == 0:
		return bytes == count
	case !known || ranks == 0:
		return bytes%count == 0
	}
	return bytes == count*width || bytes == count*width*ranks
}

// widths are the sizes of the types, in bytes.
var widths = map[string]int64{
	"char": 1, "int8": 1, "uint8": 1, "f8e4m3": 1, "f8e5m2": 1, "half": 2, "bfloat16": 2,
	"int": 4, "int32": 4, "uint32": 4, "float": 4, "int64": 8, "uint64": 8, "double": 8,
}

// start begins a row; one that is whole is done at once.
func (p *Parser) start(s *stream, l line.Line, f fit) {
	s.row = pending{text: bytes.Clone(l.Text), line: l.Number, fit: f, open: l.Open}
	p.waiting++
	p.advance(s, l)
}

// join puts a text behind the row that waits. It does so only where the header's columns prove that the two belong together: each field
// then stands where the format sets it, or the text is just what is printed after one measurement.
func (p *Parser) join(s *stream, l line.Line) bool {
	if len(s.row.text)+len(l.Text) > maxPending {
		return false
	}
	text, f := s.behind("", l.Text)
	proved := s.proves(&f, l.Open)
	if !proved && bytes.IndexByte(l.Label, ',') >= 0 { // Open MPI's mark may have taken one blank
		if more, g := s.behind(" ", l.Text); s.proves(&g, l.Open) {
			text, f, proved = more, g, true
		}
	}
	if !proved && !s.measured(&f, l.Text) || !s.columns.sewn(text, len(s.row.text), &f) {
		return false
	}
	s.row.text, s.row.fit, s.row.open = text, f, l.Open
	p.advance(s, l)
	return true
}

// sewn reports whether a word that two parts of a text make is one that the programs print: where a host's name followed the first part, its
// beginning may have been taken for the word's end.
func (c layout) sewn(text []byte, seam int, f *fit) bool {
	for i, t := range f.fields {
		if t.start >= seam || t.end <= seam {
			continue
		}
		word := string(text[t.start:t.end])
		_, known := widths[word]
		return c[i].name != typ && c[i].name != redop || c[i].name == typ && known || c[i].name == redop && slices.Contains(operations[:], word)
	}
	return true
}

// operations are the names of reductions.
var operations = [...]string{"sum", "prod", "max", "min", "avg", "mulsum", "none"}

// proves reports whether the row that waits goes on so that each field stands where the format sets it, but for a last one that a message
// may have cut.
func (s *stream) proves(f *fit, open bool) bool {
	return (f.aligned || f.short && open) && f.goesOn(&s.row.fit, s.seam())
}

// measured reports whether what is put behind the row that waits is just what is printed after one measurement, where it waits for that.
func (s *stream) measured(f *fit, text []byte) bool {
	return s.seam() && s.columns.sure(&s.row) && blank(text[0]) && f.goesOn(&s.row.fit, true) && s.columns.printed(f)
}

// seam reports whether the row waits for what is printed after a measurement.
func (s *stream) seam() bool {
	return s.columns.printed(&s.row.fit) && !s.row.fit.whole && !s.row.fit.short
}

// sure reports whether the last field of a row that waits has its end there: a line end or a blank follows, or it cannot be longer.
func (c layout) sure(row *pending) bool {
	last := len(row.fit.fields) - 1
	field := string(row.text[row.fit.fields[last].start:row.fit.fields[last].end])
	switch {
	case !row.open || row.fit.aligned || row.beyond(last+1):
		return true
	case c[last].name == root:
		return field == "-1"
	}
	return field == notChecked || c[last].name == wrong && field == "0"
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
	case f.whole && !f.short && (!l.Open || s.columns.proven(s.row.text, f)):
		p.add(s)
	}
}

// proven reports whether a row that no line end ends is whole: its last field cannot have been longer.
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
	if !blank(text[0]) {
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
func (p *Parser) orphan(s *stream, l line.Line) {
	start := bytes.TrimLeft(l.Text, " ")
	if s.orphans || p.rows > 0 || len(start) == 0 || !digit(start[0]) {
		return
	}
	f := usual.fits(l.Text)
	if f.whole && f.aligned {
		s.orphans = true
		p.fault(l, "a header with the names of the columns above the rows", "rows without a header are not read; take the log as the program wrote it")
	}
}

// usual are the columns of most tables, to know a row by.
var usual, _ = parseHeader([]byte(
	"#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong"))

package sweep

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/weft-hpc/weft/validation/parse/line"
)

// name is what a column holds.
type name byte

// The columns of all versions.
const (
	unknown name = iota
	size
	count
	typ
	redop
	root
	timeUS
	algBW
	busBW
	wrong    // a count of wrong values, or N/A
	maxError // before 2.13: the largest difference
	iterMin
	iterMax
	iterP99
	iterCV
	stamp // two fields, date and time
)

var names = map[string]name{
	"size": size, "count": count, "type": typ, "redop": redop, "root": root,
	"time": timeUS, "cputime": timeUS, "algbw": algBW, "busbw": busBW, "#wrong": wrong, "error": maxError,
	"i_min": iterMin, "i_max": iterMax, "i_p99": iterP99, "i_cv%": iterCV, "timestamp": stamp,
}

// column is one column of a table.
type column struct {
	name  name
	half  int  // 0 what the row is of, 1 out of place, 2 in place
	width int  // that values are set to the right in, behind two blanks; 0 where that is not known
	end   int  // where the name ends in the header's line
	part  bool // the program prints what is before this column and what begins with it at different times
}

// layout is the columns of a table, from its header.
type layout []column

// header reads the line of a table's header that names the columns.
func (p *Parser) header(s *stream, l line.Line, _ string) bool {
	if !bytes.Contains(l.Text, []byte("algbw")) || !bytes.Contains(l.Text, []byte("busbw")) {
		return true // a remark of another program
	}
	p.end(s)
	columns, strange := parseHeader(l.Text)
	p.table(s, nil)
	if !columns.usable() || l.Open {
		s.orphans = true // which this tells
		p.fault(l, "the columns size, count and type, then twice time, algbw and busbw", "the rows below cannot be read; take the log as the program wrote it")
		return true
	}
	if strange {
		p.fault(l, "columns of nccl-tests 2.9 to 2.19.6", "the column with another name is left out, the others are read")
	}
	p.table(s, columns)
	if bytes.Contains(l.Text, []byte(" cputime ")) {
		addMode(&p.current(s).sweep.Asked, "cpu-time")
	}
	return true
}

// parseHeader reads the names. A name that is not known is strange.
func parseHeader(text []byte) (columns layout, strange bool) {
	half, end := 0, 0
	text = text[1:]
	for _, t := range tokens(text) {
		n := names[string(text[t.start:t.end])]
		if n == timeUS {
			half++
		}
		c := column{name: n, half: half, width: max(t.end-end-2, 0), end: t.end + 1, part: n == timeUS || n == iterMin}
		if n == stamp {
			c.half, c.width = 0, 0
		}
		strange = strange || n == unknown
		columns = append(columns, c)
		end = t.end
	}
	return columns, strange
}

// usable reports whether the columns are those of a table of nccl-tests.
func (c layout) usable() bool {
	var have [256]int
	for _, column := range c {
		have[column.name]++
	}
	return have[size] == 1 && have[count] == 1 && have[typ] == 1 && have[timeUS] == 2 && have[algBW] == 2 && have[busBW] == 2
}

// token is one field of a text.
type token struct{ start, end int }

// tokens parts a text at its blanks.
func tokens(text []byte) []token {
	out := make([]token, 0, 24)
	for t, ok := next(text, 0); ok; t, ok = next(text, t.end) {
		out = append(out, t)
	}
	return out
}

// next is the first field that begins at a place or behind it.
func next(text []byte, from int) (t token, ok bool) {
	for from < len(text) && blank(text[from]) {
		from++
	}
	t = token{from, from}
	for t.end < len(text) && !blank(text[t.end]) {
		t.end++
	}
	return t, t.start < t.end
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// fit is how far a text fits the columns of a table from their beginning.
type fit struct {
	fields  []token // one for each column that the text fills; a time stamp's is its date and time together
	whole   bool    // every column is filled, and nothing is left over
	broken  bool    // a field does not fit its column, or there are too many
	cut     bool    // the last field does not fit, and may be the beginning of one that does
	aligned bool    // the fields stand where the program's format sets them
	short   bool    // all but the last do, and that one ends too early: it may not be whole
}

// fits fits a text into the columns.
func (c layout) fits(text []byte) fit {
	f := fit{aligned: true}
	first, more := next(text, 0)
	for more {
		i := len(f.fields)
		if i == len(c) {
			f.broken = true
			return f
		}
		t, used := c[i].field(text, first, &f)
		if used && !c[i].takes(text[t.start:t.end]) {
			_, more = next(text, t.end)
			f.cut = !more && c[i].begins(text[t.start:t.end])
			f.broken = !f.cut
			return f
		}
		if f.fields == nil {
			f.fields = make([]token, 0, len(c))
		}
		f.add(c[i], text, t)
		if used {
			first, more = next(text, t.end)
		}
	}
	f.whole = len(f.fields) == len(c)
	return f
}

// field gives what stands in the column of the text's first field that is left: two for a time stamp, and nothing, which is not used, where
// hypercube, which has no operation, prints blanks.
func (c column) field(text []byte, first token, f *fit) (t token, used bool) {
	switch {
	case c.name == stamp:
		if second, ok := next(text, first.end); ok {
			return token{first.start, second.end}, true
		}
	case c.name == redop && len(f.fields) > 0:
		if _, root := integer(text[first.start:first.end]); root {
			end := f.fields[len(f.fields)-1].end + 2 + c.width
			return token{end, end}, false
		}
	}
	return first, true
}

// add takes a field, and looks where it stands.
func (f *fit) add(c column, text []byte, t token) {
	f.short = false
	if n := len(f.fields); n > 0 && f.aligned && t.start < t.end {
		f.aligned = c.aligned(text, f.fields[n-1].end, t)
		f.short = !f.aligned && t.end < f.fields[n-1].end+2+c.width
	}
	f.fields = append(f.fields, t)
}

// aligned reports whether a field ends where its column's format ends it: set to the right in the column's width, or longer than that. What
// was not checked, N/A, stands one to the left since 2.17.3.
func (c column) aligned(text []byte, before int, t token) bool {
	if c.width == 0 {
		return c.name == stamp && t.start == before+2
	}
	end := before + 2 + max(c.width, t.end-t.start)
	return t.end == end || t.end == end-1 && string(text[t.start:t.end]) == notChecked
}

const notChecked = "N/A"

// takes reports whether a field can stand in the column.
func (c column) takes(field []byte) bool {
	switch c.name {
	case size, count:
		n, ok := integer(field)
		return ok && n >= 0
	case root:
		_, ok := integer(field)
		return ok
	case typ, redop:
		return word(field)
	case wrong, maxError:
		v, ok := number(field)
		return string(field) == notChecked || ok && v >= 0
	case stamp:
		_, err := time.Parse(time.DateTime, string(field))
		return err == nil && len(field) == len(time.DateTime)
	case unknown:
		return true
	}
	_, ok := number(field)
	return ok
}

// begins reports whether a field may be the beginning of one that the column takes.
func (c column) begins(field []byte) bool {
	parts := "0123456789.e+-/N"
	switch c.name {
	case typ, redop:
		parts = "abcdefghijklmnopqrstuvwxyz0123456789"
	case stamp:
		parts = "0123456789-: "
	}
	return len(bytes.Trim(field, parts)) == 0
}

// integer reads a whole number.
func integer(field []byte) (int64, bool) {
	digits := bytes.TrimPrefix(field, []byte("-"))
	if len(digits) == 0 {
		return 0, false
	}
	for _, c := range digits { // most of what is asked is none, and an error costs more than this
		if !digit(c) {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(string(field), 10, 64)
	return n, err == nil
}

// number reads a number as C prints it: 12.5, 1e+06, nan, -nan, inf.
func number(field []byte) (float64, bool) {
	switch string(field) {
	case "nan", "-nan":
		return math.NaN(), true
	case "inf", "-inf":
		return math.Inf(1), true
	}
	if len(field) == 0 || !digit(field[0]) && field[0] != '-' || field[len(field)-1] == '.' || bytes.ContainsAny(field, "xX_pP") {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(field), 64)
	return v, err == nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// word tells the names of types and operations: float, bfloat16, f8e4m3, sum, none.
func word(field []byte) bool {
	if len(field) < 3 || len(field) > 16 || field[0] < 'a' || field[0] > 'z' {
		return false
	}
	for _, c := range field {
		if (c < 'a' || c > 'z') && !digit(c) && c != '_' {
			return false
		}
	}
	return true
}

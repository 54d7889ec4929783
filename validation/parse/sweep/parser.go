// Package sweep reads what the nccl-tests programs print and what they write with -J.
//
// The text's columns are taken from the names in the table's header, so that every version's table is read by one way. A row is printed in
// parts: its left side, then, each after a measurement, its two halves. Messages of NCCL that come in between stand inside the row or part
// it over several lines; the parser puts the parts together again where the header's columns prove that they belong together, and says so
// where they do not. The layouts are those of nccl-tests 2.9 to 2.19.6: src/common.cu and src/util.cu there.
package sweep

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/mark"
)

// Bounds of what is kept of one file; what comes above them is counted and told in a finding.
const (
	maxRows     = 100_000 // with -N 0 a program prints rows for ever
	maxRanks    = 100_000
	maxFailures = 100
	maxStreams  = 100_000
)

// Parser reads the text of one file. Make one with [New].
type Parser struct {
	file     string
	plain    *stream
	labelled map[string]*stream
	waiting  int // streams with a row that is not yet whole
	tables   int // streams in a table
	runs     []*run
	faults   line.Faults
	rows     int
	over     struct{ rows, ranks, failures int }
	failing  []byte // the host whose failure the line before told
}

// New makes a parser; the file's name goes into what it finds.
func New(file string) *Parser {
	return &Parser{file: file, plain: &stream{}, labelled: map[string]*stream{}}
}

// Marks are in all lines that concern a parser which does not await them.
func Marks() mark.Set {
	return mark.Set{
		Front:  append([]string{"#", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, refusals[:]...), // a row without a header is told of
		Inside: append([]string{testFailure, "<stdout>:", "<stderr>:"}, behindHost[:]...),
	}
}

// Awaits reports whether a line without a mark may concern the parser: a row in a table, all where a row is not whole, and all where a
// failure's trace may follow.
func (p *Parser) Awaits(text []byte) bool {
	return p.waiting > 0 || len(p.failing) > 0 || p.tables > 0 && len(text) > 0 && (text[0] == ' ' || digit(text[0]))
}

// Line takes the next line of the file. What is not of nccl-tests is passed over.
func (p *Parser) Line(l line.Line) {
	if len(l.Text) == 0 {
		return
	}
	switch c := l.Text[0]; {
	case c == '#':
		p.comment(p.stream(l.Label), l)
	case c == ' ' || digit(c):
		p.parts(l)
	case p.waiting > 0:
		p.parts(l)
	default:
		p.failure(l)
	}
}

// Sweep gives the first run of the file and what could not be read. Without any, the sweep's Worlds is 0 and its Failures are empty. A file
// with several runs has them all in [Parser.Sweeps].
func (p *Parser) Sweep() (evidence.Sweep, diag.List) {
	all, found := p.Sweeps()
	if len(all) == 0 {
		return evidence.Sweep{}, found
	}
	return all[0], found
}

// Sweeps gives the runs of the file in their order: a job may run one program after another into one log. Several programs that ran at the
// same time because each was built without MPI are one run of several worlds.
func (p *Parser) Sweeps() ([]evidence.Sweep, diag.List) {
	p.end(p.plain)
	for _, label := range slices.Sorted(maps.Keys(p.labelled)) {
		p.end(p.labelled[label])
	}
	out := make([]evidence.Sweep, len(p.runs))
	for i, r := range p.runs {
		out[i] = r.finish()
	}
	found := p.faults.List()
	found.Add(p.dropped()...)
	found.Sort()
	return out, found
}

// dropped tells what passed a bound.
func (p *Parser) dropped() diag.List {
	var out diag.List
	for _, over := range []struct {
		n, bound int
		what     string
	}{{p.over.rows, maxRows, "rows"}, {p.over.ranks, maxRanks, "ranks"}, {p.over.failures, maxFailures, "lines of failures"}} {
		if over.n > 0 {
			out.Add(diag.Finding{
				Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: p.file},
				Got:  fmt.Sprintf("%d %s more than are kept", over.n, over.what),
				Want: fmt.Sprintf("at most %d %s; the first ones were kept", over.bound, over.what),
				Hint: "give one run a file: nccl-tests' option -N repeats a sweep, with -N 0 without end",
			})
		}
	}
	return out
}

// stream is what one label's process prints; without labels all processes share one.
type stream struct {
	next    world // of the run whose first lines came
	run     *run
	columns layout // of the table; nil outside of one
	row     pending
	orphans bool // a line before any header looked like a row, and was told
}

func (p *Parser) stream(label []byte) *stream {
	if len(label) == 0 {
		return p.plain
	}
	s, ok := p.labelled[string(label)]
	switch {
	case ok:
		return s
	case len(p.labelled) >= maxStreams:
		return p.plain
	}
	s = &stream{}
	p.labelled[string(label)] = s
	return s
}

// table begins a stream's table, or ends it with no columns.
func (p *Parser) table(s *stream, columns layout) {
	if s.columns != nil {
		p.tables--
	}
	if columns != nil {
		p.tables++
	}
	s.columns = columns
}

// parts gives a line to its row, parted where a launcher put the mark of another process into it: what a process prints without a line end
// is followed on the same line by what another one prints.
func (p *Parser) parts(l line.Line) {
	for {
		at := tag(l.Text)
		if at < 0 {
			p.rowLine(l)
			return
		}
		first := l
		first.Text, first.Open = l.Text[:at], false
		p.rowLine(first)
		l.Label, l.Text = line.Strip(l.Text[at:])
	}
}

// tag finds Open MPI's mark of a process inside a line; -1 where there is none.
func tag(text []byte) int {
	const stamp = len("Mon Nov 30 18:59:44 2026")
	i := bytes.Index(text, []byte("<std"))
	if i < 0 {
		return -1
	}
	at := bytes.LastIndexByte(text[:i], '[')
	if at <= 0 {
		return -1
	}
	if at > stamp && isTag(text[at-stamp:]) {
		return at - stamp
	}
	if isTag(text[at:]) {
		return at
	}
	return -1
}

func isTag(text []byte) bool {
	label, rest := line.Strip(text)
	return len(label) > 0 && len(rest) < len(text)
}

// fault notes a line that could not be read.
func (p *Parser) fault(l line.Line, want, hint string) { p.faults.Add(p.file, l, want, hint) }

func (p *Parser) quote(l line.Line) evidence.Excerpt {
	return evidence.Quote(p.file, l.Number, l.Text)
}

func digit(c byte) bool { return c-'0' <= 9 }

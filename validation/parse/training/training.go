// Package training reads the iteration lines of training programs: Megatron-LM of all versions, Megatron-Bridge, and the line that weft's
// own torch template prints.
package training

import (
	"bytes"
	"math"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/mark"
)

// The frameworks, as [evidence.Training] names them.
const (
	Megatron = "megatron-lm"
	Bridge   = "megatron-bridge"
	Torch    = "torch"
)

// Parser reads the lines of one file.
type Parser struct {
	file   string
	runs   [3]run // Megatron's, Bridge's and torch's
	timers timers
	faults line.Faults
}

// The runs of a parser, in the order in which they count: Megatron's lines have a number, Bridge's have only a time.
const (
	megatron = iota
	torch
	bridge
)

// run is what lines of one form tell.
type run struct {
	of         int
	label      string // of the rank that prints
	iterations []evidence.Iteration
}

// New makes a parser of a file.
func New(file string) *Parser { return &Parser{file: file} }

// Marks are in all lines that concern a parser which does not await them.
func Marks() mark.Set {
	return mark.Set{Front: []string{string(timerHead)}, Inside: []string{elapsed, stepTime, stepMark}}
}

// Awaits reports whether a line without a mark may concern the parser: below the headline of timers each may be one.
func (p *Parser) Awaits(_ []byte) bool { return p.timers.open }

// Line takes one line.
func (p *Parser) Line(l line.Line) {
	if p.timers.line(p.file, p.runs[megatron].last(), l) {
		return
	}
	switch {
	case bytes.Contains(l.Text, []byte(elapsed)):
		p.megatron(l)
	case bytes.Contains(l.Text, []byte(stepTime)):
		p.bridge(l)
	case bytes.Contains(l.Text, []byte(stepMark)):
		p.torch(l)
	}
}

// Findings tell which lines could not be read.
func (p *Parser) Findings() diag.List { return p.faults.List() }

// Training is what the file tells; nil where it holds no iteration.
func (p *Parser) Training() *evidence.Training {
	for i := range p.runs {
		r := &p.runs[i]
		if len(r.iterations) == 0 {
			continue
		}
		out := &evidence.Training{Framework: p.framework(i), Of: r.of, Iterations: cover(r.iterations), Timers: p.timers.list()}
		out.Concluded = r.of > 0 && r.last() == r.of
		return out
	}
	return nil
}

func (p *Parser) framework(i int) string {
	switch {
	case i == torch:
		return Torch
	case i == bridge || len(p.runs[bridge].iterations) > 0:
		return Bridge
	}
	return Megatron
}

// last is the number of the last iteration; 0 before the first.
func (r *run) last() int {
	if len(r.iterations) == 0 {
		return 0
	}
	return r.iterations[len(r.iterations)-1].Number
}

// add keeps an iteration once. The same iteration again is another rank's line. A number that goes back begins a restart of the program,
// if the rank that printed so far says so.
func (r *run) add(l line.Line, of int, it evidence.Iteration) {
	if len(r.iterations) == 0 {
		r.label = string(l.Label)
	}
	if last := r.last(); it.Number == last || it.Number < last && r.label != string(l.Label) {
		return
	}
	r.of = of
	r.iterations = append(r.iterations, it)
}

// cover says how many iterations each line is the mean of: those since the line before. The first line's are the log interval, which the
// second line tells, but no more than there were.
func cover(iterations []evidence.Iteration) []evidence.Iteration {
	for i := range iterations {
		iterations[i].Covers = 1
		if i > 0 {
			iterations[i].Covers = max(1, iterations[i].Number-iterations[i-1].Number)
		}
	}
	if len(iterations) > 1 {
		iterations[0].Covers = max(1, min(iterations[0].Number, iterations[1].Number-iterations[0].Number))
	}
	return iterations
}

// finite reports whether a time is one: a log's "nan" or "inf" is no measurement.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) && v >= 0 }

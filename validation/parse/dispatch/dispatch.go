// Package dispatch reads what expert-parallel benchmarks print: DeepEP's of version 1 and 2, hybrid-EP, UCCL-EP, pplx-garden and NCCL EP.
package dispatch

import (
	"bytes"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/mark"
)

// The programs, as [evidence.Dispatch] names them.
const (
	DeepEP1    = "deepep-v1"
	LowLatency = "deepep-v1-low-latency"
	DeepEP2    = "deepep-v2"
	HybridEP   = "hybrid-ep"
	UCCL       = "uccl-ep"
	Pplx       = "pplx-garden"
	NCCLEP     = "nccl-ep"
)

// The backends, as [evidence.Dispatch] names them: what a log proves of the road between nodes.
const (
	GDAKI            = "GDAKI"             // the GPU drives EFA itself
	GINProxy         = "GIN proxy"         // a CPU thread of NCCL does
	NVSHMEMLibfabric = "NVSHMEM libfabric" // a CPU thread of NVSHMEM does
	NVSHMEMIBRC      = "NVSHMEM IBRC"      // InfiniBand verbs by a CPU thread
	IBGDA            = "IBGDA"             // the GPU drives an InfiniBand adapter
)

// Parser reads the lines of one file.
type Parser struct {
	file     string
	runs     []*run
	backend  string
	refusals []evidence.Excerpt // assertions that failed, which count where the file holds a benchmark
	faults   line.Faults

	test     *evidence.Excerpt // a test of DeepEP that has begun and not yet said how it ended
	tuning   *line.Line        // a tuning that has begun without its best result
	hybrid   bool              // below a headline of hybrid-EP
	summary  bool              // below NCCL EP's headline
	kernels  bool              // its figures are the kernels' alone
	variant  string            // data type that the headline named
	throughs *pending          // NCCL EP's times, which wait for their throughput
}

// run is what one program printed.
type run struct{ evidence.Dispatch }

// maxRefusals bounds what is kept of failed assertions and tests: every rank prints its own.
const maxRefusals = 20

// New makes a parser of a file.
func New(file string) *Parser { return &Parser{file: file} }

// Marks are in all lines that concern a parser which does not await them.
func Marks() mark.Set {
	return mark.Set{
		Front: []string{"AssertionError", "[rank ", "[Rank ", "=== ", "> Ranks: ", "* EP: ", "- EP: ", "# EP: ", "@ EP: ", "+ EP: "},
		Back:  []string{"All correctness tests passed!"},
		Inside: []string{
			assigned, transported, string(pplxMark), "Failed: Assertion error ", "DeepEP timeout check failed", "tuning] ", "testing] Running with ", "HybridEP ",
		},
	}
}

// Awaits reports whether a line without a mark may concern the parser: where a test has begun, and below a headline.
func (p *Parser) Awaits(_ []byte) bool { return p.test != nil || p.summary || p.hybrid }

// Line takes one line.
func (p *Parser) Line(l line.Line) {
	text := bytes.TrimLeft(l.Text, " ")
	if len(text) == 0 {
		return
	}
	if p.proof(text) || p.pplx(l) {
		return
	}
	p.assertion(l, text)
	p.passed(text)
	switch text[0] {
	case '[':
		p.bracket(l, text)
	case '*', '-', '#', '@', '+':
		p.section(text)
		p.elastic(l, text)
	case '=':
		p.headline(text)
	case '>':
		p.settings(text)
	default:
		p.plain(l, text)
	}
}

// bracket takes a line that begins with [tuning], [testing] or a rank.
func (p *Parser) bracket(l line.Line, text []byte) {
	switch {
	case bytes.Contains(text, []byte("tuning] ")):
		p.tune(l, text)
	case bytes.Contains(text, []byte("testing] Running with ")):
		p.begin(l, text)
	case bytes.HasPrefix(text, []byte("[rank ")):
		p.lowLatency(l, text)
	case bytes.HasPrefix(text, []byte("[Rank ")):
		p.rankTimes(l, text)
	}
}

// headline takes a line of the form `=== … ===`.
func (p *Parser) headline(text []byte) {
	p.summaryHead(text)
	p.hybridHead(text)
}

// plain takes a line without a mark of its own at the front.
func (p *Parser) plain(l line.Line, text []byte) {
	switch {
	case p.summary && p.summaryLine(l, text):
	case p.hybrid && p.hybridLine(l, text):
	case bytes.Contains(text, []byte("HybridEP ")):
		p.hybridRank(l, text)
	}
}

// Dispatch is what the first program printed; nil where the file holds none. Call it after the last line.
func (p *Parser) Dispatch() *evidence.Dispatch {
	p.flush()
	if len(p.runs) == 0 {
		return nil
	}
	out := &p.runs[0].Dispatch
	out.Backend = p.backend
	out.Failed = append(out.Failed, p.refusals...)
	p.refusals = nil
	return out
}

// Findings tell which lines could not be read, and of programs beyond the first. Call it after [Parser.Dispatch].
func (p *Parser) Findings() diag.List {
	out := p.faults.List()
	for _, r := range p.runs[min(1, len(p.runs)):] {
		finding := diag.Finding{
			Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: p.file},
			Got: "output of " + r.Program + " behind that of " + p.runs[0].Program, Want: "one benchmark in a file",
			Hint: "give the output of each benchmark a file of its own: only the first one's was read",
		}
		if len(r.Figures) > 0 {
			finding.Place.Line = r.Figures[0].Line
		}
		out.Add(finding)
	}
	return out
}

// flush ends what waits for a line that did not come.
func (p *Parser) flush() {
	p.endTest()
	p.endTimes()
	if p.tuning != nil {
		p.faults.Add(p.file, *p.tuning, "a line \"[tuning] Best …\" behind the tuning", "the benchmark ended before its result: look for its error, and run it again")
		p.tuning = nil
	}
}

// of is the run of a program. Version 1's tests are those of UCCL-EP until a line tells the two apart.
func (p *Parser) of(program string) *run {
	for _, r := range p.runs {
		if r.Program == program {
			return r
		}
		if program == UCCL && r.Program == DeepEP1 {
			r.Program = UCCL
			return r
		}
		if program == DeepEP1 && r.Program == UCCL {
			return r
		}
	}
	r := &run{evidence.Dispatch{Program: program, Figures: []evidence.DispatchFigure{}}}
	p.runs = append(p.runs, r)
	return r
}

func (r *run) add(f evidence.DispatchFigure) { r.Figures = append(r.Figures, f) }

func (r *run) fail(e evidence.Excerpt) {
	if len(r.Failed) < maxRefusals {
		r.Failed = append(r.Failed, e)
	}
}

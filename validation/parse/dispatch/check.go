package dispatch

import (
	"bytes"

	"github.com/weft-hpc/weft/validation/parse/line"
)

// What NCCL and NVSHMEM say of their roads.
const (
	assigned    = "GIN/Plugin: Assigned plugin "
	transported = "Successfully initialized the transport: "
)

// proof takes the lines in which NCCL and NVSHMEM say which road they took. A proxy anywhere makes the whole run one: the slowest rank
// sets the pace.
func (p *Parser) proof(text []byte) bool {
	switch {
	case bytes.Contains(text, []byte(assigned)):
		p.proves(gin(text))
	case bytes.Contains(text, []byte(transported)):
		_, name, _ := bytes.Cut(text, []byte(transported))
		p.proves(transports[string(bytes.ToUpper(bytes.TrimSpace(name)))])
	default:
		return false
	}
	return true
}

func (p *Parser) proves(backend string) {
	if backend != "" && p.backend != GINProxy {
		p.backend = backend
	}
}

// gin reads `Assigned plugin Libfabric_GDAKI type 5 to comm`. Type 2 is the proxy; 5 is EFA's since NCCL 2.31, 3 was its number before.
func gin(text []byte) string {
	switch {
	case bytes.Contains(text, []byte("_GDAKI type ")), bytes.Contains(text, []byte(" type 5 to comm")):
		return GDAKI
	case bytes.Contains(text, []byte(" type 2 to comm")):
		return GINProxy
	}
	return ""
}

var transports = map[string]string{"LIBFABRIC": NVSHMEMLibfabric, "IBRC": NVSHMEMIBRC, "IBGDA": IBGDA}

// assertion keeps a failed check of a program: Python's and DeepEP's own.
func (p *Parser) assertion(l line.Line, text []byte) {
	if len(p.refusals) >= maxRefusals {
		return
	}
	if bytes.HasPrefix(text, []byte("AssertionError")) || bytes.Contains(text, []byte("Failed: Assertion error ")) ||
		bytes.Contains(text, []byte("DeepEP timeout check failed")) {
		p.refusals = append(p.refusals, l.Excerpt(p.file))
	}
}

// begin takes the line of a test of DeepEP's version 1. The program prints "passed" behind it when the test ended, so another process may
// have written in between.
func (p *Parser) begin(l line.Line, text []byte) {
	p.endTest()
	r := p.of(DeepEP1)
	if bytes.HasSuffix(bytes.TrimRight(text, " "), []byte("... passed")) {
		r.Passed++
		return
	}
	excerpt := l.Excerpt(p.file)
	p.test = &excerpt
}

// passed takes the word that ends a test where it stands by itself, and the last word of UCCL-EP.
func (p *Parser) passed(text []byte) {
	switch {
	case p.test != nil && string(bytes.TrimRight(text, " ")) == "passed":
		p.of(DeepEP1).Passed++
		p.test = nil
	case bytes.HasSuffix(text, []byte("All correctness tests passed!")):
		p.of(UCCL).Passed++
	}
}

// endTest counts a test that never said that it passed among the failed.
func (p *Parser) endTest() {
	if p.test != nil {
		p.of(DeepEP1).fail(*p.test)
		p.test = nil
	}
}

package sweep

import (
	"bytes"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// behindHost are the texts of a failure that stand behind a host's name and a colon.
var behindHost = [...]string{"Test NCCL failure ", "Test CUDA failure ", "Test timeout ("}

// refusals are what a program says that does not begin to measure.
var refusals = [...]string{
	"Invalid number of GPUs: ", "Incompatible NCCL versions. nccl-tests", "invalid sizes for 'minbytes'", "Device implementation ",
}

// testFailure stands in each line of the trace of a failure.
const testFailure = "Test failure "

// failure notes a line that tells why a run failed. The trace that follows in the same process adds nothing and is left out.
func (p *Parser) failure(l line.Line) {
	host, trace, ok := failed(l.Text)
	if !ok {
		p.failing = p.failing[:0]
		return
	}
	if trace && len(p.failing) > 0 && bytes.Equal(p.failing, host) {
		return
	}
	p.failing = append(p.failing[:0], host...)
	r := p.last() // a failing process need not be the one that prints the table
	if r == nil {
		r = p.current(p.stream(l.Label))
	}
	p.fail(r, p.quote(l))
}

// failed tells a line of a failure, and whether it is one of the trace, ` .. host pid 4808: Test failure common.cu:632`.
func failed(text []byte) (host []byte, trace, ok bool) {
	colon := bytes.IndexByte(text, ':')
	if colon < 0 || colon+2 >= len(text) || text[colon+1] != ' ' {
		return nil, false, false
	}
	host, rest := text[:colon], text[colon+2:]
	if rest[0] == 'T' {
		for _, f := range behindHost {
			if bytes.HasPrefix(rest, []byte(f)) {
				return host, false, true
			}
		}
		if host, ok := bytes.CutPrefix(host, []byte(" .. ")); ok && bytes.HasPrefix(rest, []byte(testFailure)) {
			host, _, _ = bytes.Cut(host, []byte(" pid "))
			return host, true, true
		}
	}
	return nil, false, refused(text)
}

func refused(text []byte) bool {
	for _, r := range refusals {
		if bytes.HasPrefix(text, []byte(r)) {
			return true
		}
	}
	return false
}

func (p *Parser) fail(r *run, e evidence.Excerpt) {
	if len(r.sweep.Failures) >= maxFailures {
		p.over.failures++
		return
	}
	r.sweep.Failures = append(r.sweep.Failures, e)
}

package boot

import (
	"bytes"
	"regexp"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// checkMark is in every line in which a weft script on a node tells that an expectation does not hold.
var checkMark = []byte("weft: ")

var checkLine = regexp.MustCompile(`weft: (FAIL|WARN) ([a-z0-9]+/[a-z0-9-]+) got (.*?) want (.*?) do (.*)$`)

// maxChecks bounds the findings of one file: each rule stands once for a node, and a log is of one node or of a job's.
const maxChecks = 4096

// check takes a finding of a node's own checks. ParallelCluster repeats what a failed script said, so an equal line counts once.
func (p *Parser) check(l line.Line) {
	if !bytes.Contains(l.Text, []byte("weft: FAIL ")) && !bytes.Contains(l.Text, []byte("weft: WARN ")) {
		return
	}
	m := checkLine.FindSubmatch(l.Text)
	if m == nil || l.Open {
		p.faults.Add(p.file, l, "weft: FAIL|WARN RULE got … want … do …", "the line was cut off: take the whole log, or run the check again on the node")
		return
	}
	if _, known := diag.Lookup(diag.ID(m[2])); !known {
		p.faults.Add(p.file, l, "a rule that this weft knows", "read the log with the version of weft that made the node's scripts")
		return
	}
	key := string(l.Label) + " " + string(m[0])
	if p.checked[key] || len(p.checked) >= maxChecks {
		return
	}
	p.checked[key] = true
	level := diag.Error
	if string(m[1]) == "WARN" {
		level = diag.Warn
	}
	text := func(i int) string { return evidence.Quote(p.file, l.Number, m[i]).Text }
	p.checks.Add(diag.Finding{
		Rule: diag.ID(m[2]), Level: level, Place: diag.Place{File: p.file, Line: l.Number, Resource: string(l.Label)},
		Got: text(3), Want: text(4), Hint: text(5),
	})
}

// Findings are those of the node's own checks, as its scripts printed them, what of them could not be read, and a head node that still waits
// for its static nodes.
func (p *Parser) Findings() diag.List {
	out := append(append(diag.List(nil), p.checks...), p.faults.List()...)
	return append(out, p.wait.findings(p.file)...)
}

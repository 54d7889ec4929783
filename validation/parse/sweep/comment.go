package sweep

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// comments are the lines that begin with a hash, by what follows it.
var comments = []struct {
	after string
	read  func(p *Parser, s *stream, l line.Line, rest string) bool
}{
	{"nThread ", (*Parser).asked},
	{"Rank ", (*Parser).rankLine},
	{"nccl-tests version ", (*Parser).versions},
	{"Collective test starting: ", (*Parser).program},
	{"Out of bounds values ", (*Parser).outOfBounds},
	{"Avg bus bandwidth ", (*Parser).average},
	{"Reducing maxBytes to ", (*Parser).reduced},
	{"GPU memory usage ", (*Parser).memory},
	{"Writing JSON output to ", (*Parser).jsonFile},
	{"error: ", (*Parser).lastError},
	{"Blocking Enabled", mode("blocking")},
	{"Parallel Init Enabled", mode("parallel-init")},
	{"Per-Iteration Report", mode("per-iteration")},
	{"size ", (*Parser).header},
}

// comment reads a line that begins with a hash.
func (p *Parser) comment(s *stream, l line.Line) {
	text := bytes.TrimLeft(l.Text[1:], " ")
	for _, c := range comments {
		rest, ok := bytes.CutPrefix(text, []byte(c.after))
		if !ok {
			continue
		}
		if !c.read(p, s, l, string(rest)) {
			p.fault(l, "the whole line that nccl-tests prints there", "the line counts as missing; take the log as the program wrote it")
		}
		return
	}
}

// asked reads `# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 …`.
func (p *Parser) asked(s *stream, l line.Line, rest string) bool {
	if l.Open {
		return false
	}
	n := numbers{text: " nThread " + rest + " "}
	a := evidence.Asked{
		Threads: int(n.after("nThread ")), GPUs: int(n.after("nGpus ")),
		MinBytes: n.after("minBytes "), MaxBytes: n.after("maxBytes "),
		Warmup: int(n.after("warmup iters: ")), Iterations: int(n.after("iters: ", "warmup iters: ")),
		Checked: n.after("validation: ") > 0,
	}
	step := n.after("step: ")
	switch {
	case strings.Contains(rest, "(factor)"):
		a.Factor = step
	case strings.Contains(rest, "(bytes)"):
		a.StepBytes = step
	default:
		return false
	}
	if n.missing {
		return false
	}
	if strings.Contains(rest, " graph: ") && n.after("graph: ") > 0 {
		a.Modes = append(a.Modes, "graph")
	}
	p.begin(s, a)
	return true
}

// numbers takes whole numbers out of a text by what stands before them.
type numbers struct {
	text    string
	missing bool
}

// read reads a whole text as a number.
func (n *numbers) read(text string) int {
	v, err := strconv.Atoi(text)
	n.missing = n.missing || err != nil
	return v
}

// after gives the number behind a name; behind the first one that follows the other names, where there are any.
func (n *numbers) after(name string, behind ...string) int64 {
	rest, ok := n.text, true
	for _, b := range append(behind, name) {
		var found bool
		_, rest, found = strings.Cut(rest, b)
		ok = ok && found
	}
	end := 0
	for end < len(rest) && digit(rest[end]) {
		end++
	}
	v, err := strconv.ParseInt(rest[:end], 10, 64)
	if !ok || err != nil {
		n.missing = true
		return 0
	}
	return v
}

// rankLine reads `#  Rank  0 Group  0 Pid  40210 on host device  0 [0000:53:00] NVIDIA H200`; the group came with 2.13.4.
func (p *Parser) rankLine(s *stream, l line.Line, rest string) bool {
	left, right, ok := strings.Cut(rest, " [")
	bus, name, closed := strings.Cut(right, "]")
	f := strings.Fields(left)
	if len(f) == 7 {
		f = slices.Insert(f, 1, "Group", "0")
	}
	if l.Open || !ok || !closed || len(f) != 9 || strings.Join([]string{f[1], f[3], f[5], f[7]}, " ") != "Group Pid on device" {
		return false
	}
	var n numbers
	k := evidence.Rank{Host: strings.Clone(f[6]), Bus: strings.Clone(bus), Name: strings.TrimSpace(name)}
	k.Rank, k.Group, k.PID, k.Device = n.read(f[0]), n.read(f[2]), n.read(f[4]), n.read(f[8])
	if !n.missing {
		p.rank(s, k)
	}
	return !n.missing
}

// versions reads `# nccl-tests version 2.18.3 nccl-headers=23004 nccl-library=23004`.
func (p *Parser) versions(s *stream, l line.Line, rest string) bool {
	f := strings.Fields(rest)
	if l.Open || len(f) != 3 {
		return false
	}
	var ok [2]bool
	s.next.tests = f[0]
	s.next.headers, ok[0] = strings.CutPrefix(f[1], "nccl-headers=")
	s.next.nccl, ok[1] = strings.CutPrefix(f[2], "nccl-library=")
	return ok[0] && ok[1]
}

func (p *Parser) program(s *stream, l line.Line, rest string) bool {
	s.next.program = baseName(strings.TrimSpace(rest))
	return !l.Open
}

func (p *Parser) jsonFile(s *stream, l line.Line, rest string) bool {
	s.next.json = strings.TrimSpace(rest)
	return !l.Open
}

// baseName is the last part of a path.
func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// outOfBounds reads `# Out of bounds values : 0 OK`.
func (p *Parser) outOfBounds(s *stream, _ line.Line, rest string) bool {
	f := strings.Fields(rest)
	if len(f) != 3 || f[0] != ":" || f[2] != "OK" && f[2] != "FAILED" {
		return false
	}
	n, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return false
	}
	r := p.current(s)
	if r.sweep.Wrong == nil {
		r.sweep.Wrong = new(int64)
	}
	*r.sweep.Wrong += n
	r.wrong++
	p.leave(s, r)
	return true
}

// average reads `# Avg bus bandwidth    : 156.742 `, behind which OK or FAILED stands when NCCL_TESTS_MIN_BW was set.
func (p *Parser) average(s *stream, l line.Line, rest string) bool {
	f := strings.Fields(rest)
	if len(f) < 2 || f[0] != ":" {
		return false
	}
	v, err := strconv.ParseFloat(strings.TrimPrefix(f[1], "-"), 64)
	if err != nil {
		return false
	}
	r := p.current(s)
	r.averages++
	if whole := !l.Open || len(f) > 2 || strings.HasSuffix(rest, " "); whole && r.sweep.AverageGBps == nil && finite(v) {
		r.sweep.AverageGBps = &v
	}
	if verdict := f[len(f)-1]; verdict == "OK" || verdict == "FAILED" {
		r.sweep.AverageVerdict = verdict
	}
	p.leave(s, r)
	return true
}

// leave ends the table when the last world of the run has its footer.
func (p *Parser) leave(s *stream, r *run) {
	p.end(s)
	if r.closed() {
		p.table(s, nil)
	}
}

func (p *Parser) reduced(s *stream, l line.Line, rest string) bool {
	n := numbers{text: rest}
	v := n.after("")
	if n.missing || l.Open {
		return false
	}
	p.current(s).sweep.Asked.ReducedTo = v
	return true
}

func (p *Parser) memory(s *stream, l line.Line, rest string) bool {
	p.current(s).sweep.Memory = strings.TrimSpace(strings.TrimLeft(rest, " :"))
	return !l.Open
}

// lastError reads `# error: …`, what NCCL last called an error; it can stand below a run that succeeded.
func (p *Parser) lastError(s *stream, l line.Line, _ string) bool {
	p.fail(p.current(s), p.quote(l))
	return true
}

// mode notes a way of measuring.
func mode(name string) func(*Parser, *stream, line.Line, string) bool {
	return func(p *Parser, s *stream, _ line.Line, _ string) bool {
		addMode(&p.current(s).sweep.Asked, name)
		return true
	}
}

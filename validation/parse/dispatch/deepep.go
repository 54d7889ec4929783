package dispatch

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

const cutHint = "the line was cut off or another process wrote into it: take the whole file"

// Version 1's tuning lines over all its years, and UCCL-EP's:
//
//	[tuning] Best dispatch (FP8): SMs 24, NVL chunk 20, RDMA chunk 28: 69 + 1342 us, 45.28 GB/s (RDMA), 147.81 GB/s (NVL)
//	[tuning] Best combine: SMs 24, NVL chunk 4, RDMA chunk 32, 63.00 + 2540.00 us, 46.36 GB/s (RDMA), 151.33 GB/s (NVL)
//	[tuning] Best combine: SMs 24, NVL chunk 2, RDMA chunk 28: 25.02 GB/s (RDMA), 81.87 GB/s (NVL)
//	[tuning] Best combine: SMs 24, NVL chunk 4, RDMA chunk 24, transmit: 4811.20 us, notify: 79.10 us, BW: 42.10 GB/s (RDMA), 137.40 GB/s (NVL)
//	[tuning] Best combine: SMs 24, NVL chunk 15: 355.45 GB/s (NVL), 442 us
var (
	best         = regexp.MustCompile(`tuning\] Best (dispatch|combine)(?: \(([A-Za-z0-9]+)\))?: SMs \d+, (.*)$`)
	overRDMA     = regexp.MustCompile(`([\d.]+) GB/s \((?:RDMA|IB)\)`)
	overNVLink   = regexp.MustCompile(`([\d.]+) GB/s \(NVL\)`)
	notifyAndRun = regexp.MustCompile(`[\d.]+ \+ ([\d.]+) us,`)
	transmit     = regexp.MustCompile(`transmit: ([\d.]+) us,`)
	behind       = regexp.MustCompile(`\(NVL\), (?:t: )?([\d.]+) us`)
)

// tune takes a tuning line. Only the best of a tuning is a result; what was tried on the way tells that there must be one.
func (p *Parser) tune(l line.Line, text []byte) {
	m := best.FindSubmatch(text)
	if m == nil {
		p.tried(l, text)
		return
	}
	program := DeepEP1
	if bytes.Contains(m[3], []byte("transmit: ")) {
		program = UCCL
	}
	figure := evidence.DispatchFigure{Operation: string(m[1]), Variant: string(m[2]), Rank: -1, Best: true, Excerpt: l.Excerpt(p.file)}
	rail, rdma := pick(overRDMA, m[3])
	nvl, nvlink := pick(overNVLink, m[3])
	if !nvlink || !rdma && bytes.Contains(m[3], []byte("RDMA chunk")) && !bytes.Contains(m[3], []byte("N/A (RDMA)")) {
		p.faults.Add(p.file, l, "a best result of a tuning with its GB/s", cutHint)
		return
	}
	figure.ScaleOutGBps, figure.ScaleUpGBps = rail, nvl
	for _, form := range [...]*regexp.Regexp{transmit, notifyAndRun, behind} {
		if us, ok := pick(form, m[3]); ok {
			figure.TimeUS = us // without what precedes the transfer: the bandwidth is of this time
			break
		}
	}
	p.tuning = nil
	p.of(program).add(figure)
}

func (p *Parser) tried(l line.Line, text []byte) {
	if bytes.Contains(text, []byte("tuning] Best")) {
		p.faults.Add(p.file, l, "[tuning] Best dispatch|combine: SMs N, …", cutHint)
		return
	}
	if !bytes.Contains(text, []byte("tuning] SMs ")) {
		return
	}
	if bytes.Contains(text, []byte("transmit: ")) {
		p.of(UCCL)
	} else {
		p.of(DeepEP1)
	}
	if p.tuning == nil {
		l.Text = bytes.Clone(l.Text)
		p.tuning = &l
	}
}

// pick reads the number that an expression takes out of a text.
func pick(form *regexp.Regexp, text []byte) (float64, bool) {
	m := form.FindSubmatch(text)
	if m == nil {
		return 0, false
	}
	return number(m[1])
}

// number reads a finite number.
func number(text []byte) (float64, bool) {
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil
}

// numbers reads several, or none.
func numbers(texts ...[]byte) ([]float64, bool) {
	out := make([]float64, len(texts))
	for i, text := range texts {
		v, ok := number(text)
		if !ok {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// The lines of test_low_latency.py, which every rank prints.
var (
	both     = regexp.MustCompile(`^\[rank (\d+)\] Dispatch \+ combine bandwidth: ([\d.]+) GB/s, avg_t=([\d.]+) us, min_t=([\d.]+) us, max_t=([\d.]+) us`)
	each     = regexp.MustCompile(`^\[rank (\d+)\] Dispatch bandwidth: ([\d.]+) GB/s, avg_t=([\d.]+) us \| Combine bandwidth: ([\d.]+) GB/s, avg_t=([\d.]+) us`)
	sendRecv = regexp.MustCompile(`^\[rank (\d+)\] Dispatch send/recv time: ([\d.]+) \+ ([\d.]+) us \| Combine send/recv time: ([\d.]+) \+ ([\d.]+) us`)
)

func (p *Parser) lowLatency(l line.Line, text []byte) {
	switch {
	case bytes.Contains(text, []byte("HybridEP ")):
		p.hybridRank(l, text)
	case bytes.Contains(text, []byte("] Dispatch ")):
		p.ofRank(l, text)
	}
}

func (p *Parser) ofRank(l line.Line, text []byte) {
	var m [][]byte
	var form *regexp.Regexp
	for _, form = range [...]*regexp.Regexp{both, each, sendRecv} {
		if m = form.FindSubmatch(text); m != nil {
			break
		}
	}
	if m == nil {
		p.faults.Add(p.file, l, "[rank N] Dispatch … bandwidth: N GB/s, avg_t=N us …", cutHint)
		return
	}
	rank, err := strconv.Atoi(string(m[1]))
	v, ok := numbers(m[2:]...)
	if err != nil || !ok {
		p.faults.Add(p.file, l, "numbers of a rank in their range", cutHint)
		return
	}
	r := p.of(LowLatency)
	add := func(f evidence.DispatchFigure) {
		f.Rank, f.Excerpt = rank, l.Excerpt(p.file)
		r.add(f)
	}
	switch form {
	case both:
		add(evidence.DispatchFigure{Operation: "dispatch+combine", TotalGBps: v[0], TimeUS: v[1], MinUS: v[2], MaxUS: v[3]})
	case each:
		add(evidence.DispatchFigure{Operation: "dispatch", TotalGBps: v[0], TimeUS: v[1]})
		add(evidence.DispatchFigure{Operation: "combine", TotalGBps: v[2], TimeUS: v[3]})
	case sendRecv:
		add(evidence.DispatchFigure{Operation: "dispatch", Variant: "send", TimeUS: v[0]})
		add(evidence.DispatchFigure{Operation: "dispatch", Variant: "recv", TimeUS: v[1]})
		add(evidence.DispatchFigure{Operation: "combine", Variant: "send", TimeUS: v[2]})
		add(evidence.DispatchFigure{Operation: "combine", Variant: "recv", TimeUS: v[3]})
	}
}

// Version 2's lines: the mark tells the operation as well as its words do.
var (
	elasticLine = regexp.MustCompile(`^. EP: *(\d+)/(\d+) \| (?:([a-z]+) )?(dispatch|combine): ([\d.]+) GB/s \(SO\), ([\d.]+) GB/s \(SU\), ([\d.]+) us,`)
	elasticMark = []byte(" EP: ")
	ranksLine   = regexp.MustCompile(`^> Ranks: (\d+) x (\d+)$`)
)

func (p *Parser) elastic(l line.Line, text []byte) {
	if !bytes.HasPrefix(text[1:], elasticMark) {
		return
	}
	m := elasticLine.FindSubmatch(text)
	if m == nil {
		p.faults.Add(p.file, l, "EP: RANK/RANKS | dispatch|combine: N GB/s (SO), N GB/s (SU), N us, …", cutHint)
		return
	}
	rank, err := strconv.Atoi(string(m[1]))
	ranks, errRanks := strconv.Atoi(string(m[2]))
	v, ok := numbers(m[5:]...)
	if err != nil || errRanks != nil || !ok {
		p.faults.Add(p.file, l, "numbers of a rank in their range", cutHint)
		return
	}
	r := p.of(DeepEP2)
	r.Ranks = max(r.Ranks, ranks)
	r.add(evidence.DispatchFigure{
		Operation: string(m[4]), Variant: string(m[3]), Rank: rank,
		ScaleOutGBps: v[0], ScaleUpGBps: v[1], TimeUS: v[2], Excerpt: l.Excerpt(p.file),
	})
}

// settings takes what version 2 prints of its run: nodes and ranks of each.
func (p *Parser) settings(text []byte) {
	m := ranksLine.FindSubmatch(text)
	if m == nil {
		return
	}
	nodes, err := strconv.Atoi(string(m[1]))
	each, errEach := strconv.Atoi(string(m[2]))
	if err != nil || errEach != nil || nodes > 1<<20 || each > 1<<20 {
		return
	}
	r := p.of(DeepEP2)
	r.Nodes, r.Ranks = nodes, nodes*each
}

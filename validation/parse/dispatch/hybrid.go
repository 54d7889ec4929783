package dispatch

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// hybrid-EP's lines, which rank 0 prints, and below them the form of its first year, which every rank did. The road stands in two lines
// that are one measurement.
//
//	dispatch (BF16):                                 37.71 GB/s (RDMA), t: 2403.1 us [min=2388.2, max=2420.9], rdma_send_bytes: 90.62 MB
//	dispatch kernel (BF16)(RDMA):                    45.01 GB/s, avg_t=2013.2 us [min=2001.7, max=2030.0]
//	[rank 0] HybridEP dispatch torch API (BF16): 122.40 GB/s (NVL), t: 2403.11 us, nvl_recv_bytes: 294.15 MB
var (
	hybridTitle   = regexp.MustCompile(`^=== (Correctness Check|Torch API Benchmark|Kernel Benchmark) \((?:[A-Za-z0-9]+, )?(\d+) ranks\) ===$`)
	hybridVerdict = regexp.MustCompile(`^.+ API: (PASS|FAIL)`)
	hybridAPI     = regexp.MustCompile(`^(dispatch|combine)(?: \(([A-Za-z0-9]+)\))?: +([\d.]+) GB/s \((NVL|RDMA|IB)\), t: ([\d.]+) us \[min=([\d.]+), max=([\d.]+)\]`)
	hybridKernel  = regexp.MustCompile(`^(dispatch|combine) kernel ?(?:\(([A-Za-z0-9]+)\))?\((NVL|RDMA|IB)\): +([\d.]+) GB/s, avg_t=([\d.]+) us \[min=([\d.]+), max=([\d.]+)\]`)
	hybridOfRank  = regexp.MustCompile(`^\[rank (\d+)\] HybridEP (dispatch|combine) torch API ?(?:\(([A-Za-z0-9]+)\))?: ([\d.]+) GB/s \((NVL|RDMA|IB)\), t: ([\d.]+) us,`)
)

func (p *Parser) hybridHead(text []byte) {
	m := hybridTitle.FindSubmatch(text)
	if m == nil {
		return
	}
	p.hybrid, p.summary = true, false
	if ranks, err := strconv.Atoi(string(m[2])); err == nil {
		p.of(HybridEP).Ranks = ranks
	}
}

// hybridLine takes a line below a headline.
func (p *Parser) hybridLine(l line.Line, text []byte) bool {
	if bytes.Contains(text, []byte(" API: ")) && p.hybridCheck(l, text) {
		return true
	}
	if !bytes.Contains(text, []byte("GB/s")) {
		return false
	}
	if m := hybridAPI.FindSubmatch(text); m != nil {
		p.hybridFigure(l, evidence.DispatchFigure{Operation: string(m[1]), Variant: string(m[2]), Rank: -1}, m[4], m[3], m[5], m[6], m[7])
		return true
	}
	if m := hybridKernel.FindSubmatch(text); m != nil {
		variant := strings.TrimSpace(string(m[2]) + " kernel")
		p.hybridFigure(l, evidence.DispatchFigure{Operation: string(m[1]), Variant: variant, Rank: -1}, m[3], m[4], m[5], m[6], m[7])
		return true
	}
	if bytes.HasPrefix(text, []byte("dispatch")) || bytes.HasPrefix(text, []byte("combine")) {
		p.faults.Add(p.file, l, "a result of hybrid-EP: operation, GB/s, road, time with its least and most", cutHint)
	}
	return false
}

func (p *Parser) hybridCheck(l line.Line, text []byte) bool {
	m := hybridVerdict.FindSubmatch(text)
	if m == nil {
		return false
	}
	if r := p.of(HybridEP); string(m[1]) == "PASS" {
		r.Passed++
	} else {
		r.fail(l.Excerpt(p.file))
	}
	return true
}

// hybridRank takes the older form.
func (p *Parser) hybridRank(l line.Line, text []byte) {
	m := hybridOfRank.FindSubmatch(text)
	if m == nil {
		if bytes.Contains(text, []byte("torch API")) {
			p.faults.Add(p.file, l, "[rank N] HybridEP dispatch|combine torch API: N GB/s (NVL), t: N us, …", cutHint)
		}
		return
	}
	rank, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return
	}
	p.hybridFigure(l, evidence.DispatchFigure{Operation: string(m[2]), Variant: string(m[3]), Rank: rank}, m[5], m[4], m[6])
}

// hybridFigure keeps a figure, or adds the second road to the one before.
func (p *Parser) hybridFigure(l line.Line, f evidence.DispatchFigure, road, speed []byte, times ...[]byte) {
	gbps, ok := number(speed)
	us, okTimes := numbers(times...)
	if !ok || !okTimes {
		p.faults.Add(p.file, l, "numbers of a result in their range", cutHint)
		return
	}
	f.Excerpt, f.TimeUS = l.Excerpt(p.file), us[0]
	if len(us) > 1 {
		f.MinUS, f.MaxUS = us[1], us[2]
	}
	up := string(road) == "NVL"
	if up {
		f.ScaleUpGBps = gbps
	} else {
		f.ScaleOutGBps = gbps
	}
	r := p.of(HybridEP)
	for i := len(r.Figures) - 1; i >= 0 && i >= len(r.Figures)-8; i-- {
		if other := &r.Figures[i]; sameMeasurement(other, &f) && !up && other.ScaleOutGBps == 0 {
			other.ScaleOutGBps = gbps
			return
		}
	}
	r.add(f)
}

func sameMeasurement(a, b *evidence.DispatchFigure) bool {
	return a.Operation == b.Operation && a.Variant == b.Variant && a.Rank == b.Rank &&
		a.TimeUS == b.TimeUS && a.MinUS == b.MinUS && a.MaxUS == b.MaxUS
}

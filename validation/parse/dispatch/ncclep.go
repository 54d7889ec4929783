package dispatch

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// ep_bench of NCCL EP prints times over all ranks, and in the next line their throughput with the ranks of the least and the most:
//
//	=== Summary (Low Latency, across 16 ranks) ===
//	Dispatch (BF16):  avg=401.22 us, min=388.10 us, max=433.61 us
//	                  throughput: avg=36.51 GB/s, min=35.02 GB/s (rank 11), max=37.44 GB/s (rank 2)
var (
	summaryTitle = regexp.MustCompile(`^=== Summary \((?:Low Latency|High Throughput(?: ([A-Z0-9]+))?), across (\d+) ranks\) ===$`)
	summaryTimes = regexp.MustCompile(`^(Dispatch|Combine|Total)(?: \(([A-Za-z0-9+]+)\))?: +avg=([\d.]+) us, min=([\d.]+) us, max=([\d.]+) us`)
	summarySpeed = regexp.MustCompile(`^throughput: avg=([\d.]+) GB/s(?:, min=([\d.]+) GB/s \(rank (\d+)\), max=([\d.]+) GB/s \(rank (\d+)\))?$`)
	rankLine     = regexp.MustCompile(`^\[Rank (\d+)\] (Dispatch|Combine|Dispatch\+Combine): +avg=([\d.]+) us`)
)

// pending is a line of times whose throughput stands in the next line.
type pending struct{ evidence.DispatchFigure }

func (p *Parser) summaryHead(text []byte) {
	m := summaryTitle.FindSubmatch(text)
	if m == nil {
		return
	}
	p.endTimes()
	p.summary, p.kernels, p.hybrid, p.variant = true, false, false, string(m[1])
	if ranks, err := strconv.Atoi(string(m[2])); err == nil {
		p.of(NCCLEP).Ranks = ranks
	}
}

func (p *Parser) summaryLine(l line.Line, text []byte) bool {
	switch {
	case bytes.HasPrefix(text, []byte("throughput: ")):
		p.speed(l, text)
	case bytes.Contains(text, []byte(": ")) && bytes.Contains(text, []byte("avg=")):
		p.times(l, text)
	default:
		return false
	}
	return true
}

// section takes the line that parts the host's view from the kernels'. Those of CUPTI leave out what the host adds.
func (p *Parser) section(text []byte) {
	if p.summary && bytes.HasPrefix(text, []byte("--- ")) {
		p.endTimes()
		p.kernels = bytes.Contains(text, []byte("Kernel-only"))
	}
}

var operations = map[string]string{"Dispatch": "dispatch", "Combine": "combine", "Total": "dispatch+combine", "Dispatch+Combine": "dispatch+combine"}

func (p *Parser) times(l line.Line, text []byte) {
	p.endTimes()
	m := summaryTimes.FindSubmatch(text)
	var us []float64
	ok := m != nil
	if ok {
		us, ok = numbers(m[3:]...)
	}
	if !ok {
		p.faults.Add(p.file, l, "Dispatch|Combine|Total: avg=N us, min=N us, max=N us", cutHint)
		return
	}
	variant := string(m[2])
	if variant == "" || variant == "D+C" {
		variant = p.variant
	}
	if p.kernels {
		variant = strings.TrimSpace(variant + " kernel")
	}
	p.throughs = &pending{evidence.DispatchFigure{
		Operation: operations[string(m[1])], Variant: variant, Rank: -1,
		TimeUS: us[0], MinUS: us[1], MaxUS: us[2], Excerpt: l.Excerpt(p.file),
	}}
}

// speed completes the figure of the line before and adds those of the slowest and the fastest rank.
func (p *Parser) speed(l line.Line, text []byte) {
	m := summarySpeed.FindSubmatch(text)
	if m == nil || p.throughs == nil {
		p.faults.Add(p.file, l, "throughput: avg=N GB/s, min=N GB/s (rank N), max=N GB/s (rank N), below a line of times", cutHint)
		return
	}
	figure := p.throughs.DispatchFigure
	average, ok := number(m[1])
	if !ok {
		return
	}
	p.throughs.TotalGBps = average
	p.endTimes()
	for _, i := range [...]int{2, 4} {
		speed, ok := number(m[i])
		rank, err := strconv.Atoi(string(m[i+1]))
		if ok && err == nil {
			p.of(NCCLEP).add(evidence.DispatchFigure{
				Operation: figure.Operation, Variant: figure.Variant, Rank: rank, TotalGBps: speed, Excerpt: l.Excerpt(p.file),
			})
		}
	}
}

// endTimes keeps times for which no throughput came: the high-throughput mode prints none.
func (p *Parser) endTimes() {
	if p.throughs != nil {
		p.of(NCCLEP).add(p.throughs.DispatchFigure)
		p.throughs = nil
	}
}

// rankTimes takes what each rank prints of itself in the high-throughput mode.
func (p *Parser) rankTimes(l line.Line, text []byte) {
	if !bytes.Contains(text, []byte("avg=")) {
		return
	}
	m := rankLine.FindSubmatch(text)
	if m == nil {
		return
	}
	rank, err := strconv.Atoi(string(m[1]))
	us, ok := number(m[3])
	if err == nil && ok {
		p.of(NCCLEP).add(evidence.DispatchFigure{Operation: operations[string(m[2])], Rank: rank, TimeUS: us, Excerpt: l.Excerpt(p.file)})
	}
}

package dispatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// pplxMark is the logger's name in each line of pplx-garden's benchmark.
var pplxMark = []byte("bench_all_to_all ")

// Send and receive have no bandwidth of their own; "both" is the whole operation and must have it. Both of Unicode's letters mu occur.
var pplxTime = regexp.MustCompile(`^(Dispatch|Combine) (both|send|recv) time: mean=([\d.]+)±[\d.]+ [µμ]s, min=([\d.]+) [µμ]s, .*max=([\d.]+) [µμ]s(?:, ([\d.]+) GB/s)?$`)

func (p *Parser) pplx(l line.Line) bool {
	i := bytes.Index(l.Text, pplxMark)
	if i < 0 {
		return false
	}
	text := bytes.TrimSpace(l.Text[i+len(pplxMark):])
	switch {
	case bytes.HasPrefix(text, []byte("Correctness check passed")):
		p.of(Pplx).Passed++
	case bytes.HasPrefix(text, []byte("Correctness check failed")):
		p.of(Pplx).fail(l.Excerpt(p.file))
	case bytes.Contains(text, []byte(" time: mean=")):
		p.pplxTimes(l, text)
	}
	return true
}

func (p *Parser) pplxTimes(l line.Line, text []byte) {
	m := pplxTime.FindSubmatch(text)
	var us []float64
	ok := m != nil
	if ok {
		us, ok = numbers(m[3], m[4], m[5])
	}
	if !ok || len(m[6]) == 0 == (string(m[2]) == "both") {
		p.faults.Add(p.file, l, "Dispatch|Combine both|send|recv time: mean=N±N μs, min=N μs, …, max=N μs, and for both its GB/s", cutHint)
		return
	}
	f := evidence.DispatchFigure{Operation: operations[string(m[1])], Rank: -1, TimeUS: us[0], MinUS: us[1], MaxUS: us[2], Excerpt: l.Excerpt(p.file)}
	if string(m[2]) != "both" {
		f.Variant = string(m[2])
	}
	if len(m[6]) > 0 {
		f.TotalGBps, _ = number(m[6])
	}
	p.of(Pplx).add(f)
}

// pplxJSON is the file that the benchmark writes: times in microseconds.
type pplxJSON map[string]map[string]pplxSpread

type pplxSpread struct {
	Mean *float64 `json:"mean"`
	Min  *float64 `json:"min"`
	Max  *float64 `json:"max"`
}

// ReadJSON reads the statistics that pplx-garden's benchmark writes; nil with a finding where they are none.
func ReadJSON(file string, text []byte) (*evidence.Dispatch, diag.List) {
	var all pplxJSON
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, noStatistics(file, err.Error())
	}
	out := &evidence.Dispatch{Program: Pplx, Figures: []evidence.DispatchFigure{}}
	var findings diag.List
	for _, operation := range [...]string{"dispatch", "combine"} {
		for _, part := range [...]string{"both", "send", "recv"} {
			s, found := all[operation][part]
			if !found {
				continue
			}
			if s.Mean == nil || s.Min == nil || s.Max == nil || *s.Min > *s.Max || *s.Min < 0 {
				findings.Add(noStatistics(file, fmt.Sprintf("%s.%s without mean, min or max, or in no order", operation, part))...)
				continue
			}
			out.Figures = append(out.Figures, evidence.DispatchFigure{
				Operation: operation, Variant: variantOf(part), Rank: -1, TimeUS: *s.Mean, MinUS: *s.Min, MaxUS: *s.Max,
				Excerpt: evidence.Quote(file, 0, fmt.Appendf(nil, "%s.%s: mean %g, min %g, max %g", operation, part, *s.Mean, *s.Min, *s.Max)),
			})
		}
	}
	if len(out.Figures) == 0 {
		return nil, append(findings, noStatistics(file, "neither dispatch nor combine")...)
	}
	return out, findings
}

func variantOf(part string) string {
	if part == "both" {
		return ""
	}
	return part
}

func noStatistics(file, got string) diag.List {
	var out diag.List
	out.Add(diag.Finding{
		Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: file}, Got: got,
		Want: "statistics of pplx-garden's benchmark: dispatch and combine, each with both, send and recv, each with mean, min and max",
		Hint: "take the whole file that the benchmark wrote",
	})
	return out
}

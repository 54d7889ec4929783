package training

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// elapsed is in every iteration line of Megatron-LM, and nowhere else.
const elapsed = "elapsed time per iteration ("

// The beginning of an iteration line: a time stamp since core 0.11, with microseconds since core 0.17. Some forks print other words before.
var iterationHead = regexp.MustCompile(`(?:\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)\] +)?iteration +(\d+)/ *(\d+) \|`)

const cutHint = "the line was cut off or another process wrote into it: take the whole file, and let one rank print"

// megatron takes an iteration line. Its fields end in bars, and the last one is the count of iterations with NaN: a line without it was cut
// off, so none of its figures counts.
func (p *Parser) megatron(l line.Line) {
	it, of, ok := iterationOf(string(l.Text))
	if !ok {
		p.faults.Add(p.file, l, "an iteration line of Megatron-LM, from its number to \"number of nan iterations: N |\"", cutHint)
		return
	}
	it.Excerpt = l.Excerpt(p.file)
	p.runs[megatron].add(l, of, it)
}

func iterationOf(text string) (it evidence.Iteration, of int, ok bool) {
	m := iterationHead.FindStringSubmatchIndex(text)
	if m == nil {
		return it, 0, false
	}
	if m[2] >= 0 {
		it.At = text[m[2]:m[3]]
	}
	number, err := strconv.Atoi(text[m[4]:m[5]])
	of, errOf := strconv.Atoi(text[m[6]:m[7]])
	if err != nil || errOf != nil || number == 0 {
		return it, 0, false
	}
	it.Number = number
	return it, of, fields(&it, text[m[1]:])
}

// fields reads `name: value |` as often as it stands there; true when the fields that tell of a whole line are among them.
func fields(it *evidence.Iteration, text string) bool {
	var timed, skipped, nan bool
	for {
		field, rest, found := strings.Cut(text, "|")
		if !found {
			return timed && skipped && nan
		}
		text = rest
		name, value, found := strings.Cut(field, ":")
		if !found {
			continue
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		var ok bool
		switch name {
		case elapsed + "ms)":
			it.MS, ok = measure(value, 1)
			timed = ok
		case elapsed + "s)": // of Megatron-DeepSpeed
			it.MS, ok = measure(value, 1000)
			timed = ok
		case "number of skipped iterations":
			it.Skipped, skipped = count(value)
		case "number of nan iterations":
			it.NaN, nan = count(value)
		default:
			figure(it, name, value)
		}
	}
}

// figure reads a field that not every version prints.
func figure(it *evidence.Iteration, name, value string) {
	switch name {
	case "lm loss":
		it.Loss = float(value)
	case "grad norm":
		it.Grad = float(value)
	case "throughput per GPU (TFLOP/s/GPU)":
		if v, ok := measure(value, 1); ok {
			it.TFLOPS = v
		}
	}
}

func measure(value string, scale float64) (float64, bool) {
	v, err := strconv.ParseFloat(value, 64)
	v *= scale
	if err != nil || !finite(v) {
		return 0, false
	}
	return v, true
}

func count(value string) (int, bool) {
	v, err := strconv.Atoi(value)
	return v, err == nil && v >= 0
}

// float reads a number that may be NaN or infinite; nil where it is none.
func float(value string) *evidence.Float {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil && !math.IsInf(v, 0) {
		return nil
	}
	f := evidence.Float(v)
	return &f
}

// stepTime is what rank 0 of Megatron-Bridge prints before the last rank prints Megatron's line, which may be in another file.
const stepTime = "Step Time : "

var stepTimeLine = regexp.MustCompile(`Step Time : (\d+\.\d\d)s GPU utilization: (\d+(?:\.\d)?)MODEL_TFLOP/s/GPU`)

// bridge takes a line of Megatron-Bridge. It has no number, so lines are counted.
func (p *Parser) bridge(l line.Line) {
	m := stepTimeLine.FindSubmatch(l.Text)
	if m == nil {
		if bytes.Contains(l.Text, []byte("GPU utilization")) || l.Open {
			p.faults.Add(p.file, l, "Step Time : SECONDSs GPU utilization: NMODEL_TFLOP/s/GPU", cutHint)
		}
		return
	}
	ms, okTime := measure(string(m[1]), 1000)
	flops, okFlops := measure(string(m[2]), 1)
	if !okTime || !okFlops {
		return
	}
	r := &p.runs[bridge]
	r.add(l, 0, evidence.Iteration{Number: r.last() + 1, MS: ms, TFLOPS: flops, Excerpt: l.Excerpt(p.file)})
}

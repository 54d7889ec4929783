package sweep

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/weft-hpc/weft/validation/evidence"
)

// result reads one row.
func (d *decoder) result(path string, first json.Token) error {
	row := evidence.Row{Root: -1, Bytes: -1, Count: -1}
	var n int64 = -1
	var out, in half
	err := d.object(map[string]handler{
		"size": d.integer(&row.Bytes), "count": d.integer(&row.Count), "type": d.text(&row.Type), "redop": d.text(&row.Redop),
		"root":         d.integer(&n),
		"out_of_place": d.half(&out), "in_place": d.half(&in),
		"out_of_place_per_iter": d.spread(&out), "in_place_per_iter": d.spread(&in),
	})(path, first)
	if err != nil {
		return err
	}
	row.Root = int(n)
	row.OutOfPlace, row.InPlace = out.whole(), in.whole()
	row.Excerpt = evidence.Excerpt{File: d.file, Text: path}
	switch {
	case row.Bytes < 0 || row.Count < 0 || row.Type == "":
		d.fault(path, "a row with its size, count and type")
	case row.Bytes == 0:
		d.out.ZeroRows++
	case len(d.out.Rows) >= maxRows:
		d.over++
	default:
		d.out.Rows = append(d.out.Rows, row)
	}
	return nil
}

// half is a half that is being read; its figures and its iterations can come in any order.
type half struct {
	time, alg, bus *float64
	wrong          int64
	iterations     *evidence.Spread
}

// whole gives the half, nil where a figure is missing.
func (h *half) whole() *evidence.Half {
	if h.time == nil || h.alg == nil || h.bus == nil {
		return nil
	}
	out := &evidence.Half{TimeUS: *h.time, AlgGBps: *h.alg, BusGBps: *h.bus, Iterations: h.iterations}
	if h.wrong >= 0 {
		out.Wrong = &h.wrong
	}
	return out
}

// half reads the figures of a half. The time is the CPU's when the program was asked for that (-C).
func (d *decoder) half(h *half) handler {
	return func(path string, first json.Token) error {
		h.wrong = -1
		cpu := func(path string, first json.Token) error {
			addMode(&d.out.Asked, "cpu-time")
			return d.number(&h.time)(path, first)
		}
		return d.object(map[string]handler{
			"time": d.number(&h.time), "cpu_time": cpu, "alg_bw": d.number(&h.alg), "bus_bw": d.number(&h.bus), "nwrong": d.integer(&h.wrong),
		})(path, first)
	}
}

// spread reads how the iterations of a half spread.
func (d *decoder) spread(h *half) handler {
	return func(path string, first json.Token) error {
		var least, most, p50, p95, p99, cv *float64
		t := times{decoder: d}
		err := d.object(map[string]handler{
			"min_us": d.number(&least), "max_us": d.number(&most), "p50_us": d.number(&p50), "p95_us": d.number(&p95), "p99_us": d.number(&p99),
			"cv_pct": d.number(&cv), "per_process_max_times_us": t.processes,
		})(path, first)
		if err != nil || least == nil || most == nil || p99 == nil || cv == nil {
			return err
		}
		s := &evidence.Spread{MinUS: *least, MaxUS: *most, P99US: *p99, CVPercent: *cv}
		for _, p := range []struct{ to, from *float64 }{{&s.P50US, p50}, {&s.P95US, p95}} {
			if p.from != nil {
				*p.to = *p.from
			}
		}
		s.ByRankUS, s.MedianByRankUS = t.kept()
		h.iterations = s
		return nil
	}
}

// times are the times of every process and iteration of one half. All of them are kept while they are few, then each process's median.
type times struct {
	*decoder
	lists   [][]float64
	count   int
	many    bool // more than are kept
	medians []float64
	gaps    bool // a process's times could not be read: the places of the others would tell of the wrong rank
	buffer  []float64
}

// processes reads the lists of times, one process's at once: they are as many as the iterations asked for.
func (t *times) processes(path string, first json.Token) error {
	if first != json.Delim('[') {
		return t.other(path, first, "a list of lists of numbers")
	}
	for t.json.More() {
		clear(t.buffer)
		err := t.json.Decode(&t.buffer)
		t.in.since = 0
		var kind *json.UnmarshalTypeError
		if err != nil && !errors.As(err, &kind) {
			return err
		}
		if err != nil || len(t.buffer) == 0 || slices.Min(t.buffer) <= 0 {
			t.gaps = true
			t.fault(path, "lists of times above 0, one for each process")
			t.buffer = t.buffer[:0]
			continue
		}
		t.take()
	}
	_, err := t.next()
	return err
}

func (t *times) take() {
	t.count += len(t.buffer)
	t.many = t.many || t.count > maxTimes || t.allTimes+t.count > maxAllTimes
	if t.many {
		t.lists = nil
	} else {
		t.lists = append(t.lists, slices.Clone(t.buffer))
	}
	slices.Sort(t.buffer)
	t.medians = append(t.medians, t.buffer[len(t.buffer)/2]) // as nccl-tests takes its p50
}

// kept gives what is kept.
func (t *times) kept() (lists [][]float64, medians []float64) {
	switch {
	case t.gaps || len(t.medians) == 0:
		return nil, nil
	case !t.many:
		t.allTimes += t.count
		return t.lists, nil
	case t.allMedians+len(t.medians) > maxMedians:
		return nil, nil
	}
	t.allMedians += len(t.medians)
	return nil, t.medians
}

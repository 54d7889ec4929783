package sweep

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
)

// document reads the file's one object. 2.17.3 to 2.17.8 misspell the keys of the average.
func (d *decoder) document(path string, first json.Token) error {
	average := d.object(map[string]handler{
		"bandwidth": d.number(&d.out.AverageGBps), "bandwidith": d.number(&d.out.AverageGBps), "okay": d.okay,
	})
	return d.object(map[string]handler{
		"version":                d.mine(d.version),
		"args":                   d.mine(d.list(d.argument)),
		"env":                    d.mine(d.list(d.variable)),
		"nccl_version":           d.mine(d.nccl),
		"config":                 d.mine(d.config),
		"results":                d.mine(d.list(d.result)),
		"out_of_bounds":          d.mine(d.outOfBounds),
		"average_bus_bandwidth":  d.mine(d.footer(&d.average, average)),
		"average_bus_bandwidith": d.mine(d.footer(&d.average, average)),
		"errors":                 d.mine(d.list(d.failure)),
	})(path, first)
}

// mine notes that a key of nccl-tests was there.
func (d *decoder) mine(h handler) handler {
	return func(path string, first json.Token) error {
		d.known = true
		return h(path, first)
	}
}

// footer notes that a part of the footer was read whole.
func (d *decoder) footer(seen *bool, h handler) handler {
	return func(path string, first json.Token) error {
		err := h(path, first)
		*seen = *seen || err == nil
		return err
	}
}

func (d *decoder) version(path string, first json.Token) error {
	var v int64
	if err := d.integer(&v)(path, first); err != nil {
		return err
	}
	if v < 1 || v > maxVersion {
		d.fault(path, "a version of the file's form from 1 to "+strconv.Itoa(maxVersion)+"; another one may have other keys")
	}
	return nil
}

// argument takes the program's name, which comes first. The other arguments are not kept.
func (d *decoder) argument(path string, first json.Token) error {
	if path != "args[0]" {
		return d.skip(path, first)
	}
	var arg string
	err := d.text(&arg)(path, first)
	d.out.Program = baseName(arg)
	return err
}

func (d *decoder) nccl(path string, first json.Token) error {
	var v int64
	err := d.integer(&v)(path, first)
	if v > 0 {
		d.out.NCCL = strconv.FormatInt(v, 10)
	}
	return err
}

func (d *decoder) config(path string, first json.Token) error {
	a := &d.out.Asked
	var n struct{ threads, gpus, warmup, iterations, validation, graph int64 }
	var blocking, parallel, each string
	err := d.object(map[string]handler{
		"nthreads": d.integer(&n.threads), "ngpus": d.integer(&n.gpus),
		"minimum_bytes": d.integer(&a.MinBytes), "maximum_bytes": d.integer(&a.MaxBytes),
		"step_factor": d.integer(&a.Factor), "step_bytes": d.integer(&a.StepBytes),
		"warmup_iters": d.integer(&n.warmup), "iterations": d.integer(&n.iterations),
		"validation": d.integer(&n.validation), "graph": d.integer(&n.graph),
		"blocking_collectives": d.text(&blocking), "parallel_init": d.text(&parallel), "per_iter_timing": d.text(&each),
		"devices": d.list(d.device),
	})(path, first)
	a.Threads, a.GPUs, a.Warmup, a.Iterations, a.Checked = int(n.threads), int(n.gpus), int(n.warmup), int(n.iterations), n.validation > 0
	for _, m := range []struct {
		name string
		on   bool
	}{{"blocking", blocking == yes}, {"graph", n.graph > 0}, {"parallel-init", parallel == yes}, {"per-iteration", each == yes}} {
		if m.on {
			addMode(a, m.name)
		}
	}
	return err
}

// yes is how the file writes a boolean: as a string.
const yes = "true"

func (d *decoder) device(path string, first json.Token) error {
	var n struct{ rank, group, pid, device int64 }
	var k evidence.Rank
	err := d.object(map[string]handler{
		"rank": d.integer(&n.rank), "group": d.integer(&n.group), "pid": d.integer(&n.pid), "device": d.integer(&n.device),
		"hostname": d.text(&k.Host), "device_hex": d.text(&k.Bus), "device_info": d.text(&k.Name),
	})(path, first)
	if err != nil {
		return err
	}
	d.devices++
	if len(d.out.Ranks) < maxRanks {
		k.Rank, k.Group, k.PID, k.Device = int(n.rank), int(n.group), int(n.pid), int(n.device)
		d.out.Ranks = append(d.out.Ranks, k)
	}
	return nil
}

func (d *decoder) outOfBounds(path string, first json.Token) error {
	n := int64(-1)
	err := d.object(map[string]handler{"count": d.integer(&n)})(path, first)
	if err == nil && n >= 0 {
		d.wrong = true
		d.out.Wrong = &n
	}
	return err
}

func (d *decoder) okay(path string, first json.Token) error {
	var s string
	err := d.text(&s)(path, first)
	switch s {
	case yes:
		d.out.AverageVerdict = "OK"
	case "false":
		d.out.AverageVerdict = "FAILED"
	}
	return err
}

func (d *decoder) failure(path string, first json.Token) error {
	var s string
	err := d.text(&s)(path, first)
	if strings.TrimSpace(s) != "" && len(d.out.Failures) < maxFailures {
		d.out.Failures = append(d.out.Failures, evidence.Quote(d.file, 0, []byte(s)))
	}
	return err
}

// text reads a string.
func (d *decoder) text(to *string) handler {
	return func(path string, first json.Token) error {
		s, ok := first.(string)
		if !ok {
			return d.other(path, first, "a string")
		}
		*to = s
		return nil
	}
}

// integer reads a whole number. A count of wrong values is written with decimals, the root as a string with blanks before it.
func (d *decoder) integer(to *int64) handler {
	return func(path string, first json.Token) error {
		s, ok := digitsOf(first)
		if !ok {
			return d.other(path, first, "a whole number")
		}
		v, err := strconv.ParseInt(s, 10, 64)
		if f, bad := strconv.ParseFloat(s, 64); err != nil && bad == nil && f == math.Trunc(f) && math.Abs(f) < 1<<62 {
			v, err = int64(f), nil
		}
		if err != nil {
			return d.other(path, first, "a whole number")
		}
		*to = v
		return nil
	}
}

func digitsOf(t json.Token) (string, bool) {
	switch t := t.(type) {
	case json.Number:
		return t.String(), true
	case string:
		return strings.TrimSpace(t), true
	}
	return "", false
}

// number reads a number; NaN is written as the string "nan", and leaves the figure out with a fault.
func (d *decoder) number(to **float64) handler {
	return func(path string, first json.Token) error {
		n, ok := first.(json.Number)
		if !ok {
			return d.other(path, first, "a number")
		}
		v, err := strconv.ParseFloat(n.String(), 64)
		if err != nil {
			return d.other(path, first, "a number")
		}
		*to = &v
		return nil
	}
}

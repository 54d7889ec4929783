package replay

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// asked is a command line of nccl-tests, as far as weft uses it.
type asked struct {
	from, to   int64
	factor     int64
	iterations int
	warmup     int
	json       string
}

const help = `USAGE: %s 
	[-t,--nthreads <num threads>] 
	[-g,--ngpus <gpus per thread>] 
	[-b,--minbytes <min size in bytes>] 
	[-e,--maxbytes <max size in bytes>] 
	[-f,--stepfactor <increment factor>] 
	[-n,--iters <iteration count>] 
	[-w,--warmup_iters <warmup iteration count>] 
	[-c,--check <check iteration count>] 
	[-J,--output_file <file to write JSON output to>] 
	[-h,--help]
`

// readAsked reads the options; nil for a call for help.
func readAsked(args []string) (*asked, error) {
	a := asked{from: 32 << 20, to: 32 << 20, factor: 2, iterations: 20, warmup: 1}
	for i := 0; i < len(args); i++ {
		if args[i] == "-h" || args[i] == "--help" {
			return nil, nil
		}
		if i+1 == len(args) {
			return nil, fmt.Errorf("option %s has no value", args[i])
		}
		i++
		if err := a.option(args[i-1], args[i]); err != nil {
			return nil, err
		}
	}
	return &a, nil
}

func (a *asked) option(name, value string) (err error) {
	switch name {
	case "-b":
		a.from, err = size(value)
	case "-e":
		a.to, err = size(value)
	case "-f":
		a.factor, err = size(value)
	case "-n":
		a.iterations, err = strconv.Atoi(value)
	case "-w":
		a.warmup, err = strconv.Atoi(value)
	case "-J":
		a.json = value
	case "-g", "-c", "-d", "-o":
	default:
		err = fmt.Errorf("invalid option %s", name)
	}
	return err
}

func size(text string) (int64, error) {
	units := map[string]int64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
	unit := int64(1)
	if n := len(text); n > 0 {
		if u, ok := units[strings.ToUpper(text[n-1:])]; ok {
			unit, text = u, text[:n-1]
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading a size: %w", err)
	}
	return n * unit, nil
}

// sweep acts as a program of nccl-tests 2.19.6.
func (r rank) sweep(c Call) int {
	a, err := readAsked(c.Args)
	if err != nil {
		return c.fail(1, err)
	}
	if a == nil {
		r.printf(help, c.Name)
		return 1
	}
	r.header(*a)
	if code := r.connect(); code != 0 {
		r.printf("%s: Test NCCL failure common.cu:222 'invalid usage (run with NCCL_DEBUG=WARN for details) / '", r.Host)
		r.printf(" .. %s pid %d: Test failure common.cu:1620", r.Host, r.PID)
		return code
	}
	if r.Rank != 0 {
		r.stay()
		return 0
	}
	return r.table(*a)
}

func (r rank) header(a asked) {
	if r.Rank != 0 {
		return
	}
	r.printf("# nccl-tests version 2.19.6 nccl-headers=23102 nccl-library=23102")
	r.printf("# Collective test starting: %s", r.Program)
	r.printf("# nThread 1 nGpus 1 minBytes %d maxBytes %d step: %d(factor) warmup iters: %d iters: %d agg iters: 1 validation: 1 graph: 0 unalign: 0",
		a.from, a.to, a.factor, a.warmup, a.iterations)
	r.printf("#\n# Using devices")
	for i := range r.Ranks {
		r.printf("#  Rank %2d Group %2d Pid %6d on %10s device %2d [0000:%02x:00] %s %s",
			i, 0, r.PID+i, r.Hosts[i/r.PerNode], i%r.PerNode, 0x53+i%r.PerNode*0x11, r.Type.Accelerator.Maker, r.Type.Accelerator.Name)
	}
}

func (r rank) table(a asked) int {
	r.printf("#")
	r.printf("# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place          ", "", "", "", "", "")
	r.printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s ",
		"size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw", "#wrong")
	r.printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s ",
		"(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "")
	var sum float64
	var rows []string
	n := 0
	for bytes := a.from; bytes <= a.to; bytes *= max(2, a.factor) {
		out, in := r.row(bytes, n)
		sum += out.bus + in.bus
		rows = append(rows, fmt.Sprintf(`{"size":%d,"count":%d,"type":"float","redop":%q,"root":"    -1","out_of_place":%s,"in_place":%s,"actual_iterations":%d,"experiment_name":""}`,
			out.bytes, out.count, r.redop(), out.json(), in.json(), a.iterations))
		n++
		if n == 3 {
			r.dieHere()
		}
	}
	r.printf("# %-20s : 0 OK", "Out of bounds values")
	r.printf("# %-20s : %g ", "Avg bus bandwidth", sum/float64(2*max(1, n)))
	r.printf("#\n# Collective test concluded: %s\n#", r.Program)
	if a.json != "" {
		return r.writeJSON(a, rows)
	}
	return 0
}

// cell is one side of a row.
type cell struct {
	bytes, count int64
	us, alg, bus float64
	wrong        string
}

func (c cell) text() string {
	return fmt.Sprintf("  %7s  %6s  %6s  %6s", float(c.us, 7), float(c.alg, 6), float(c.bus, 6), c.wrong)
}

func (c cell) json() string {
	wrong := "0.000000"
	if c.wrong == "N/A" {
		wrong = "null"
	}
	return fmt.Sprintf(`{"time":%f,"alg_bw":%f,"bus_bw":%f,"nwrong":%s}`, c.us, c.alg, c.bus, wrong)
}

func (r rank) redop() string {
	if r.Program == "alltoall_perf" {
		return "none"
	}
	return "sum"
}

func (r rank) row(bytes int64, n int) (out, in cell) {
	count, inWrong := bytes/4, "0"
	if r.Program == "alltoall_perf" {
		whole := int64(r.Ranks) * 16 // sizes round down to 16 bytes for each rank
		bytes = bytes / whole * whole
		count, inWrong = bytes/4/int64(r.Ranks), "N/A"
	}
	side := func(jitter float64, wrong string) cell {
		us, alg, bus := r.half(bytes, jitter)
		return cell{bytes, count, us, alg, bus, wrong}
	}
	out, in = side(1+0.004*float64(n*7%5-2), "0"), side(1+0.004*float64(n*3%5-2), inWrong)
	r.printf("%12d  %12d  %8s  %6s  %6d%s%s", bytes, count, "float", r.redop(), -1, out.text(), in.text())
	return out, in
}

// float prints a number as nccl-tests does: with as many decimals, two at most, as the width takes.
func float(v float64, width int) string {
	for decimals := 2; decimals >= 0; decimals-- {
		if s := fmt.Sprintf("%*.*f", width, decimals, v); len(s) <= width {
			return s
		}
	}
	return fmt.Sprintf("%*.1e", width, v)
}

// writeJSON writes the file of -J, environment dump and all; the one value that stands for a secret is made up.
func (r rank) writeJSON(a asked, rows []string) int {
	var devices []string
	for i := range r.Ranks {
		devices = append(devices, fmt.Sprintf(`{"rank":%d,"group":0,"pid":%d,"hostname":%q,"device":%d,"device_hex":"0000:%02x:00","device_info":"NVIDIA %s"}`,
			i, r.PID+i, r.Hosts[i/r.PerNode], i%r.PerNode, 0x53+i%r.PerNode*0x11, r.Type.Accelerator.Name))
	}
	at := r.now().UTC().Format("2006-01-02 15:04:05")
	text := fmt.Sprintf(`{"version":3,"start_time":%q,"args":[%q],"env":["NCCL_DEBUG=INFO","SOME_TOKEN=not-for-reports"],"nccl_version":23102,"config":{"nthreads":1,"ngpus":1,"minimum_bytes":%d,"maximum_bytes":%d,"step_factor":%d,"warmup_iters":%d,"iterations":%d,"aggregated_iterations":1,"validation":1,"graph":0,"blocking_collectives":"false","per_iter_timing":"false","per_iter_skip":0,"parallel_init":"false","devices":[%s]},"results":[%s],"out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":0.000000,"okay":"unchecked"},"errors":[""],"end_time":%q}`,
		at, r.Program, a.from, a.to, a.factor, a.warmup, a.iterations, strings.Join(devices, ","), strings.Join(rows, ","), at)
	if err := os.WriteFile(a.json, []byte(text), 0o600); err != nil {
		r.printf("# skipping json output; %s not accessible", a.json)
	}
	return 0
}

// stay keeps a rank of a step that is about to lose a node until Slurm ends it: its peers wait for it in vain.
func (r rank) stay() {
	if host := r.any(Dies); host != "" {
		if host == r.Host && r.Local == 0 {
			r.cutPower()
		}
		time.Sleep(time.Minute)
	}
}

// dieHere is the middle of rank 0's table in a step that is about to lose a node.
func (r rank) dieHere() {
	switch host := r.any(Dies); host {
	case "":
	case r.Host:
		r.cutPower()
	default:
		time.Sleep(time.Minute)
	}
}

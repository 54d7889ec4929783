// Package replay stands in for what runs on the nodes of a GPU cluster: benchmarks, training, srun's container options, a libfabric with
// EFA devices.
//
// It is one program under many names. Each process is one rank of a real Slurm step, takes its place in the job and its CPUs from
// Slurm, and prints what the real program prints at that place, in the real format: only rank 0 prints a table, every rank its NCCL
// lines. Figures come from a model: the ceilings of the nodes' network, times a share; a scenario names what is wrong with which node.
// fi_pingpong is the real one, over TCP.
package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Folder names the variable that tells a stand-in where its lab is.
const Folder = "WEFT_LAB"

// Scenario is what is true of a queue's nodes.
type Scenario struct {
	InstanceType string  `json:"instanceType"`
	Faults       []Fault `json:"faults,omitempty"`
}

// Fault is one thing that is wrong.
type Fault struct {
	Kind Kind `json:"kind"`
	// Nodes that have it; empty: all.
	Nodes []string `json:"nodes,omitempty"`
	// Where it is: host or container; empty: both.
	Where string `json:"where,omitempty"`
	// Program that it hits, all_reduce_perf, …; empty: all.
	Program string `json:"program,omitempty"`
	// NICs that are left, for TooFewNICs.
	NICs int `json:"nics,omitempty"`
	// Share of its bandwidth that a slow node reaches.
	Share float64 `json:"share,omitempty"`
}

// Kind of a fault.
type Kind string

// The kinds.
const (
	NoDevices  Kind = "no-devices"   // EFA is not enabled on the node: the plugin finds no provider
	TooFewNICs Kind = "too-few-nics" // the plugin finds fewer devices than the type has
	Slow       Kind = "slow"         // groups with the node are slow
	NoPlugin   Kind = "no-plugin"    // NCCL does not find the network plugin
	Dies       Kind = "dies"         // the node's power fails in the middle of the run
	Proxy      Kind = "proxy"        // expert-parallel transfers go through the CPU
	NaN        Kind = "nan"          // the loss becomes NaN
	OneCPU     Kind = "one-cpu"      // something between the job and srun drops the CPUs of a task
)

// Programs are the names under which the program acts.
func Programs() []string {
	return []string{"all_reduce_perf", "alltoall_perf", "fi_info", "fi_pingpong", "nproc", "srun", "python3", "torchrun"}
}

// ScenarioFile is the name of a queue's scenario in the lab's folder.
func ScenarioFile(queue string) string { return "scenario-" + queue + ".json" }

// Image makes what a training image holds, under a folder: empty files at the paths of the programs.
func Image(dir string) error {
	for _, path := range []string{
		"DeepEP/tests/elastic/test_ep.py", "DeepEP/tests/test_internode.py", "DeepEP/tests/test_intranode.py", "DeepEP/tests/test_hybrid_ep.py",
		"megatron-lm/pretrain_gpt.py",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return fmt.Errorf("making an image: %w", err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return fmt.Errorf("making an image: %w", err)
		}
	}
	return nil
}

// Call is one start of the program.
type Call struct {
	Name   string // under which it was started
	Args   []string
	Env    func(string) string
	Stdout io.Writer
	Stderr io.Writer
}

// Main acts as the program of that name and gives its exit code.
func (c Call) Main() int {
	if code, ok := c.passOn(); ok {
		return code
	}
	r, err := c.rank()
	if err != nil {
		return c.fail(1, err)
	}
	switch program := r.Program; program {
	case "all_reduce_perf", "alltoall_perf":
		return r.sweep(c)
	case "fi_info":
		return r.fabricInfo(c)
	case "nproc":
		r.printf("%d", r.CPUs)
		return 0
	case "training":
		return r.training(c)
	default:
		return r.dispatch(c)
	}
}

// passOn hands the call to the real program where there is one.
func (c Call) passOn() (code int, done bool) {
	switch c.Name {
	case "srun":
		return c.srun(), true
	case "fi_pingpong":
		return c.pingpong(), true
	case "nproc":
		// What a bound rank may run on: the lab binds nothing.
		if c.Env("SLURM_CPUS_ON_NODE") == "" {
			return c.real(c.Args, nil), true
		}
	case "python3", "torchrun":
		if c.program() == "" {
			return c.real(c.Args, nil), true
		}
	}
	return 0, false
}

// program is what the call asks for: its own name, or what Python is to run.
func (c Call) program() string {
	if c.Name != "python3" && c.Name != "torchrun" {
		return c.Name
	}
	for _, arg := range c.Args {
		switch filepath.Base(arg) {
		case "pretrain_gpt.py", "fsdp.py":
			return "training"
		case "test_ep.py":
			return "deepep-v2"
		case "test_internode.py", "test_intranode.py":
			return "deepep-v1"
		case "test_hybrid_ep.py":
			return "hybridep"
		}
	}
	return ""
}

func (c Call) scenario() (Scenario, error) {
	var s Scenario
	path := filepath.Join(c.Env(Folder), ScenarioFile(c.Env("SLURM_JOB_PARTITION")))
	data, err := os.ReadFile(path) //nolint:gosec // the lab's own file
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("no scenario: %w", err)
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("reading the scenario: %w", err)
	}
	return s, nil
}

// has gives the fault of a kind that a node has, where the rank's program runs.
func (r rank) has(kind Kind, host string) (Fault, bool) {
	i := slices.IndexFunc(r.Scenario.Faults, func(f Fault) bool {
		return f.Kind == kind && (len(f.Nodes) == 0 || slices.Contains(f.Nodes, host)) &&
			(f.Where == "" || f.Where == r.Where) && (f.Program == "" || f.Program == r.Program)
	})
	if i < 0 {
		return Fault{}, false
	}
	return r.Scenario.Faults[i], true
}

// any gives the first of the step's nodes that has a fault; empty for none.
func (r rank) any(kind Kind) string {
	for _, host := range r.Hosts {
		if _, ok := r.has(kind, host); ok {
			return host
		}
	}
	return ""
}

func (r rank) printf(format string, args ...any) { _, _ = fmt.Fprintf(r.out, format+"\n", args...) }

// info prints a debug line of NCCL.
func (r rank) info(format string, args ...any) {
	if r.debug {
		r.printf("%s:%d:%d [%d] NCCL INFO "+format, append([]any{r.Host, r.PID, r.PID + 90, r.Local}, args...)...)
	}
}

// warn prints a warning of NCCL, with the time and the empty line before it that NCCL gives it from 2.26 on.
func (r rank) warn(where, text string) {
	if r.debug {
		r.printf("\n[%s] %s:%d:%d [%d] %s NCCL WARN %s", r.now().UTC().Format("2006-01-02 15:04:05"), r.Host, r.PID, r.PID+90, r.Local, where, text)
	}
}

// Package boot knows the output of a Slurm job and the logs of a node's start by what stands around the programs' own lines: Slurm's
// messages, torchrun's, cloud-init's and ParallelCluster's, the kernel's, and weft's node checks. What such lines mean is in package symptom.
package boot

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/mark"
)

// The kinds of files.
const (
	Slurm     = "slurm"
	TorchRun  = "torchrun"
	NodeBoot  = "boot"
	NodeCheck = "node-check"
)

// ExitFormat is the last line of a log whose script wants its program's exit code known.
const ExitFormat = "rc=%d"

// Parser reads the lines of one file.
type Parser struct {
	file    string
	checks  diag.List
	checked map[string]bool
	faults  line.Faults

	seen  [4]bool // of order
	exit  *int    // of the last line
	tasks *int    // the first that srun tells of a failed task
	torch *int    // of the rank that torchrun says failed first
	root  bool    // below torchrun's root cause
	wait  wait
}

// order is that in which kinds are told: the more telling one first.
var order = [4]string{Slurm, TorchRun, NodeCheck, NodeBoot}

const (
	slurm = iota
	torchRun
	nodeCheck
	nodeBoot
)

// New makes a parser of a file.
func New(file string) *Parser { return &Parser{file: file, checked: map[string]bool{}} }

// Marks are in all lines that concern a parser which does not await them.
func Marks() mark.Set {
	out := mark.Set{Front: []string{"rc=", "srun: error: ", "Root Cause (first observed failure)"}}
	for _, marks := range kinds {
		for _, m := range marks {
			if m.front {
				out.Front = append(out.Front, m.text)
			} else {
				out.Inside = append(out.Inside, m.text)
			}
		}
	}
	return out
}

// Awaits reports whether a line without a mark may concern the parser: an exit code counts where nothing follows it, and a root cause has its
// own below.
func (p *Parser) Awaits(_ []byte) bool { return p.exit != nil || p.root && p.torch == nil }

// Line takes one line.
func (p *Parser) Line(l line.Line) {
	text := bytes.TrimLeft(l.Text, " ")
	if len(text) == 0 {
		return
	}
	p.exit = nil
	switch text[0] {
	case 'r':
		p.exitLine(l, text)
	case 's':
		p.slurm(l, text)
	case 'e':
		p.exitCode(text)
	}
	if bytes.Contains(text, checkMark) {
		p.check(l)
	}
	p.wait.line(l)
	for i, marks := range kinds {
		if !p.seen[i] {
			p.seen[i] = marked(text, marks)
		}
	}
	p.root = p.root || bytes.HasPrefix(text, []byte("Root Cause (first observed failure)"))
}

// sign tells a kind: where it stands in a line, and the text.
type sign struct {
	front bool
	text  string
}

// kinds are the marks of each kind, in the order of order.
var kinds = [4][]sign{
	slurm: {
		{true, "srun: "},
		{true, "slurmstepd: "},
		{true, "slurmstepd-"},
		{true, "sbatch: "},
		{true, "salloc: "},
		{true, "slurmd: "},
		{true, "ReservationName="},
		{true, "JobId="},
		{true, "NodeName="},
	},
	torchRun: {
		{true, "torch.distributed.elastic."},
		{true, "Root Cause (first observed failure)"},
		{true, "Setting OMP_NUM_THREADS environment variable for each process"},
	},
	nodeCheck: {
		{false, "weft: FAIL "}, {false, "weft: WARN "}, {true, `{"fact":`},
	},
	nodeBoot: {
		{true, "Stdout: "},
		{true, "Stderr: "},
		{false, "cloud-init["},
		{false, "cfn-init"},
		{false, "arallelcluster"},
		{false, "arallelCluster"},
		{false, "clustermgtd"},
		{true, "modprobe: "},
		{true, "insmod: "},
		{true, "gdrdrv: "},
		{true, "nvidia: "},
		{true, "dkms: "},
		{false, "chef-client"},
		{false, fleet},
		{false, " kernel: "},
		{true, "E: "},
		{true, "dpkg: "},
		{true, "systemd["},
		{true, "Job for "},
		{true, "node "},
	},
}

// front is how far into a line a kind shows: behind a time and a host's name at most.
const front = 160

func marked(text []byte, marks []sign) bool {
	text = text[:min(len(text), front)]
	for _, m := range marks {
		if m.front && bytes.HasPrefix(text, []byte(m.text)) || !m.front && bytes.Contains(text, []byte(m.text)) {
			return true
		}
	}
	return false
}

// exitLine takes `rc=3`, which counts where nothing stands behind it. Without a line end a digit may be missing.
func (p *Parser) exitLine(l line.Line, text []byte) {
	digits, found := bytes.CutPrefix(text, []byte("rc="))
	if !found || l.Open {
		return
	}
	p.exit = code(digits)
}

var taskFailed = regexp.MustCompile(`^srun: error: [\w.-]+: tasks? [\d,-]+: Exited with exit code (\d+)$`)

// slurm takes what srun says of a task that failed.
func (p *Parser) slurm(l line.Line, text []byte) {
	if p.tasks != nil || l.Open || !bytes.HasPrefix(text, []byte("srun: error: ")) {
		return
	}
	if m := taskFailed.FindSubmatch(text); m != nil {
		p.tasks = code(m[1])
	}
}

var rankFailed = regexp.MustCompile(`^exitcode *: (-?\d+) \(pid: \d+\)$`)

// exitCode takes torchrun's for the rank that failed first.
func (p *Parser) exitCode(text []byte) {
	if !p.root || p.torch != nil {
		return
	}
	if m := rankFailed.FindSubmatch(text); m != nil {
		p.torch = code(m[1])
	}
}

func code(digits []byte) *int {
	v, err := strconv.Atoi(string(digits))
	if err != nil || v < -255 || v > 255 {
		return nil
	}
	return &v
}

// Kinds are what the file is, the more telling one first.
func (p *Parser) Kinds() []string {
	var out []string
	for i, kind := range order {
		if p.seen[i] {
			out = append(out, kind)
		}
	}
	return out
}

// ExitCode is the program's, nil where the file does not tell it: by the line that a script printed last, else by srun's first failed task,
// else by torchrun's root cause, whose code is negative for a signal.
func (p *Parser) ExitCode() *int {
	for _, c := range [...]*int{p.exit, p.tasks, p.torch} {
		if c != nil {
			return c
		}
	}
	return nil
}

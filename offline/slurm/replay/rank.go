package replay

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// rank is one process of a step, as Slurm placed it.
type rank struct {
	Rank, Ranks     int
	Local, PerNode  int
	Host            string
	Hosts           []string // of the step, in rank order
	CPUs            int      // that Slurm gave the rank
	PID             int
	Where           string // host or container
	Program         string
	Scenario        Scenario
	Type            catalog.InstanceType
	pinned, network bool // NCCL_NET and FI_PROVIDER together forbid a fallback; NCCL_NET alone
	debug           bool
	out             io.Writer
	now             func() time.Time
	env             func(string) string
}

func (c Call) rank() (rank, error) {
	s, err := c.scenario()
	if err != nil {
		return rank{}, err
	}
	r := rank{
		Host: c.Env("SLURMD_NODENAME"), Hosts: hosts(c.Env("SLURM_STEP_NODELIST")), PID: os.Getpid(), Where: "host",
		Program: c.program(), Scenario: s, out: c.Stdout, now: time.Now, env: c.Env,
	}
	var ok bool
	if r.Type, ok = catalog.Instance(s.InstanceType); !ok {
		return r, fmt.Errorf("the scenario's instance type %q is not known", s.InstanceType)
	}
	if c.Env(container) != "" {
		r.Where = "container"
	}
	r.Rank, r.Ranks, r.Local = number(c.Env("SLURM_PROCID")), max(1, number(c.Env("SLURM_NTASKS"))), number(c.Env("SLURM_LOCALID"))
	r.PerNode = max(1, r.Ranks/max(1, len(r.Hosts)))
	// SLURM_CPUS_ON_NODE is what the step has of the node, all its tasks together: 8 for 8 tasks without --cpus-per-task.
	r.CPUs = max(1, number(c.Env("SLURM_CPUS_ON_NODE"))/r.PerNode)
	r.debug = c.Env("NCCL_DEBUG") == "INFO" || c.Env("NCCL_DEBUG") == "TRACE"
	r.network = c.Env("NCCL_NET") == "Libfabric" || c.Env("NCCL_NET") == "AWS Libfabric" || c.Env("NCCL_NET") == "OFI"
	r.pinned = r.network && c.Env("FI_PROVIDER") == "efa"
	return r, nil
}

// spread gives a program that starts one process a node the ranks that it makes there itself.
func (r rank) spread(perNode int) rank {
	r.Rank, r.Ranks, r.PerNode, r.Local = r.Rank*perNode, r.Ranks*perNode, perNode, 0
	return r
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// hosts reads Slurm's short form of a list of nodes: a-[1-3,7],b-2.
func hosts(list string) []string {
	var out []string
	for list != "" {
		end := listEnd(list)
		out = append(out, expand(list[:end])...)
		list = strings.TrimPrefix(list[end:], ",")
	}
	return out
}

// listEnd is where the first entry of a list ends: at a comma outside brackets.
func listEnd(list string) int {
	depth := 0
	for i, c := range list {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(list)
}

func expand(entry string) []string {
	before, rest, ok := strings.Cut(entry, "[")
	if !ok {
		return []string{entry}
	}
	numbers, after, _ := strings.Cut(rest, "]")
	var out []string
	for _, part := range split(numbers) {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		for n := number(first); n <= number(last); n++ {
			out = append(out, fmt.Sprintf("%s%0*d%s", before, len(first), n, after))
		}
	}
	return out
}

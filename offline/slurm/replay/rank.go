package replay

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/hostlist"
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
		Host: c.Env("SLURMD_NODENAME"), Hosts: hostlist.Names(c.Env("SLURM_STEP_NODELIST")), PID: os.Getpid(), Where: "host",
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

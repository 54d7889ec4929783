package verdict

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
)

// sweep is one run of an nccl-tests program, as far as it can be judged.
type sweep struct {
	*evidence.Sweep
	from  output
	hosts []string // as the header names them, in rank order
	nodes int      // that NCCL counts where its log says, else the hosts
	ranks int
	rows  []row // with a bandwidth
}

// row is one size with the half that is judged: out of place, as published figures are.
type row struct {
	evidence.Row
	half *evidence.Half
}

// sweeps are all runs of nccl-tests among the outputs.
func (j *judging) sweeps() []*sweep {
	out := j.allSweeps()
	for _, s := range out {
		if j.nodes > 0 && s.ranks%j.nodes == 0 {
			s.nodes = j.nodes
		}
	}
	return out
}

func (j *judging) allSweeps() []*sweep {
	var out []*sweep
	for _, o := range j.outputs() {
		for i := range o.Documents {
			d := &o.Documents[i]
			if d.Sweep != nil {
				out = append(out, newSweep(d.Sweep, o))
			}
			for k := range d.Further {
				out = append(out, newSweep(&d.Further[k], o))
			}
		}
	}
	return out
}

func newSweep(e *evidence.Sweep, o output) *sweep {
	s := &sweep{Sweep: e, from: o}
	for _, r := range e.Ranks {
		if !slices.Contains(s.hosts, r.Host) {
			s.hosts = append(s.hosts, r.Host)
		}
		s.ranks = max(s.ranks, r.Rank+1)
	}
	s.nodes = len(s.hosts)
	for _, d := range o.Documents {
		if d.Path != nil && d.Path.Ranks == s.ranks {
			s.nodes = max(s.nodes, d.Path.NNodes)
		}
	}
	if s.nodes == 0 {
		s.nodes = len(o.Nodes)
	}
	for i := range e.Rows {
		if r, ok := judged(e.Rows[i]); ok {
			s.rows = append(s.rows, r)
		}
	}
	return s
}

// judged is the half of a row that counts; none for sizes that were rounded down to nothing, as all-to-all's smallest are.
func judged(r evidence.Row) (row, bool) {
	half := r.OutOfPlace
	if half == nil {
		half = r.InPlace
	}
	return row{Row: r, half: half}, half != nil && r.Bytes > 0
}

func (s *sweep) perNode() int {
	if s.nodes == 0 {
		return 0
	}
	return s.ranks / s.nodes
}

// name is the run in a sentence: all_reduce over 2 nodes, 16 ranks.
func (s *sweep) name() string {
	return fmt.Sprintf("%s over %s, %s", orElse(s.Collective, "a collective"), count(s.nodes, "node"), count(s.ranks, "rank"))
}

// place is the file, at its first row.
func (s *sweep) place() diag.Place {
	if len(s.Rows) > 0 && s.Rows[0].File != "" {
		return at(s.Rows[0].Excerpt, "")
	}
	return diag.Place{File: s.from.file(), Resource: orElse(fileName(s.from), s.from.job.place())}
}

func fileName(o output) string {
	if o.file() != "" {
		return "nccl-tests"
	}
	return ""
}

func (s *sweep) largest() int64 {
	var out int64
	for _, r := range s.rows {
		out = max(out, r.Bytes)
	}
	return out
}

// sound judges whether a run is one at all, and its results right; what is not sound has no bandwidth to judge.
func (j *judging) sound(s *sweep) bool {
	whole := j.oneWorld(s) && j.wholeRun(s)
	j.rightResults(s)
	return whole && j.wantedRanks(s) && j.numbers(s)
}

// oneWorld finds programs that ran each for itself.
func (j *judging) oneWorld(s *sweep) bool {
	if s.Worlds < 2 {
		return true
	}
	j.add(diag.Finding{
		Rule: diag.PerfImpossible, Place: s.place(),
		Got:    fmt.Sprintf("%d separate runs in one job: \"Rank  0\" stands %d times, and no byte crossed between them", s.Worlds, s.Worlds),
		Want:   "one run of all ranks",
		Hint:   "build nccl-tests with MPI=1 and MPI_HOME set, delete build/ first, and start it with a launcher that its MPI knows (srun --mpi=pmix)",
		Source: "NVIDIA/nccl-tests issues 27, 71, 213, 249, 254, 306",
	})
	return false
}

func (j *judging) wholeRun(s *sweep) bool {
	for _, f := range s.Failures {
		j.quote(f)
	}
	switch {
	case len(s.Failures) > 0:
		j.add(diag.Finding{
			Rule: diag.PerfData, Place: at(s.Failures[0], fileless(s.Failures[0], s.from.job.place())),
			Got: "aborted: " + s.Failures[0].Text, Want: "a run that ends with its footer",
			Hint: "look at NCCL's warnings before this line: they name the rank and the cause",
		})
	case !s.Complete:
		j.add(diag.Finding{
			Rule: diag.PerfData, Place: s.place(),
			Got:  fmt.Sprintf("%s: the table ends after %s without its footer", s.name(), count(len(s.Rows), "row")),
			Want: "a table that ends with \"Out of bounds values\" and \"Avg bus bandwidth\"",
			Hint: "the program was stopped or died: look at the end of the job's output and at the state of its nodes",
		})
	}
	return s.Complete && len(s.Failures) == 0
}

// rightResults finds wrong values. N/A is none: it was not compared.
func (j *judging) rightResults(s *sweep) {
	for _, r := range s.Rows {
		wrong := wrongOf(r.OutOfPlace) + wrongOf(r.InPlace)
		if wrong == 0 {
			continue
		}
		j.quote(r.Excerpt)
		j.add(diag.Finding{
			Rule: diag.PerfData, Place: at(r.Excerpt, fileless(r.Excerpt, s.from.job.place())),
			Got:  fmt.Sprintf("%s: %d wrong values at %s", s.name(), wrong, size(r.Bytes)),
			Want: "0 wrong values",
			Hint: "run dcgmi diag -r 3 on each node and read its Xid errors; a GPU or a link that corrupts data must not train",
		})
		return // one size says it; the footer counts them all
	}
	if s.Wrong != nil && *s.Wrong > 0 {
		j.add(diag.Finding{
			Rule: diag.PerfData, Place: s.place(),
			Got: fmt.Sprintf("%s: %d values out of bounds", s.name(), *s.Wrong), Want: "0 values out of bounds",
			Hint: "run dcgmi diag -r 3 on each node and read its Xid errors",
		})
	}
}

func wrongOf(h *evidence.Half) int64 {
	if h == nil || h.Wrong == nil {
		return 0
	}
	return *h.Wrong
}

// wantedRanks compares the run with the job that started it.
func (j *judging) wantedRanks(s *sweep) bool {
	want := len(s.from.Nodes) * j.Group.Ranks.PerNode
	if want == 0 || s.ranks == 0 || s.ranks == want {
		return true
	}
	j.add(diag.Finding{
		Rule: diag.PerfData, Place: s.place(),
		Got:  fmt.Sprintf("%s ran with %s on %s", orElse(s.Collective, "the program"), count(s.ranks, "rank"), count(len(s.hosts), "host")),
		Want: fmt.Sprintf("%d ranks: %s with %d each", want, count(len(s.from.Nodes), "node"), j.Group.Ranks.PerNode),
		Hint: fmt.Sprintf("start it with --nodes=%d --ntasks-per-node=%d and one GPU a task (-g 1)", len(s.from.Nodes), j.Group.Ranks.PerNode),
	})
	return false
}

// numbers finds rows without a usable figure.
func (j *judging) numbers(s *sweep) bool {
	for _, r := range s.rows {
		v := r.half.BusGBps
		if !math.IsNaN(v) && !math.IsInf(v, 0) && v >= 0 {
			continue
		}
		j.quote(r.Excerpt)
		j.add(diag.Finding{
			Rule: diag.PerfData, Place: at(r.Excerpt, fileless(r.Excerpt, s.from.job.place())),
			Got: fmt.Sprintf("%s: a bus bandwidth of %v at %s", s.name(), v, size(r.Bytes)), Want: "a number of GB/s",
			Hint: "run it again; a time of zero is a program that measured nothing",
		})
		return false
	}
	return true
}

package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/result"
)

// The shape of a run whose ranks have one core each, as measured on two nodes of p6-b200: all-reduce at 92 instead of 368 GB/s, a quarter,
// and all-to-all at 8.7 instead of 95, a tenth. The all-to-all suffers far more: each rank drives all its peers.
const (
	starvedReduceLeast = 0.15
	starvedReduceMost  = 0.40
	starvedAllToAll    = 0.20
)

// cpuHint is the way out, with the figures of the plan.
func (j *judging) cpuHint() string {
	return fmt.Sprintf("give each rank its share: --ntasks-per-node=%d --cpus-per-task=%d, also on the srun line where Slurm is 22.05 to 23.02; look for "+
		"a launcher that binds (mpirun --bind-to none)", j.Group.Ranks.PerNode, j.Group.Ranks.CPUs)
}

const cpuSource = "measured on two nodes of p6-b200 with one core a rank: all-reduce 92 instead of 368 GB/s, all-to-all 8.7 instead of 95"

// cpus judges how many CPUs the ranks had: from what the job's script read, from the affinity that NCCL prints, and where neither says
// anything from the shape of the bandwidths, as a suspicion.
func (j *judging) cpus() {
	want := j.Group.Ranks.CPUs
	if want == 0 {
		return
	}
	enough := false
	for _, job := range j.Jobs {
		for _, n := range job.Seen {
			if n.CPUsPerRank == 0 {
				continue
			}
			enough = enough || n.CPUsPerRank >= want
			if n.CPUsPerRank < want {
				j.tooFewCPUs(diag.Place{Resource: n.Node}, fmt.Sprintf("a rank may run on %s", cpuText(n.CPUsPerRank)))
			}
		}
	}
	if enough || j.has(diag.CPUPerRank) {
		return
	}
	j.affinity(want)
	if !j.has(diag.CPUPerRank) {
		j.starved()
	}
}

func cpuText(n int) string {
	if n == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%d CPUs", n)
}

func (j *judging) has(id diag.ID) bool {
	return slices.ContainsFunc(j.found, func(r ranked) bool { return r.Rule == id && r.Severity() == diag.Error })
}

func (j *judging) tooFewCPUs(place diag.Place, got string) {
	j.add(diag.Finding{
		Rule: diag.CPUPerRank, Place: place, Got: got, Want: fmt.Sprintf("%d CPUs for each of %d ranks on the node", j.Group.Ranks.CPUs, j.Group.Ranks.PerNode),
		Hint: j.cpuHint(), Source: cpuSource,
	})
}

// affinity judges what NCCL printed. NCCL shows only those of a rank's CPUs that lie near its GPU, so that half of them is no fault: a
// quarter is.
func (j *judging) affinity(want int) {
	for _, n := range j.road.nodes {
		if n.path == nil {
			continue
		}
		have, ok := countCPUs(n.path.CPUs)
		if ok && have*4 <= want {
			j.tooFewCPUs(diag.Place{Resource: n.name}, fmt.Sprintf("NCCL prints the affinity %q: %s", n.path.CPUs, cpuText(have)))
		}
	}
}

// countCPUs counts a list of CPUs such as 0-23,96-119. False for what is no such list.
func countCPUs(text string) (int, bool) {
	total := 0
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err := strconv.Atoi(low)
		if err != nil {
			return 0, false
		}
		to, err := strconv.Atoi(high)
		if err != nil || to < from {
			return 0, false
		}
		total += to - from + 1
	}
	return total, true
}

// starved suspects the CPUs where the bandwidths have the shape of one core a rank.
func (j *judging) starved() {
	reduce, ok := j.shareOf(catalog.AllReduce)
	toAll, also := j.shareOf(catalog.AllToAll)
	if !ok || !also || j.has(diag.NetSocket) || j.has(diag.NetProvider) {
		return
	}
	if reduce < starvedReduceLeast || reduce > starvedReduceMost || toAll > starvedAllToAll || toAll > reduce {
		return
	}
	j.tooFewCPUs(diag.Place{Resource: j.self()}, fmt.Sprintf(
		"suspected from the shape of the bandwidths, no log says it: all-reduce at %s, all-to-all at %s of what is expected", percent(reduce), percent(toAll)))
}

// shareOf is the share that the step's judged figure of a collective reached.
func (j *judging) shareOf(c catalog.Collective) (float64, bool) {
	i := slices.IndexFunc(j.out.Figures, func(f result.Figure) bool { return f.Least > 0 && strings.HasPrefix(f.What, string(c)+",") })
	if i < 0 || j.out.Figures[i].Measured == 0 {
		return 0, false
	}
	return j.out.Figures[i].Share, true
}

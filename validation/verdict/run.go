package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
)

// Run gives the result of a whole order: its steps judged in turn, every node with what the run saw of it, the versions of host and
// container, and the finding to mend first.
func Run(o Order) result.Run {
	r := runner{Order: o, out: result.Run{
		Schema: result.Version, Weft: o.Weft, Cluster: o.Plan.Name, Region: o.Plan.Region, ID: o.ID,
		Started: o.Started, Finished: o.Finished, Until: o.Until, Topology: o.Places,
	}}
	for _, g := range o.Plan.Groups {
		r.out.Groups = append(r.out.Groups, result.Group{
			Name: g.Name, InstanceType: g.InstanceType, Nodes: g.Nodes, Ranks: g.Ranks, Healthy: g.Healthy, Expect: g.Expect,
		})
	}
	for _, s := range o.Steps {
		r.step(s)
	}
	r.out.Outcome = outcome(r.out.Steps)
	if r.cause != nil {
		f := r.cause.Finding
		r.out.Cause = &f
	}
	r.out.Nodes = r.nodes()
	r.out.Pairs = r.pairs()
	r.out.Versions = r.versions()
	return r.out
}

type runner struct {
	Order
	out   result.Run
	done  []*judging
	cause *ranked
}

func (r *runner) step(s Step) {
	if s.Places == nil {
		s.Places = r.Places
	}
	if s.Host == nil && s.Name != plan.StepHost {
		s.Host = r.host(s.Group.Name)
	}
	j := newJudging(s, r.out.Steps)
	j.judge()
	r.done = append(r.done, j)
	r.out.Steps = append(r.out.Steps, j.out)
	if c := first(j.found); c != nil && (r.cause == nil || c.before(*r.cause) < 0) {
		r.cause = c
	}
}

// host is what the host step of a group found installed.
func (r *runner) host(group string) map[catalog.Component]string {
	for _, j := range r.done {
		if j.Name == plan.StepHost && j.Group.Name == group {
			return j.installed()
		}
	}
	return nil
}

// severity orders outcomes of steps that ran. A step that was not run says nothing about the run: the step before it does, or there is no use
// for it.
var severity = []result.Outcome{result.Passed, result.Warned, result.Waiting, result.Failed}

// outcome of a run is that of its worst step that ran; not-run where none did.
func outcome(steps []result.Step) result.Outcome {
	worst := -1
	for _, s := range steps {
		worst = max(worst, slices.Index(severity, s.Outcome))
	}
	if worst < 0 {
		return result.NotRun
	}
	return severity[worst]
}

// nodes gathers what the run saw of each node.
func (r *runner) nodes() []result.Node {
	seen := map[string]*result.Node{}
	for _, j := range r.done {
		for _, n := range j.everyNode() {
			row := seen[n]
			if row == nil {
				row = &result.Node{Name: n, Group: j.Group.Name, NICs: -1, Want: j.Group.Healthy.EFADevices, Outcome: result.NotRun, Block: r.block(n)}
				seen[n] = row
			}
			j.fill(row)
		}
	}
	var out []result.Node
	for _, n := range seen {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b result.Node) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (r *runner) block(node string) string {
	i := slices.IndexFunc(r.Places, func(p result.Place) bool { return short(p.Node) == node })
	if i < 0 {
		return ""
	}
	return r.Places[i].Block
}

// everyNode are the nodes of a step's jobs and logs.
func (j *judging) everyNode() []string {
	var out []string
	for _, n := range j.road.nodes {
		out = append(out, n.name)
	}
	if len(out) > 0 {
		return out
	}
	for _, job := range j.Jobs {
		out = append(out, job.Nodes...)
	}
	return unique(out)
}

// fill adds what a step saw of a node.
func (j *judging) fill(row *result.Node) {
	if n := j.road.node(row.Name); n != nil && n.path != nil {
		fillRoad(row, n.path)
	}
	for _, f := range j.found {
		o := result.Warned
		switch {
		case f.Place.Resource != row.Name || f.Severity() < diag.Warn:
			continue
		case f.Severity() == diag.Error:
			o = result.Failed
		}
		if slices.Index(severity, o) > slices.Index(severity, row.Outcome) {
			row.Outcome, row.Why = o, sentence(f.Finding)
		}
	}
}

// fillRoad adds what a step's logs show of a node. Of several counts of NICs the least stands.
func fillRoad(row *result.Node, path *evidence.NodePath) {
	if len(path.NICs) > 0 && (row.NICs < 0 || path.NICs[0] < row.NICs) {
		row.NICs = path.NICs[0]
	}
	row.Provider = orElse(keys(path.Providers), row.Provider)
	row.Channels = sum(row.Channels, path.Channels)
	if row.Outcome == result.NotRun {
		row.Outcome = result.Passed
	}
}

// pairs are the measurements between two nodes, of latency and bandwidth.
func (r *runner) pairs() []result.Pair {
	var out []result.Pair
	slow := map[string]bool{}
	for _, j := range r.done {
		for _, f := range j.found {
			if f.Rule == diag.PerfStraggler && f.Severity() > diag.Note {
				slow[f.Place.Resource] = true
			}
		}
		out = append(out, j.pairsOf()...)
		for _, p := range j.pairs() {
			if p.gbps > 0 && (p.round > 0 || j.Name == plan.StepBlocks) {
				out = append(out, result.Pair{A: p.a, B: p.b, BusGBps: p.gbps, Collective: p.collective})
			}
		}
	}
	distance := Distance(r.Places)
	for i := range out {
		p := &out[i]
		p.Suspect = slow[p.A] || slow[p.B]
		p.Distance = r.apart(distance, p.A, p.B)
	}
	return out
}

// apart says in words how far two nodes are from one another.
func (r *runner) apart(distance func(a, b string) int, a, b string) string {
	if distance == nil {
		return ""
	}
	blockA, blockB := r.block(short(a)), r.block(short(b))
	levels := distance(a, b)
	switch {
	case blockA != blockB:
		return "between blocks"
	case levels == 0:
		return "same leaf"
	case levels == 1:
		return "same spine, other leaf"
	default:
		return fmt.Sprintf("%d levels apart", levels)
	}
}

// versions of host and container, of the first group that has any.
func (r *runner) versions() []result.Component {
	var host, container map[catalog.Component]string
	var floors []catalog.Floor
	for _, j := range r.done {
		found := j.installed()
		if len(found) == 0 {
			continue
		}
		switch {
		case j.Name == plan.StepHost && host == nil:
			host, floors = found, j.floors()
		case j.where() == "container" && container == nil:
			container, floors = found, j.floors()
		}
	}
	return components(host, container, floors)
}

// floors are what type and workload ask for; none where nobody knows the type.
func (j *judging) floors() []catalog.Floor {
	if j.Group.InstanceType == "" {
		return nil
	}
	return j.Group.Floors(catalog.Workload{Kind: j.Workload.Kind, Dispatcher: j.Workload.Dispatcher})
}

// praise says in one sentence what a passed step stands on: its judged figures and the proof of the road.
func (j *judging) praise() string {
	var parts []string
	for _, f := range j.out.Figures {
		if f.Least > 0 || f.Most > 0 {
			measured := strings.TrimSpace(number(f.Measured) + " " + f.Unit) // a loss has no unit
			parts = append(parts, fmt.Sprintf("%s: %s, %s of %s", strings.SplitN(f.What, ",", 2)[0], measured, percent(f.Share), number(f.Expected)))
		}
	}
	if j.road.good() && len(j.road.nodes) > 1 {
		parts = append(parts, fmt.Sprintf("EFA proved on %s", count(len(j.road.nodes), "node")))
	}
	if len(parts) == 0 {
		return "nothing is wrong with what was measured"
	}
	return strings.Join(parts, "; ")
}

package verdict

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
)

// Judge gives the result of one step. The steps of the same group that were judged before it serve for comparison: the container's
// bandwidth with the host's, the dispatcher's with the all-to-all's.
func Judge(s Step, before ...result.Step) result.Step {
	j := newJudging(s, before)
	j.judge()
	return j.out
}

func (j *judging) judge() {
	if j.Skipped != "" {
		j.out.Outcome, j.out.Why = result.NotRun, j.Skipped
		return
	}
	j.jobs()
	if j.ended() {
		j.measured()
	}
	j.consequences()
	j.settle()
}

// judging is the work on one step.
type judging struct {
	Step
	before []result.Step
	out    result.Step
	road   road
	found  []ranked
	// waits says what the step waits for; empty when it waits for nothing.
	waits string
	nodes int // of the runs, where somebody says so; 0: as the logs say
}

func newJudging(s Step, before []result.Step) *judging {
	j := &judging{Step: s, before: before, out: result.Step{Name: s.Name, Group: s.Group.Name}}
	for _, job := range s.Jobs {
		if j.out.Job == "" {
			j.out.Job = job.ID
		}
		if !job.Started.IsZero() && (j.out.Started.IsZero() || job.Started.Before(j.out.Started)) {
			j.out.Started = job.Started
		}
		if job.Finished.After(j.out.Finished) {
			j.out.Finished = job.Finished
		}
	}
	return j
}

// measured judges what the programs printed, in the order in which one thing causes the next.
func (j *judging) measured() {
	j.unread()
	j.proveRoad()
	j.symptoms()
	j.environment()
	j.explainSockets()
	j.versions()
	switch j.Name {
	case plan.StepHost, plan.StepContainer:
		j.collectives()
		j.againstHost()
	case plan.StepLatency:
		j.latency()
	case plan.StepDispatcher:
		j.dispatcher()
	case plan.StepTraining:
		j.training()
	case plan.StepBlocks:
		j.blocks()
	case stepDiagnosis:
		j.everything()
	}
	j.cpus()
	j.stragglers()
}

// unread passes on what of the files could not be read.
func (j *judging) unread() {
	for _, o := range j.outputs() {
		for _, d := range o.Documents {
			for _, f := range d.Findings {
				j.add(f)
			}
		}
	}
}

// output is a program's output with the job that ran it.
type output struct {
	Output
	job *Job
}

func (j *judging) outputs() []output {
	var out []output
	for i := range j.Jobs {
		for _, o := range j.Jobs[i].Outputs {
			if len(o.Nodes) == 0 {
				o.Nodes = j.Jobs[i].Nodes
			}
			out = append(out, output{Output: o, job: &j.Jobs[i]})
		}
	}
	return out
}

// add takes a finding. A place without a file and a node is the job, or the step where no job is known.
func (j *judging) add(f diag.Finding) { j.addRanked(byRule(f)) }

func (j *judging) addRanked(r ranked) {
	if r.Place.String() == "" {
		r.Place.Resource = j.self()
	}
	r.Level = r.Severity()
	j.found = append(j.found, j.soften(r))
}

// self names the step as a place.
func (j *judging) self() string {
	if j.Name == stepDiagnosis {
		return "the logs"
	}
	name := "step " + j.Name
	if j.Group.Name != "" {
		name += " of group " + j.Group.Name
	}
	if j.out.Job != "" {
		name += ", job " + j.out.Job
	}
	return name
}

// at is the place of a line, on a node where one is known.
func at(e evidence.Excerpt, node string) diag.Place {
	p := diag.Place{File: e.File, Resource: node}
	if e.File != "" {
		p.Line = e.Line
	}
	return p
}

// quote adds a line that the outcome stands on, once.
func (j *judging) quote(lines ...evidence.Excerpt) {
	for _, e := range lines {
		if e.Text != "" && len(j.out.Raw) < mostRaw && !slices.Contains(j.out.Raw, e) {
			j.out.Raw = append(j.out.Raw, e)
		}
	}
}

// mostRaw bounds the lines that a step keeps.
const mostRaw = 40

func (j *judging) figure(f result.Figure) {
	j.quote(f.Raw...)
	j.out.Figures = append(j.out.Figures, f)
}

// settle sorts the findings, applies the user's levels and says what the step came to.
func (j *judging) settle() {
	j.rank()
	for _, r := range j.found {
		j.out.Findings = append(j.out.Findings, r.Finding)
	}
	cause := first(j.found)
	switch {
	case cause != nil:
		j.out.Outcome, j.out.Why = result.Failed, sentence(cause.Finding)
	case j.waits != "":
		j.out.Outcome, j.out.Why = result.Waiting, j.waits
	case j.out.Findings.Worst() == diag.Warn:
		j.out.Outcome, j.out.Why = result.Warned, sentence(j.found[0].Finding)
	default:
		j.out.Outcome, j.out.Why = result.Passed, j.praise()
	}
}

// rank puts the findings in the order of their causes at the user's levels, and drops those that say the same twice.
func (j *judging) rank() {
	for i := range j.found {
		j.found[i].Finding = diag.List{j.found[i].Finding}.Apply(j.Rules)[0]
	}
	slices.SortStableFunc(j.found, func(a, b ranked) int {
		if c := a.before(b); c != 0 {
			return c
		}
		if a.Finding == b.Finding {
			return 0
		}
		pair := diag.List{a.Finding, b.Finding}
		pair.Sort()
		if pair[0] == a.Finding {
			return -1
		}
		return 1
	})
	j.found = slices.Compact(j.found)
}

func sentence(f diag.Finding) string { return fmt.Sprintf("%s: %s", f.Rule, f.Got) }

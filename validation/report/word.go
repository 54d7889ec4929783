package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/report/unit"
	"github.com/weft-hpc/weft/validation/result"
)

// stepNames are the steps of the validation order in words.
var stepNames = map[string]string{
	plan.StepHost:       "Host EFA and NCCL baseline",
	plan.StepContainer:  "Container NCCL path",
	plan.StepLatency:    "Latency between nodes",
	plan.StepDispatcher: "Expert-parallel dispatcher",
	plan.StepTraining:   "Short training run",
	plan.StepBlocks:     "Between the blocks",
}

func stepName(s result.Step) string {
	return cmp.Or(stepNames[s.Name], s.Name, "A step without a name")
}

// outcomeWords are the outcomes as a reader meets them first.
var outcomeWords = map[result.Outcome]string{
	result.Passed: "Passed", result.Warned: "Passed with warnings", result.NotRun: "Not run", result.Waiting: "Waiting", result.Failed: "Failed",
}

func outcomeWord(o result.Outcome) string { return cmp.Or(outcomeWords[o], string(o), "No outcome") }

// outcomeShort fits a table.
func outcomeShort(o result.Outcome) string {
	if o == result.NotRun {
		return "not run"
	}
	return cmp.Or(string(o), "no outcome")
}

// sentence tells the outcome of a run in one sentence.
func sentence(run result.Run) string {
	ran, left := counted(run.Steps)
	switch run.Outcome {
	case result.Passed:
		return fmt.Sprintf("%s on %s did as the plan expects%s.", all(ran), machines(run.Groups), leftOut(left))
	case result.Warned:
		return fmt.Sprintf("%s on %s came through, %s%s.", all(ran), machines(run.Groups), worstOf(run, result.Warned), leftOut(left))
	case result.Failed:
		return fmt.Sprintf("On %s, %s%s.", machines(run.Groups), worstOf(run, result.Failed), leftOut(left))
	case result.Waiting:
		return waiting(run)
	case result.NotRun:
		return "Nothing was run" + because(first(run.Steps, result.NotRun)) + "."
	default:
		return "The run came to no outcome: it is still going on, or was cut short."
	}
}

func counted(steps []result.Step) (ran, left int) {
	for _, s := range steps {
		switch {
		case didRun(s):
			ran++
		case s.Outcome == result.NotRun:
			left++
		}
	}
	return ran, left
}

// didRun says that a step has something to show.
func didRun(s result.Step) bool {
	return s.Outcome == result.Passed || s.Outcome == result.Warned || s.Outcome == result.Failed ||
		len(s.Curves)+len(s.Figures)+len(s.Findings)+len(s.Iterations)+len(s.Raw) > 0
}

func all(ran int) string {
	switch ran {
	case 1:
		return "The one step that ran"
	case 2:
		return "Both steps that ran"
	default:
		return fmt.Sprintf("All %d steps that ran", ran)
	}
}

func leftOut(left int) string {
	if left == 0 {
		return ""
	}
	return "; " + unit.Plural(left, "step was not run", "steps were not run")
}

// machines names what was validated: 2 × p6-b200.48xlarge.
func machines(groups []result.Group) string {
	var out []string
	for _, g := range groups {
		out = append(out, fmt.Sprintf("%d × %s", g.Nodes, cmp.Or(g.InstanceType, "unknown instance type")))
	}
	return cmp.Or(strings.Join(out, " and "), "no group of nodes")
}

// worstOf names the first step with an outcome, and why.
func worstOf(run result.Run, o result.Outcome) string {
	s := first(run.Steps, o)
	verb := "failed"
	if o == result.Warned {
		verb = "warns"
	}
	if s == nil {
		return "the run " + verb
	}
	where := ""
	if len(run.Groups) > 1 && s.Group != "" {
		where = " of " + s.Group
	}
	return fmt.Sprintf("the step “%s”%s %s%s", stepName(*s), where, verb, because(s))
}

func because(s *result.Step) string {
	if s == nil || s.Why == "" {
		return ""
	}
	return ": " + strings.TrimRight(s.Why, ". \n")
}

func first(steps []result.Step, o result.Outcome) *result.Step {
	for i := range steps {
		if steps[i].Outcome == o {
			return &steps[i]
		}
	}
	return nil
}

func waiting(run result.Run) string {
	text := "The run waits"
	if !run.Until.IsZero() {
		text = "The run waits until " + unit.Moment(run.Until)
	}
	return text + because(first(run.Steps, result.Waiting)) + "."
}

// sum writes a verdict's arithmetic: 374 / 400 GB/s = 94 %.
func sum(f result.Figure) string {
	if f.Expected == 0 {
		return fmt.Sprintf("%s %s, compared with nothing", unit.Number(f.Measured), f.Unit)
	}
	return fmt.Sprintf("%s / %s %s = %s", unit.Number(f.Measured), unit.Number(f.Expected), f.Unit, unit.Percent(f.Share))
}

// asked writes the threshold of a verdict.
func asked(f result.Figure) string {
	var out []string
	if f.Least > 0 {
		out = append(out, "at least "+unit.Percent(f.Least))
	}
	if f.Most > 0 {
		out = append(out, "at most "+unit.Percent(f.Most))
	}
	return cmp.Or(strings.Join(out, ", "), "informs only")
}

// shareOf is a figure's share as text: nothing where it was compared with nothing.
func shareOf(f result.Figure) string {
	if f.Expected == 0 {
		return unit.NotKnown
	}
	return unit.Percent(f.Share)
}

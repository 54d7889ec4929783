package validator

import (
	"fmt"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/validation/result"
)

// State is what the resource puts out.
type State struct {
	// Outcome of the validation: passed; warned; failed, where onFailure lets that through; waiting, for a block that has
	// not started or for nodes, in which case the next update picks the result up; not-run, where the cluster has no use
	// for any step.
	Outcome string `json:"outcome"`
	// Until is when a waiting validation is expected to go on, RFC 3339; empty where nobody knows.
	Until string `json:"until"`
	// RunID of the run on the cluster.
	RunID string `json:"runId"`
	// ReportPath is the report's; empty while there is none.
	ReportPath string `json:"reportPath"`
	// Summary has a line for each step.
	Summary string `json:"summary"`
	// Figures that were judged, with what they were compared with.
	Figures []Figure `json:"figures"`
}

// Figure is a measured value beside the expected one.
type Figure struct {
	// Step of the validation order.
	Step string `json:"step"`
	// Group of nodes.
	Group string `json:"group"`
	// What was measured.
	What string `json:"what"`
	// Measured value.
	Measured float64 `json:"measured"`
	// Expected value.
	Expected float64 `json:"expected"`
	// Unit of both.
	Unit string `json:"unit"`
	// Share is measured over expected.
	Share float64 `json:"share"`
	// Outcome of the comparison.
	Outcome string `json:"outcome"`
}

// stateOf gives what a run puts out.
func stateOf(r Report) State {
	s := State{
		Outcome: string(r.Outcome), Until: moment(r.Until), RunID: r.ID, ReportPath: r.Path, Summary: summary(r.Run), Figures: []Figure{},
	}
	for _, step := range r.Steps {
		for _, f := range step.Figures {
			s.Figures = append(s.Figures, Figure{
				Step: step.Name, Group: step.Group, What: f.What, Measured: f.Measured, Expected: f.Expected, Unit: f.Unit, Share: f.Share,
				Outcome: string(f.Outcome),
			})
		}
	}
	return s
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// summary has a line for each step: its outcome, and why.
func summary(r result.Run) string {
	var lines []string
	for _, step := range r.Steps {
		lines = append(lines, stepLine(step))
	}
	return strings.Join(lines, "\n")
}

func stepLine(step result.Step) string {
	line := fmt.Sprintf("%-8s %s", step.Outcome, place(step))
	if step.Why != "" {
		line += ": " + step.Why
	}
	return line
}

func place(step result.Step) string {
	if step.Group == "" {
		return step.Name
	}
	return step.Name + " on " + step.Group
}

// outcomeOf and runOf read a state that Pulumi kept.
func outcomeOf(state property.Map) result.Outcome { return result.Outcome(text(state, "outcome")) }
func runOf(state property.Map) string             { return text(state, "runId") }

func text(state property.Map, name string) string {
	if v := state.Get(name); v.IsString() {
		return v.AsString()
	}
	return ""
}

// unknown are the outputs before a run, which is all that a preview can say.
func unknown() property.Map {
	out := map[string]property.Value{}
	for _, name := range []string{"outcome", "until", "runId", "reportPath", "summary", "figures"} {
		out[name] = property.New(property.Computed)
	}
	return property.NewMap(out)
}

// Package validator is the resource weft:index:Validation: a cluster that was proved to work.
//
// Making the resource runs the validation order on the cluster. A validation that fails fails the update and leaves no
// trace in Pulumi's state (or the state as it was), so that every further update validates again until it passes, and
// what depends on the resource waits. Neither a resource hook nor an apply can do that: both are forgotten by the next
// update.
package validator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/components/provider/internal/value"
	"github.com/weft-hpc/weft/components/validation"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/result"
)

// Token is the resource's type.
const Token = validation.Token

// Log shows people what goes on.
type Log interface {
	// Status replaces the line beside the resource while it is made.
	Status(ctx context.Context, u resource.URN, text string)
	// Info and Warn stay on the screen.
	Info(ctx context.Context, u resource.URN, text string)
	Warn(ctx context.Context, u resource.URN, text string)
}

// Validator makes, updates and deletes resources of the type.
type Validator struct {
	runner Runner
	log    Log
}

// New returns a validator.
func New(r Runner, l Log) *Validator { return &Validator{runner: r, log: l} }

// Diff asks for an update when an input has changed, and when the validation waited: the update picks the result up. A
// validation is never replaced.
func (v *Validator) Diff(_ context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	out := plugin.DiffResponse{Changes: plugin.DiffNone}
	diff := asResource(r.OldInputs).Diff(asResource(r.NewInputs))
	if diff != nil {
		out.Changes, out.DetailedDiff = plugin.DiffSome, plugin.NewDetailedDiffFromObjectDiff(diff, true)
		out.ChangedKeys = diff.ChangedKeys()
	}
	if outcomeOf(r.OldOutputs) == result.Waiting {
		if out.DetailedDiff == nil {
			out.DetailedDiff = map[string]plugin.PropertyDiff{}
		}
		out.Changes = plugin.DiffSome
		out.DetailedDiff["outcome"] = plugin.PropertyDiff{Kind: plugin.DiffUpdate}
		out.ChangedKeys = append(out.ChangedKeys, "outcome")
	}
	slices.Sort(out.ChangedKeys)
	return out, nil
}

// asResource gives properties in the form that has diffs, without marks: a secret that stays the same is no change.
func asResource(props property.Map) resource.PropertyMap {
	return resource.ToResourcePropertyMap(unmarked(property.New(props)).AsMap())
}

func unmarked(v property.Value) property.Value {
	switch {
	case v.IsMap():
		out := map[string]property.Value{}
		for name, item := range v.AsMap().All {
			out[name] = unmarked(item)
		}
		return property.New(out)
	case v.IsArray():
		items := make([]property.Value, 0, v.AsArray().Len())
		for _, item := range v.AsArray().All {
			items = append(items, unmarked(item))
		}
		return property.New(items)
	}
	return v.WithSecret(false).WithDependencies(nil)
}

// Create validates. A preview runs nothing.
func (v *Validator) Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	if r.Preview {
		return plugin.CreateResponse{Properties: unknown(), Status: resource.StatusOK}, nil
	}
	ctx, done := within(ctx, r.Timeout)
	defer done()
	state, err := v.validate(ctx, r.URN, r.Properties, "")
	if err != nil {
		return plugin.CreateResponse{Status: resource.StatusUnknown}, err
	}
	return plugin.CreateResponse{ID: resource.ID(r.URN.Name()), Properties: state, Status: resource.StatusOK}, nil
}

// Update validates again, or goes on with a run that waited. When nothing has changed that decides the outcome, the last
// one stands. An error leaves the old inputs in the state, so that the next update comes here again.
func (v *Validator) Update(ctx context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	outcome := outcomeOf(r.OldOutputs)
	holds, waiting := stands(r.OldInputs, r.NewInputs, outcome), outcome == result.Waiting
	switch {
	case holds && !waiting:
		return plugin.UpdateResponse{Properties: r.OldOutputs, Status: resource.StatusOK}, nil
	case r.Preview:
		return plugin.UpdateResponse{Properties: unknown(), Status: resource.StatusOK}, nil
	}
	drop := ""
	if waiting && !holds {
		drop = runOf(r.OldOutputs)
	}
	ctx, done := within(ctx, r.Timeout)
	defer done()
	state, err := v.validate(ctx, r.URN, r.NewInputs, drop)
	if err != nil {
		return plugin.UpdateResponse{Properties: r.OldOutputs, Status: resource.StatusUnknown}, err
	}
	return plugin.UpdateResponse{Properties: state, Status: resource.StatusOK}, nil
}

// Read gives what is known. A validation is a thing of the past, which nothing changes; and it can't be imported.
func (v *Validator) Read(_ context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	if r.State.Len() == 0 {
		return plugin.ReadResponse{Status: resource.StatusUnknown}, errors.New("a validation can't be imported: register it, and it is run")
	}
	return plugin.ReadResponse{
		ReadResult: plugin.ReadResult{ID: r.ID, Inputs: &r.Inputs, Outputs: &r.State}, Status: resource.StatusOK,
	}, nil
}

// Delete forgets the validation and says what it leaves: a run on the cluster and the report are the user's.
func (v *Validator) Delete(ctx context.Context, r plugin.DeleteRequest) (plugin.DeleteResponse, error) {
	if outcomeOf(r.Outputs) == result.Waiting {
		v.log.Info(ctx, r.URN, fmt.Sprintf("the waiting run %s is not cancelled: it ends with the cluster, or by weft validate", runOf(r.Outputs)))
	}
	if path := text(r.Outputs, "reportPath"); path != "" {
		v.log.Info(ctx, r.URN, "the report stays in "+path)
	}
	return plugin.DeleteResponse{Status: resource.StatusOK}, nil
}

// within gives a context that ends after the seconds of the option customTimeouts; 0 is for ever.
func within(ctx context.Context, seconds float64) (context.Context, context.CancelFunc) {
	if seconds <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
}

// validate runs the order and gives what the resource puts out. drop is a run that waited for inputs that are no more.
func (v *Validator) validate(ctx context.Context, u resource.URN, props property.Map, drop string) (property.Map, error) {
	req, in, err := request(u, props)
	if err != nil {
		return property.Map{}, err
	}
	req.Drop = drop
	if len(req.Plan.Steps) == 0 {
		v.log.Warn(ctx, u, "nothing was validated: the cluster has no use for any step that was asked for")
		return value.Properties(stateOf(Report{Run: result.Run{Outcome: result.NotRun}}))
	}
	report, err := v.runner.Run(ctx, req, func(line string) { v.log.Status(ctx, u, line) })
	if err != nil {
		return property.Map{}, notRun(ctx, req.Plan.Name, err)
	}
	return v.conclude(ctx, u, in.Inputs, report)
}

func notRun(ctx context.Context, cluster string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("the validation of %s was interrupted; its jobs stay on the cluster, and the next update goes on with them: %w", cluster, err)
	}
	return fmt.Errorf("validating %s: %w", cluster, err)
}

// conclude says what came out, and fails where the user wants a failed validation to.
func (v *Validator) conclude(ctx context.Context, u resource.URN, in Inputs, r Report) (property.Map, error) {
	state := stateOf(r)
	switch r.Outcome {
	case result.Passed:
		v.log.Info(ctx, u, "validated: "+said(r))
	case result.Warned, result.NotRun:
		v.log.Warn(ctx, u, "validated with warnings: "+said(r)+warnings(r.Run))
	case result.Waiting:
		v.log.Warn(ctx, u, waits(r))
	case result.Failed:
		failed := &failedError{report: r}
		if in.OnFailure != Warn {
			return property.Map{}, failed
		}
		v.log.Warn(ctx, u, failed.Error()+"\nonFailure is warn: the update goes on")
	default:
		return property.Map{}, fmt.Errorf("the validation of %s came out as %q, which is no outcome", r.Cluster, r.Outcome)
	}
	return value.Properties(state)
}

// said is the summary with the report's path, on lines of their own.
func said(r Report) string {
	out := r.Cluster + "\n" + summary(r.Run)
	if r.Path != "" {
		out += "\nreport   " + r.Path
	}
	return out
}

// waits says what the validation waits for, and what happens then.
func waits(r Report) string {
	until := "until the nodes are there"
	if !r.Until.IsZero() {
		until = "until " + moment(r.Until)
	}
	return "the validation waits " + until + ": nothing is proved yet; the next update picks the result up\n" + said(r)
}

// warnings are the findings of a run at warn level.
func warnings(r result.Run) string {
	var out strings.Builder
	for _, step := range r.Steps {
		for _, f := range step.Findings {
			if f.Severity() == diag.Warn {
				out.WriteString("\n" + shown(f, nil))
			}
		}
	}
	return out.String()
}

// failedError is a validation that failed: the cause to mend first, what came out of each step, and where to read on.
type failedError struct{ report Report }

func (e *failedError) Error() string {
	out := "the validation failed: " + said(e.report)
	if c := e.report.Cause; c != nil {
		out += "\nmend this first:\n" + shown(*c, nil)
	}
	return out + "\nthe cluster stays as it is; the next update validates again"
}

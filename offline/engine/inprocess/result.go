package inprocess

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// projectArg keeps a long name out of a signature.
type projectArg = workspace.Project

// Result is how an operation ended.
type Result struct {
	// Err is nil when it succeeded.
	Err error
	// Steps are what was done (in a preview: would be done) to resources, in order.
	Steps []Step
	// Messages are what the engine, the provider and the program said, "error: ..." and so on, without colours.
	Messages []string
	// Snapshot is the state after the operation, nil before the first one.
	Snapshot *deploy.Snapshot
}

// Step is one operation on one resource.
type Step struct {
	// Op is "create", "update", "same", "delete", "replace", "create-replacement", "delete-replaced", "read", "refresh".
	Op   string
	URN  string
	Type string
	Name string
	// Changed are the properties that make it necessary.
	Changed []string
}

func result(events []engine.Event, logged []string, snapshot *deploy.Snapshot, err error) Result {
	r := Result{Err: err, Messages: logged, Snapshot: snapshot}
	for _, event := range events {
		switch event.Type {
		case engine.ResourceOutputsEvent:
			r.Steps = append(r.Steps, step(event.Payload().(engine.ResourceOutputsEventPayload).Metadata))
		case engine.DiagEvent:
			d := event.Payload().(engine.DiagEventPayload)
			r.Messages = append(r.Messages, string(d.Severity)+": "+plainText(d.Message))
		case engine.PolicyViolationEvent:
			v := event.Payload().(engine.PolicyViolationEventPayload)
			r.Messages = append(r.Messages, string(v.EnforcementLevel)+": "+v.PolicyName+": "+plainText(v.Message))
		}
	}
	return r
}

func step(m engine.StepEventMetadata) Step {
	s := Step{Op: string(m.Op), URN: string(m.URN), Type: string(m.Type), Name: m.URN.Name()}
	for _, key := range m.Diffs {
		s.Changed = append(s.Changed, string(key))
	}
	slices.Sort(s.Changed)
	return s
}

// plainText takes Pulumi's colour marks out of a message.
func plainText(message string) string {
	var out strings.Builder
	for {
		start := strings.Index(message, "<{%")
		end := strings.Index(message, "%}>")
		if start < 0 || end < start {
			out.WriteString(message)
			return strings.TrimSpace(out.String())
		}
		out.WriteString(message[:start])
		message = message[end+len("%}>"):]
	}
}

// Count says how many resources of the program an operation was done to. The stack itself and its providers don't
// count.
func (r Result) Count(op string) int {
	n := 0
	for _, s := range r.Steps {
		if s.Op == op && !strings.HasPrefix(s.Type, "pulumi:") {
			n++
		}
	}
	return n
}

// Unchanged tells whether the operation had nothing to do.
func (r Result) Unchanged() bool {
	return !slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Op != "same" && s.Op != "read" })
}

// Message tells whether one of the messages contains a text.
func (r Result) Message(text string) bool {
	return slices.ContainsFunc(r.Messages, func(m string) bool { return strings.Contains(m, text) })
}

// Outputs are the outputs of the stack, without marks of secrets.
func (r Result) Outputs() map[string]any {
	if r.Snapshot == nil {
		return nil
	}
	for _, state := range r.Snapshot.Resources {
		if state.Type == resource.RootStackType {
			return state.Outputs.Mappable()
		}
	}
	return nil
}

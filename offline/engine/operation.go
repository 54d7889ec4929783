package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Preview says what an up would do.
func (w *Workspace) Preview(ctx context.Context, flags ...string) (Result, error) {
	return w.Run(ctx, append([]string{"preview"}, flags...)...)
}

// Up brings what exists to what the program says, without a preview before it.
func (w *Workspace) Up(ctx context.Context, flags ...string) (Result, error) {
	return w.Run(ctx, append([]string{"up", "--yes", "--skip-preview"}, flags...)...)
}

// Refresh brings the state to what exists.
func (w *Workspace) Refresh(ctx context.Context, flags ...string) (Result, error) {
	return w.Run(ctx, append([]string{"refresh", "--yes", "--skip-preview"}, flags...)...)
}

// Destroy deletes everything.
func (w *Workspace) Destroy(ctx context.Context, flags ...string) (Result, error) {
	return w.Run(ctx, append([]string{"destroy", "--yes", "--skip-preview"}, flags...)...)
}

// Cancel removes the lock that a killed operation leaves.
func (w *Workspace) Cancel(ctx context.Context) (Result, error) {
	return w.Run(ctx, "cancel", "--yes")
}

// Config sets a value of the stack's configuration.
func (w *Workspace) Config(ctx context.Context, key, value string) error {
	return w.must(ctx, "config", "set", "--plaintext", "--", key, value)
}

// Secret sets a secret value of the stack's configuration.
func (w *Workspace) Secret(ctx context.Context, key, value string) error {
	return w.must(ctx, "config", "set", "--secret", "--", key, value)
}

// State is what `pulumi stack export` says.
type State struct {
	Resources []StateResource `json:"resources"`
	Pending   []struct {
		Type     string        `json:"type"` // "creating" and so on
		Resource StateResource `json:"resource"`
	} `json:"pending_operations"`
}

// StateResource is a resource of a state.
type StateResource struct {
	URN     string         `json:"urn"`
	Type    string         `json:"type"`
	ID      string         `json:"id"`
	Inputs  map[string]any `json:"inputs"`
	Outputs map[string]any `json:"outputs"`
	Protect bool           `json:"protect"`
}

// Export reads the state of the stack.
func (w *Workspace) Export(ctx context.Context) (State, error) {
	r, err := w.quietly().Run(ctx, "stack", "export")
	if err != nil {
		return State{}, err
	}
	var export struct {
		Deployment State `json:"deployment"`
	}
	if err := json.Unmarshal([]byte(r.Stdout), &export); err != nil {
		return State{}, fmt.Errorf("reading the state of the stack (exit code %d): %w\n%s", r.ExitCode, err, r.Output)
	}
	return export.Deployment, nil
}

// Outputs reads the outputs of the stack, secrets as well.
func (w *Workspace) Outputs(ctx context.Context) (map[string]any, error) {
	r, err := w.quietly().Run(ctx, "stack", "output", "--json", "--show-secrets")
	if err != nil {
		return nil, err
	}
	outputs := map[string]any{}
	if err := json.Unmarshal([]byte(r.Stdout), &outputs); err != nil {
		return nil, fmt.Errorf("reading the outputs of the stack (exit code %d): %w\n%s", r.ExitCode, err, r.Output)
	}
	return outputs, nil
}

// quietly is the workspace without its Output: what a program reads is nothing to show.
func (w *Workspace) quietly() *Workspace {
	quiet := *w
	quiet.options.Output = nil
	return &quiet
}

// must runs a command that has no reason to fail.
func (w *Workspace) must(ctx context.Context, args ...string) error {
	r, err := w.Run(ctx, args...)
	if err == nil && r.ExitCode != 0 {
		err = fmt.Errorf("pulumi %s: exit code %d\n%s", strings.Join(args, " "), r.ExitCode, r.Output)
	}
	return err
}

// Package engine drives Pulumi's real CLI, away from the user's own Pulumi and from every AWS account: a home, a file
// backend and a project of its own, and the stand-in as provider aws.
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/weft-hpc/weft/offline/standin"
)

// Tools are the programs and files that a workspace needs, by path. offline/toolchain makes them.
type Tools struct {
	// Pulumi is the CLI. Its language host lies beside it, or on PATH.
	Pulumi string
	// AWS is the plugin of the stand-in.
	AWS string
	// Schema is the AWS SDK's schema; empty: the stand-in does not check inputs.
	Schema string
	// Weft is weft's own plugin, for a project that is written; empty: the project has no use for it.
	Weft string
}

// Options say what a workspace runs.
type Options struct {
	Tools Tools
	// Project is a folder that holds a Pulumi.yaml. Without it, a project is written that runs Binary.
	Project string
	// Binary is a program that is built already, so that no operation has to.
	Binary string
	// Name is the project's name when one is written; it defaults to "weft".
	Name string
	// Stack is the name of the stack; it defaults to "dev".
	Stack string
	// Data tells the stand-in what to answer and where to fail. It is read anew by each operation: see SetData.
	Data []byte
	// Environment is added to the CLI's, NAME=VALUE each.
	Environment []string
	// Output gets what the CLI prints while it runs, beside the result.
	Output io.Writer
}

// Workspace is a place where stacks are deployed to.
type Workspace struct {
	dir     string
	project string
	options Options
}

// New makes a workspace with an empty stack in dir, which should be empty.
func New(ctx context.Context, dir string, o Options) (*Workspace, error) {
	if o.Name == "" {
		o.Name = "weft"
	}
	if o.Stack == "" {
		o.Stack = "dev"
	}
	w := &Workspace{dir: dir, project: o.Project, options: o}
	if err := w.layOut(); err != nil {
		return nil, fmt.Errorf("making a workspace for Pulumi: %w", err)
	}
	made, err := w.Run(ctx, "stack", "init", o.Stack)
	if err != nil {
		return nil, err
	}
	if made.ExitCode != 0 {
		return nil, fmt.Errorf("making the stack %s: exit code %d\n%s", o.Stack, made.ExitCode, made.Output)
	}
	return w, nil
}

// layOut makes the folders, the project file, and the place where the CLI finds the plugin.
func (w *Workspace) layOut() error {
	plugin := filepath.Join(w.home(), "plugins", "resource-aws-v"+standin.Version)
	for _, dir := range []string{w.state(), plugin, filepath.Join(w.dir, "project")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("making its folders: %w", err)
		}
	}
	if err := os.Symlink(w.options.Tools.AWS, filepath.Join(plugin, "pulumi-resource-aws")); err != nil {
		return fmt.Errorf("placing the provider plugin: %w", err)
	}
	if err := w.SetData(w.options.Data); err != nil {
		return err
	}
	if w.project != "" {
		return nil
	}
	w.project = filepath.Join(w.dir, "project")
	project := map[string]any{
		"name":    w.options.Name,
		"runtime": map[string]any{"name": "go", "options": map[string]any{"binary": w.options.Binary}},
	}
	if weft := w.options.Tools.Weft; weft != "" {
		project["plugins"] = map[string]any{"providers": []any{map[string]any{"name": "weft", "path": filepath.Dir(weft)}}}
	}
	file, err := yaml.Marshal(project)
	if err != nil {
		return fmt.Errorf("writing the project file: %w", err)
	}
	return write(filepath.Join(w.project, "Pulumi.yaml"), file)
}

func write(path string, content []byte) error {
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	return nil
}

func (w *Workspace) home() string  { return filepath.Join(w.dir, "home") }
func (w *Workspace) state() string { return filepath.Join(w.dir, "state") }
func (w *Workspace) data() string  { return filepath.Join(w.dir, "data.yaml") }
func (w *Workspace) calls() string { return filepath.Join(w.dir, "calls.log") }

// Project is the folder with Pulumi.yaml.
func (w *Workspace) Project() string { return w.project }

// World is the account of the stand-in: what exists, and the way to change it behind Pulumi's back.
func (w *Workspace) World() standin.Store { return standin.NewFile(w.WorldFile()) }

// WorldFile is the file of the account, for readers in other languages.
func (w *Workspace) WorldFile() string { return filepath.Join(w.dir, "world.json") }

// SetData tells the stand-in what to answer and where to fail, from the next operation on.
func (w *Workspace) SetData(data []byte) error {
	if _, err := standin.ParseData(data); err != nil {
		return err
	}
	return write(w.data(), data)
}

// Calls are the calls that the provider has got, in all operations so far.
func (w *Workspace) Calls() ([]standin.Call, error) {
	log, err := os.Open(w.calls())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the call log: %w", err)
	}
	defer log.Close() //nolint:errcheck // it was only read
	var calls []standin.Call
	for lines := json.NewDecoder(log); ; {
		var call standin.Call
		err := lines.Decode(&call)
		if errors.Is(err, io.EOF) {
			return calls, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the call log: %w", err)
		}
		calls = append(calls, call)
	}
}

// environment is the CLI's. The user's Pulumi and AWS settings stay out of it: no operation may reach a real account.
func (w *Workspace) environment() []string {
	var kept []string
	path := ""
	for _, v := range os.Environ() {
		switch name, value, _ := strings.Cut(v, "="); {
		case name == "PATH":
			path = value
		case strings.HasPrefix(name, "PULUMI_"), strings.HasPrefix(name, "AWS_"), strings.HasPrefix(name, "STANDIN_"):
		default:
			kept = append(kept, v)
		}
	}
	return append(append(kept,
		"PATH="+filepath.Dir(w.options.Tools.Pulumi)+string(os.PathListSeparator)+path,
		"PULUMI_HOME="+w.home(),
		"PULUMI_BACKEND_URL=file://"+w.state(),
		"PULUMI_CONFIG_PASSPHRASE=offline",
		"PULUMI_SKIP_UPDATE_CHECK=true",
		// A plugin that is missing fails at once and names itself, instead of being looked for on the network.
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true",
		// The plugin in the home is the one that counts, whatever is on PATH.
		"PULUMI_IGNORE_AMBIENT_PLUGINS=true",
		"STANDIN_SCHEMA="+w.options.Tools.Schema,
		"STANDIN_WORLD="+w.WorldFile(),
		"STANDIN_DATA="+w.data(),
		"STANDIN_LOG="+w.calls(),
		"NO_COLOR=1",
	), w.options.Environment...)
}

// Package inprocess runs Pulumi programs through the real deployment engine inside a Go test, with the stand-in as
// provider aws: no CLI, no language host, no plugin processes. An up takes milliseconds.
//
// It is Pulumi's own test framework (pkg/v3/engine/lifecycletest), so what the engine does is what it does in
// production, and every snapshot on the way is checked for integrity. Not covered are the CLI's own parts: project
// files, backends, locks, pending operations on disk. For those there is offline/engine.
package inprocess

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/blang/semver"
	"github.com/stretchr/testify/require"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/env"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/offline/standin"
	"github.com/weft-hpc/weft/offline/standin/provider"
)

// Options say how a stack is run. All of them may be left out.
type Options struct {
	// Project and Stack default to "weft" and "test". They are part of every URN, and so of every id.
	Project, Stack string
	// Directory is the project's, where the program looks for files; the test's own when left out.
	Directory string
	// Config is the stack's configuration by full key, such as "weft:cluster" or "aws:region".
	Config map[string]string
	// Secrets is configuration that is secret.
	Secrets map[string]string
	// StandIn makes the provider aws.
	StandIn standin.Options
	// Plugins are more providers and analyzers.
	Plugins []*deploytest.PluginLoader
	// Update changes the engine's options, for instance to name policy packs or targets.
	Update func(*framework.TestUpdateOptions)
}

// Stack is a Pulumi stack in memory. The zero value is of no use, New makes one.
type Stack struct {
	// Program is what the next operation runs; set it to change the program between two operations.
	Program pulumi.RunFunc

	t        testing.TB
	root     string
	plan     framework.TestPlan
	standIn  *standin.StandIn
	plugins  []*deploytest.PluginLoader
	update   func(*framework.TestUpdateOptions)
	snapshot *deploy.Snapshot
}

// New makes a stack that nothing has been deployed to.
func New(t testing.TB, program pulumi.RunFunc, o Options) *Stack {
	t.Helper()
	require.NoError(t, saveAtTheEnd())
	account, err := standin.New(o.StandIn)
	require.NoError(t, err)
	s := &Stack{
		Program: program, t: t, root: o.Directory, standIn: account, update: o.Update,
		plan: framework.TestPlan{
			Project: or(o.Project, "weft"), Stack: or(o.Stack, "test"), Config: config.Map{}, Decrypter: config.NopDecrypter,
		},
	}
	for key, value := range o.Config {
		s.plan.Config[parseKey(t, key)] = config.NewValue(value)
	}
	for key, value := range o.Secrets {
		s.plan.Config[parseKey(t, key)] = config.NewSecureValue(value)
	}
	s.plugins = append([]*deploytest.PluginLoader{s.aws()}, o.Plugins...)
	return s
}

// saveAtTheEnd has the engine's journal saved when an operation ends. Saved after each step, it is read while the next
// steps go on, and both reach for the same lists of dependencies, which the race detector reports. Nothing is lost by
// it: every snapshot on the way is rebuilt and verified at the end.
var saveAtTheEnd = sync.OnceValue(func() error { return os.Setenv(env.SkipCheckpoints.Var().Name(), "true") })

// Account gives the stand-in, for a look at what exists and to change it behind Pulumi's back.
func (s *Stack) Account() *standin.StandIn { return s.standIn }

// Configure sets a value of the stack's configuration, by full key, for the next operations.
func (s *Stack) Configure(key, value string) {
	s.t.Helper()
	s.plan.Config[parseKey(s.t, key)] = config.NewValue(value)
}

// Preview says what an up would do, and does nothing.
func (s *Stack) Preview() Result { return s.run(engine.Update, true) }

// Up brings what exists to what the program says.
func (s *Stack) Up() Result { return s.run(engine.Update, false) }

// Refresh brings the state to what exists.
func (s *Stack) Refresh() Result { return s.run(engine.Refresh, false) }

// Destroy deletes everything.
func (s *Stack) Destroy() Result { return s.run(engine.Destroy, false) }

// Restore puts the state back to an earlier one, such as a Result has; nil is a stack that nothing was deployed to. It is
// what a backup does, and what the state looks like after an engine that was killed before it saved.
func (s *Stack) Restore(snapshot *deploy.Snapshot) { s.snapshot = snapshot }

// Snapshot is the state after the last operation; nil: nothing was deployed.
func (s *Stack) Snapshot() *deploy.Snapshot { return s.snapshot }

func (s *Stack) run(op framework.TestOp, preview bool) Result {
	s.t.Helper()
	messages := &sink{}
	options := framework.TestUpdateOptions{T: s.t, SkipDisplayTests: true, HostF: s.host(messages)}
	if s.update != nil {
		s.update(&options)
	}
	var events []engine.Event
	validate := func(_ projectArg, _ deploy.Target, _ engine.JournalEntries, fired []engine.Event, err error) error {
		events = fired
		return err
	}
	snapshot, err := op.Run(s.plan.GetProject(), s.plan.GetTarget(s.t, s.snapshot), options, preview, nil, validate)
	if !preview && snapshot != nil {
		s.snapshot = snapshot
	}
	return result(events, messages.lines, s.snapshot, err)
}

// host gives each operation a plugin host of its own, as the CLI does.
func (s *Stack) host(messages *sink) deploytest.PluginHostFactory {
	return func() plugin.Host {
		var host plugin.Host
		language := deploytest.NewLanguageRuntime(func(info plugin.RunInfo, _ *deploytest.ResourceMonitor) error {
			return s.runProgram(info, host.ServerAddr())
		})
		log := &deploytest.NoopSink{LogfF: messages.add}
		host = deploytest.NewPluginHost(log, log, language, s.plugins...)
		return host
	}
}

func (s *Stack) runProgram(info plugin.RunInfo, engineAddress string) error {
	run := pulumi.RunInfo{
		Project: info.Project, Stack: info.Stack, Organization: info.Organization, Parallel: info.Parallel, DryRun: info.DryRun,
		RootDirectory: s.root, MonitorAddr: info.MonitorAddress, EngineAddr: engineAddress, Config: map[string]string{},
	}
	for key, value := range info.Config {
		run.Config[key.String()] = value
	}
	for _, key := range info.ConfigSecretKeys {
		run.ConfigSecretKeys = append(run.ConfigSecretKeys, key.String())
	}
	ctx, err := pulumi.NewContext(context.Background(), run)
	if err != nil {
		return fmt.Errorf("connecting to the engine: %w", err)
	}
	return pulumi.RunWithContext(ctx, s.Program)
}

// aws loads the stand-in. It goes through gRPC, as in production: unknowns and secrets take the same way.
func (s *Stack) aws() *deploytest.PluginLoader {
	load := func() (plugin.Provider, error) { return provider.New(s.standIn), nil }
	return deploytest.NewProviderLoader("aws", semver.MustParse(standin.Version), load, deploytest.WithGrpc)
}

// sink keeps what the program logs.
type sink struct {
	mu    sync.Mutex
	lines []string
}

func (s *sink) add(severity diag.Severity, d *diag.Diag, _ ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, string(severity)+": "+d.Message)
}

func parseKey(t testing.TB, key string) config.Key {
	t.Helper()
	parsed, err := config.ParseKey(key)
	require.NoError(t, err, "a configuration key is namespace:name")
	return parsed
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

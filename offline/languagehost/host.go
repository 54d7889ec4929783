// Package languagehost is a small Pulumi language host: the process that the CLI starts to run programs, policy packs
// and plugins of one language. Pulumi's own hosts come with its installation and in no other way.
//
// It answers what the CLI asks in previews, updates, policy runs and installs. Code generation, project templates and
// debuggers are left to the real one.
package languagehost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/pulumi/pulumi/sdk/v3/go/common/constant"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Language is what differs from one language to the next.
type Language interface {
	// Executable is the program of the language, and its version.
	Executable(ctx context.Context) (path, version string, err error)
	// Prepare makes a program, policy pack or plugin ready to run, and tells how far it is. The caller runs done when the
	// command has ended.
	Prepare(ctx context.Context, s Source, say func(string)) (command []string, done func(), err error)
	// Install is the command that fetches what a program depends on; it runs in the program's folder.
	Install() []string
}

// Source is where a program lies.
type Source struct {
	// Root is the folder of the project file, Dir the one of the program.
	Root, Dir string
	// Options are the project file's runtime.options.
	Options map[string]any
}

// Host serves one language to one engine.
type Host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer

	language Language
	version  string
	engine   string // address; empty when nobody started the host
	stop     context.Context
	cancel   context.CancelFunc
}

// New returns a host of a version, which should be Pulumi's. engine is the address of the engine.
func New(language Language, version, engine string) *Host {
	h := &Host{language: language, version: version, engine: engine}
	h.stop, h.cancel = context.WithCancel(context.Background())
	return h
}

// GetPluginInfo says the version.
func (h *Host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: h.version}, nil
}

// About is for pulumi about, and for what the CLI remembers of an update.
func (h *Host) About(ctx context.Context, _ *pulumirpc.AboutRequest) (*pulumirpc.AboutResponse, error) {
	path, version, err := h.language.Executable(ctx)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.AboutResponse{Executable: path, Version: version}, nil
}

// GetRequiredPackages names none: the engine loads a provider at its first resource, by the version that the SDK sends.
func (h *Host) GetRequiredPackages(
	context.Context, *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

// Cancel interrupts the program that runs.
func (h *Host) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	h.cancel()
	return &emptypb.Empty{}, nil
}

// Run runs a program to its end.
func (h *Host) Run(ctx context.Context, r *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	environment, err := h.environment(r)
	if err != nil {
		return nil, err
	}
	ctx, stop := h.whileWanted(ctx)
	defer stop()
	command, done, err := h.language.Prepare(ctx, sourceOf(r.GetInfo()), h.say(ctx))
	if err != nil {
		return nil, err
	}
	defer done()
	// The CLI shows what a host writes as the program's output.
	code, err := run(ctx, process{command, r.GetPwd(), environment, os.Stdout, os.Stderr})
	switch {
	case err != nil:
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	case code == constant.ExitStatusLoggedError:
		return &pulumirpc.RunResponse{Bail: true}, nil // the program has told the engine what went wrong
	case code != 0:
		return &pulumirpc.RunResponse{Error: fmt.Sprintf("the program exited with code %d", code)}, nil
	}
	return &pulumirpc.RunResponse{}, nil
}

// environment is what the SDKs read.
func (h *Host) environment(r *pulumirpc.RunRequest) ([]string, error) {
	settings := r.GetConfig()
	if settings == nil {
		settings = map[string]string{} // "null" is an error to some SDKs
	}
	config, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("writing the configuration: %w", err)
	}
	secrets, err := json.Marshal(append([]string{}, r.GetConfigSecretKeys()...))
	if err != nil {
		return nil, fmt.Errorf("writing the names of the secrets: %w", err)
	}
	environment := os.Environ()
	for _, v := range []struct{ name, value string }{
		{pulumi.EnvOrganization, r.GetOrganization()},
		{pulumi.EnvProject, r.GetProject()},
		{pulumi.EnvPulumiRootDirectory, r.GetInfo().GetRootDirectory()},
		{pulumi.EnvStack, r.GetStack()},
		{pulumi.EnvConfig, string(config)},
		{pulumi.EnvConfigSecretKeys, string(secrets)},
		{pulumi.EnvDryRun, strconv.FormatBool(r.GetDryRun())},
		{pulumi.EnvParallel, strconv.Itoa(int(r.GetParallel()))},
		{pulumi.EnvMonitor, r.GetMonitorAddress()},
		{pulumi.EnvEngine, h.engine},
	} {
		if v.value != "" {
			environment = append(environment, v.name+"="+v.value)
		}
	}
	return environment, nil
}

// RunPlugin runs a plugin from its source (a policy pack, a provider) for as long as it lives.
func (h *Host) RunPlugin(r *pulumirpc.RunPluginRequest, stream pulumirpc.LanguageRuntime_RunPluginServer) error {
	ctx, stop := h.whileWanted(stream.Context())
	defer stop()
	command, done, err := h.language.Prepare(ctx, sourceOf(r.GetInfo()), h.say(ctx))
	if err != nil {
		return err
	}
	defer done()
	closer, stdout, stderr, err := rpcutil.MakeRunPluginStreams(stream, false)
	if err != nil {
		return fmt.Errorf("opening the streams of the plugin: %w", err)
	}
	code, err := run(ctx, process{append(command, r.GetArgs()...), r.GetPwd(), r.GetEnv(), stdout, stderr})
	if err = errors.Join(err, closer.Close()); err != nil {
		return err
	}
	return stream.Send(&pulumirpc.RunPluginResponse{
		Output: &pulumirpc.RunPluginResponse_Exitcode{Exitcode: int32(code)}, //nolint:gosec // an exit code is small
	})
}

// InstallDependencies is for pulumi install.
func (h *Host) InstallDependencies(
	r *pulumirpc.InstallDependenciesRequest, stream pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	closer, stdout, stderr, err := rpcutil.MakeInstallDependenciesStreams(stream, r.GetIsTerminal())
	if err != nil {
		return fmt.Errorf("opening the streams of the installation: %w", err)
	}
	command := h.language.Install()
	code, err := run(stream.Context(), process{command, r.GetInfo().GetProgramDirectory(), os.Environ(), stdout, stderr})
	if err == nil && code != 0 {
		err = fmt.Errorf("%s exited with code %d", command[0], code)
	}
	return errors.Join(err, closer.Close())
}

// whileWanted ends a context when the caller goes away and when the engine cancels.
func (h *Host) whileWanted(caller context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(caller)
	release := context.AfterFunc(h.stop, cancel)
	return ctx, func() { release(); cancel() }
}

func sourceOf(info *pulumirpc.ProgramInfo) Source {
	return Source{Root: info.GetRootDirectory(), Dir: info.GetProgramDirectory(), Options: info.GetOptions().AsMap()}
}

// say returns a function that shows a line in the CLI's status column. What cannot be shown is not shown.
func (h *Host) say(ctx context.Context) func(string) {
	return func(line string) {
		if h.engine == "" {
			return
		}
		conn, err := grpc.NewClient(h.engine, plaintext)
		if err != nil {
			return
		}
		defer conn.Close() //nolint:errcheck // nothing was written that could be lost
		_, _ = pulumirpc.NewEngineClient(conn).Log(ctx, &pulumirpc.LogRequest{
			Severity: pulumirpc.LogSeverity_INFO, Message: line, Ephemeral: true,
		})
	}
}

// process is a command that is to be run.
type process struct {
	command        []string
	dir            string
	environment    []string
	stdout, stderr io.Writer
}

// grace is how long an interrupted program may take to end.
const grace = 5 * time.Second

// run runs a process to its end. An exit code is no error.
func run(ctx context.Context, p process) (code int, err error) {
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...) //nolint:gosec // running the user's program is the purpose
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, p.environment, p.stdout, p.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 0, fmt.Errorf("running %s: %w", p.command[0], err)
	}
	return 0, nil
}

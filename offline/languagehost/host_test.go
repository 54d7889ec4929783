package languagehost_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/pulumi/pulumi/sdk/v3/go/common/constant"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/weft-hpc/weft/offline/languagehost"
)

// The test binary plays the program: what it does is in an environment variable.
const act = "LANGUAGEHOST_TEST_ACT"

func TestMain(m *testing.M) {
	if what := os.Getenv(act); what != "" {
		os.Exit(play(what)) //nolint:forbidigo // as a program it has an exit code
	}
	m.Run()
}

// play does what a program would, and gives its exit code.
func play(what string) int {
	switch what {
	case "environment": // write what the program was given
		if err := os.WriteFile(os.Getenv("LANGUAGEHOST_TEST_OUT"), environment(), 0o600); err != nil {
			panic(err)
		}
		return 0
	case "logged":
		return constant.ExitStatusLoggedError
	case "plugin":
		if _, err := os.Stdout.WriteString("12345\n"); err != nil {
			panic(err)
		}
		if _, err := os.Stderr.WriteString(strings.Join(os.Args[1:], " ") + "\n"); err != nil {
			panic(err)
		}
		return 3
	case "wait":
		time.Sleep(time.Hour) // until it is interrupted
	}
	return 7
}

func environment() []byte {
	given := map[string]string{}
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "PULUMI_") {
			given[name] = value
		}
	}
	text, err := json.Marshal(given)
	if err != nil {
		panic(err)
	}
	return text
}

// client serves the host as the CLI would have it, and connects to it.
func client(t *testing.T) pulumirpc.LanguageRuntimeClient {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- languagehost.Serve(ctx, languagehost.Go{}, "3.276.0", []string{"-tracing"}, in) }()
	port, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	conn, err := grpc.NewClient("127.0.0.1:"+strings.TrimSpace(port), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		cancel()
		require.NoError(t, <-ended, "the host ends with its context")
	})
	return pulumirpc.NewLanguageRuntimeClient(conn)
}

// program is this test binary as a program that is built already.
func program(t *testing.T, dir string) *pulumirpc.ProgramInfo {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	options, err := structpb.NewStruct(map[string]any{"binary": self})
	require.NoError(t, err)
	return &pulumirpc.ProgramInfo{RootDirectory: dir, ProgramDirectory: dir, EntryPoint: ".", Options: options}
}

func TestWhoItIs(t *testing.T) {
	c := client(t)
	info, err := c.GetPluginInfo(t.Context(), &emptypb.Empty{})
	require.NoError(t, err)
	require.Equal(t, "3.276.0", info.GetVersion())
	about, err := c.About(t.Context(), &pulumirpc.AboutRequest{})
	require.NoError(t, err)
	require.FileExists(t, about.GetExecutable())
	require.Regexp(t, `^go1\.`, about.GetVersion())
	packages, err := c.GetRequiredPackages(t.Context(), &pulumirpc.GetRequiredPackagesRequest{})
	require.NoError(t, err)
	require.Empty(t, packages.GetPackages())
}

func TestProgramGetsItsEnvironment(t *testing.T) {
	out := filepath.Join(t.TempDir(), "environment.json")
	t.Setenv(act, "environment")
	t.Setenv("LANGUAGEHOST_TEST_OUT", out)
	dir := t.TempDir()
	answer, err := client(t).Run(t.Context(), &pulumirpc.RunRequest{
		Project: "weft", Stack: "dev", Organization: "organization", Pwd: dir, DryRun: true, Parallel: 4,
		MonitorAddress: "127.0.0.1:1", ConfigSecretKeys: []string{"weft:key"}, Info: program(t, dir),
	})
	require.NoError(t, err)
	require.Empty(t, answer.GetError())
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.JSONEq(t, fmt.Sprintf(`{
		"PULUMI_ORGANIZATION": "organization", "PULUMI_PROJECT": "weft", "PULUMI_STACK": "dev", "PULUMI_ROOT_DIRECTORY": %q,
		"PULUMI_CONFIG": "{}", "PULUMI_CONFIG_SECRET_KEYS": "[\"weft:key\"]", "PULUMI_DRY_RUN": "true", "PULUMI_PARALLEL": "4",
		"PULUMI_MONITOR": "127.0.0.1:1"
	}`, dir), string(text))
}

func TestHowProgramsEnd(t *testing.T) {
	tests := map[string]struct {
		act, binary string
		bail        bool
		want        string
	}{
		"error that the program has told":  {"logged", "", true, ""},
		"exit code":                        {"fail", "", false, "the program exited with code 7"},
		"program that cannot be run":       {"fail", "/nowhere/program", false, "running /nowhere/program"},
		"program relative to project file": {"fail", "bin/program", false, "bin/program"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv(act, tt.act)
			dir := t.TempDir()
			info := program(t, dir)
			if tt.binary != "" {
				info.Options.Fields["binary"] = structpb.NewStringValue(tt.binary)
			}
			answer, err := client(t).Run(t.Context(), &pulumirpc.RunRequest{Pwd: dir, Info: info})
			require.NoError(t, err)
			require.Equal(t, tt.bail, answer.GetBail())
			require.Contains(t, answer.GetError(), tt.want)
		})
	}
}

func TestCancelInterruptsTheProgram(t *testing.T) {
	t.Setenv(act, "wait")
	c, dir := client(t), t.TempDir()
	info, ended := program(t, dir), make(chan string, 1)
	go func() {
		answer, err := c.Run(t.Context(), &pulumirpc.RunRequest{Pwd: dir, Info: info})
		ended <- answer.GetError() + fmt.Sprint(err)
	}()
	// A cancelled host runs nothing any more, so it does not matter which of the two calls comes first.
	_, err := c.Cancel(t.Context(), &emptypb.Empty{})
	require.NoError(t, err)
	require.Contains(t, <-ended, "running ")
}

func TestProgramIsBuilt(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module program\n\ngo 1.24\n"), 0o600))
	main := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(main, []byte("package main\n\nimport \"os\"\n\nfunc main() { os.Exit(7) }\n"), 0o600))
	c := client(t)
	info := &pulumirpc.ProgramInfo{RootDirectory: dir, ProgramDirectory: dir, EntryPoint: "."}
	answer, err := c.Run(t.Context(), &pulumirpc.RunRequest{Pwd: dir, Info: info})
	require.NoError(t, err)
	require.Equal(t, "the program exited with code 7", answer.GetError())

	require.NoError(t, os.WriteFile(main, []byte("package main\n\nfunc main() { undefined() }\n"), 0o600))
	_, err = c.Run(t.Context(), &pulumirpc.RunRequest{Pwd: dir, Info: info})
	require.ErrorContains(t, err, "undefined: undefined")
}

func TestPluginFromSource(t *testing.T) {
	dir := t.TempDir()
	stream, err := client(t).RunPlugin(t.Context(), &pulumirpc.RunPluginRequest{
		Pwd: dir, Info: program(t, dir), Args: []string{"127.0.0.1:1"}, Env: []string{act + "=plugin"},
	})
	require.NoError(t, err)
	var stdout, stderr string
	for {
		part, err := stream.Recv()
		require.NoError(t, err, "the exit code comes before the end of the stream")
		if exit, ok := part.GetOutput().(*pulumirpc.RunPluginResponse_Exitcode); ok {
			require.EqualValues(t, 3, exit.Exitcode)
			break
		}
		stdout, stderr = stdout+string(part.GetStdout()), stderr+string(part.GetStderr())
	}
	require.Equal(t, "12345\n", stdout)
	require.Equal(t, "127.0.0.1:1\n", stderr)
}

func TestInstall(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module program\n\ngo 1.24\n"), 0o600))
	c := client(t)
	install := func(dir string) error {
		stream, err := c.InstallDependencies(t.Context(), &pulumirpc.InstallDependenciesRequest{
			Info: &pulumirpc.ProgramInfo{ProgramDirectory: dir},
		})
		require.NoError(t, err)
		for {
			if _, err := stream.Recv(); err != nil {
				return err
			}
		}
	}
	require.ErrorIs(t, install(dir), io.EOF)
	require.ErrorContains(t, install(t.TempDir()), "go exited with code 1")
}

func TestHostWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, _, err := languagehost.Go{}.Executable(t.Context())
	require.ErrorIs(t, err, exec.ErrNotFound)
}

package provider_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/validation"
	"github.com/weft-hpc/weft/offline/engine"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// folder holds the programs that the tests build; TestMain makes and removes it.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "provider-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	m.Run()
}

// built builds a program of testdata once for all tests, and gives its path.
var built = map[string]func() (string, error){
	"program":              sync.OnceValues(func() (string, error) { return build("program", "program") }),
	"pulumi-resource-weft": sync.OnceValues(func() (string, error) { return build("plugin", "pulumi-resource-weft") }),
}

func build(source, name string) (string, error) {
	binary := filepath.Join(folder, source, name)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-w -s", "-o", binary, "./testdata/"+source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return binary, nil
}

func program(t *testing.T, name string) string {
	t.Helper()
	path, err := built[name]()
	require.NoError(t, err)
	return path
}

// stack is a stack of the test's program in the real engine, with the plugin whose runner follows a script.
type stack struct {
	*engine.Workspace
	t           *testing.T
	script, log string
}

func deploying(t *testing.T) *stack {
	t.Helper()
	s := &stack{t: t, script: filepath.Join(t.TempDir(), "script.json"), log: filepath.Join(t.TempDir(), "log")}
	s.say("llama", "passed", "mistral", "passed")
	plugin := filepath.Dir(program(t, "pulumi-resource-weft"))
	s.Workspace = workspace(t, project(t, plugin), "RUNNER_SCRIPT="+s.script, "RUNNER_LOG="+s.log)
	s.set("first", cluster("llama"))
	s.set("second", cluster("mistral"))
	s.set("ami", "ami-1")
	return s
}

// project is a project of the test's program that finds the plugin in a folder.
func project(t *testing.T, plugin string) string {
	t.Helper()
	dir := t.TempDir()
	text := fmt.Sprintf("name: test\nruntime: {name: go, options: {binary: %s}}\n", program(t, "program"))
	if plugin != "" {
		text += fmt.Sprintf("plugins: {providers: [{name: weft, path: %s}]}\n", plugin)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte(text), 0o600))
	return dir
}

func workspace(t *testing.T, project string, environment ...string) *engine.Workspace {
	t.Helper()
	toolchain.Need(t, toolchain.Language)
	w, err := engine.New(t.Context(), t.TempDir(), engine.Options{
		Tools: engine.Tools{
			Pulumi: toolchain.Need(t, toolchain.Pulumi), AWS: toolchain.Need(t, toolchain.AWS), Schema: toolchain.Need(t, toolchain.Schema),
		},
		Project: project, Environment: environment, Data: []byte("region: us-east-2\n"),
	})
	require.NoError(t, err)
	return w
}

// cluster is a config of four nodes on a block.
func cluster(name string) string {
	return `name: ` + name + `
region: us-east-2
network: {create: {}}
groups:
  - name: train
    instanceType: p5en.48xlarge
    count: 4
    zone: us-east-2a
    capacity: {block: {reservation: cr-05e0000000000000a}}
`
}

func (s *stack) set(key, value string) {
	s.t.Helper()
	require.NoError(s.t, s.Config(s.t.Context(), key, value))
}

// say writes the runner's script: outcomes by cluster.
func (s *stack) say(pairs ...string) {
	s.t.Helper()
	script := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		script[pairs[i]] = pairs[i+1]
	}
	text, err := json.Marshal(script)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(s.script, text, 0o600))
}

// run is one run of the order.
type run struct {
	Cluster, Key, Drop, Head string
	Steps                    []string
	Interrupted              bool
}

// runs gives what has run since it was asked last.
func (s *stack) runs() []run {
	s.t.Helper()
	f, err := os.Open(s.log)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(s.t, err)
	defer f.Close() //nolint:errcheck // it was only read
	var out []run
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r run
		require.NoError(s.t, json.Unmarshal(lines.Bytes(), &r))
		out = append(out, r)
	}
	require.NoError(s.t, os.Remove(s.log))
	return out
}

// ran gives the clusters on which the order has run since it was asked last.
func (s *stack) ran() []string {
	s.t.Helper()
	var out []string
	for _, r := range s.runs() {
		out = append(out, r.Cluster)
	}
	return out
}

// kept are the validations that Pulumi's state has.
func (s *stack) kept() []string {
	s.t.Helper()
	state, err := s.Export(s.t.Context())
	require.NoError(s.t, err)
	var out []string
	for _, r := range state.Resources {
		if r.Type == validation.Token {
			out = append(out, r.ID)
		}
	}
	return out
}

// ended requires that a command ended with a code and printed each of the texts.
func (s *stack) ended(code int, texts ...string) func(engine.Result, error) engine.Result {
	s.t.Helper()
	return func(r engine.Result, err error) engine.Result {
		s.t.Helper()
		require.NoError(s.t, err)
		require.Equal(s.t, code, r.ExitCode, r.Output)
		for _, text := range texts {
			require.Contains(s.t, r.Output, text)
		}
		return r
	}
}

func (s *stack) outputs() map[string]any {
	s.t.Helper()
	out, err := s.Outputs(s.t.Context())
	require.NoError(s.t, err)
	return out
}

func TestValidatedOnce(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), deploying(t)
	s.ended(0, "+ 3 to create")(s.Preview(ctx))
	require.Empty(t, s.ran(), "a preview runs nothing")

	up := s.ended(0, "+ 3 created", "validated: llama", "passed   host on train: as the script says")(s.Up(ctx))
	require.Contains(t, up.Output, "step host: job 17 runs on llama", "progress is shown")
	require.NotContains(t, up.Output, "warning")
	require.Equal(t, []string{"llama", "mistral"}, s.ran())
	require.Equal(t, "passed", s.outputs()["outcome"])

	s.ended(0, "3 unchanged")(s.Up(ctx, "--expect-no-changes"))
	s.ended(0, "3 unchanged")(s.Refresh(ctx))
	require.Empty(t, s.ran())

	s.ended(0, "the report stays in reports/index.html", "- 3 deleted")(s.Destroy(ctx))
	require.Empty(t, s.ran())
	require.Empty(t, s.kept())
}

// A failure is not forgotten: each up validates again, what depends on it waits, until the cluster is repaired.
func TestFailedUntilRepaired(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), deploying(t)
	s.say("llama", "failed", "mistral", "passed")
	for range 2 {
		s.ended(1, "the validation failed: llama", "net/socket  train-3", "set NCCL_NET=Libfabric and FI_PROVIDER=efa",
			"report   reports/index.html")(s.Up(ctx))
		require.Equal(t, []string{"llama"}, s.ran(), "the second waits for the first")
		require.Empty(t, s.kept())
	}
	s.say("llama", "passed", "mistral", "passed")
	s.ended(0, "+ 2 created")(s.Up(ctx))
	require.Equal(t, []string{"llama", "mistral"}, s.ran())
	require.Equal(t, []string{"first", "second"}, s.kept())
	s.ended(0, "unchanged")(s.Up(ctx, "--expect-no-changes"))
}

// A changed input validates again. A failure keeps the state as it was before it, and so is not forgotten either.
func TestChangedInputs(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), deploying(t)
	s.ended(0)(s.Up(ctx))
	first := s.runs()

	s.set("ami", "ami-2")
	s.say("llama", "failed", "mistral", "passed")
	s.ended(0, "~ 2 to update")(s.Preview(ctx))
	require.Empty(t, s.ran())
	for range 2 {
		s.ended(1, "the validation failed: llama")(s.Up(ctx))
		failed := s.runs()
		require.Len(t, failed, 1)
		require.Equal(t, "llama", failed[0].Cluster)
		require.NotEqual(t, first[0].Key, failed[0].Key)
		require.Equal(t, []string{"first", "second"}, s.kept())
		require.Equal(t, "passed", s.outputs()["outcome"], "of the image before")
	}
	s.say("llama", "passed", "mistral", "warned")
	s.ended(0, "~ 2 updated")(s.Up(ctx))
	require.Equal(t, []string{"llama", "mistral"}, s.ran())
	require.Equal(t, "warned", s.outputs()["second"])
	s.ended(0, "unchanged")(s.Up(ctx, "--expect-no-changes"))

	s.set("first", "# a comment\n"+cluster("llama"))
	s.ended(0, "~ 1 updated")(s.Up(ctx))
	require.Empty(t, s.ran(), "a comment is no reason to run for an hour")
}

// A block that has not started lets the update end well, and each further one looks again.
func TestWaiting(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), deploying(t)
	s.say("llama", "waiting", "mistral", "passed")
	s.ended(0, "the validation waits until 2026-12-24T11:30:00Z: nothing is proved yet", "+ 3 created")(s.Up(ctx))
	require.Equal(t, "waiting", s.outputs()["outcome"])
	require.Equal(t, "2026-12-24T11:30:00Z", s.outputs()["until"])
	first := s.runs()
	require.Len(t, first, 2)

	s.ended(0, "~ 1 updated")(s.Up(ctx))
	again := s.runs()
	require.Len(t, again, 1)
	require.Equal(t, first[0].Key, again[0].Key, "the runner goes on with the run of this key")
	require.Empty(t, again[0].Drop)

	s.say("llama", "failed")
	s.ended(1, "the validation failed: llama")(s.Up(ctx))
	require.Equal(t, []string{"llama"}, s.ran())
	s.say("llama", "passed")
	s.ended(0, "~ 1 to update")(s.Preview(ctx))
	require.Empty(t, s.ran())
	s.ended(0, "~ 1 updated")(s.Up(ctx))
	require.Equal(t, []string{"llama"}, s.ran())
	require.Equal(t, "passed", s.outputs()["outcome"])
	s.ended(0, "unchanged")(s.Up(ctx, "--expect-no-changes"))
}

// Inputs that changed while the run waited make another run; the runner is told to drop the old one.
func TestChangedWhileWaiting(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), deploying(t)
	s.say("llama", "waiting", "mistral", "passed")
	s.ended(0)(s.Up(ctx))
	s.runs()
	s.set("ami", "ami-2")
	s.ended(0)(s.Up(ctx))
	again := s.runs()
	require.Len(t, again, 2)
	require.Equal(t, "run-of-llama", again[0].Drop)
	s.ended(0, "the waiting run run-of-llama is not cancelled")(s.Destroy(ctx))
}

func TestFailureLetThrough(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), deploying(t)
	s.set("warn", "true")
	s.say("llama", "failed", "mistral", "passed")
	s.ended(0, "+ 3 created", "the validation failed: llama", "onFailure is warn")(s.Up(ctx))
	require.Equal(t, "failed", s.outputs()["outcome"])
	s.ran()
	s.ended(0, "unchanged")(s.Up(ctx, "--expect-no-changes"))
	s.set("warn", "false")
	s.ended(1, "the validation failed: llama")(s.Up(ctx))
	require.Equal(t, []string{"llama"}, s.ran())
}

// Ctrl-C ends the update at once and leaves the cluster's jobs alone; the next update asks for the same validation.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), deploying(t)
	s.say("llama", "hang", "mistral", "passed")
	up, err := s.Start(ctx, "up", "--yes", "--skip-preview")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(up.Output(), "job 17 runs on llama") }, time.Minute, 20*time.Millisecond)
	require.NoError(t, up.Interrupt())
	r, err := up.Wait()
	require.NoError(t, err)
	require.NotZero(t, r.ExitCode, r.Output)
	require.Contains(t, r.Output, "its jobs stay on the cluster, and the next update goes on with them")
	runs := s.runs()
	require.Len(t, runs, 2)
	require.True(t, runs[1].Interrupted)
	require.Empty(t, s.kept())

	s.say("llama", "passed", "mistral", "passed")
	s.ended(0, "+ 2 created")(s.Up(ctx))
	require.Equal(t, runs[0].Key, s.runs()[0].Key, "the runner goes on with the run of this key")
}

// A killed engine leaves a pending creation, which Pulumi warns about and which does no harm: the next update asks for
// the same validation.
func TestKilled(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), deploying(t)
	s.say("llama", "hang", "mistral", "passed")
	up, err := s.Start(ctx, "up", "--yes", "--skip-preview")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(up.Output(), "job 17 runs on llama") }, time.Minute, 20*time.Millisecond)
	require.NoError(t, up.Kill())
	_, err = up.Wait()
	require.NoError(t, err)
	key := s.runs()[0].Key

	s.say("llama", "passed", "mistral", "passed")
	s.ended(0)(s.Cancel(ctx))
	s.ended(0, "interrupted while creating", "created")(s.Up(ctx))
	require.Equal(t, key, s.runs()[0].Key)
	require.Equal(t, []string{"first", "second"}, s.kept())
	s.ended(0)(s.Refresh(ctx, "--clear-pending-creates"))
	require.NotContains(t, s.ended(0)(s.Up(ctx, "--expect-no-changes")).Output, "interrupted")
}

func TestFaultsReachTheUser(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), deploying(t)
	s.set("first", cluster("llama")+"netwerk: {}\n")
	s.ended(1, "config/key", "cluster:10:1 netwerk", "10 | netwerk: {}")(s.Preview(ctx))
	require.Empty(t, s.ran())
}

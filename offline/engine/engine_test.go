package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/engine"
	"github.com/weft-hpc/weft/offline/standin"
	"github.com/weft-hpc/weft/offline/toolchain"
)

const (
	vpcType      = "aws:ec2/vpc:Vpc"
	templateType = "aws:ec2/launchTemplate:LaunchTemplate"
)

// folder holds the test's program; TestMain makes and removes it.
var folder string

// program builds the test's program, once for all tests.
var program = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(folder, "program")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-w -s", "-o", binary, "./testdata/program")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return binary, nil
})

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "engine-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	m.Run()
}

// workspace makes a workspace for the test's program.
func workspace(t *testing.T) *engine.Workspace {
	t.Helper()
	tools := engine.Tools{
		Pulumi: toolchain.Need(t, toolchain.Pulumi), AWS: toolchain.Need(t, toolchain.AWS), Schema: toolchain.Need(t, toolchain.Schema),
	}
	toolchain.Need(t, toolchain.Language)
	binary, err := program()
	require.NoError(t, err)
	w, err := engine.New(t.Context(), t.TempDir(), engine.Options{Tools: tools, Binary: binary})
	require.NoError(t, err)
	return w
}

func world(t *testing.T, w *engine.Workspace) *standin.World {
	t.Helper()
	view, err := w.World().View()
	require.NoError(t, err)
	return view
}

// ended requires that a command ended with a code and printed a text.
func ended(t *testing.T, code int, text string) func(engine.Result, error) engine.Result {
	t.Helper()
	return func(r engine.Result, err error) engine.Result {
		t.Helper()
		require.NoError(t, err)
		require.Equal(t, code, r.ExitCode, r.Output)
		require.Contains(t, r.Output, text)
		return r
	}
}

// printed tells whether a command has printed all of the texts.
func printed(s *engine.Command, texts ...string) bool {
	for _, text := range texts {
		if !strings.Contains(s.Output(), text) {
			return false
		}
	}
	return true
}

func TestLifeOfAStack(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), workspace(t)

	first := ended(t, 0, "+ 5 created")(w.Up(ctx))
	require.NotContains(t, first.Output, "warning", "neither host nor plugin may give rise to warnings")
	require.Equal(t, 4, world(t, w).Len())
	ended(t, 0, "5 unchanged")(w.Up(ctx))

	require.NoError(t, w.Config(ctx, "owner", "ml-infra"))
	ended(t, 0, "~ 1 to update")(w.Preview(ctx))
	ended(t, 0, "~ 1 updated")(w.Up(ctx))
	outputs, err := w.Outputs(ctx)
	require.NoError(t, err)
	require.InDelta(t, 2, outputs["version"], 0)

	require.NoError(t, w.World().Change(func(world *standin.World) error {
		return world.Drift(templateType, outputs["template"].(string), "instanceType", "p4d.24xlarge")
	}))
	ended(t, 0, "~ 1 updated")(w.Refresh(ctx))
	ended(t, 0, "~ 1 updated")(w.Up(ctx))
	template, ok := world(t, w).Get(templateType, outputs["template"].(string))
	require.True(t, ok)
	require.Equal(t, "p5en.48xlarge", template.Inputs.Text("instanceType"))

	ended(t, 0, "- 5 deleted")(w.Destroy(ctx))
	require.Zero(t, world(t, w).Len())
	calls, err := w.Calls()
	require.NoError(t, err)
	require.NotEmpty(t, calls)
}

func TestProtectedResourceStays(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), workspace(t)
	require.NoError(t, w.Config(ctx, "protect", "true"))
	ended(t, 0, "created")(w.Up(ctx))
	ended(t, 1, "cannot be deleted")(w.Destroy(ctx))
	require.Len(t, world(t, w).IDs(vpcType), 1)
	state, err := w.Export(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, state.Resources)
}

func TestFindingNamesThePropertyPath(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), workspace(t)
	require.NoError(t, w.Config(ctx, "incomplete", "true"))
	ended(t, 1, "ingress[0].fromPort")(w.Preview(ctx))
	require.Zero(t, world(t, w).Len())
}

func TestKillAndResume(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault string
		// bought tells whether the account has done it when the engine is killed.
		bought bool
		// vpcs is how many exist in the end: Pulumi forgets what it had not written down.
		vpcs int
	}{
		"before the account has done it": {`faults: [{on: create, type: "aws:ec2/vpc:Vpc", delay: 1h}]`, false, 1},
		"after the account has done it":  {`faults: [{on: create, type: "aws:ec2/vpc:Vpc", after: true, delay: 1h}]`, true, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, w := t.Context(), workspace(t)
			require.NoError(t, w.SetData([]byte(tt.fault)))
			up, err := w.Start(ctx, "up", "--yes", "--skip-preview")
			require.NoError(t, err)
			// Nothing but the creation of the VPC is under way, so that the kill meets no save of the state.
			held := func() bool {
				return printed(up, "Vpc vpc creating", "LaunchTemplate nodes created") && (len(world(t, w).IDs(vpcType)) == 1) == tt.bought
			}
			require.Eventually(t, held, time.Minute, 20*time.Millisecond)
			require.NoError(t, up.Kill())
			killed, err := up.Wait()
			require.NoError(t, err)
			require.Equal(t, -1, killed.ExitCode)

			require.NoError(t, w.SetData(nil))
			ended(t, 1, "the stack is currently locked")(w.Up(ctx))
			ended(t, 0, "")(w.Cancel(ctx))
			state, err := w.Export(ctx)
			require.NoError(t, err)
			require.NotEmpty(t, state.Pending)
			require.Equal(t, "creating", state.Pending[0].Type)
			ended(t, 0, "interrupted while creating")(w.Up(ctx))
			require.Len(t, world(t, w).IDs(vpcType), tt.vpcs)
			ended(t, 0, "unchanged")(w.Up(ctx))
		})
	}
}

func TestInterruptedUpEndsByItself(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), workspace(t)
	require.NoError(t, w.SetData([]byte(`faults: [{on: create, type: "aws:ec2/vpc:Vpc", delay: 1h}]`)))
	up, err := w.Start(ctx, "up", "--yes", "--skip-preview")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return printed(up, "Vpc vpc creating", "LaunchTemplate nodes created") }, time.Minute, 20*time.Millisecond)
	require.NoError(t, up.Interrupt())
	r, err := up.Wait()
	require.NoError(t, err)
	require.NotZero(t, r.ExitCode, r.Output)
	require.NoError(t, w.SetData(nil))
	ended(t, 0, "created")(w.Up(ctx))
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/engine"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// folder holds the programs; TestMain makes and removes it.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "policies-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	m.Run()
}

var (
	own     = built("own")
	foreign = built("foreign")
)

// built builds a program of testdata once, as Pulumi's language host does.
func built(name string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		binary := filepath.Join(folder, name)
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-w -s", "-o", binary, "./testdata/"+name)
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
		return binary, nil
	})
}

// judged is a workspace whose previews and updates run with the pack.
type judged struct {
	*engine.Workspace
	flags []string
}

func workspace(t *testing.T, program func() (string, error)) judged {
	t.Helper()
	if testing.Short() {
		t.Skip("runs Pulumi's CLI")
	}
	tools := engine.Tools{
		Pulumi: toolchain.Need(t, toolchain.Pulumi), AWS: toolchain.Need(t, toolchain.AWS), Schema: toolchain.Need(t, toolchain.Schema),
	}
	toolchain.Need(t, toolchain.Language)
	binary, err := program()
	require.NoError(t, err)
	w, err := engine.New(t.Context(), t.TempDir(), engine.Options{Tools: tools, Binary: binary, Data: []byte("region: us-east-2\n")})
	require.NoError(t, err)
	pack, err := filepath.Abs(".")
	require.NoError(t, err)
	return judged{w, []string{"--policy-pack", pack}}
}

// configured is the same workspace with another configuration of the pack.
func (j judged) configured(t *testing.T, config string) judged {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policies.json")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	return judged{j.Workspace, append(slices.Clone(j.flags[:2]), "--policy-pack-config", file)}
}

// preview and up give the exit code and the rules that were reported, each with its level: "mandatory sg/self-egress".
func (j judged) preview(t *testing.T) (int, []string, string) {
	t.Helper()
	r, err := j.Preview(t.Context(), j.flags...)
	require.NoError(t, err)
	return r.ExitCode, reported(r), r.Output
}

func (j judged) up(t *testing.T) (int, []string, string) {
	t.Helper()
	r, err := j.Up(t.Context(), j.flags...)
	require.NoError(t, err)
	return r.ExitCode, reported(r), r.Output
}

// reported reads Pulumi's list of violations: a line with the level and the policy, then the description and the
// message, whose first word is the rule.
func reported(r engine.Result) []string {
	var out []string
	level := ""
	for _, line := range r.Lines() {
		text := strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(text, "- ["); ok {
			level, _, _ = strings.Cut(rest, "]")
		}
		id, _, _ := strings.Cut(text, " ")
		id = strings.TrimSuffix(id, ":")
		if level != "" && strings.Count(id, "/") == 1 && !strings.Contains(text, "://") {
			out = append(out, level+" "+id)
			level = ""
		}
	}
	return out
}

const floorsOfB300 = `{"weft": {"instanceTypes": ["p6-b300.48xlarge"], "workload": {"kind": "dense"}}}`

// The cluster of an example is clean, in a preview with unknown inputs but for what the preview cannot know, and in an
// update.
func TestEngineFindsNothingInAnExample(t *testing.T) {
	w := workspace(t, own)
	file, err := filepath.Abs("../examples/p5en-capacity-block/cluster.yaml")
	require.NoError(t, err)
	require.NoError(t, w.Config(t.Context(), "cluster", file))

	code, rules, output := w.preview(t)
	require.Zero(t, code, output)
	require.Equal(t, []string{"advisory value/unknown"}, rules, output)
	code, rules, output = w.up(t)
	require.Zero(t, code, output)
	require.Empty(t, rules, output)
}

// A stack without any of weft's components is judged the same.
func TestEngineJudgesAForeignStack(t *testing.T) {
	w := workspace(t, foreign).configured(t, floorsOfB300)

	code, rules, output := w.preview(t)
	require.Zero(t, code, output)
	require.Empty(t, rules, output)

	require.NoError(t, w.Config(t.Context(), "faults", "placement,target,card0,public,installer"))
	alone := []string{
		"mandatory block/placement-group", "mandatory block/pairing", "mandatory nic/efa-card", "mandatory nic/public-ip",
		"mandatory ver/denied", "mandatory ver/floor",
	}
	code, rules, output = w.preview(t)
	require.NotZero(t, code, output)
	require.ElementsMatch(t, alone, rules, output)
	code, rules, output = w.up(t)
	require.NotZero(t, code, output)
	require.Subset(t, alone, rules, output)
	require.NotEmpty(t, rules, output)
	world, err := w.World().View()
	require.NoError(t, err)
	require.Empty(t, world.IDs(templateType), "nothing is created that a rule refuses")

	// A repair that the configuration asks for, and a level that it lowers.
	repairing := w.configured(t, `{"weft": {"rules": {"nic/public-ip": {"level": "warn", "reason": "a test"}}}, "weft-remove-placement-group": {"apply": true}}`)
	require.NoError(t, w.Config(t.Context(), "faults", "placement,public"))
	code, rules, output = repairing.preview(t)
	require.Zero(t, code, output)
	require.Equal(t, []string{"advisory nic/public-ip"}, rules, output)
	require.Contains(t, output, "weft-remove-placement-group")

	// What only several resources together decide, while no id is known yet: the group's way out to itself, and a
	// placement group that the program makes for every template with EFA.
	together := []string{"mandatory sg/self-egress", "mandatory block/placement-group"}
	require.NoError(t, w.Config(t.Context(), "faults", "egress,forced"))
	code, rules, output = w.preview(t)
	require.NotZero(t, code, output)
	require.ElementsMatch(t, together, rules, output)

	require.NoError(t, w.Config(t.Context(), "faults", "egress"))
	code, rules, output = w.up(t)
	require.NotZero(t, code, output)
	require.Equal(t, []string{"mandatory sg/self-egress"}, rules, output)
	require.NoError(t, w.Config(t.Context(), "faults", ""))
	code, rules, output = w.up(t)
	require.Zero(t, code, output)
	require.Empty(t, rules, output)
}

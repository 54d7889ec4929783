package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

const good = `name: train
region: us-east-2
network: {create: {}}
groups:
  - name: train
    instanceType: p5en.48xlarge
    count: 4
    zone: us-east-2a
    capacity: {block: {reservation: cr-0123456789abcdef0}}
`

// recorder answers for the engine and remembers what was registered.
type recorder struct {
	mutex sync.Mutex // registrations are concurrent
	types []string
}

func (r *recorder) NewResource(a pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	r.mutex.Lock()
	r.types = append(r.types, a.TypeToken)
	r.mutex.Unlock()
	outputs := a.Inputs.Copy()
	if a.TypeToken == "aws:ssm/document:Document" {
		outputs["arn"] = resource.NewProperty("arn:aws:ssm:us-east-2:123456789012:document/" + a.Name)
	}
	return a.Name + "-id", outputs, nil
}

func (r *recorder) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return resource.PropertyMap{}, nil
}

// stackOf runs the program on a stack whose config is given, in a project folder with the given files.
type stackOf struct {
	config map[string]string
	files  map[string]string
	// confirmed is what the account says; asked tells whether it was asked.
	confirmed diag.List
	asked     bool
}

func (s *stackOf) run(t *testing.T) (registered []string, err error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range s.files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	config, err := json.Marshal(s.config)
	require.NoError(t, err)
	t.Setenv(pulumi.EnvConfig, string(config))
	t.Setenv(pulumi.EnvPulumiRootDirectory, dir)
	t.Setenv("AWS_REGION", "")
	confirm := func(context.Context, string, plan.Cluster) (diag.List, error) {
		s.asked = true
		return s.confirmed, nil
	}
	r := &recorder{}
	err = pulumi.RunErr(program{confirm}.run, pulumi.WithMocks("weft", "dev", r), func(i *pulumi.RunInfo) {
		i.RootDirectory = dir
	})
	return r.types, err
}

func withRegion(key, value string) map[string]string {
	return map[string]string{"aws:region": "us-east-2", key: value}
}

func TestProgramRegistersTheCluster(t *testing.T) {
	for name, s := range map[string]*stackOf{
		"cluster file": {config: withRegion("weft:clusterFile", "cluster.yaml"), files: map[string]string{"cluster.yaml": good}},
		"value in the stack's file": {
			config: withRegion("weft:cluster", "{}"),
			files:  map[string]string{"Pulumi.dev.yaml": "config:\n  weft:cluster:\n" + indented(good)},
		},
		"value without a stack file": {config: withRegion("weft:cluster", asJSON(t, good))},
	} {
		t.Run(name, func(t *testing.T) {
			registered, err := s.run(t)
			require.NoError(t, err)
			require.True(t, s.asked)
			require.Contains(t, registered, "weft:index:Cluster")
			require.Contains(t, registered, "aws:cloudformation/stack:Stack")
		})
	}
}

// Nothing is registered when something stands at error level, wherever it was found.
func TestProgramRegistersNothing(t *testing.T) {
	refused := diag.List{{Rule: diag.BlockZone, Level: diag.Error, Place: diag.Place{Path: "groups[0].zone"}, Got: "us-east-2b", Want: "us-east-2a", Hint: "change the zone"}}
	for name, c := range map[string]struct {
		stack stackOf
		want  string
		asked bool
	}{
		"no cluster":      {stackOf{config: map[string]string{"aws:region": "us-east-2"}}, "the stack has no cluster", false},
		"both":            {stackOf{config: map[string]string{"weft:cluster": "{}", "weft:clusterFile": "a"}}, "both weft:cluster and weft:clusterFile", false},
		"no such file":    {stackOf{config: withRegion("weft:clusterFile", "missing.yaml")}, "reading weft:clusterFile", false},
		"a mistake":       {stackOf{config: withRegion("weft:cluster", `{"nam": "x"}`)}, "the cluster is not deployed", false},
		"another Region":  {stackOf{config: map[string]string{"aws:region": "us-east-1", "weft:cluster": asJSON(t, good)}}, "1 error", false},
		"no Region":       {stackOf{config: map[string]string{"weft:cluster": asJSON(t, good)}}, "1 error", false},
		"refused account": {stackOf{config: withRegion("weft:cluster", asJSON(t, good)), confirmed: refused}, "1 error", true},
	} {
		t.Run(name, func(t *testing.T) {
			registered, err := c.stack.run(t)
			require.ErrorContains(t, err, c.want)
			require.Empty(t, registered)
			require.Equal(t, c.asked, c.stack.asked)
		})
	}
}

// A lowered rule is shown with its reason and does not stop the cluster, also when the account judged it.
func TestProgramHonoursLoweredRules(t *testing.T) {
	s := stackOf{
		config:    withRegion("weft:cluster", asJSON(t, good+"rules: {block/zone: {level: warn, reason: tested by hand}}\n")),
		confirmed: diag.List{{Rule: diag.BlockZone, Level: diag.Error, Place: diag.Place{Path: "groups[0].zone"}, Got: "a", Want: "b", Hint: "c"}},
	}
	registered, err := s.run(t)
	require.NoError(t, err)
	require.NotEmpty(t, registered)
}

func indented(text string) string {
	out := ""
	for line := range strings.Lines(text) {
		out += "    " + line
	}
	return out
}

// asJSON is the form in which Pulumi hands a structured value to the program.
func asJSON(t *testing.T, text string) string {
	t.Helper()
	out, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	return string(out)
}

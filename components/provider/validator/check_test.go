package validator_test

import (
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/components/provider/validator"
)

func decodeYAML(t testing.TB, text string) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &out))
	return numbers(out).(map[string]any)
}

// numbers gives every number the type that Pulumi's numbers have.
func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case uint64:
		return float64(v)
	}
	return v
}

func TestCheck(t *testing.T) {
	t.Parallel()
	head := func(h map[string]any) map[string]any { return map[string]any{"head": h} }
	unknown := property.New(property.Computed)
	tests := map[string]struct {
		change map[string]any
		// property and reason of the one fault; empty for none.
		property, reason string
	}{
		"good":                         {nil, "", ""},
		"over ssh":                     {head(map[string]any{"ssh": "ubuntu@10.0.0.5"}), "", ""},
		"an alias of ssh":              {head(map[string]any{"ssh": "head"}), "", ""},
		"here":                         {head(map[string]any{"local": true}), "", ""},
		"the config as an object":      {map[string]any{"cluster": object(t)}, "", ""},
		"a secret config":              {map[string]any{"cluster": property.New(cluster(t)).WithSecret(true)}, "", ""},
		"a head without a value yet":   {map[string]any{"head": map[string]any{"instanceId": unknown}}, "", ""},
		"a config without a value yet": {map[string]any{"cluster": unknown}, "", ""},
		"steps without a value yet":    {map[string]any{"steps": []any{unknown}}, "", ""},
		"any trigger":                  {map[string]any{"triggers": map[string]any{"a": 1.0, "b": []any{true}, "c": map[string]any{"d": "e"}}}, "", ""},

		"no cluster":                   {map[string]any{"cluster": nil}, "cluster", "want the cluster's config"},
		"a number for a cluster":       {map[string]any{"cluster": 3.0}, "cluster", "want the cluster's config"},
		"a mistake in the cluster":     {map[string]any{"cluster": cluster(t) + "\nnetwerk: {}\n"}, "cluster", "config/key"},
		"no head":                      {map[string]any{"head": nil}, "head", "got 0 ways"},
		"two ways":                     {head(map[string]any{"local": true, "ssh": "head"}), "head", "got 2 ways"},
		"no instance":                  {head(map[string]any{"instanceId": "llama-head"}), "head", `instanceId is "llama-head"`},
		"an option of ssh":             {head(map[string]any{"ssh": "-oProxyCommand=sh"}), "head", "want user@host"},
		"a command for ssh":            {head(map[string]any{"ssh": "host; rm -rf /"}), "head", "want user@host"},
		"a region for nothing":         {head(map[string]any{"ssh": "head", "region": "us-east-2"}), "head", "region and profile go with instanceId only"},
		"a key that head lacks":        {head(map[string]any{"instance": "i-0123456789abcdef0"}), "head", `there is no key "instance"`},
		"text for a switch":            {head(map[string]any{"local": "yes"}), "head", "local is a string"},
		"a step that is none":          {map[string]any{"steps": []any{"nccl"}}, "steps", `there is no step "nccl"; there are host, container`},
		"text for steps":               {map[string]any{"steps": "host"}, "steps", "got a string; want a list of host"},
		"a share over one":             {map[string]any{"thresholds": map[string]any{"allReduce": 90.0}}, "thresholds", "allReduce is 90; want a share"},
		"a threshold that is none":     {map[string]any{"thresholds": map[string]any{"allGather": 0.9}}, "thresholds", `there is no key "allGather"`},
		"another end":                  {map[string]any{"onFailure": "ignore"}, "onFailure", `got "ignore"; want fail or warn`},
		"a timeout without a unit":     {map[string]any{"timeout": "90"}, "timeout", `got "90"; want a duration`},
		"no time":                      {map[string]any{"timeout": "-1h"}, "timeout", "want a duration over zero"},
		"an input that is none":        {map[string]any{"nodes": 4.0}, "nodes", "there is no such input; there are cluster, head"},
		"a list of triggers":           {map[string]any{"triggers": []any{"ami-1"}}, "triggers", "got a array; want values by name"},
		"a fault beside an open value": {map[string]any{"cluster": unknown, "onFailure": "ignore"}, "onFailure", "want fail or warn"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := inputs(t, tt.change)
			out, err := validator.New(&runner{}, &screen{}).Check(t.Context(), plugin.CheckRequest{URN: urn, NewInputs: in, AllowUnknowns: true})
			require.NoError(t, err)
			require.Equal(t, in, out.Properties)
			if tt.reason == "" {
				require.Empty(t, out.Failures)
				return
			}
			require.Len(t, out.Failures, 1)
			require.Equal(t, tt.property, string(out.Failures[0].Property))
			require.Contains(t, out.Failures[0].Reason, tt.reason)
		})
	}
}

// Every fault is told at once.
func TestCheckCollects(t *testing.T) {
	t.Parallel()
	in := inputs(t, map[string]any{"onFailure": "ignore", "timeout": "soon", "cluster": "name: 3\nregion: mars\n", "steps": []any{"a", "b"}})
	out, err := validator.New(&runner{}, &screen{}).Check(t.Context(), plugin.CheckRequest{URN: urn, NewInputs: in})
	require.NoError(t, err)
	require.Greater(t, len(out.Failures), 5)
}

// Whatever a program hands over, nothing panics, and what has a fault does not run.
func TestAnyInputs(t *testing.T) {
	t.Parallel()
	var value func(depth int) *rapid.Generator[property.Value]
	value = func(depth int) *rapid.Generator[property.Value] {
		return rapid.Custom(func(t *rapid.T) property.Value {
			kinds := 6
			if depth == 0 {
				kinds = 4
			}
			switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
			case 0:
				return property.New(rapid.SampledFrom([]string{"", "host", "fail", "1h", "name: a", "i-0123456789abcdef0", "\x00"}).Draw(t, "text"))
			case 1:
				return property.New(rapid.Float64Range(-2, 2).Draw(t, "number"))
			case 2:
				return property.New(property.Computed)
			case 3:
				return property.New(rapid.Bool().Draw(t, "bool"))
			case 4:
				return property.New(rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "list"))
			default:
				keys := rapid.SampledFrom([]string{"instanceId", "ssh", "local", "allReduce", "name", "groups"})
				return property.New(rapid.MapOfN(keys, value(depth-1), 0, 3).Draw(t, "map"))
			}
		})
	}
	inputs := rapid.MapOf(rapid.SampledFrom([]string{"cluster", "head", "steps", "thresholds", "onFailure", "timeout", "triggers", "x"}), value(3))
	rapid.Check(t, func(rt *rapid.T) {
		in := property.NewMap(inputs.Draw(rt, "inputs"))
		r := &runner{}
		v := validator.New(r, &screen{})
		checked, err := v.Check(rt.Context(), plugin.CheckRequest{URN: urn, NewInputs: in})
		require.NoError(rt, err)
		require.True(rt, len(checked.Failures) > 0 || in.HasComputed(), "there is no good cluster among these")
		_, err = v.Create(rt.Context(), plugin.CreateRequest{URN: urn, Properties: in})
		require.Error(rt, err)
		require.Empty(rt, r.asked)
	})
}

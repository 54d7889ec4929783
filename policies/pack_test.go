package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/componenttest"
)

// recorder is a policy manager that writes down what is reported.
type recorder struct{ violations []violation }

type violation struct{ message, urn string }

func (r *recorder) ReportViolation(message, urn string) {
	r.violations = append(r.violations, violation{message, urn})
}

// told gives rule and name of the resource, "block/placement-group lt", by policy.
func (r *recorder) told() []string {
	var out []string
	for _, v := range r.violations {
		id, _, _ := strings.Cut(v.message, ":")
		name := v.urn[strings.LastIndex(v.urn, ":")+1:]
		out = append(out, strings.Replace(id, " at ", " "+name+" ", 1))
	}
	return out
}

// run drives the pack as Pulumi does: each resource by itself with what the program wrote, then all together with what
// came out. It gives the violations of each policy.
func run(t *testing.T, config map[string]any, inputs, outputs []policyx.AnalyzerResource) map[string][]string {
	t.Helper()
	pack, err := newPack()
	require.NoError(t, err)
	found := map[string][]string{}
	for _, p := range pack.Policies() {
		var r recorder
		switch p := p.(type) {
		case policyx.ResourceValidationPolicy:
			for _, in := range inputs {
				require.NoError(t, p.Validate(context.Background(), policyx.ResourceValidationArgs{Manager: &r, Resource: in, Config: config}))
			}
		case policyx.StackValidationPolicy:
			require.NoError(t, p.Validate(context.Background(), policyx.StackValidationArgs{Manager: &r, Resources: outputs}))
		}
		if len(r.violations) > 0 {
			found[p.Name()] = r.told()
		}
	}
	return found
}

// value makes a Pulumi value of recorded JSON.
func value(v any) property.Value {
	switch v := v.(type) {
	case nil:
		return property.New(property.Null)
	case string:
		if v == componenttest.Unknown {
			return property.New(property.Computed)
		}
		return property.New(v)
	case bool:
		return property.New(v)
	case float64:
		return property.New(v)
	case []any:
		items := make([]property.Value, len(v))
		for i := range v {
			items[i] = value(v[i])
		}
		return property.New(items)
	case map[string]any:
		if secret, ok := v["<secret>"]; ok && len(v) == 1 {
			return value(secret).WithSecret(true)
		}
		return property.New(properties(v))
	default:
		panic("no JSON value")
	}
}

func properties(m map[string]any) map[string]property.Value {
	out := map[string]property.Value{}
	for key, v := range m {
		out[key] = value(v)
	}
	return out
}

// recorded reads what a component registered, as the analyzer gets it: inputs, and outputs with the ids that the mocks
// gave. What depends on other resources says so by property.
func recorded(t *testing.T, file string) (inputs, outputs []policyx.AnalyzerResource) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var registrations []componenttest.Registration
	require.NoError(t, json.Unmarshal(text, &registrations))
	for _, r := range registrations {
		in := policyx.AnalyzerResource{Type: r.Type, URN: r.URN, Name: r.Name, Properties: property.NewMap(properties(r.Inputs))}
		inputs = append(inputs, in)
		out := in
		id := property.New(r.Name + "-id")
		if isPreview(file) {
			id = property.New(property.Computed)
		}
		out.Properties = in.Properties.Set("id", id)
		out.PropertyDependencies = map[string][]string{}
		for key, value := range in.Properties.All {
			if value.HasComputed() || value.IsString() {
				out.PropertyDependencies[key] = r.Options.DependsOn
			}
		}
		outputs = append(outputs, out)
	}
	return inputs, outputs
}

func isPreview(file string) bool { return strings.HasSuffix(file, "preview.json") }

// What weft's components register gives no violation, and in an update no advisory either. In a preview the template of
// the cluster's stack is not known yet, and says so.
func TestComponentsAreClean(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*-update.json", "*-preview.json", "*/update.json", "*/preview.json"} {
		found, err := filepath.Glob("../components/*/testdata/" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(strings.TrimPrefix(file, "../components/"), func(t *testing.T) {
			inputs, outputs := recorded(t, file)
			found := run(t, nil, inputs, outputs)
			for _, advice := range found["weft-advice"] {
				require.True(t, isPreview(file), advice)
				require.Regexp(t, "^value/unknown .* (templateBody|networkInterfaces.*securityGroups.*)$", advice)
			}
			delete(found, "weft-advice")
			require.Empty(t, found)
		})
	}
}

package validator_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/provider/validator"
	"github.com/weft-hpc/weft/validation/result"
)

// kept is a state as Pulumi keeps it.
func kept(t testing.TB, outcome result.Outcome) property.Map {
	t.Helper()
	out, _, err := create(t, &runner{report: report(outcome)}, inputs(t, map[string]any{"onFailure": validator.Warn}))
	require.NoError(t, err)
	return out.Properties
}

func TestDiff(t *testing.T) {
	t.Parallel()
	secret := property.New(cluster(t)).WithSecret(true)
	tests := map[string]struct {
		outcome result.Outcome
		change  map[string]any
		want    []string
	}{
		"nothing":              {result.Passed, nil, nil},
		"a warning stands":     {result.Warned, nil, nil},
		"the same as a secret": {result.Passed, map[string]any{"cluster": secret}, nil},
		"a trigger":            {result.Passed, map[string]any{"triggers": map[string]any{"ami": "ami-1"}}, []string{"triggers"}},
		"a timeout":            {result.Passed, map[string]any{"timeout": "1h"}, []string{"timeout"}},
		"another head node":    {result.Passed, map[string]any{"head": map[string]any{"local": true}}, []string{"head"}},
		"no value yet":         {result.Passed, map[string]any{"triggers": property.New(property.Computed)}, []string{"triggers"}},
		"it waited":            {result.Waiting, nil, []string{"outcome"}},
		"it waited, a trigger": {result.Waiting, map[string]any{"triggers": map[string]any{"n": 1.0}}, []string{"outcome", "triggers"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := validator.New(&runner{}, &screen{})
			out, err := v.Diff(t.Context(), plugin.DiffRequest{
				URN: urn, OldInputs: inputs(t, nil), NewInputs: inputs(t, tt.change), OldOutputs: kept(t, tt.outcome),
			})
			require.NoError(t, err)
			var changed []string
			for _, key := range out.ChangedKeys {
				changed = append(changed, string(key))
			}
			require.Equal(t, tt.want, changed)
			require.Equal(t, len(tt.want) > 0, out.Changes == plugin.DiffSome)
			require.Empty(t, out.ReplaceKeys, "a validation is never replaced")
			for _, path := range slices.Collect(maps.Keys(out.DetailedDiff)) {
				require.False(t, out.DetailedDiff[path].Kind.IsReplace(), path)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before result.Outcome
		change map[string]any
		after  result.Outcome
		// runs is whether the order runs, drop the run that waited and is not wanted any more.
		runs bool
		drop string
	}{
		"a trigger validates again":                {result.Passed, map[string]any{"triggers": map[string]any{"ami": "ami-1"}}, result.Passed, true, ""},
		"a passed one does not care for failures":  {result.Passed, map[string]any{"onFailure": "warn"}, "", false, ""},
		"a failure is let through no longer":       {result.Failed, nil, result.Passed, true, ""},
		"a failure is still let through":           {result.Failed, map[string]any{"onFailure": "warn", "timeout": "1h"}, "", false, ""},
		"a timeout does not":                       {result.Passed, map[string]any{"timeout": "1h"}, "", false, ""},
		"a directory does not":                     {result.Warned, map[string]any{"reportDirectory": "there"}, "", false, ""},
		"the default written down does not":        {result.Passed, map[string]any{"onFailure": "fail", "triggers": map[string]any{}}, "", false, ""},
		"a comment does not":                       {result.Passed, map[string]any{"cluster": "# of the spring run\n" + cluster(t)}, "", false, ""},
		"the config as an object does not":         {result.Passed, map[string]any{"cluster": object(t)}, "", false, ""},
		"a waiting run is gone on with":            {result.Waiting, nil, result.Passed, true, ""},
		"a waiting run is gone on with, elsewhere": {result.Waiting, map[string]any{"reportDirectory": "there"}, result.Passed, true, ""},
		"a waiting run of old inputs is dropped":   {result.Waiting, map[string]any{"triggers": map[string]any{"ami": "ami-1"}}, result.Passed, true, "r-1"},
		"it may wait again":                        {result.Waiting, nil, result.Waiting, true, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &runner{report: report(tt.after)}
			request := plugin.UpdateRequest{
				URN: urn, ID: "llama", OldInputs: inputs(t, nil), OldOutputs: kept(t, tt.before), NewInputs: inputs(t, tt.change), Preview: true,
			}
			v := validator.New(r, &screen{})
			preview, err := v.Update(t.Context(), request)
			require.NoError(t, err)
			require.Empty(t, r.asked, "a preview runs nothing")
			require.Equal(t, tt.runs, preview.Properties.Get("outcome").IsComputed())

			request.Preview = false
			out, err := v.Update(t.Context(), request)
			require.NoError(t, err)
			if !tt.runs {
				require.Empty(t, r.asked)
				require.Equal(t, request.OldOutputs, out.Properties)
				return
			}
			require.Len(t, r.asked, 1)
			require.Equal(t, tt.drop, r.asked[0].Drop)
			require.Equal(t, string(tt.after), out.Properties.Get("outcome").AsString())
		})
	}
}

// object is the example's config as an object, as programs in other languages hand it over.
func object(t testing.TB) map[string]any {
	t.Helper()
	return decodeYAML(t, cluster(t))
}

func TestFailedUpdateKeepsTheState(t *testing.T) {
	t.Parallel()
	before := kept(t, result.Passed)
	out, err := validator.New(&runner{report: report(result.Failed)}, &screen{}).Update(t.Context(), plugin.UpdateRequest{
		URN: urn, OldInputs: inputs(t, nil), OldOutputs: before, NewInputs: inputs(t, map[string]any{"triggers": map[string]any{"ami": "ami-1"}}),
	})
	require.ErrorContains(t, err, "the validation failed")
	require.Equal(t, before, out.Properties)
}

func TestReadAndDelete(t *testing.T) {
	t.Parallel()
	s := &screen{}
	v := validator.New(&runner{}, s)
	state := kept(t, result.Waiting)
	out, err := v.Read(t.Context(), plugin.ReadRequest{URN: urn, ID: "llama", Inputs: inputs(t, nil), State: state})
	require.NoError(t, err)
	require.Equal(t, resource.ID("llama"), out.ID)
	require.Equal(t, state, *out.Outputs)
	require.Equal(t, inputs(t, nil), *out.Inputs)
	_, err = v.Read(t.Context(), plugin.ReadRequest{URN: urn, ID: "llama"})
	require.ErrorContains(t, err, "can't be imported")

	_, err = v.Delete(t.Context(), plugin.DeleteRequest{URN: urn, ID: "llama", Outputs: state})
	require.NoError(t, err)
	require.Contains(t, s.info[0], "the waiting run r-1 is not cancelled")
	require.Contains(t, s.info[1], "the report stays in reports/r-1/index.html")
}

package provider_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/provider"
)

// Programs in other languages hand over a config; what comes out is what the components make of its plan.
func TestComponentsThroughThePlugin(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := &stack{t: t, Workspace: workspace(t, project(t, filepath.Dir(program(t, "pulumi-resource-weft"))))}
	s.set("components", cluster("llama"))
	s.ended(0, "to create")(s.Preview(ctx))
	s.ended(0, "created")(s.Up(ctx))
	s.ended(0, "unchanged")(s.Up(ctx, "--expect-no-changes"))

	state, err := s.Export(ctx)
	require.NoError(t, err)
	made := map[string]bool{}
	for _, r := range state.Resources {
		if strings.HasPrefix(r.Type, "weft:") {
			made[r.Type] = true
		}
	}
	for _, typ := range provider.Types() {
		if typ.Component {
			require.True(t, made[typ.Token], "%s is registered under the type that the plugin serves it by: %v",
				typ.Token, slices.Sorted(maps.Keys(made)))
		}
	}
	outputs := s.outputs()
	require.Equal(t, "cr-05e0000000000000a", outputs["block"])
	require.NotEmpty(t, outputs["head"])
	require.NotEmpty(t, outputs["template"])
	require.NotEmpty(t, outputs["vpc"])
	s.ended(0, "deleted")(s.Destroy(ctx))
	view, err := s.World().View()
	require.NoError(t, err)
	require.Zero(t, view.Len())
}

// Findings about the config end the operation before anything is made.
func TestFindingsOfAComponent(t *testing.T) {
	t.Parallel()
	s := &stack{t: t, Workspace: workspace(t, project(t, filepath.Dir(program(t, "pulumi-resource-weft"))))}
	s.set("components", strings.Replace(cluster("llama"), "p5en.48xlarge", "p5en.48xlarg", 1))
	s.ended(1, "nic/not-supported", "cluster:6:5", "did you mean p5en.48xlarge?")(s.Preview(t.Context()))
}

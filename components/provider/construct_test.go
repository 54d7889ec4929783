package provider_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/provider"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
	"github.com/weft-hpc/weft/offline/mirror"
)

// Programs in other languages hand over a config; what comes out is what the components make of its plan.
func TestComponentsThroughThePlugin(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	doc, _ := config.Decode("cluster", []byte(cluster("llama")))
	p, findings := plan.New(doc.Cluster)
	require.Empty(t, findings.AtLeast(diag.Error))
	emulated := judgetest.Account(t)
	world, err := mirror.For(p, time.Now())
	require.NoError(t, err)
	require.NoError(t, emulated.Load(ctx, world))
	s := &stack{t: t, Workspace: workspace(t, project(t, filepath.Dir(program(t, "pulumi-resource-weft"))), emulated.Env(p.Region)...)}
	s.set("components", cluster("llama"))

	// What the account lacks is found before anything is made.
	wrong := world
	wrong.Reservations = slices.Clone(world.Reservations)
	wrong.Reservations[0].Type = "p4d.24xlarge"
	require.NoError(t, emulated.Load(ctx, wrong))
	s.ended(1, "block/type")(s.Preview(ctx))
	require.NoError(t, emulated.Load(ctx, world))

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

package provider_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/toolchain"
)

// The engine finds the plugin by its source, in a plain clone; ready, in a folder that a line of Pulumi.yaml names; and
// ready on PATH, where no line is needed.
func TestEngineFindsThePlugin(t *testing.T) {
	t.Parallel()
	source, err := filepath.Abs("../../cmd/pulumi-resource-weft")
	require.NoError(t, err)
	ready := filepath.Dir(toolchain.Need(t, toolchain.Weft))
	onPath := []string{"PATH=" + ready + string(os.PathListSeparator) + os.Getenv("PATH"), "PULUMI_IGNORE_AMBIENT_PLUGINS=false"}
	tests := map[string]struct {
		folder      string
		environment []string
	}{
		"by its source":     {source, []string{"GOFLAGS=-trimpath -buildvcs=false"}},
		"ready in a folder": {ready, nil},
		"ready on PATH":     {"", onPath},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stack{t: t, Workspace: workspace(t, project(t, tt.folder), tt.environment...)}
			s.set("first", cluster("llama"))
			s.ended(0, "+ 2 to create")(s.Preview(t.Context()))
			s.set("first", cluster("llama")+"netwerk: {}\n")
			s.ended(1, "config/key")(s.Preview(t.Context()))
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		t.Parallel()
		s := &stack{t: t, Workspace: workspace(t, project(t, ""))}
		s.set("first", cluster("llama"))
		s.ended(1, "weft")(s.Preview(t.Context()))
	})
}

package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModulesOf(t *testing.T) {
	for name, want := range map[string][2]bool{
		"p6-b300.48xlarge": {true, false}, "p6-b200.48xlarge": {true, false}, "g7e.48xlarge": {true, false},
		"p5en.48xlarge": {true, true}, "p4d.24xlarge": {true, true}, "g4dn.12xlarge": {true, true}, "p3dn.24xlarge": {false, true},
	} {
		m, known := ModulesOf(name)
		require.True(t, known, name)
		require.Equal(t, want, [2]bool{m.Takes(OpenModules), m.Takes(ClosedModules)}, name)
		require.True(t, m.Takes(""), "an unknown flavour is not refused")
		require.NotEmpty(t, m.Source.Ref)
	}
	for _, name := range []string{"trn1.32xlarge", "m6i.large", "x9.huge"} {
		_, known := ModulesOf(name)
		require.False(t, known, name)
	}
}

// Every name of the table is the GPU of some type: a misspelt one would never be found.
func TestModulesNameGPUs(t *testing.T) {
	names := map[string]bool{}
	for _, i := range Instances() {
		names[i.Accelerator.Name] = true
	}
	for name := range modules {
		require.True(t, names[name], name)
	}
}

func TestClosedNeedsEFA(t *testing.T) {
	installer, source := ClosedNeedsEFA()
	require.Equal(t, "1.29.0", installer)
	require.NotEmpty(t, source.Ref)
}

package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/toolchain"
)

func TestChoose(t *testing.T) {
	tools := []toolchain.Tool{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	tests := map[string]struct {
		names, want []string
		err         string
	}{
		"all":     {nil, []string{"a", "b", "c"}, ""},
		"some":    {[]string{"c", "a"}, []string{"c", "a"}, ""},
		"unknown": {[]string{"a", "d"}, nil, `there is no tool "d"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			chosen, err := choose(tools, tt.names)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			var got []string
			for _, tool := range chosen {
				got = append(got, tool.Name)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestListSaysWhatIsMissing(t *testing.T) {
	var out bytes.Buffer
	chain := &toolchain.Chain{Checkout: t.TempDir(), Cache: t.TempDir(), Progress: toolchain.NewLines(&out)}
	require.NoError(t, show(t.Context(), &out, chain, []toolchain.Tool{{Name: "a", Version: "v1", Doc: "does things"}}))
	require.Regexp(t, `a +│ v1 +│ does things +│ missing`, out.String())
}

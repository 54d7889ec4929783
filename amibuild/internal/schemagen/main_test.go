package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
)

// The committed schema is what the types say: run go generate ./amibuild when it is not.
func TestSchemaIsCurrent(t *testing.T) {
	t.Chdir("../..")
	want, err := generate()
	require.NoError(t, err)
	require.Equal(t, string(want), string(amibuild.Schema()))
}

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/report"
)

func TestTheSchemaIsCurrent(t *testing.T) {
	t.Chdir("../..") // where go generate runs
	out, err := generate("../..")
	require.NoError(t, err)
	require.Equal(t, string(out), string(report.Schema()), "run go generate ./validation/report")
}

package demo

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without Slurm what is not shown is said, and the demo goes on; but not in CI.
func TestWithoutSlurm(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no sbatch, and no apt-get
	var out bytes.Buffer
	k := &kit{Options: Options{Out: &out}}
	t.Setenv("CI", "")
	require.NoError(t, k.makeSlurm(t.Context()))
	require.Contains(t, out.String(), "NOT SHOWN: the validation order")
	require.Contains(t, out.String(), "sbatch")
	require.Contains(t, out.String(), "apt-get install slurmctld")
	require.Empty(t, k.replay)
	require.NoError(t, (&demo{example: &example{kit: k}}).blockToCome(t.Context()))
	t.Setenv("CI", "true")
	require.ErrorContains(t, k.makeSlurm(t.Context()), "not installed")
}

package demo_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/demo"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/slurm"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// The whole demo, from tools to destroy. A step that does not end as it must is an error.
func TestRun(t *testing.T) {
	slurm.Need(t)
	for _, name := range []string{toolchain.Pulumi, toolchain.Language, toolchain.AWS, toolchain.Schema, toolchain.Weft, account.Environment().Name} {
		toolchain.Need(t, name)
	}
	parallelCluster, err := judge.Environment("3.16.1")
	require.NoError(t, err)
	toolchain.Need(t, parallelCluster.Name)

	var out bytes.Buffer
	err = demo.Run(t.Context(), ".", demo.Options{Example: "p5en-capacity-block", Out: &out, Progress: toolchain.NewLines(t.Output())})
	require.NoError(t, err, out.String())
	for _, says := range []string{
		"no placement group: a capacity block takes none",
		"EFA proved on 4 nodes",
		"CapacityType: CAPACITY_BLOCK",
		"Request would have succeeded, but DryRun flag is set.",
		"boot action",
		"Script: s3://llama-boot-",
		"block/type",
		"ami/pcluster-version",
		"is of ParallelCluster 3.14.2",
		"the validation waits until ",
		"waits for capacity block cr-0b30000000000000b, which has not started",
		"validated: ingest",
		"the validation failed: vision",
		"net/provider",
		"the cluster stays: ",
		"validated: vision",
		"nothing is left in the account",
	} {
		require.Contains(t, out.String(), says)
	}
	made := regexp.MustCompile(`\+ (\d+) created`).FindStringSubmatch(out.String())
	require.NotEmpty(t, made)
	require.Contains(t, out.String(), "    "+made[1]+" unchanged")
	require.Contains(t, out.String(), "- "+made[1]+" deleted")
	require.Equal(t, 2, strings.Count(out.String(), "error: the validation failed: vision"), "each up validates again")
	require.NotContains(t, out.String(), `"deployment": {`, "what the demo only reads is nothing to show")
}

func TestUnknownExample(t *testing.T) {
	err := demo.Run(t.Context(), ".", demo.Options{Example: "p7", Out: &bytes.Buffer{}})
	require.ErrorContains(t, err, "there are "+filepath.Base("g6e-reservation"))
}

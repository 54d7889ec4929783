package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// BenchmarkCheck judges one ParallelCluster configuration, as a user runs it: the program weft, and pcluster create-cluster --dryrun on an
// account that answers at once. A real account adds the time of its answers to the second.
//
//	go test ./cmd/weft -run '^$' -bench Check -benchtime 5x
func BenchmarkCheck(b *testing.B) {
	r := judgetest.ReadRecord(b)
	config := r.Text(b, r.Cases[0].Config, "3.16.1")
	folder := b.TempDir()
	file, binary := filepath.Join(folder, "cluster.yaml"), filepath.Join(folder, "weft")
	require.NoError(b, os.WriteFile(file, []byte(config), 0o600))
	out, err := exec.CommandContext(b.Context(), "go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(b, err, "%s", out)
	b.Run("weft", func(b *testing.B) {
		for b.Loop() {
			out, err := exec.CommandContext(b.Context(), binary, "check", file).CombinedOutput()
			require.NoError(b, err, "%s", out)
		}
	})
	b.Run("pcluster", func(b *testing.B) {
		account := judgetest.Account(b)
		require.NoError(b, account.Load(b.Context(), r.World.Account(b)))
		j := judgetest.Judge(b, "3.16.1", account)
		for b.Loop() {
			v, _, err := j.CreateByProgram(b.Context(), "weft", config)
			require.NoError(b, err)
			require.True(b, v.Accepted, "%+v", v)
		}
	})
}

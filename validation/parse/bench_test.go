package parse_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/parse"
)

// BenchmarkRead reads what most of a large log is: NCCL's channel lines. See also the benchmarks of the parsers.
func BenchmarkRead(b *testing.B) {
	in := bytes.Repeat([]byte("ip-10-1-0-11:41230:41299 [3] NCCL INFO Channel 07/0 : 11[3] -> 19[3] [send] via NET/Libfabric/3/GDRDMA\n"), 1<<16)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := parse.Read("a", bytes.NewReader(in))
		require.NoError(b, err)
	}
}

// BenchmarkReadSteps reads what no parser can pass over: lines of programs that are not NCCL's.
func BenchmarkReadSteps(b *testing.B) {
	in := bytes.Repeat([]byte("2026-11-30 10:00:00.123 rank 7 trainer: finished batch 1234 of the epoch, 17 samples were dropped\n"), 1<<16)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := parse.Read("a", bytes.NewReader(in))
		require.NoError(b, err)
	}
}

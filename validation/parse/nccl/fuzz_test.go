package nccl_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/evidence"
)

func FuzzParser(f *testing.F) {
	for _, name := range []string{
		"formats/nccl-debug/ok_ofi-1.5_nccl-2.12_p4d.log", "formats/nccl-debug/ok_ofi-1.16_nccl-2.27.7_p6-b200.log",
		"formats/nccl-debug/bad_ofi-init-failures.log", "formats/nccl-debug/bad_gin-fell-back-to-proxy.log", "nccl-two-host/b_ofi_subsys_net.txt",
	} {
		content, err := os.ReadFile(filepath.Join(logs, name))
		require.NoError(f, err)
		f.Add(content)
	}
	f.Add([]byte("a:1:2 [0] NCCL INFO Channel 0 : via NET/Libfabric/0/GDRDMAa:1:2 [0] NCCL INFO comm 0 nRanks 99999999999999999999 nNodes -1"))
	f.Add([]byte(" 8 2 float sum -1a:1:2 [0] NCCL WARN 0x<99> \n[2026-09-18 05:10:44] a:1:2 [0] f NCCL WARN \xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		path := read(t, "log", bytes.NewReader(in))
		require.Equal(t, path, read(t, "log", iotest.HalfReader(bytes.NewReader(in))))
		require.LessOrEqual(t, path.Ranks, 1<<62)
		for _, n := range path.Nodes {
			c := n.Channels
			require.Equal(t, c.Net, c.Libfabric+c.Socket+c.IB+c.Other)
			require.LessOrEqual(t, c.GDR, c.Libfabric)
			require.NotEmpty(t, n.Host)
			for _, e := range n.First {
				sound(t, e)
			}
		}
		for _, s := range path.Settings {
			require.Regexp(t, `^(NCCL|OFI|FI|NVSHMEM|UCX|RDMAV|TORCH|SHARP)_[A-Z0-9_]*$`, s.Name)
			require.NotEmpty(t, s.Hosts)
			sound(t, s.Excerpt)
		}
		for _, w := range path.Warnings {
			require.NotEmpty(t, w.Hosts)
			require.GreaterOrEqual(t, w.Times, len(w.Hosts))
			sound(t, w.Excerpt)
		}
	})
}

// sound holds an excerpt to what its type says.
func sound(t *testing.T, e evidence.Excerpt) {
	t.Helper()
	require.LessOrEqual(t, len(e.Text), evidence.MaxText)
	require.True(t, utf8.ValidString(e.Text))
	require.Positive(t, e.Line)
}

package line_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/parse/line"
)

func TestMessage(t *testing.T) {
	t.Parallel()
	const (
		info  = "vm:2146:2160 [0] NCCL INFO New proxy recv connection 0"
		warn  = "[2026-09-18 05:10:44] ip-10-0-0-1.ec2.internal:5:6 [0] int f(a**):312 NCCL WARN NET/OFI failed"
		label = "p5en-st-gpu-1:51007:51044 [0] net.cc:412 NCCL WARN Error: network IB not found."
	)
	for _, c := range []struct{ in, before, message string }{
		{info, "", info},
		{warn, "", warn},
		{label, "", label},
		{"     1048576        262144     float     sum      -1" + info, "     1048576        262144     float     sum      -1", info},
		{"     1048576        262144     float     sum       0" + info, "     1048576        262144     float     sum       0", info},
		{" 1048576  262144  float  sum  12" + info, " 1048576  262144  float  sum  12", info},
		{"  1048576  1  float  sum  -1  26.6  0.0  0.0  N/A" + info, "  1048576  1  float  sum  -1  26.6  0.0  0.0  N/A", info},
		{"  1048576  1  float  sum  -16f2d8a82d208:1:2 [0] NCCL INFO x", "  1048576  1  float  sum  -1", "6f2d8a82d208:1:2 [0] NCCL INFO x"},
		{"  1048576  1  float  sum  -1" + warn, "  1048576  1  float  sum  -1", warn},
		{"rank 0 step 0 0.42 ms" + " " + info, "rank 0 step 0 0.42 ms ", info},
		{"2026-09-18T05:10:44.123Z " + info, "2026-09-18T05:10:44.123Z ", info},
		{"worker-0: " + info, "worker-0: ", info},
	} {
		before, message, found := line.Message([]byte(c.in))
		require.True(t, found, c.in)
		require.Equal(t, c.before, string(before), c.in)
		require.Equal(t, c.message, string(message), c.in)
	}
	for _, text := range []string{
		"", "NCCL version 2.18.5+cuda12.2", "# an NCCL INFO line", "vm: Test NCCL failure common.cu:1552 'invalid usage / '",
		"vm:1:2 [0] NCCLINFO", "vm:1: [0] NCCL INFO x", ":1:2 [0] NCCL INFO x", "x [0] NCCL INFO y", "vm:1:2 [", "vm:1:2 [0]", "vm:1:2 [0", "vm:1:2 [] NCCL INFO x",
	} {
		before, message, found := line.Message([]byte(text))
		require.False(t, found, text)
		require.Equal(t, text, string(before))
		require.Empty(t, message)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]line.Head{
		"vm:1:2 [0] NCCL INFO Using network Socket": {Host: []byte("vm"), Level: line.Info, Body: []byte("Using network Socket")},
		"vm:1:2 [-1] NCCL INFO ":                    {Host: []byte("vm"), Level: line.Info, Body: []byte("")},
		"[2026-09-18 05:10:44] n-1:1:2 [7] misc/socket.cc:9 NCCL WARN x y": {
			Host: []byte("n-1"), Level: line.Warn, Where: []byte("misc/socket.cc:9"), Body: []byte("x y"),
		},
		"n1:10:40 [0] get_ofi_provider NCCL WARN NET/OFI": {
			Host: []byte("n1"), Level: line.Warn, Where: []byte("get_ofi_provider"), Body: []byte("NET/OFI"),
		},
		"n1:10:40 [0] 12.5 init:3 NCCL TRACE a b": {Host: []byte("n1"), Where: []byte("12.5 init:3"), Body: []byte("a b")},
	} {
		head, ok := line.ParseHead([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, head, text)
	}
}

func TestGluedMessages(t *testing.T) {
	t.Parallel()
	const first, second = "vm:1:2 [0] NCCL INFO Trees [0] -1/-1->0 ", "n2:3:4 [1] x.cc:7 NCCL WARN bad"
	head, ok := line.ParseHead([]byte(first + second))
	require.True(t, ok)
	before, message, found := line.Message(head.Body)
	require.True(t, found)
	require.Equal(t, "Trees [0] -1/-1->0 ", string(before))
	require.Equal(t, second, string(message))
}

func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		"vm:1:2 [0] NCCL INFO x", " 8 2 float sum -1vm:1:2 [0] NCCL INFO x", "[2026-09-18 05:10:44] a:1:2 [0] f NCCL WARN x",
		" 8 1 N/Avm:1:2 [0] NCCL INFO a:1:2 [0] NCCL INFO", "a:1:2 [0] b:1:2 [0] NCCL INFO ",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before, message, found := line.Message(text)
		require.Equal(t, string(text), string(before)+string(message))
		if !found {
			return
		}
		head, ok := line.ParseHead(message)
		require.True(t, ok)
		require.NotEmpty(t, head.Host)
		require.True(t, bytes.HasSuffix(text, head.Body))
	})
}

func BenchmarkMessage(b *testing.B) {
	text := []byte("ip-10-1-0-11:41230:41299 [3] NCCL INFO Channel 07/0 : 11[3] -> 19[3] [send] via NET/Libfabric/3/GDRDMA")
	plain := []byte(strings.Repeat("     8388608       2097152     float     sum      -1   120.3", 2))
	b.Run("message", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			line.ParseHead(text)
		}
	})
	b.Run("row", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		for b.Loop() {
			line.Message(plain)
		}
	})
}

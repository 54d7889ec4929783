package line_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/validation/parse/line"
)

func TestStrip(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][2]string{
		"plain":                   {"", "plain"},
		"":                        {"", ""},
		"   ":                     {"", "   "},
		"0: # nThread 1":          {"0", "# nThread 1"},
		" 12:   8388608":          {"12", "  8388608"},
		"3:":                      {"3", ""},
		"[1,0]<stdout>:# nThread": {"1,0", "# nThread"},
		"[1,7]<stderr>: ip-10-0-0-1:12:34 [0] NCCL INFO": {"1,7", "ip-10-0-0-1:12:34 [0] NCCL INFO"},
		"Mon Nov 30 18:59:44 2026[1,0]<stdout>:#":        {"1,0", "#"},
		"[default0]:loss":                        {"default0", "loss"},
		"10:30:01 up 3 days":                     {"", "10:30:01 up 3 days"},
		"[2026-09-18 06:10:09.004111] iteration": {"", "[2026-09-18 06:10:09.004111] iteration"},
		"[0] NCCL INFO":                          {"", "[0] NCCL INFO"},
		"     8388608       2097152     float":   {"", "     8388608       2097152     float"},
		"\x1b[32mok\x1b[0m done\r":               {"", "ok done"},
		"\x1b[":                                  {"", ""},
		"Mon Nov 30":                             {"", "Mon Nov 30"},
		"1: [1,0]<stdout>:x":                     {"1,0", "x"},
	} {
		label, text := line.Strip([]byte(raw))
		require.Equal(t, want, [2]string{string(label), string(text)}, "%q", raw)
	}
}

func TestLinesAreTheInputs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-z ]{0,40}`), 1, 60).Draw(t, "lines")
		text := strings.Join(lines, "\n")
		r := line.New(iotest.OneByteReader(strings.NewReader(text)))
		var got []string
		for r.Next() {
			got = append(got, string(r.Line().Text))
			require.Equal(t, len(got), r.Line().Number)
		}
		require.NoError(t, r.Err())
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
			require.Equal(t, len(lines) > 0, r.Ended())
		} else {
			require.False(t, r.Ended())
		}
		require.Equal(t, len(lines), len(got))
		for i := range lines {
			require.Equal(t, lines[i], got[i])
		}
	})
}

func TestALongLineIsCutAndTheNextIsWhole(t *testing.T) {
	t.Parallel()
	r := line.New(strings.NewReader(strings.Repeat("x", 3<<20) + "\nnext\n"))
	require.True(t, r.Next())
	require.True(t, r.Line().Cut)
	require.Len(t, r.Line().Text, 1<<20)
	require.True(t, r.Next())
	require.Equal(t, "next", string(r.Line().Text))
	require.Equal(t, 2, r.Line().Number)
	require.False(t, r.Next())

	r = line.New(strings.NewReader(strings.Repeat("x", 3<<20)))
	require.True(t, r.Next())
	require.True(t, r.Line().Cut)
	require.False(t, r.Ended())
	require.False(t, r.Next())
}

func TestAnErrorOfTheInputIsKept(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken pipe")
	r := line.New(io.MultiReader(strings.NewReader("one\ntw"), iotest.ErrReader(broken)))
	var got []string
	for r.Next() {
		got = append(got, string(r.Line().Text))
	}
	require.ErrorIs(t, r.Err(), broken)
	require.Equal(t, []string{"one", "tw"}, got)
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{"", "0: a\n", "[1,0]<stdout>:\x1b[3", "Mon Nov 30 18:59:44 2026[1,0]<stdout>:x", "1:2:3:"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r, n := line.New(bytes.NewReader(in)), 0
		for r.Next() {
			n++
			require.NotContains(t, string(r.Line().Text), "\n")
		}
		require.NoError(t, r.Err())
		require.LessOrEqual(t, n, bytes.Count(in, []byte("\n"))+1)
	})
}

func BenchmarkReader(b *testing.B) {
	in := bytes.Repeat([]byte("ip-10-1-0-11:41230:41299 [3] NCCL INFO Channel 07/0 : 11[3] -> 19[3] [send] via NET/Libfabric/3/GDRDMA\n"), 1<<16)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		for r := line.New(bytes.NewReader(in)); r.Next(); {
		}
	}
}

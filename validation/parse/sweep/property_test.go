package sweep_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/sweep"
)

// samples are logs of every era and form.
var samples = []string{
	"formats/nccl-tests/all_reduce_v2.10_p4d_2n_error-column.txt",
	"formats/nccl-tests/all_reduce_v2.13_p5_2n_srun-label.txt",
	"formats/nccl-tests/all_reduce_v2.16.9_mpirun-tag-output.txt",
	"formats/nccl-tests/all_reduce_v2.18.3_FAILED_data.txt",
	"formats/nccl-tests/all_reduce_v2.18.3_NOT_MPI_two_worlds.txt",
	"formats/nccl-tests/all_reduce_v2.18.3_multi-dtype_-d-all.txt",
	"formats/nccl-tests/all_reduce_v2.19.6_per-iter_-I1_-S1.txt",
	"nccl-two-gpu/iter_a2a.txt",
	"nccl-two-gpu/stamp_S.txt",
	"nccl-two-host/b_ofi_subsys_coll.txt",
	"nccl-two-host/g_killed_socket.txt",
	"nccl-tests-h200/all_reduce_g1.txt",
}

// rowsOf gives a text's rows of all runs, without where they stand.
func rowsOf(text []byte) []evidence.Row {
	found, _ := read("log", bytes.NewReader(text))
	var out []evidence.Row
	for _, s := range found {
		for _, r := range s.Rows {
			r.Excerpt = evidence.Excerpt{}
			out = append(out, r)
		}
	}
	return out
}

// partOf reports whether a row is one of others, or the half of one: then it has no half in place, and may lack the spread of its iterations.
func partOf(all []evidence.Row, row evidence.Row) bool {
	for _, whole := range all {
		if row.InPlace == nil {
			whole.InPlace, whole.At = nil, row.At
		}
		if row.InPlace == nil && row.OutOfPlace.Iterations == nil && whole.OutOfPlace != nil {
			half := *whole.OutOfPlace
			half.Iterations = nil
			whole.OutOfPlace = &half
		}
		if fmt.Sprint(flat(whole)) == fmt.Sprint(flat(row)) {
			return true
		}
	}
	return false
}

// flat gives a row's values without pointers.
func flat(r evidence.Row) []any {
	out := []any{r.Bytes, r.Count, r.Type, r.Redop, r.Root, r.At}
	for _, h := range []*evidence.Half{r.OutOfPlace, r.InPlace} {
		if h == nil {
			out = append(out, nil)
			continue
		}
		out = append(out, h.TimeUS, h.AlgGBps, h.BusGBps, h.MaxError)
		if h.Wrong != nil {
			out = append(out, *h.Wrong)
		}
		if h.Iterations != nil {
			out = append(out, *h.Iterations)
		}
	}
	return out
}

// TestALogThatIsCutOffTellsNothingElse cuts logs: no row comes out that the whole log does not have. Small logs are cut at every byte of
// their tables.
func TestALogThatIsCutOffTellsNothingElse(t *testing.T) {
	t.Parallel()
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := fixture(t, name)
			all := rowsOf(whole)
			require.NotEmpty(t, all)
			cut := func(t require.TestingT, at int) {
				for _, row := range rowsOf(whole[:at]) {
					require.True(t, partOf(all, row), "cut at %d: %v", at, flat(row))
				}
			}
			first := bytes.Index(whole, []byte("busbw"))
			if len(whole)-first < 2000 {
				for at := first; at < len(whole); at++ {
					cut(t, at)
				}
			}
			rapid.Check(t, func(t *rapid.T) { cut(t, rapid.IntRange(0, len(whole)).Draw(t, "at")) })
		})
	}
}

// messageOf makes a message of NCCL that ends its line.
func messageOf(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"vm:2146:2160 [0] NCCL INFO NET/OFI No NIC info for dev 0. Supplying default values for NIC properties.\n",
		"ip-10-1-0-11:41230:41299 [3] NCCL INFO Channel 07/0 : 11[3] -> 19[3] [send] via NET/Libfabric/3/GDRDMA\n",
		"\n[2026-11-30 19:01:53] vm:4487:4510 [0] misc/socket.cc:71 NCCL WARN socketProgress: Connection closed by remote peer\n",
		"node7:1:2 [7] NCCL TRACE x\nnode8:1:2 [7] NCCL INFO y\nother text\n",
	}).Draw(t, "message")
}

// TestMessagesInsideRowsChangeNothing puts messages where a program waits for a measurement.
func TestMessagesInsideRowsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, name := range samples[:9] {
		if strings.Contains(name, "label") || strings.Contains(name, "tag-output") {
			continue // there a message is a line of its own
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := fixture(t, name)
			all := rowsOf(whole)
			rapid.Check(t, func(t *rapid.T) {
				var out strings.Builder
				for _, l := range strings.SplitAfter(string(whole), "\n") {
					out.WriteString(parted(t, l))
				}
				require.Equal(t, all, rowsOf([]byte(out.String())), "%s", out.String())
			})
		})
	}
}

// parted puts messages into a row at the places where it is printed in parts: before each time, and before the iterations.
func parted(t *rapid.T, l string) string {
	f := strings.Fields(l)
	if len(f) < 11 || l[0] == '#' || strings.Contains(l, "NCCL") {
		return l
	}
	lead := 5
	if len(f) == 12 {
		lead = 4
	}
	cuts := []int{lead, lead + 4}
	if len(f) > 20 {
		cuts = []int{lead, lead + 4, lead + 8, lead + 12}
	}
	out, from := "", 0
	for _, n := range cuts {
		if rapid.Bool().Draw(t, "part") {
			at := fieldEnd(l, n)
			out += l[from:at] + messageOf(t)
			from = at
		}
	}
	return out + l[from:]
}

// fieldEnd is where the nth field of a line ends.
func fieldEnd(l string, n int) int {
	at := 0
	for range n {
		at += len(l[at:]) - len(strings.TrimLeft(l[at:], " "))
		at += strings.IndexAny(l[at:], " \n")
	}
	return at
}

// TestTextAnywhereMakesNoRow puts text of other programs anywhere into a log: what cannot be put together again is left out.
func TestTextAnywhereMakesNoRow(t *testing.T) {
	t.Parallel()
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := fixture(t, name)
			all := rowsOf(whole)
			from := bytes.Index(whole, []byte("#wrong"))
			if from < 0 {
				from = bytes.Index(whole, []byte(" error"))
			}
			from += bytes.IndexByte(whole[from:], '\n') + 1
			rapid.Check(t, func(t *rapid.T) {
				text := whole
				for range rapid.IntRange(1, 5).Draw(t, "times") {
					at := rapid.IntRange(from, len(text)).Draw(t, "at")
					text = append(append(bytes.Clone(text[:at]), messageOf(t)...), text[at:]...)
				}
				for _, row := range rowsOf(text) {
					require.True(t, partOf(all, row), "%v in\n%s", flat(row), text)
				}
			})
		})
	}
}

// TestAJSONFileThatIsCutOff cuts files: the rows before the cut are kept. A small file is cut at every byte.
func TestAJSONFileThatIsCutOff(t *testing.T) {
	t.Parallel()
	small := []byte(spreadFile(iterations(2, 3)))
	cuts(t, small, func(cut func(require.TestingT, int)) {
		for at := range small {
			cut(t, at)
		}
	})
	for _, name := range []string{"nccl-tests-h200/all_reduce.json", "nccl-two-host/f_iter_nvlink.json", "formats/nccl-tests/all_reduce_v2.17.3-2.17.8_typo-keys.json"} {
		whole := bytes.TrimSpace(fixture(t, name))
		cuts(t, whole, func(cut func(require.TestingT, int)) {
			rapid.Check(t, func(t *rapid.T) { cut(t, rapid.IntRange(0, len(whole)-1).Draw(t, "at")) })
		})
	}
}

func cuts(t *testing.T, whole []byte, check func(cut func(require.TestingT, int))) {
	t.Helper()
	all, faults, err := sweep.ReadJSON("f", bytes.NewReader(whole))
	require.NoError(t, err)
	require.Empty(t, faults)
	require.True(t, all.Complete)
	check(func(t require.TestingT, at int) {
		got, faults, err := sweep.ReadJSON("f", bytes.NewReader(whole[:at]))
		require.NoError(t, err)
		require.NotEmpty(t, faults)
		require.False(t, got.Complete)
		require.Equal(t, all.Rows[:len(got.Rows)], append([]evidence.Row{}, got.Rows...))
		require.LessOrEqual(t, len(got.Settings), len(all.Settings))
	})
}

package sweep_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/parse/sweep"
)

// BenchmarkText reads a log as large jobs write it, nearly all of it messages of NCCL, and one that is nothing but rows.
func BenchmarkText(b *testing.B) {
	channel := "ip-10-1-0-11:41230:41299 [3] NCCL INFO Channel 07/0 : 11[3] -> 19[3] [send] via NET/Libfabric/3/GDRDMA\n"
	row := left + outside + inside + "\n"
	for name, body := range map[string]string{
		"messages":          strings.Repeat(channel, 1<<18),
		"labelled messages": strings.Repeat("1234: "+channel, 1<<18),
		"rows":              strings.Repeat(row, 1<<14),
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(asked + columns + body + footer)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				read("log", bytes.NewReader(text))
			}
		})
	}
}

// many is a JSON file of many processes, written while it is read.
func many(processes, each, sizes int) io.Reader {
	whole := file()
	row := whole[strings.Index(whole, `{"size"`):strings.Index(whole, `],"out_of_bounds"`)]
	devices := whole[strings.Index(whole, `"devices":[`)+len(`"devices":[`) : strings.Index(whole, `]},"results"`)]
	times := `,"out_of_place_per_iter":{"min_us":1,"max_us":2,"p50_us":1,"p95_us":2,"p99_us":2,"cv_pct":2,"times_us":[1.5],"per_process_max_times_us":[`
	head, tail, _ := strings.Cut(row, `,"in_place"`)
	parts := []io.Reader{strings.NewReader(whole[:strings.Index(whole, `"devices":[`)] + `"devices":[` + devices)}
	for n := 1; n < processes; n++ {
		parts = append(parts, strings.NewReader(","+strings.Replace(devices, `"rank":0`, fmt.Sprintf(`"rank":%d`, n), 1)))
	}
	parts = append(parts, strings.NewReader(`]},"results":[`))
	list := "[" + strings.TrimSuffix(strings.Repeat("26723.007202,", each), ",") + "]"
	for n := range sizes {
		parts = append(parts, strings.NewReader(map[bool]string{true: "", false: ","}[n == 0]+head+times+list))
		for range processes - 1 {
			parts = append(parts, strings.NewReader(","+list))
		}
		parts = append(parts, strings.NewReader(`]},"in_place"`+tail))
	}
	return io.MultiReader(append(parts, strings.NewReader(whole[strings.Index(whole, `],"out_of_bounds"`):]))...)
}

// BenchmarkJSON reads the file of 10,000 ranks with the times of 20 iterations of each at 20 sizes.
func BenchmarkJSON(b *testing.B) {
	text, err := io.ReadAll(many(10_000, 20, 20))
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, faults, err := sweep.ReadJSON("f", bytes.NewReader(text))
		require.NoError(b, err)
		require.Empty(b, faults)
	}
}

// TestALargeFileNeedsLittleMemory reads the file of 10,000 ranks: of its 5 million times one for each rank and size stays.
func TestALargeFileNeedsLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	from := many(10_000, 20, 5)
	runtime.GC()
	runtime.ReadMemStats(&before)
	got, faults, err := sweep.ReadJSON("f", from)
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Empty(t, faults)
	require.Len(t, got.Ranks, 10_000)
	require.Equal(t, 20_000, got.RankCount)
	require.Len(t, got.Rows, 5)
	require.Len(t, got.Rows[4].OutOfPlace.Iterations.MedianByRankUS, 10_000)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20))
}

func TestRowsAreBounded(t *testing.T) {
	t.Parallel()
	const more = 100_007
	body := io.MultiReader(strings.NewReader(asked+columns), strings.NewReader(strings.Repeat(left+outside+inside+"\n", more)), strings.NewReader(footer))
	found, faults := read("log", body)
	require.Len(t, found[0].Rows, 100_000)
	require.True(t, found[0].Complete)
	require.Len(t, faults, 1)
	require.Equal(t, "7 rows more than are kept", faults[0].Got)
}

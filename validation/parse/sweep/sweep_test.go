package sweep_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/internal/golden"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/sweep"
)

const fixtures = "../../testdata"

// read parses a whole text.
func read(file string, from io.Reader) ([]evidence.Sweep, diag.List) {
	p := sweep.New(file)
	for r := line.New(from); r.Next(); {
		p.Line(r.Line())
	}
	return p.Sweeps()
}

func readText(text string) ([]evidence.Sweep, diag.List) { return read("log", strings.NewReader(text)) }

// names lists fixtures, relative to their folder, by an ending.
func names(t testing.TB, ending string) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*/*", "formats/nccl-tests/*"} {
		found, err := filepath.Glob(filepath.Join(fixtures, pattern))
		require.NoError(t, err)
		for _, f := range found {
			if strings.HasSuffix(f, ending) {
				name, err := filepath.Rel(fixtures, f)
				require.NoError(t, err)
				out = append(out, filepath.ToSlash(name))
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(fixtures, filepath.FromSlash(name)))
	require.NoError(t, err)
	return b
}

// TestFixtures reads every log of nccl-tests. The goldens tell everything that was read.
func TestFixtures(t *testing.T) {
	golden.NoneUnused(t, "testdata/golden", ".txt")
	golden.NoneUnused(t, "testdata/golden", ".json")
	texts, files := 0, 0
	for _, name := range names(t, ".txt") {
		text := fixture(t, name)
		if !sweep.Recognises(text) {
			found, _ := read(name, bytes.NewReader(text))
			require.Empty(t, found, name)
			continue
		}
		texts++
		t.Run(name, func(t *testing.T) {
			found, faults := read(name, bytes.NewReader(text))
			diagtest.Complete(t, faults)
			golden.Check(t, "testdata/golden/"+name, []byte(told(t, found, faults)))
		})
	}
	for _, name := range names(t, ".json") {
		if !sweep.RecognisesJSON(fixture(t, name)) {
			continue
		}
		files++
		t.Run(name, func(t *testing.T) {
			found, faults, err := sweep.ReadJSON(name, bytes.NewReader(fixture(t, name)))
			require.NoError(t, err)
			require.Empty(t, faults)
			golden.Check(t, "testdata/golden/"+name, []byte(told(t, []evidence.Sweep{found}, faults)))
		})
	}
	require.Greater(t, texts, 100)
	require.Equal(t, 16, files)
}

// told writes what was read, a row in a line.
func told(t testing.TB, found []evidence.Sweep, faults diag.List) string {
	t.Helper()
	var b strings.Builder
	for _, s := range found {
		rows, ranks := s.Rows, s.Ranks
		s.Rows, s.Ranks = nil, nil
		head, err := json.MarshalIndent(s, "", "  ")
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s\n", head)
		for _, r := range ranks {
			fmt.Fprintf(&b, "rank %d group %d pid %d %s %d %q %q\n", r.Rank, r.Group, r.PID, r.Host, r.Device, r.Bus, r.Name)
		}
		for _, r := range rows {
			fmt.Fprintf(&b, "row %d %d %s %q %d | %s | %s | %q line %d\n",
				r.Bytes, r.Count, r.Type, r.Redop, r.Root, halfTold(r.OutOfPlace), halfTold(r.InPlace), r.At, r.Line)
		}
	}
	for _, f := range faults {
		fmt.Fprintf(&b, "%s %s at %s\n  got  %s\n  want %s\n  hint %s\n", f.Level, f.Rule, f.Place, f.Got, f.Want, f.Hint)
	}
	return b.String()
}

func halfTold(h *evidence.Half) string {
	if h == nil {
		return "none"
	}
	out := fmt.Sprintf("%g %g %g", h.TimeUS, h.AlgGBps, h.BusGBps)
	switch {
	case h.Wrong != nil:
		out += fmt.Sprintf(" wrong %d", *h.Wrong)
	case h.MaxError != 0:
		out += fmt.Sprintf(" error %g", h.MaxError)
	}
	if i := h.Iterations; i != nil {
		out += fmt.Sprintf(" [%g %g p50 %g p95 %g p99 %g cv %g", i.MinUS, i.MaxUS, i.P50US, i.P95US, i.P99US, i.CVPercent)
		for _, r := range i.ByRankUS {
			out += fmt.Sprintf(" of %d times the first %g", len(r), r[0])
		}
		out += "]"
	}
	return out
}

// TestTextAndJSONAgree holds the text of a run against the JSON file that the same run wrote.
func TestTextAndJSONAgree(t *testing.T) {
	t.Parallel()
	pairs := 0
	for _, name := range names(t, ".json") {
		text := strings.TrimSuffix(name, ".json") + ".txt"
		switch name {
		case "nccl-tests-h200/all_reduce.json":
			text = "nccl-tests-h200/all_reduce_debug.txt"
		case "nccl-two-gpu/iter.json":
			text = "nccl-two-gpu/iter_I.txt"
		}
		if strings.HasPrefix(name, "formats/") {
			continue
		}
		pairs++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			printed, faults := read(text, bytes.NewReader(fixture(t, text)))
			require.Empty(t, faults)
			require.Len(t, printed, 1)
			written, faults, err := sweep.ReadJSON(name, bytes.NewReader(fixture(t, name)))
			require.NoError(t, err)
			require.Empty(t, faults)
			agree(t, printed[0], written)
		})
	}
	require.Equal(t, 14, pairs)
}

func agree(t *testing.T, printed, written evidence.Sweep) {
	t.Helper()
	require.Equal(t, printed.Asked, written.Asked)
	require.Equal(t, []any{printed.Program, printed.Collective, printed.NCCL, printed.RankCount, printed.Wrong, printed.Complete, printed.Worlds},
		[]any{written.Program, written.Collective, written.NCCL, written.RankCount, written.Wrong, written.Complete, written.Worlds})
	require.Equal(t, printed.Ranks[:len(written.Ranks)], written.Ranks)
	require.InDelta(t, *printed.AverageGBps, *written.AverageGBps, 5e-7+5e-6**printed.AverageGBps, "six digits printed, six behind the point written")
	require.Len(t, written.Rows, len(printed.Rows))
	for i, p := range printed.Rows {
		w := written.Rows[i]
		require.Equal(t, []any{p.Bytes, p.Count, p.Type, p.Redop, p.Root}, []any{w.Bytes, w.Count, w.Type, w.Redop, w.Root})
		halvesAgree(t, p.OutOfPlace, w.OutOfPlace)
		halvesAgree(t, p.InPlace, w.InPlace)
	}
}

func halvesAgree(t *testing.T, p, w *evidence.Half) {
	t.Helper()
	require.Equal(t, p.Wrong, w.Wrong)
	printedAs(t, 7, p.TimeUS, w.TimeUS)
	printedAs(t, 6, p.AlgGBps, w.AlgGBps)
	printedAs(t, 6, p.BusGBps, w.BusGBps)
	require.Equal(t, p.Iterations == nil, w.Iterations == nil)
	if p.Iterations != nil {
		printedAs(t, 7, p.Iterations.MinUS, w.Iterations.MinUS)
		printedAs(t, 7, p.Iterations.MaxUS, w.Iterations.MaxUS)
		printedAs(t, 7, p.Iterations.P99US, w.Iterations.P99US)
		printedAs(t, 7, p.Iterations.CVPercent, w.Iterations.CVPercent)
	}
}

// printedAs holds a figure to the precision that it is printed with in a width. The files have one digit more than a double's last one for
// some figures, so that a figure that lies between two may be rounded to either.
func printedAs(t *testing.T, width int, printed, written float64) {
	t.Helper()
	step := 1.0
	for _, digits := range []int{2, 1} {
		if len(fmt.Sprintf("%.*f", digits, written)) <= width {
			step = []float64{1, 0.1, 0.01}[digits]
			break
		}
	}
	if written > 1e6 {
		step = 1e5
	}
	require.InDelta(t, written, printed, step*0.501)
}

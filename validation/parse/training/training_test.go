package training_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/internal/golden"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/training"
)

// TB is what testing and rapid have in common here.
type TB interface {
	require.TestingT
	Helper()
}

func read(t TB, name, text string) *training.Parser {
	t.Helper()
	p := training.New(name)
	r := line.New(strings.NewReader(text))
	for r.Next() {
		p.Line(r.Line())
	}
	require.NoError(t, r.Err())
	return p
}

func fixtures(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("../../testdata/formats/megatron/*")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return names
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	golden.NoneUnused(t, "testdata", ".json")
	for _, path := range fixtures(t) {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			p := read(t, name, string(text))
			require.Empty(t, p.Findings())
			got, err := json.MarshalIndent(p.Training(), "", " ")
			require.NoError(t, err)
			golden.Check(t, filepath.Join("testdata", strings.TrimSuffix(name, ".txt")+".json"), append(got, '\n'))
		})
	}
}

const tail = " number of skipped iterations:   0 | number of nan iterations:   0 |"

// same compares losses, which may be NaN.
var same = cmp.Comparer(func(a, b evidence.Float) bool {
	return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)) || relative(float64(a), float64(b)) < 1e-9
})

func f(v float64) *evidence.Float {
	out := evidence.Float(v)
	return &out
}

func TestForms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line      string
		framework string
		of        int
		want      evidence.Iteration
	}{
		"2.5": {
			" iteration       10/     100 | consumed samples:        10240 | elapsed time per iteration (ms): 18529.1 | learning rate: 1.650E-06 | global batch size:  1024 | lm loss: 2.840000E+00 | loss scale: 4294967296.0 | grad norm: 11.700 |" + tail,
			training.Megatron, 100,
			evidence.Iteration{Number: 10, Covers: 1, MS: 18529.1, Loss: f(2.84), Grad: f(11.7)},
		},
		"core 0.11": {
			" [2025-11-04 12:01:31] iteration        1/     100 | elapsed time per iteration (ms): 4511.2 | throughput per GPU (TFLOP/s/GPU): 402.5 | lm loss: 1.090000E+01 | load_balancing_loss: 1.012845E+00 | loss scale: 1.0 |" + tail,
			training.Megatron, 100,
			evidence.Iteration{Number: 1, Covers: 1, MS: 4511.2, TFLOPS: 402.5, Loss: f(10.9), At: "2025-11-04 12:01:31"},
		},
		"core 0.19, no learning rate, infinite gradient": {
			" [2026-09-18 06:10:09.004111] iteration        1/      24 | consumed samples:          256 | skipped samples: 16 | elapsed time per iteration (ms): 311870.4 | throughput per GPU (TFLOP/s/GPU): 3.4 | energy per GPU (J/iter/GPU): 9.1 | power per GPU (W/GPU): 700.0 | global batch size:   256 | lm loss: 1.302885E+01 | mtp_1 loss: 1.302885E+01 | loss scale: 1.0 | grad norm: inf | num zeros: 4 | params norm: 1.000 | number of skipped iterations:   1 | number of nan iterations:   2 |",
			training.Megatron, 24,
			evidence.Iteration{Number: 1, Covers: 1, MS: 311870.4, TFLOPS: 3.4, Loss: f(13.02885), Grad: f(math.Inf(1)), Skipped: 1, NaN: 2, At: "2026-09-18 06:10:09.004111"},
		},
		"loss omitted": {
			" iteration        3/       5 | elapsed time per iteration (ms): 3902.7 | loss scale: 4294967296.0 | number of skipped iterations:   1 | number of nan iterations:   0 |",
			training.Megatron, 5,
			evidence.Iteration{Number: 3, Covers: 1, MS: 3902.7, Skipped: 1},
		},
		"seconds": {
			"[default3]: iteration       10/ 3125000 | consumed samples:          960 | elapsed time per iteration (s): 7.5 | lm loss: INF | grad norm: nan |" + tail + " samples per second: 13.276 | TFLOPs: 101.54 |",
			training.Megatron, 3125000,
			evidence.Iteration{Number: 10, Covers: 1, MS: 7500, Loss: f(math.Inf(1)), Grad: f(math.NaN())},
		},
		"Bridge, rank 0": {
			"Step Time : 5.79s GPU utilization: 512.3MODEL_TFLOP/s/GPU",
			training.Bridge, 0,
			evidence.Iteration{Number: 1, Covers: 1, MS: 5790, TFLOPS: 512.3},
		},
		"torch": {
			fmt.Sprintf(training.StepFormat, 7, 7, 2.5, 812.4),
			training.Torch, 7,
			evidence.Iteration{Number: 7, Covers: 1, MS: 812.4, Loss: f(2.5)},
		},
		"torch, NaN as Go writes it": {
			fmt.Sprintf(training.StepFormat, 7, 9, math.NaN(), 812.4),
			training.Torch, 9,
			evidence.Iteration{Number: 7, Covers: 1, MS: 812.4, Loss: f(math.NaN())},
		},
		"torch, infinite as Python writes it": {
			"weft step=7 of=9 loss=-inf ms=812.400",
			training.Torch, 9,
			evidence.Iteration{Number: 7, Covers: 1, MS: 812.4, Loss: f(math.Inf(-1))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := read(t, "a", c.line+"\n")
			require.Empty(t, p.Findings())
			got := p.Training()
			require.NotNil(t, got)
			require.Len(t, got.Iterations, 1)
			require.Equal(t, c.framework, got.Framework)
			require.Equal(t, c.of, got.Of)
			require.Equal(t, c.want.Number == c.of, got.Concluded)
			diff := cmp.Diff(c.want, got.Iterations[0], same, cmpopts.IgnoreFields(evidence.Iteration{}, "Excerpt"), cmpopts.EquateApprox(1e-9, 0))
			require.Empty(t, diff)
			require.Equal(t, 1, got.Iterations[0].Line)
		})
	}
}

func TestLinesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		" iteration       10/     100 | consumed samples:        10240 | elapsed time per iteration (ms): 18529.1 | number of skipped iterations:   0 |",
		" iteration       10/     100 | elapsed time per iteration (ms): 18529.1 | number of skipped iterations:   0 | number of nan iterations:   0",
		" iteration       10/     100 | elapsed time per iteration (ms): nan |" + tail,
		" iteration        0/     100 | elapsed time per iteration (ms): 1.0 |" + tail,
		" iteration       99999999999999999999999/     100 | elapsed time per iteration (ms): 1.0 |" + tail,
		" iteration       10/     100 | elapsed time per iteration (ms): 18vm:41:41 [0] NCCL INFO Using network Socket 529.1 |" + tail,
		"elapsed time per iteration (ms): 18529.1 |" + tail,
		"weft step=3 of=9 loss=2.500000e+00 ms=812.4",
		"weft step=3 of=9 loss=2.500000e+00 ms=812.4001",
		"weft step=3 of=9 loss=2.5 ms=812.400",
		"weft step=0 of=9 loss=2.500000e+00 ms=812.400",
		"Step Time : 5.79s GPU utilization: 512.3MODEL",
	} {
		p := read(t, "a", text+"\n")
		require.Nil(t, p.Training(), text)
		require.Len(t, p.Findings(), 1, text)
		require.Equal(t, diag.FileUnreadable, p.Findings()[0].Rule)
		require.Equal(t, diag.Place{File: "a", Line: 1}, p.Findings()[0].Place)
	}
	p := read(t, "a", "Step Time : 3 min\nthe last iteration took long\n")
	require.Nil(t, p.Training())
	require.Empty(t, p.Findings())
}

func step(n int) string { return fmt.Sprintf(training.StepFormat, n, 24, 2.5, float64(n)) }

func numbers(it []evidence.Iteration) (numbers, covers []int) {
	for _, i := range it {
		numbers, covers = append(numbers, i.Number), append(covers, i.Covers)
	}
	return numbers, covers
}

func TestWhatALineCovers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ at, want []int }{
		"each":                      {[]int{1, 2, 3}, []int{1, 1, 1}},
		"every tenth":               {[]int{10, 20, 30}, []int{10, 10, 10}},
		"the first by itself":       {[]int{1, 10, 20}, []int{1, 9, 10}},
		"from a checkpoint":         {[]int{110, 120}, []int{10, 10}},
		"begun anew in between":     {[]int{1, 2, 3, 2, 3, 4}, []int{1, 1, 1, 1, 1, 1}},
		"one line":                  {[]int{10}, []int{1}},
		"a line lost":               {[]int{1, 3}, []int{1, 2}},
		"twice by ranks with no id": {[]int{1, 1, 2, 2}, []int{1, 1}},
	} {
		var b strings.Builder
		for _, n := range c.at {
			b.WriteString(step(n) + "\n")
		}
		_, covers := numbers(read(t, "a", b.String()).Training().Iterations)
		require.Equal(t, c.want, covers, name)
	}
}

func TestLinesOfSeveralRanks(t *testing.T) {
	t.Parallel()
	text := "0: " + step(1) + "\n1: " + step(1) + "\n0: " + step(2) + "\n0: " + step(3) + "\n1: " + step(2) + "\n1: " + step(3) + "\n1: " + step(4) + "\n"
	got, _ := numbers(read(t, "a", text).Training().Iterations)
	require.Equal(t, []int{1, 2, 3, 4}, got)
	got, _ = numbers(read(t, "a", step(1)+step(2)+"vm:1:1 [0] NCCL INFO x\n").Training().Iterations)
	require.Equal(t, []int{1, 2}, got)
}

func TestBridgeWithBothLogsInOne(t *testing.T) {
	t.Parallel()
	text := "Step Time : 5.79s GPU utilization: 512.3MODEL_TFLOP/s/GPU\n" +
		" [2026-09-18 06:10:09] iteration        1/       2 | elapsed time per iteration (ms): 5791.2 | lm loss: 1.000000E+00 | loss scale: 1.0 |" + tail + "\n" +
		"Step Time : 5.81s GPU utilization: 512.3MODEL_TFLOP/s/GPU\n"
	got := read(t, "a", text).Training()
	require.Equal(t, training.Bridge, got.Framework)
	require.Len(t, got.Iterations, 1)
	require.InDelta(t, 5791.2, got.Iterations[0].MS, 0)
	require.False(t, got.Concluded)
}

func TestTimersKeepTheWidestReport(t *testing.T) {
	t.Parallel()
	report := func(least, most string) string {
		return "(min, max) time across ranks (ms):\n    forward-backward ...............................: (" + least + ", " + most + ")\n" +
			"    train/valid/test-data-iterators-setup ..........: (1.00, 1.00)\n"
	}
	text := report("5.00", "5.10") + step(1) + "\n" + report("4.00", "6.00") + step(2) + "\n" + report("5.00", "5.10") +
		"    backward ...: (7.00, 6.00)\n    optimizer ...: (7.00, 6.0\nx\n    stray ...: (1.00, 2.00)\n"
	got := read(t, "a", text).Training().Timers
	require.Equal(t, []evidence.Timer{
		{Name: "forward-backward", MinMS: 4, MaxMS: 6, Times: 3, Excerpt: evidence.Excerpt{File: "a", Line: 6, Text: "forward-backward ...............................: (4.00, 6.00)"}},
		{Name: "train/valid/test-data-iterators-setup", MinMS: 1, MaxMS: 1, Times: 3, Excerpt: evidence.Excerpt{File: "a", Line: 3, Text: "train/valid/test-data-iterators-setup ..........: (1.00, 1.00)"}},
	}, got)
}

// TestCutAnywhere cuts every fixture at every byte: no iteration may be told then that the whole file does not tell.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, path := range fixtures(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		text = text[:min(len(text), 1300)]
		whole := read(t, "a", string(text)).Training()
		for n := range text {
			got := read(t, "a", string(text[:n])).Training()
			if got == nil {
				continue
			}
			for i, it := range got.Iterations {
				it.Covers = whole.Iterations[i].Covers
				require.Equal(t, whole.Iterations[i], it)
			}
		}
	}
}

func TestWhatWasWrittenIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "steps")
		var b strings.Builder
		losses := make([]float64, n)
		for i := range n {
			losses[i] = rapid.Float64().Draw(t, "loss")
			b.WriteString(rapid.SampledFrom([]string{"", "noise\n", "vm:1:2 [0] NCCL INFO Channel 00/0\n"}).Draw(t, "between"))
			fmt.Fprintf(&b, training.StepFormat+"\n", i+1, n, losses[i], float64(i)/8)
		}
		p := read(t, "a", b.String())
		require.Empty(t, p.Findings())
		got := p.Training()
		require.True(t, got.Concluded)
		require.Len(t, got.Iterations, n)
		for i, it := range got.Iterations {
			require.InDelta(t, float64(i)/8, it.MS, 0.0006)
			require.InEpsilon(t, 1, 1+relative(losses[i], float64(*it.Loss)), 1e-5)
		}
	})
}

// relative is how far b lies from a, in shares of a.
func relative(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a-b) / math.Abs(a)
}

func FuzzParser(f *testing.F) {
	for _, path := range fixtures(f) {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(text[:min(len(text), 3000)])
	}
	f.Add([]byte(step(1) + step(2) + "\nStep Time : 5.79s GPU utilization: 512.3MODEL_TFLOP/s/GPU\n(min, max) time across ranks (ms):\n    a ..: (1.00, 2.00)"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := read(t, "a", string(text)).Training()
		_, err := json.Marshal(got)
		require.NoError(t, err)
		if got == nil {
			return
		}
		require.NotEmpty(t, got.Iterations)
		for _, it := range got.Iterations {
			require.Positive(t, it.Covers)
			require.Positive(t, it.Number)
			require.False(t, math.IsNaN(it.MS) || math.IsInf(it.MS, 0) || it.MS < 0)
		}
	})
}

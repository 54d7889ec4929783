package dispatch_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/internal/golden"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/dispatch"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// said is all that a parser found.
type said struct {
	Dispatch *evidence.Dispatch `json:"dispatch,omitempty"`
	Findings diag.List          `json:"findings,omitempty"`
}

func read(t testing.TB, name, text string) said {
	t.Helper()
	p := dispatch.New(name)
	r := line.New(strings.NewReader(text))
	for r.Next() {
		p.Line(r.Line())
	}
	require.NoError(t, r.Err())
	return said{p.Dispatch(), p.Findings()}
}

func fixtures(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("../../testdata/formats/ep/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return append(names, "../../testdata/formats/nccl-debug/bad_gin-fell-back-to-proxy.log")
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
			check(t, name, read(t, name, string(text)))
		})
	}
	t.Run("JSON", func(t *testing.T) {
		t.Parallel()
		const name = "pplx-garden_output.json"
		text, err := os.ReadFile(filepath.Join("../../testdata/formats/ep", name))
		require.NoError(t, err)
		got, findings := dispatch.ReadJSON(name, text)
		check(t, name, said{got, findings})
	})
}

func check(t *testing.T, name string, s said) {
	t.Helper()
	got, err := json.MarshalIndent(s, "", " ")
	require.NoError(t, err)
	golden.Check(t, filepath.Join("testdata", strings.TrimSuffix(name, filepath.Ext(name))+".json"), append(got, '\n'))
}

func TestForms(t *testing.T) {
	t.Parallel()
	type figure = evidence.DispatchFigure
	for _, c := range []struct {
		name, text, program string
		want                []figure
	}{
		{
			"version 1, dispatch",
			"[tuning] Best dispatch (FP8): SMs 24, NVL chunk 20, RDMA chunk 28: 69 + 1342 us, 45.28 GB/s (RDMA), 147.81 GB/s (NVL)",
			dispatch.DeepEP1,
			[]figure{{Operation: "dispatch", Variant: "FP8", Rank: -1, Best: true, ScaleOutGBps: 45.28, ScaleUpGBps: 147.81, TimeUS: 1342}},
		},
		{
			"version 1, combine has a comma where dispatch has a colon",
			"[tuning] Best combine: SMs 24, NVL chunk 4, RDMA chunk 32, 63.00 + 2540.00 us, 46.36 GB/s (RDMA), 151.33 GB/s (NVL)",
			dispatch.DeepEP1,
			[]figure{{Operation: "combine", Rank: -1, Best: true, ScaleOutGBps: 46.36, ScaleUpGBps: 151.33, TimeUS: 2540}},
		},
		{
			"version 1, before July 2025",
			"[tuning] Best combine: SMs 24, NVL chunk 2, RDMA chunk 28: 25.02 GB/s (RDMA), 81.87 GB/s (NVL)",
			dispatch.DeepEP1,
			[]figure{{Operation: "combine", Rank: -1, Best: true, ScaleOutGBps: 25.02, ScaleUpGBps: 81.87}},
		},
		{
			"version 1, within a node",
			"[tuning] Best dispatch (BF16): SMs 24, NVL chunk 12: 446.09 GB/s (NVL), 352 us",
			dispatch.DeepEP1,
			[]figure{{Operation: "dispatch", Variant: "BF16", Rank: -1, Best: true, ScaleUpGBps: 446.09, TimeUS: 352}},
		},
		{
			"version 1, within a node, t:",
			"[tuning] Best combine: SMs 24, NVL chunk 15: 355.45 GB/s (NVL), t: 442.10 us",
			dispatch.DeepEP1,
			[]figure{{Operation: "combine", Rank: -1, Best: true, ScaleUpGBps: 355.45, TimeUS: 442.1}},
		},
		{
			"UCCL-EP within a node",
			"[tuning] Best combine: SMs 24, NVL chunk 4, RDMA chunk 24, transmit: 48.20 us, notify: 7.10 us, BW: N/A (RDMA), 137.40 GB/s (NVL)",
			dispatch.UCCL,
			[]figure{{Operation: "combine", Rank: -1, Best: true, ScaleUpGBps: 137.4, TimeUS: 48.2}},
		},
		{
			"low latency",
			"[rank 3] Dispatch bandwidth: 9.61 GB/s, avg_t=781.50 us | Combine bandwidth: 20.72 GB/s, avg_t=701.44 us",
			dispatch.LowLatency,
			[]figure{{Operation: "dispatch", Rank: 3, TotalGBps: 9.61, TimeUS: 781.5}, {Operation: "combine", Rank: 3, TotalGBps: 20.72, TimeUS: 701.44}},
		},
		{
			"version 2",
			"   + EP:   5/16 | reduced combine: 57 GB/s (SO), 187 GB/s (SU), 2080.017 us, 389259264 bytes | reduce: 1980 GB/s, 313.011 us",
			dispatch.DeepEP2,
			[]figure{{Operation: "combine", Variant: "reduced", Rank: 5, ScaleOutGBps: 57, ScaleUpGBps: 187, TimeUS: 2080.017}},
		},
		{
			"hybrid-EP of the first year",
			"[rank 2] HybridEP dispatch torch API (FP8): 122.40 GB/s (NVL), t: 2403.11 us, nvl_recv_bytes: 294.15 MB\n" +
				"[rank 2] HybridEP dispatch torch API (FP8): 37.40 GB/s (IB), t: 2403.11 us, rdma_send_bytes: 94.15 MB",
			dispatch.HybridEP,
			[]figure{{Operation: "dispatch", Variant: "FP8", Rank: 2, ScaleUpGBps: 122.4, ScaleOutGBps: 37.4, TimeUS: 2403.11}},
		},
		{
			"NCCL EP, high throughput",
			"[Rank 1] Dispatch+Combine: avg=900.00 us\n\n=== Summary (High Throughput FP8, across 16 ranks) ===\nDispatch:         avg=401.22 us, min=388.10 us, max=433.61 us\nTotal (D+C):      avg=801.22 us, min=788.10 us, max=833.61 us\n",
			dispatch.NCCLEP,
			[]figure{
				{Operation: "dispatch+combine", Rank: 1, TimeUS: 900},
				{Operation: "dispatch", Variant: "FP8", Rank: -1, TimeUS: 401.22, MinUS: 388.1, MaxUS: 433.61},
				{Operation: "dispatch+combine", Variant: "FP8", Rank: -1, TimeUS: 801.22, MinUS: 788.1, MaxUS: 833.61},
			},
		},
		{
			"NCCL EP, kernels",
			"=== Summary (Low Latency, across 2 ranks) ===\n--- Kernel-only performance ---\nCombine (BF16):   avg=12.87 us, min=9.45 us, max=50.02 us\n                  throughput: avg=35.48 GB/s\n",
			dispatch.NCCLEP,
			[]figure{{Operation: "combine", Variant: "BF16 kernel", Rank: -1, TotalGBps: 35.48, TimeUS: 12.87, MinUS: 9.45, MaxUS: 50.02}},
		},
		{
			"pplx-garden",
			"[2026-09-18 05:44:12.412] 81234 INFO     benchmarks.bench_all_to_all Combine both time: mean=335.8±9.4 µs, min=315.2 µs, p01=318.8 µs, max=402.5 µs, 43.9 GB/s",
			dispatch.Pplx,
			[]figure{{Operation: "combine", Rank: -1, TotalGBps: 43.9, TimeUS: 335.8, MinUS: 315.2, MaxUS: 402.5}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, "a", c.text+"\n")
			require.Empty(t, got.Findings)
			require.NotNil(t, got.Dispatch)
			require.Equal(t, c.program, got.Dispatch.Program)
			for i := range got.Dispatch.Figures {
				require.NotEmpty(t, got.Dispatch.Figures[i].Text)
				got.Dispatch.Figures[i].Excerpt = evidence.Excerpt{}
			}
			require.Equal(t, c.want, got.Dispatch.Figures)
		})
	}
}

func TestLinesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[tuning] Best dispatch (FP8): SMs 24, NVL chunk 20, RDMA chunk 28: 69 + 1342 us, 45.28 GB/s (RDMA), 147.81 GB",
		"[tuning] Best dispatch (FP8): SMs 24, NVL chunk 20, RDMA chunk 28: 147.81 GB/s (NVL)",
		"[tuning] Best disp",
		"[tuning] SMs 24, NVL chunk 4, RDMA chunk 4: 71 + 1906 us, 31.88 GB/s (RDMA), 104.06 GB/s (NVL)",
		"[rank 3] Dispatch bandwidth: 9.61 GB/s, avg_t=781.50 us | Combine bandwidth: 20.72 GB/s, avg_t=701.4",
		"[rank 99999999999999999999] Dispatch bandwidth: 9.61 GB/s, avg_t=781.50 us | Combine bandwidth: 20.72 GB/s, avg_t=701.44 us",
		"   * EP:   0/16 | dispatch: 61 GB/s (SO), 199 GB/s (SU), 1010.41",
		"   * EP:   0/16 | dispatch: 6.1.1 GB/s (SO), 199 GB/s (SU), 1010.41 us, 1 bytes",
		"x bench_all_to_all Dispatch both time: mean=229.9±7.2 μs, min=214.3 μs, p01=216.0 μs, max=288.7 μs",
		"=== Kernel Benchmark (BF16, 16 ranks) ===\ndispatch kernel (BF16)(NVL):                     146.11 GB/s, avg_t=2013.2 us [min=2001.7, max=2030.",
		"=== Summary (Low Latency, across 2 ranks) ===\nCombine (BF16):   avg=12.87 us, min=9.45 us, max=50.0",
		"=== Summary (Low Latency, across 2 ranks) ===\n  throughput: avg=35.48 GB/s",
	} {
		got := read(t, "a", text+"\n")
		require.Len(t, got.Findings, 1, text)
		require.Equal(t, diag.FileUnreadable, got.Findings[0].Rule)
		if got.Dispatch != nil {
			require.Empty(t, got.Dispatch.Figures, text)
		}
	}
}

func TestTestsPassOrFail(t *testing.T) {
	t.Parallel()
	const test = "[testing] Running with FP8, with top-k (async=False, previous=False) ..."
	for name, c := range map[string]struct {
		text           string
		passed, failed int
	}{
		"passed":                             {test + " passed\n", 1, 0},
		"passed behind another line":         {test + "vm:1:1 [0] NCCL INFO x\n passed\n", 1, 0},
		"cut off":                            {test, 0, 1},
		"the next began":                     {test + "\n" + test + " passed\n", 1, 1},
		"an assertion":                       {test + "\nTraceback\nAssertionError\n", 0, 2},
		"an assertion of another program":    {"AssertionError\n", -1, 0},
		"UCCL-EP":                            {test + " passed\n✓ All correctness tests passed!\n", 2, 0},
		"hybrid-EP":                          {"=== Correctness Check (BF16, 16 ranks) ===\n  a API: PASS\n  b API: FAIL at rank 3\n", 1, 1},
		"pplx-garden":                        {"x bench_all_to_all Correctness check passed\nx bench_all_to_all Correctness check failed\n", 1, 1},
		"more failures than anybody reads":   {strings.Repeat(test+"\n", 100), 0, 20},
		"more assertions than anybody reads": {test + " passed\n" + strings.Repeat("AssertionError: x\n", 100), 1, 20},
	} {
		got := read(t, "a", c.text).Dispatch
		if c.passed < 0 {
			require.Nil(t, got, name)
			continue
		}
		require.Equal(t, c.passed, got.Passed, name)
		require.Len(t, got.Failed, c.failed, name)
	}
}

func TestBackend(t *testing.T) {
	t.Parallel()
	const figure = "   * EP:   0/16 | dispatch: 61 GB/s (SO), 199 GB/s (SU), 1010.412 us, 1 bytes\n"
	const nccl = "n1:7:7 [0] NCCL INFO GIN/Plugin: Assigned plugin "
	const nvshmem = "n1:7:7 [0] NVSHMEM INFO Successfully initialized the transport: "
	for text, want := range map[string]string{
		"": "",
		nccl + "Libfabric_GDAKI type 5 to comm\n":                                       dispatch.GDAKI,
		nccl + "Libfabric_GDAKI type 3 to comm\n":                                       dispatch.GDAKI,
		nccl + "GIN_PROXY type 2 to comm\n":                                             dispatch.GINProxy,
		nccl + "IB_DOCA type 4 to comm\n":                                               "",
		nccl + "GIN_PROXY type 2 to comm\n" + nccl + "Libfabric_GDAKI type 5 to comm\n": dispatch.GINProxy,
		nvshmem + "libfabric\n":                                                         dispatch.NVSHMEMLibfabric,
		nvshmem + "IBRC\n":                                                              dispatch.NVSHMEMIBRC,
		nvshmem + "IBGDA\n":                                                             dispatch.IBGDA,
		nvshmem + "carrier\n":                                                           "",
	} {
		require.Equal(t, want, read(t, "a", text+figure).Dispatch.Backend, text)
	}
	require.Nil(t, read(t, "a", nccl+"GIN_PROXY type 2 to comm\n").Dispatch)
}

func TestASecondBenchmarkIsSpokenOf(t *testing.T) {
	t.Parallel()
	got := read(t, "a", "[rank 3] Dispatch bandwidth: 9.61 GB/s, avg_t=781.50 us | Combine bandwidth: 20.72 GB/s, avg_t=701.44 us\n"+
		"   * EP:   0/16 | dispatch: 61 GB/s (SO), 199 GB/s (SU), 1010.412 us, 1 bytes\n")
	require.Equal(t, dispatch.LowLatency, got.Dispatch.Program)
	require.Len(t, got.Dispatch.Figures, 2)
	require.Len(t, got.Findings, 1)
	require.Equal(t, diag.Place{File: "a", Line: 2}, got.Findings[0].Place)
}

func TestSizesOfARun(t *testing.T) {
	t.Parallel()
	got := read(t, "a", " > Ranks: 2 x 8\n > Ranks: 999999999999999999999 x 8\n").Dispatch
	require.Equal(t, []int{2, 16}, []int{got.Nodes, got.Ranks})
}

func TestJSONThatIsNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `{}`, `[1]`, `{"dispatch": {"both": {"mean": 1}}}`, `{"dispatch": {"both": {"mean": 1, "min": 3, "max": 2}}}`, `{"dispatch": {"both": {"mean": "nan"}}}`} {
		got, findings := dispatch.ReadJSON("a", []byte(text))
		require.Nil(t, got, text)
		require.NotEmpty(t, findings, text)
	}
}

// TestCutAnywhere cuts every fixture at every byte: no figure may be told then that the whole file does not tell.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, path := range fixtures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			whole := read(t, "a", string(text)).Dispatch
			for n := range text {
				got := read(t, "a", string(text[:n])).Dispatch
				if got == nil {
					continue
				}
				require.NotNil(t, whole)
				require.LessOrEqual(t, got.Passed, whole.Passed)
				for i, figure := range got.Figures {
					known(t, whole.Figures[i], figure)
				}
			}
		})
	}
}

// known holds a figure to what it may be when a later line would have added to it.
func known(t *testing.T, whole, got evidence.DispatchFigure) {
	t.Helper()
	if got.ScaleOutGBps == 0 {
		got.ScaleOutGBps = whole.ScaleOutGBps
	}
	if got.TotalGBps == 0 {
		got.TotalGBps = whole.TotalGBps
	}
	got.Text = whole.Text
	require.Equal(t, whole, got)
}

func FuzzParser(f *testing.F) {
	for _, path := range fixtures(f) {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(text[:min(len(text), 3000)])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := read(t, "a", string(text))
		_, err := json.Marshal(got)
		require.NoError(t, err)
		if got.Dispatch != nil {
			require.NotEmpty(t, got.Dispatch.Program)
			for _, figure := range got.Dispatch.Figures {
				require.NotEmpty(t, figure.Operation)
				require.GreaterOrEqual(t, figure.Rank, -1)
			}
		}
	})
}

func FuzzReadJSON(f *testing.F) {
	text, err := os.ReadFile("../../testdata/formats/ep/pplx-garden_output.json")
	require.NoError(f, err)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		got, findings := dispatch.ReadJSON("a", text)
		require.True(t, got != nil || len(findings) > 0)
	})
}

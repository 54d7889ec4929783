package symptom_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/symptom"
)

// scan gives the symptoms of a text.
func scan(t testing.TB, text string) []evidence.Symptom {
	t.Helper()
	s := symptom.New("log")
	r := line.New(strings.NewReader(text))
	for r.Next() {
		s.Line(r.Line())
	}
	require.NoError(t, r.Err())
	return s.Symptoms()
}

func ids(found []evidence.Symptom) (out []string) {
	for _, f := range found {
		out = append(out, f.ID)
	}
	return out
}

// samples are the lines of testdata/samples.tsv by the row that they are of.
func samples(t testing.TB) map[string][]string {
	t.Helper()
	content, err := os.ReadFile("testdata/samples.tsv")
	require.NoError(t, err)
	out := map[string][]string{}
	for row := range strings.Lines(string(content)) {
		if strings.HasPrefix(row, "#") {
			continue
		}
		id, text, found := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		require.True(t, found, row)
		out[id] = append(out[id], text)
	}
	return out
}

func TestEveryRowIsWholeAndHasASample(t *testing.T) {
	t.Parallel()
	lines, registered := samples(t), diag.Rules()
	for _, row := range symptom.Table() {
		require.NotEmpty(t, row.Texts, row.ID)
		require.NotEmpty(t, row.Says, row.ID)
		require.True(t, strings.HasPrefix(row.Source, "https://"), row.ID)
		require.NotEmpty(t, lines[row.ID], "a sample of %s", row.ID)
		require.Equal(t, row.Harmless, row.Rule == "", row.ID)
		require.Equal(t, row.Harmless, row.Hint == "", row.ID)
		if !row.Harmless && !strings.HasPrefix(string(row.Rule), "env/") && row.Rule != "cpu/srun-inherit" {
			require.True(t, slices.ContainsFunc(registered, func(r diag.Rule) bool { return r.ID == row.Rule }), "%s speaks for %s", row.ID, row.Rule)
		}
		found, ok := symptom.Lookup(row.ID)
		require.True(t, ok)
		require.Equal(t, row, found)
	}
	_, ok := symptom.Lookup("nothing")
	require.False(t, ok)
}

func TestSamples(t *testing.T) {
	t.Parallel()
	for id, lines := range samples(t) {
		row, ok := symptom.Lookup(id)
		require.True(t, ok, id)
		for _, text := range lines {
			found := scan(t, text+"\n")
			if row.Harmless {
				require.Empty(t, found, text)
				got, harmless := symptom.Harmless([]byte(text))
				require.True(t, harmless, text)
				require.Equal(t, id, got, text)
				continue
			}
			require.Contains(t, ids(found), id, text)
			_, harmless := symptom.Harmless([]byte(text))
			require.False(t, harmless, text)
		}
	}
}

// first gives the lowest cause that a file holds, of equal ones the one that stands first.
func first(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	best, cause := "", symptom.Ended+1
	for _, s := range scan(t, string(content)) {
		row, ok := symptom.Lookup(s.ID)
		require.True(t, ok)
		if row.Cause < cause {
			best, cause = s.ID, row.Cause
		}
	}
	return best
}

func TestFirstCause(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"reported/NCCL-01.log":                                             "plugin-missing",
		"reported/NCCL-02.log":                                             "provider-none",
		"reported/NCCL-03.log":                                             "symbol-ibverbs-private",
		"reported/NCCL-05.log":                                             "",
		"reported/GDR-01.log":                                              "gdrdrv-module",
		"reported/GDR-02.txt":                                              "gdrcopy-version",
		"reported/GDR-04.log":                                              "gdrdrv-symbols",
		"reported/CPU-03.log":                                              "cpus-set-twice",
		"reported/AMI-07.log":                                              "packages-unreachable",
		"reported/KRN-04.log":                                              "nvidia-module",
		"reported/CB-05.log":                                               "maintenance-reservation",
		"nccl-two-host/a_nvlink_all_reduce.txt":                            "plugin-missing",
		"nccl-two-host/b_ofi_tcp_all_reduce.txt":                           "provider-other",
		"nccl-two-host/b_ofi_warnlevel.txt":                                "",
		"nccl-two-host/c_libfabric_absent.txt":                             "libfabric-missing",
		"nccl-two-host/c_libfabric_too_old_autoload.txt":                   "symbol-fabric",
		"nccl-two-host/c_plugin_name_missing_pinned.txt":                   "plugin-missing",
		"nccl-two-host/c_ofi1173_no_dmi_segfault.txt":                      "plugin-product-name",
		"nccl-two-host/c_fi_provider_efa.txt":                              "provider-none",
		"nccl-two-host/d_duplicate_gpu.txt":                                "plugin-missing",
		"nccl-two-host/d_three_ranks_two_gpus.txt":                         "gpu-too-few",
		"nccl-two-host/e_mpirun_default_binding.txt":                       "plugin-missing",
		"nccl-two-host/g_killed_survivor_ofi.txt":                          "provider-other",
		"nccl-two-host/h_fi_info_efa.txt":                                  "efa-no-data",
		"nccl-two-host/j_aws1211_p5en_no_efa_warnlevel.txt":                "rdma-protocol",
		"nccl-two-gpu/ib_residue.txt":                                      "interface-none",
		"nccl-two-gpu/plugin_none.txt":                                     "plugin-off",
		"nccl-two-gpu/net_ib.txt":                                          "plugin-missing",
		"formats/nccl-debug/bad_ib-residue.log":                            "network-none",
		"formats/nccl-debug/ok_ofi-1.21_nccl-2.31_p5en_gin-gdaki.log":      "",
		"formats/nccl-debug/ok_ofi-1.16_nccl-2.27.7_p6-b200.log":           "",
		"formats/nccl-debug/ok_ofi-1.13_nccl-2.23_p5en.log":                "",
		"formats/nccl-debug/ok_ofi-1.7.4_nccl-2.18.5_p5.log":               "",
		"formats/nccl-debug/ok_ofi-1.5_nccl-2.12_p4d.log":                  "",
		"formats/nccl-debug/bad_gin-fell-back-to-proxy.log":                "hardware-counter",
		"formats/nccl-tests/all_reduce_v2.18.3_p5en_4n.txt":                "",
		"formats/megatron/megatron_v0.17plus_log-interval-1_one-stall.txt": "",
		"formats/ep/hybrid-ep_test_hybrid_ep_2n.txt":                       "",
	} {
		require.Equal(t, want, first(t, filepath.Join("../testdata", name)), name)
	}
}

func TestHostsTimesAndInstances(t *testing.T) {
	t.Parallel()
	const closed = " [0] misc/socket.cc:71 NCCL WARN socketProgress: Connection closed by remote peer \n"
	found := scan(t, "a:1:2"+closed+"b:1:2"+closed+"a:1:3"+closed+
		"a:1:2 [0] NCCL INFO Trees b:1:2"+closed+
		"[c:02256] Signal: Segmentation fault (11)\nvm: Test timeout (10s) common.cu:526\nsrun: error: d: task 9: Killed\n"+
		"libfabric: err: 14 My host id: i-00000000000000001 Peer EFA addr: x Peer host id: i-00000000000000002 (12)\n")
	type short struct {
		id, host string
		times    int
		at       int
	}
	var got []short
	for _, f := range found {
		got = append(got, short{f.ID, f.Host, f.Times, f.Line})
	}
	require.Equal(t, []short{
		{"peer-closed", "a", 2, 1},
		{"peer-closed", "b", 2, 2},
		{"rank-crashed", "c", 1, 5},
		{"collective-timeout", "vm", 1, 6},
		{"rank-killed", "d", 1, 7},
		{"efa-peer-lost", "", 1, 8},
	}, got)
	require.Equal(t, []string{"i-00000000000000001", "i-00000000000000002"}, found[5].Instances)
	require.Equal(t, "log", found[0].File)
}

func TestTracesOfShellScriptsArePassedOver(t *testing.T) {
	t.Parallel()
	require.Empty(t, scan(t, "+ echo 'Job for gdrcopy.service failed'\nStdout: +function f { echo \"Module gdrdrv not found\"; }\n"+
		"++ grep 'error 802: system not yet initialized' log\n2026-01-01 Stderr: + echo Module nvidia not found in directory\n"))
	require.NotEmpty(t, scan(t, "1 + 1: Module gdrdrv not found\n"))
}

func TestKnownTextsAreFoundWhereverTheyStand(t *testing.T) {
	t.Parallel()
	rows := symptom.Table()
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SampledFrom(rows).Draw(t, "row")
		text := rapid.SampledFrom(row.Texts).Draw(t, "text")
		noise := rapid.StringMatching(`[a-z ./:\[\]0-9]{0,40}`)
		before, between, after := noise.Draw(t, "before"), noise.Draw(t, "between"), noise.Draw(t, "after")
		whole := before + strings.ReplaceAll(text, "*", between) + after
		if slices.ContainsFunc(row.Not, func(not string) bool { return strings.Contains(whole, not) }) {
			t.Skip()
		}
		s := symptom.New("")
		s.Line(line.Line{Number: 1, Text: []byte(whole)})
		if row.Harmless {
			_, ok := symptom.Harmless([]byte(whole))
			require.True(t, ok, whole)
			return
		}
		require.Contains(t, ids(s.Symptoms()), row.ID, whole)
	})
}

func TestALongLineIsReadInOneGo(t *testing.T) {
	t.Parallel()
	for _, row := range symptom.Table() {
		part, _, _ := strings.Cut(row.Texts[0], "*")
		s := symptom.New("")
		s.Line(line.Line{Number: 1, Text: []byte(strings.Repeat(part+" ", 1<<17/(len(part)+1)))})
		require.LessOrEqual(t, len(s.Symptoms()), len(symptom.Table()))
	}
}

func TestManyHostsAreBounded(t *testing.T) {
	t.Parallel()
	s := symptom.New("")
	for i := range 20000 {
		s.Line(line.Line{Number: i + 1, Text: []byte("n" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strconv.Itoa(i) + ":1:2 [0] NCCL WARN Duplicate GPU detected")})
	}
	found := s.Symptoms()
	require.LessOrEqual(t, len(found), 8193)
	times := 0
	for _, f := range found {
		times += f.Times
	}
	require.Equal(t, 20000, times)
}

func FuzzScanner(f *testing.F) {
	for _, lines := range samples(f) {
		f.Add([]byte(lines[0]))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := symptom.New("")
		r := line.New(bytes.NewReader(text))
		for r.Next() {
			s.Line(r.Line())
		}
		for _, found := range s.Symptoms() {
			_, ok := symptom.Lookup(found.ID)
			require.True(t, ok)
			require.LessOrEqual(t, len(found.Text), evidence.MaxText)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	s := symptom.New("")
	l := line.Line{Number: 1, Text: []byte("ip-10-1-0-11:41230:41299 [3] NCCL INFO Connected to proxy localRank 0 -> connection 0x7f4418000d20")}
	b.SetBytes(int64(len(l.Text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Line(l)
	}
}

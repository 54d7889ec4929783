package parse_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/internal/golden"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse"
	"github.com/weft-hpc/weft/validation/parse/fabric"
	"github.com/weft-hpc/weft/validation/parse/training"
)

const data = "../testdata"

func read(t testing.TB, name string, text []byte) evidence.Document {
	t.Helper()
	doc, err := parse.Read(name, bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, name, doc.File)
	return doc
}

// fixtures are all logs of testdata, by their path below it.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".md") {
			return err
		}
		name, _ := filepath.Rel(data, path)
		out[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	require.NoError(t, err)
	require.Greater(t, len(out), 100)
	return out
}

// told is a document in one line.
func told(doc *evidence.Document) string {
	parts := append([]string{strings.Join(doc.Kinds, "+")}, counts(doc)...)
	if doc.ExitCode != nil {
		parts = append(parts, fmt.Sprintf("exit %d", *doc.ExitCode))
	}
	for _, s := range doc.Symptoms {
		if id := "!" + s.ID; !slices.Contains(parts, id) {
			parts = append(parts, id)
		}
	}
	for _, f := range doc.Findings {
		parts = append(parts, fmt.Sprintf("%s %s", f.Level, f.Rule))
	}
	return strings.Join(parts, ", ")
}

func counts(doc *evidence.Document) (out []string) {
	count := func(what string, n int) {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, what))
		}
	}
	if s := doc.Sweep; s != nil {
		count("rows", len(s.Rows))
		count("worlds", s.Worlds)
	}
	if p := doc.Path; p != nil {
		count("NCCL lines", int(p.Lines))
		count("nodes", len(p.Nodes))
	}
	if i := doc.Info; i != nil {
		count("endpoints", len(i.Endpoints))
		count("listed", len(i.Listed))
	}
	if p := doc.Pingpong; p != nil {
		count("sizes", len(p.Rows))
	}
	if d := doc.Dispatch; d != nil {
		count("figures", len(d.Figures))
	}
	if t := doc.Training; t != nil {
		count("iterations", len(t.Iterations))
	}
	return out
}

func TestWhatEveryFixtureIs(t *testing.T) {
	t.Parallel()
	golden.NoneUnused(t, "testdata", ".txt")
	all := fixtures(t)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		doc := read(t, name, all[name])
		_, err := json.Marshal(doc)
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s: %s\n", name, told(&doc))
	}
	golden.Check(t, filepath.Join("testdata", "fixtures.txt"), []byte(b.String()))
}

func TestTheNameDoesNotMatter(t *testing.T) {
	t.Parallel()
	text := fixtures(t)["formats/libfabric/fi_info_-l.txt"]
	require.Equal(t, []string{parse.FIInfo}, read(t, "all_reduce_perf.json", text).Kinds)
}

func packed(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestPackedFilesAreReadAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, text := range fixtures(t) {
		require.Equal(t, read(t, "a", text), read(t, "a", packed(t, text)), name)
	}
}

func TestATornPackedFile(t *testing.T) {
	t.Parallel()
	whole := packed(t, fixtures(t)["formats/megatron/megatron_v0.17plus_log-interval-1_one-stall.txt"])
	for n := 3; n < len(whole); n += 7 {
		doc := read(t, "a", whole[:n])
		require.Equal(t, diag.Error, doc.Findings.Worst(), n)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 0xff
	require.True(t, read(t, "a", damaged).Findings.Failed())
}

func TestFilesOfNoKind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, got string }{
		"empty":            {"", "an empty file"},
		"blank":            {" \n\n\t\r\n", "an empty file"},
		"packed nothing":   {string(packed(t, nil)), "an empty file"},
		"prose":            {"\n  the quick brown fox\njumps\n", "a text that begins the quick brown fox"},
		"JSON":             {`{"a": 1}`, `a text that begins {"a": 1}`},
		"a dump":           {"NCCL_NET=IB\nAWS_SECRET_ACCESS_KEY=x\n", "a text that begins NCCL_NET=IB"},
		"zero bytes":       {"nccl\x00tests", "data that are no text, beginning with the bytes 6e 63 63 6c 00 74 65 73"},
		"zstd":             {"\x28\xb5\x2f\xfd\x00\x01", "data that are no text, beginning with the bytes 28 b5 2f fd 00 01: packed by zstd"},
		"noise":            {strings.Repeat("\xff\xfd\x81", 50), "data that are no text, beginning with the bytes ff fd 81 ff fd 81 ff fd"},
		"an archive":       {"a.log" + strings.Repeat("\x00", 252) + "ustar\x0000", "data that are no text, beginning with the bytes 61 2e 6c 6f 67 00 00 00: a tar archive"},
		"one byte":         {"\xff", "data that are no text, beginning with the bytes ff"},
		"a bare beginning": {"fi_", "a text that begins fi_"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := read(t, "a", []byte(c.text))
			require.Empty(t, doc.Kinds)
			require.Len(t, doc.Findings, 1)
			f := doc.Findings[0]
			require.Equal(t, diag.FileUnreadable, f.Rule)
			require.Equal(t, diag.Error, f.Severity())
			require.Equal(t, "a", f.Place.File)
			require.Equal(t, c.got, f.Got)
			require.Contains(t, f.Want, "nccl-tests")
			require.NotEmpty(t, f.Hint)
		})
	}
}

func TestAnErrorIsOneOfReading(t *testing.T) {
	t.Parallel()
	broken := errors.New("stale file handle")
	for name, text := range map[string][]byte{
		"at once":   nil,
		"in a log":  fixtures(t)["nccl-two-gpu/ar_debug.txt"],
		"in JSON":   fixtures(t)["nccl-two-gpu/iter.json"][:2000],
		"in gzip":   packed(t, fixtures(t)["nccl-two-gpu/ar_debug.txt"])[:200],
		"in pplx's": fixtures(t)["formats/ep/pplx-garden_output.json"][:300],
	} {
		_, err := parse.Read("a", io.MultiReader(bytes.NewReader(text), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken, name)
		require.ErrorContains(t, err, "reading a: ", name)
	}
}

func TestSeveralThingsInOneFile(t *testing.T) {
	t.Parallel()
	all := fixtures(t)
	var text []byte
	for _, name := range []string{
		"formats/nccl-tests/all_reduce_v2.18.3_p5en_4n.txt", "formats/nccl-debug/ok_ofi-1.21_nccl-2.31_p5en_gin-gdaki.log",
		"formats/ep/deepep-v2_test_ep_2n_gin.txt", "formats/megatron/megatron_v0.17plus_log-interval-1_one-stall.txt",
		"formats/libfabric/fi_pingpong_-I_1000_-S_all_good.txt", "formats/libfabric/fi_info_efa_libfabric-2.x_two-fabrics.txt",
		"reported/CPU-03.log", "reported/GDR-04.log",
	} {
		require.Contains(t, all, name)
		text = append(append(text, all[name]...), '\n')
	}
	doc := read(t, "a", append(text, "rc=3\n"...))
	require.Equal(t, []string{
		parse.NCCLTests, parse.DeepEP2, parse.Megatron, parse.FIPingpong, parse.FIInfo, parse.NCCLLog, parse.Slurm, parse.NodeBoot,
	}, doc.Kinds)
	require.Equal(t, "GDAKI", doc.Dispatch.Backend)
	require.Equal(t, map[string][]string{"": {"rdmap79s0", "rdmap80s0"}}, doc.Info.Devices("efa"))
	require.Len(t, doc.Training.Iterations, 24)
	require.Len(t, doc.Pingpong.Rows, 6)
	require.NotEmpty(t, doc.Sweep.Rows)
	require.Equal(t, 3, *doc.ExitCode)
}

func TestStepsBetweenMessages(t *testing.T) {
	t.Parallel()
	text := fmt.Sprintf(training.StepFormat, 1, 2, 2.5, 80.0) + "n1:7:7 [0] NCCL INFO Using network Libfabric\n" +
		"n1:7:7 [0] NCCL INFO Using network Libfabric\n" + fmt.Sprintf(training.StepFormat, 2, 2, 2.25, 80.0) + "\n"
	doc := read(t, "a", []byte(text))
	require.Equal(t, []string{parse.Torch, parse.NCCLLog}, doc.Kinds)
	require.Len(t, doc.Training.Iterations, 2)
	require.True(t, doc.Training.Concluded)
	require.EqualValues(t, 2, doc.Path.Lines)
}

func TestBothSidesOfAPingpong(t *testing.T) {
	t.Parallel()
	all := fixtures(t)
	server := all["nccl-two-host/h_pingpong_efa_server.txt"]
	client := all["nccl-two-host/h_pingpong_tcp_client.txt"]
	text := fabric.PairLine("n1", "n2", "efa") + "\n" + string(server) + fabric.PairLine("n3", "n4", "tcp") + "\n" + string(client)
	doc := read(t, "a", []byte(text))
	require.Len(t, doc.Pingpongs, 2)
	require.Equal(t, "n3", doc.Pingpong.From)
	require.Nil(t, read(t, "a", client).Pingpongs)
}

// sameForEvery reads a text in both ways: that most lines are given to few parsers must not show.
func sameForEvery(t require.TestingT, text []byte) {
	got, err := parse.ReadText("a", bytes.NewReader(text))
	require.NoError(t, err)
	want, err := parse.ReadEvery("a", bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, shown(t, want), shown(t, got))
}

func shown(t require.TestingT, doc evidence.Document) string {
	out, err := json.Marshal(doc)
	require.NoError(t, err)
	return string(out)
}

func TestNoParserMissesALine(t *testing.T) {
	t.Parallel()
	all := fixtures(t)
	var every [][]byte
	for name, text := range all {
		t.Run(name, func(t *testing.T) { sameForEvery(t, text) })
		if !strings.HasSuffix(name, ".json") {
			every = append(every, slices.Collect(bytes.Lines(text))...)
		}
	}
	slices.SortFunc(every, bytes.Compare) // maps have no order
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for range rapid.IntRange(1, 60).Draw(t, "pieces") {
			at := rapid.IntRange(0, len(every)-1).Draw(t, "line")
			piece := every[at]
			if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
				piece = piece[:rapid.IntRange(0, len(piece)).Draw(t, "end")]
			}
			text = append(text, piece...)
		}
		sameForEvery(t, text)
	})
}

// TestCutAnywhere cuts files of every kind at every place: no error, no panic, no more than there was.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	all := fixtures(t)
	for _, name := range []string{
		"formats/nccl-tests/all_reduce_v2.18.3_p5en_4n.txt", "formats/nccl-tests/all_reduce_v2.19.6.json", "formats/ep/pplx-garden_output.json",
		"formats/libfabric/fi_info_-l.txt", "reported/CB-05.log",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := all[name]
			require.NotEmpty(t, text)
			whole := read(t, "a", text)
			for n := 0; n < len(text); n += 1 + len(text)/400 {
				doc := read(t, "a", text[:n])
				if doc.Sweep != nil && whole.Sweep != nil {
					require.LessOrEqual(t, len(doc.Sweep.Rows), len(whole.Sweep.Rows))
				}
				require.LessOrEqual(t, len(doc.Symptoms), len(whole.Symptoms))
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	all := fixtures(f)
	for _, text := range all {
		f.Add(text[:min(len(text), 4000)])
	}
	f.Add(packed(f, all["reported/NCCL-05.log"]))
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := parse.Read("a", bytes.NewReader(text))
		require.NoError(t, err)
		if len(doc.Kinds) == 0 {
			require.NotEmpty(t, doc.Findings)
		}
		_, err = json.Marshal(doc)
		require.NoError(t, err)
		sameForEvery(t, text)
	})
}

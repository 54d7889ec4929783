package nccl_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/internal/golden"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/nccl"
)

const logs = "../../testdata"

func read(t testing.TB, name string, r io.Reader) evidence.Path {
	t.Helper()
	p, lines := nccl.New(name), line.New(r)
	for lines.Next() {
		p.Line(lines.Line())
	}
	require.NoError(t, lines.Err())
	return p.Path()
}

func readText(t testing.TB, text string) evidence.Path {
	t.Helper()
	return read(t, "log", strings.NewReader(text))
}

func readFile(t testing.TB, name string) evidence.Path {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(logs, filepath.FromSlash(name)))
	require.NoError(t, err)
	return read(t, name, bytes.NewReader(content))
}

func TestLogs(t *testing.T) {
	t.Parallel()
	golden.NoneUnused(t, "testdata", ".json")
	var names []string
	for _, pattern := range []string{
		"nccl-tests-h200/*.txt", "nccl-two-gpu/*.txt", "nccl-two-host/[a-gi-k]_*.*", "nccl-eight-hosts/*.txt", "formats/nccl-debug/*.log", "reported/NCCL-*.log",
	} {
		found, err := filepath.Glob(filepath.Join(logs, filepath.FromSlash(pattern)))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		names = append(names, found...)
	}
	for _, name := range names {
		relative, err := filepath.Rel(logs, name)
		require.NoError(t, err)
		if strings.HasSuffix(name, ".json") {
			continue
		}
		t.Run(filepath.ToSlash(relative), func(t *testing.T) {
			t.Parallel()
			path := readFile(t, filepath.ToSlash(relative))
			if path.Lines == 0 {
				require.Empty(t, path.Nodes)
				return
			}
			var got bytes.Buffer
			writer := json.NewEncoder(&got)
			writer.SetEscapeHTML(false)
			writer.SetIndent("", "  ")
			require.NoError(t, writer.Encode(path))
			golden.Check(t, filepath.Join("testdata", relative+".json"), got.Bytes())
		})
	}
}

func TestReadingByteByByteIsTheSame(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"nccl-two-host/b_ofi_subsys_net.txt", "nccl-two-host/e_timestamp_tag_output.txt", "nccl-two-host/i_torch_killed.txt",
		"formats/nccl-debug/bad_ofi-init-failures.log",
	} {
		content, err := os.ReadFile(filepath.Join(logs, name))
		require.NoError(t, err)
		require.Equal(t, read(t, name, bytes.NewReader(content)), read(t, name, iotest.OneByteReader(bytes.NewReader(content))), name)
	}
}

func TestTheOrderOfHostsLinesDoesNotMatter(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(logs, "formats/nccl-debug/ok_ofi-1.16_nccl-2.27.7_p6-b200.log"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	other := strings.Split(strings.ReplaceAll(string(content), "b200-st-gpu-1:", "b200-st-gpu-2:"), "\n")
	rapid.Check(t, func(rt *rapid.T) {
		var mixed []string
		for i, j := 0, 0; i < len(lines) || j < len(lines); {
			if j == len(lines) || i < len(lines) && rapid.Bool().Draw(rt, "first") {
				mixed, i = append(mixed, lines[i]), i+1
			} else {
				mixed, j = append(mixed, other[j]), j+1
			}
		}
		path := readText(t, strings.Join(mixed, "\n"))
		require.Len(t, path.Nodes, 2)
		for _, n := range path.Nodes {
			require.Equal(t, evidence.Channels{Net: 3, Libfabric: 3, GDR: 3}, n.Channels)
			require.Equal(t, []int{8}, n.NICs)
			require.Equal(t, map[string]int{"efa": 1}, n.Providers)
			require.Equal(t, map[string]int{"Libfabric": 1}, n.Networks)
		}
		require.Empty(t, path.Symptoms)
	})
}

func TestATruncatedLogNeverSaysMore(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(logs, "nccl-two-host/b_ofi_tcp_all_reduce.txt"))
	require.NoError(t, err)
	whole := read(t, "log", bytes.NewReader(content))
	rapid.Check(t, func(rt *rapid.T) {
		part := read(t, "log", bytes.NewReader(content[:rapid.IntRange(0, len(content)).Draw(rt, "end")]))
		require.LessOrEqual(t, part.Lines, whole.Lines)
		require.LessOrEqual(t, len(part.Symptoms), len(whole.Symptoms))
		for i, n := range part.Nodes {
			require.LessOrEqual(t, n.Channels.Net, whole.Nodes[i].Channels.Net)
			require.LessOrEqual(t, n.Channels.GDR, whole.Nodes[i].Channels.GDR)
		}
	})
}

func TestWhatALogDoesNotSayStaysEmpty(t *testing.T) {
	t.Parallel()
	require.Equal(t, evidence.Path{Nodes: []evidence.NodePath{}}, readText(t, ""))
	require.Equal(t, evidence.Path{Nodes: []evidence.NodePath{}}, readText(t, "# nThread 1\n   8  2 float sum -1 1 1 1 0 1 1 1 0\niteration 1\n"))

	started := readText(t, "a:1:2 [0] NCCL INFO NCCL version 2.27.7+cuda13.0\na:1:2 [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl 1.16.3\n")
	require.Equal(t, evidence.Path{
		NCCL: "2.27.7+cuda13.0", Plugin: "1.16.3", Nodes: []evidence.NodePath{{Host: "a"}}, Lines: 2,
	}, started)
}

func TestManyHostsWarningsAndSettingsAreBounded(t *testing.T) {
	t.Parallel()
	p := nccl.New("log")
	give := func(n int, text string) { p.Line(line.Line{Number: n, Text: []byte(text)}) }
	for i := range 20000 {
		host := "n" + strings.Repeat("i", i%5) + string(rune('a'+i%26)) + strings.Repeat("0", i%3) + fmtInt(i)
		give(i, host+":1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Libfabric/0/GDRDMA")
		give(i, "a:1:2 [0] NCCL INFO NCCL_X"+fmtInt(i)+" set by environment to 1")
		give(i, "a:1:2 [0] x.cc:1 NCCL WARN number "+fmtInt(i))
		give(i, "a:1:2 [0] NCCL INFO Using network N"+fmtInt(i))
	}
	path := p.Path()
	require.Len(t, path.Nodes, 16384)
	require.Len(t, path.Settings, 512)
	require.Len(t, path.Warnings, 256)
	require.Positive(t, path.Omitted)
	require.EqualValues(t, 80000, path.Lines)
}

func TestMessagesThatComeAgainAreReadAgain(t *testing.T) {
	t.Parallel()
	const (
		nothing = "Connected all rings, use ring PXN 0 GDR 1"
		says    = "NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)"
		warns   = "NET/Plugin: Could not find: libnccl-net.so"
	)
	var log strings.Builder
	for range 3 {
		for _, host := range []string{"a", "b"} {
			for _, body := range []string{nothing, says, warns, nothing + " a:1:2 [0] NCCL INFO " + says} {
				log.WriteString(host + ":1:2 [0] NCCL INFO " + body + "\n")
			}
		}
	}
	path := readText(t, log.String())
	require.EqualValues(t, 30, path.Lines)
	require.Equal(t, map[string]int{"efa": 9}, path.Nodes[0].Providers)
	require.Equal(t, map[string]int{"efa": 3}, path.Nodes[1].Providers)
	require.Len(t, path.Symptoms, 2)
	require.Equal(t, 3, path.Symptoms[0].Times)
}

func TestALongLineIsReadInOneGo(t *testing.T) {
	t.Parallel()
	for text, lines := range map[string]int64{
		"x NCCL ":                             0,
		" [0] NCCL ":                          0,
		"a:1:2 [0] ":                          0,
		"a:1:2 [0] NCCL INFO ":                51,
		" 1 -1a:1:2 [0] NCCL INFO comm ":      34,
		"a:1:2 [0] NCCL INFO Channel 0 : via": 29,
	} {
		path := readText(t, strings.Repeat(text, 1024/len(text))+"\n")
		require.Equal(t, lines, path.Lines, text)
		readText(t, strings.Repeat(text, 1<<18/len(text)))
	}
}

func fmtInt(i int) string {
	out, _ := json.Marshal(i) //nolint:errchkjson // a number always marshals
	return string(out)
}

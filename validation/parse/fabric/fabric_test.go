package fabric_test

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
	"github.com/weft-hpc/weft/validation/parse/fabric"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// read gives all lines of a text to a parser.
func read(t testing.TB, name, text string) *fabric.Parser {
	t.Helper()
	p := fabric.New(name)
	r := line.New(strings.NewReader(text))
	for r.Next() {
		p.Line(r.Line())
	}
	require.NoError(t, r.Err())
	return p
}

// said is all that a parser found.
type said struct {
	Info      *evidence.FabricInfo `json:"info,omitempty"`
	Devices   map[string][]string  `json:"devices,omitempty"`
	Pingpongs []evidence.Pingpong  `json:"pingpongs,omitempty"`
	Findings  diag.List            `json:"findings,omitempty"`
}

func of(p *fabric.Parser) said {
	s := said{Info: p.Info(), Pingpongs: p.Pingpongs(), Findings: p.Findings()}
	if s.Info != nil {
		s.Devices = s.Info.Devices("efa")
	}
	return s
}

func fixtures(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"formats/libfabric/*", "nccl-two-host/h_*"} {
		names, err := filepath.Glob(filepath.Join("../../testdata", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, names)
		out = append(out, names...)
	}
	return out
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
			got, err := json.MarshalIndent(of(read(t, name, string(text))), "", " ")
			require.NoError(t, err)
			golden.Check(t, filepath.Join("testdata", strings.TrimSuffix(name, ".txt")+".json"), append(got, '\n'))
		})
	}
}

func TestDevicesOfAProvider(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/formats/libfabric/fi_info_efa_libfabric-2.x_two-fabrics.txt")
	require.NoError(t, err)
	info := read(t, "a", string(text)).Info()
	require.Len(t, info.Endpoints, 6)
	require.Equal(t, map[string][]string{"": {"rdmap79s0", "rdmap80s0"}}, info.Devices("efa"))
	require.Empty(t, info.Devices("tcp"))
}

func TestAnswersOfTwoNodesBetweenEachOther(t *testing.T) {
	t.Parallel()
	keys := []string{"provider: efa", "    fabric: efa", "    domain: rdmap1s0-rdm", "    version: 118.20", "    type: FI_EP_RDM", "    protocol: FI_PROTO_EFA"}
	var b strings.Builder
	for _, key := range keys {
		b.WriteString("0: " + key + "\n1: " + strings.Replace(key, "rdmap1s0", "rdmap2s0", 1) + "\n")
	}
	p := read(t, "a", b.String())
	require.Equal(t, map[string][]string{"0": {"rdmap1s0"}, "1": {"rdmap2s0"}}, p.Info().Devices("efa"))
	require.Empty(t, p.Findings())
}

const top = "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"

func TestRows(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]evidence.PingpongRow{
		"64      10      =10      1.2k        0.04s      0.03    1875.60       0.00": {Bytes: 64, Sent: 10, Acked: 10, Seconds: 0.04, MBps: 0.03, OneWayUS: 1875.6},
		"1.5k    1k      =1k      2.9m        0.01s    307.69       4.99       0.20": {Bytes: 1536, Sent: 1000, Acked: 1000, Seconds: 0.01, MBps: 307.69, OneWayUS: 4.99},
		"1m      2m      +5       1.9g        0.20s  10346.09     101.35       0.01": {Bytes: 1 << 20, Sent: 2e6, Acked: 2e6 - 5, Seconds: 0.2, MBps: 10346.09, OneWayUS: 101.35},
		"64      100     -3       12k         0.20s      1.00       1.00       0.01": {Bytes: 64, Sent: 100, Acked: 103, Seconds: 0.2, MBps: 1, OneWayUS: 1},
		"4k      1b      =1b      7t          0.20s      1.00       1.00       0.01": {Bytes: 4096, Sent: 1e9, Acked: 1e9, Seconds: 0.2, MBps: 1, OneWayUS: 1},
	} {
		got := read(t, "a", top+row+"\n").Pingpong()
		want.Excerpt = evidence.Excerpt{File: "a", Line: 2, Text: row}
		require.Equal(t, []evidence.PingpongRow{want}, got.Rows, row)
	}
}

func TestRowsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, row := range []string{
		"64      10      =10      1.2k        0.04s      0.03    1875.60",
		"64      10      =10      1.2k        0.04s      0.03    1875.60       0.0",
		"64      10      =10      1.2k        0.04s       inf        nan       0.00",
		"64      10      +11      1.2k        0.04s      0.03    1875.60       0.00",
		"99999999999999999999999 10 =10 1.2k 0.04s 0.03 1875.60 0.00",
		"64      10      =10      1.2k        0.0vm:21:21 [0] NCCL INFO Using network Socket",
	} {
		p := read(t, "a", top+row+"\n")
		require.Empty(t, p.Pingpong().Rows, row)
		require.Len(t, p.Findings(), 1, row)
		require.Equal(t, diag.FileUnreadable, p.Findings()[0].Rule)
		require.Equal(t, 2, p.Findings()[0].Place.Line)
	}
	p := read(t, "a", "64      10      =10      1.2k        0.04s      0.03    1875.60       0.00\n")
	require.Nil(t, p.Pingpong(), "a row without a header is nobody's")
	require.Empty(t, p.Findings())
}

func TestTheFirstRowIsNotWarm(t *testing.T) {
	t.Parallel()
	row := "64      10      =10      1.2k        0.04s      0.03    1875.60       0.00\n"
	got := read(t, "a", top+row+row+row).Pingpong()
	require.Equal(t, []bool{false, true, true}, []bool{got.Rows[0].Warm, got.Rows[1].Warm, got.Rows[2].Warm})
}

func TestSeveralRunsAndBothSides(t *testing.T) {
	t.Parallel()
	row := "64      10      =10      1.2k        0.04s      0.03    1875.60       0.00\n"
	text := fabric.PairLine("n1", "n2", "efa") + "\n" + top + row + row +
		fabric.PairLine("n3", "n4", "efa") + "\n[error] util/pingpong.c:411 : failed to connect: Connection refused\n" +
		fabric.PairLine("n5", "n6", "efa") + "\n" + top + row + row + row
	p := read(t, "a", text)
	all := p.Pingpongs()
	require.Len(t, all, 3)
	require.Equal(t, []string{"n1", "n3", "n5"}, []string{all[0].From, all[1].From, all[2].From})
	require.Equal(t, []string{"n2", "n4", "n6"}, []string{all[0].To, all[1].To, all[2].To})
	require.NotNil(t, all[1].Failure)
	require.Equal(t, "n5", p.Pingpong().From)
	require.Equal(t, []bool{false, true, true}, []bool{all[2].Rows[0].Warm, all[2].Rows[1].Warm, all[2].Rows[2].Warm})

	all = read(t, "a", "0: "+top+"1: "+top+"0: "+row+"1: "+row+top+row+top+row).Pingpongs()
	require.Len(t, all, 4)
	require.Equal(t, []string{"0", "1", "", ""}, []string{all[0].Label, all[1].Label, all[2].Label, all[3].Label})
}

func TestAPairLineIsWholeOrNone(t *testing.T) {
	t.Parallel()
	p := read(t, "a", "weft pair from=n1 to=\nweft pair from=n1 to=n2 provider=ef")
	require.Len(t, p.Findings(), 2)
	require.Nil(t, p.Pingpong())
}

// TestCutAnywhere cuts every fixture at every byte: nothing may be said then that the whole file does not say.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, path := range fixtures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			text = text[:min(len(text), 900)]
			whole := of(read(t, "a", string(text)))
			for n := range text {
				cutOff(t, of(read(t, "a", string(text[:n]))), whole)
			}
		})
	}
}

func cutOff(t *testing.T, got, whole said) {
	t.Helper()
	if got.Info != nil {
		for i, e := range got.Info.Endpoints {
			if e.Protocol == "" {
				e.Protocol = whole.Info.Endpoints[i].Protocol
			}
			require.Equal(t, whole.Info.Endpoints[i], e)
		}
		for name, version := range got.Info.Listed {
			require.Equal(t, whole.Info.Listed[name], version)
		}
	}
	for i, ping := range got.Pingpongs {
		require.LessOrEqual(t, len(ping.Rows), len(whole.Pingpongs[i].Rows))
		for j, row := range ping.Rows {
			require.Equal(t, whole.Pingpongs[i].Rows[j], row)
		}
	}
}

func FuzzParser(f *testing.F) {
	for _, path := range fixtures(f) {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(text[:min(len(text), 3000)])
	}
	f.Add([]byte("0: " + fabric.PairLine("a", "b", "efa") + "\n0: " + top + "0: 64 10 +3 1k 0.04s 0.03 18.60 0.00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := of(read(t, "a", string(text)))
		_, err := json.Marshal(got)
		require.NoError(t, err)
		for _, ping := range got.Pingpongs {
			for i, row := range ping.Rows {
				require.Equal(t, i > 0, row.Warm)
				require.GreaterOrEqual(t, row.Acked, int64(0))
				require.GreaterOrEqual(t, row.Bytes, int64(0))
			}
		}
	})
}

package nccl_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/nccl"
)

// questions are what the mawk script asks of a log: networks and providers by node, NIC counts, channels by road, settings and warnings.
const questions = `
/NCCL INFO Using network / { split($1, h, ":"); net[h[1] " " $NF]++ }
/Selected [Pp]rovider is / { split($1, h, ":"); prov[h[1]]++; if (match($0, /found [0-9]+ nics/)) nics[h[1] " " substr($0, RSTART+6, RLENGTH-11)]++ }
/ via NET\// { split($1, h, ":"); all[h[1]]++; if ($0 ~ /NET\/(AWS )?Libfabric/) { ofi[h[1]]++; if ($0 ~ /GDRDMA/) gdr[h[1]]++ } else if ($0 ~ /NET\/Socket/) sock[h[1]]++ }
/ via (P2P|SHM|NVLS)/ { split($1, h, ":"); loc[h[1]]++ }
/ set by environment to / { env[$5 "=" $NF]++ }
/NCCL WARN/ { warn[$0]++ }
END { for (k in all) print k, all[k], ofi[k], gdr[k], sock[k], loc[k]; for (k in net) print k; for (k in nics) print k; for (k in warn) print k }
`

// big writes a log of the size of b's, made of the lines of real runs under the names of many hosts.
func big(b *testing.B, size int64) string {
	b.Helper()
	lines := make([]string, 0, 4096)
	for _, name := range []string{"nccl-two-host/b_ofi_tcp_all_reduce.txt", "nccl-two-host/a_nvlink_all_reduce.txt", "nccl-two-host/j_aws1211_p5en_fi_provider_tcp.txt"} {
		content, err := os.ReadFile(filepath.Join(logs, name))
		require.NoError(b, err)
		for text := range strings.Lines(string(content)) {
			if _, body, found := strings.Cut(text, "] NCCL INFO "); found && strings.HasPrefix(text, "vm:") {
				lines = append(lines, body)
			}
		}
	}
	for i := range 2000 { // what a run on 64 nodes is made of
		lines = append(lines, fmt.Sprintf("Channel %02d/0 : %d[%d] -> %d[%d] [send] via NET/Libfabric/%d/GDRDMA\n",
			i%32, i%512, i%8, (i+8)%512, i%8, i%16))
	}
	path := filepath.Join(b.TempDir(), "nccl.log")
	file, err := os.Create(path)
	require.NoError(b, err)
	w := bufio.NewWriterSize(file, 1<<20)
	var written int64
	for i := 0; written < size; i++ {
		rank := i / 3 % 512
		n, err := fmt.Fprintf(w, "ip-10-1-%d-%d:%d:%d [%d] NCCL INFO %s", rank/8%4, rank/32+10, 41000+rank, 41000+rank+i%3*90, rank%8, lines[i%len(lines)])
		require.NoError(b, err)
		written += int64(n)
	}
	require.NoError(b, w.Flush())
	require.NoError(b, file.Close())
	return path
}

// BenchmarkAgainst reads a log of 256 MB, and lets wc -l and mawk read it beside. Seconds are of processor time, which other programs on
// the machine stretch less than the clock's.
func BenchmarkAgainst(b *testing.B) {
	const size = 256 << 20
	path := big(b, size)
	wc := other(b, path, "wc", "-l")
	mawk := other(b, path, "mawk", questions)
	b.ResetTimer()
	var heap uint64
	before := spent(syscall.RUSAGE_SELF)
	for b.Loop() {
		heap = parse(b, path)
	}
	seconds := (spent(syscall.RUSAGE_SELF) - before).Seconds() / float64(b.N)
	b.ReportMetric(size/1e6/seconds, "MB/cpu-s")
	b.ReportMetric(float64(heap)/1e6, "MB-heap")
	if wc > 0 {
		b.ReportMetric(size/1e6/wc, "wc-MB/cpu-s")
		b.ReportMetric(wc/seconds, "x-of-wc")
	}
	if mawk > 0 {
		b.ReportMetric(size/1e6/mawk, "mawk-MB/cpu-s")
		b.ReportMetric(mawk/seconds, "x-of-mawk")
	}
}

// parse reads the file and tells how much the heap held at the end.
func parse(b *testing.B, path string) uint64 {
	b.Helper()
	file, err := os.Open(path)
	require.NoError(b, err)
	p, lines := nccl.New(path), line.New(file)
	for lines.Next() {
		p.Line(lines.Line())
	}
	require.NoError(b, lines.Err())
	require.NoError(b, file.Close())
	require.Len(b, p.Path().Nodes, 64)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapInuse
}

// other is the processor time of another program on the file, in seconds; 0 where this machine does not have it.
func other(b *testing.B, path, program string, args ...string) float64 {
	b.Helper()
	if _, err := exec.LookPath(program); err != nil {
		b.Logf("%s is not on this machine: not compared", program)
		return 0
	}
	cmd := exec.Command(program, append(args, path)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, "%s", bytes.TrimSpace(out))
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// spent is the processor time used so far.
func spent(who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func BenchmarkLine(b *testing.B) {
	for name, text := range map[string]string{
		"channel": "ip-10-1-0-11:41230:41299 [3] NCCL INFO Channel 07/0 : 11[3] -> 19[3] [send] via NET/Libfabric/3/GDRDMA",
		"proxy":   "ip-10-1-0-11:41230:41299 [3] NCCL INFO Connected to proxy localRank 0 -> connection 0x7f4418000d20",
		"echo":    "ip-10-1-0-11:41230:41299 [3] NCCL INFO NCCL_NVLS_ENABLE set by environment to 0.",
		"row":     "     8388608       2097152     float     sum      -1  2349.69    3.57    3.57       0  2348.39    3.57    3.57       0",
		"warning": "ip-10-1-0-11:41230:41299 [3] x.cc:1 NCCL WARN NET/OFI fi_nic attributes not available.",
	} {
		b.Run(name, func(b *testing.B) {
			p := nccl.New("log")
			l := line.Line{Number: 1, Text: []byte(text)}
			b.SetBytes(int64(len(text)) + 1)
			b.ReportAllocs()
			for b.Loop() {
				p.Line(l)
			}
		})
	}
}

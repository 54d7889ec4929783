package parse_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/parse"
)

// The lines that large logs are made of. Each has what changes from line to line filled in by its number.
var bulk = map[string]func(i int) string{
	"channel": channelLine,
	"plain": func(i int) string {
		return fmt.Sprintf("2026-11-30 10:%02d:%02d.123 rank %d trainer: finished batch %d of the epoch, %d samples were dropped\n", i/60%60, i%60, i%512, i, i%17)
	},
	"prose": func(i int) string {
		return fmt.Sprintf("trainer: rank %d finished batch %d of the epoch, %d samples were dropped\n", i%512, i, i%17)
	},
	"row": func(i int) string {
		return fmt.Sprintf("%12d  %12d  %8s  %6s  %6s  %7.2f  %6.2f  %6.2f  %6s  %7.2f  %6.2f  %6.2f  %6s\n",
			8<<(i%20), 2<<(i%20), "float", "sum", "-1", 2349.69+float64(i%9), 3.57, 3.57, "0", 2348.39, 3.57, 3.57, "0")
	},
}

func channelLine(i int) string {
	rank := i / 3 % 512
	return fmt.Sprintf("ip-10-1-%d-%d:%d:%d [%d] NCCL INFO Channel %02d/0 : %d[%d] -> %d[%d] [send] via NET/Libfabric/%d/GDRDMA\n",
		rank/8%4, rank/32+10, 41000+rank, 41000+rank+i%3*90, rank%8, i%32, rank, rank%8, (rank+8)%512, rank%8, i%16)
}

// header comes before a table's rows.
const header = "# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0\n" +
	"#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"

// lines writes lines of some forms in turns, some of each at a time as programs do.
func lines(size int, forms ...string) []byte {
	out := make([]byte, 0, size+1024)
	out = append(out, header...)
	for i := 0; len(out) < size; i++ {
		out = append(out, bulk[forms[i/7%len(forms)]](i)...)
	}
	return out
}

// BenchmarkRead reads what most of a large log is. Mixed is as a job's output is: NCCL's lines, a program's own, a table.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name  string
		forms []string
	}{
		{"channel", []string{"channel"}},
		{"plain", []string{"plain"}},
		{"prose", []string{"prose"}},
		{"row", []string{"row"}},
		{"mixed", []string{"channel", "channel", "channel", "plain", "channel", "prose", "channel", "row"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			in := lines(8<<20, c.forms...)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			before := spent()
			for b.Loop() {
				_, err := parse.Read("a", bytes.NewReader(in))
				require.NoError(b, err)
			}
			b.ReportMetric(float64(len(in)*b.N)/1e6/(spent()-before).Seconds(), "MB/cpu-s")
		})
	}
}

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

// BenchmarkAgainst reads logs as `weft diagnose` does, all parsers at once, and lets wc -l and mawk read them beside: of mawk's script, which
// asks a part of the same questions, a log is to be read five times as fast. Seconds are of processor time, which other programs on the
// machine stretch less than the clock's. A file of another size is read where WEFT_BENCH_MB says so.
func BenchmarkAgainst(b *testing.B) {
	for name, write := range map[string]func(i int) string{"channels": channelLine, "startup": startup(b)} {
		b.Run(name, func(b *testing.B) {
			path, size := big(b, write)
			wc := other(b, path, "wc", "-l")
			mawk := other(b, path, "mawk", questions)
			b.ResetTimer()
			before, heap := spent(), uint64(0)
			for b.Loop() {
				heap = max(heap, peak(b, path))
			}
			seconds := (spent() - before).Seconds() / float64(b.N)
			b.ReportMetric(size/seconds, "MB/cpu-s")
			b.ReportMetric(float64(heap)/1e6, "MB-peak-heap")
			if wc > 0 {
				b.ReportMetric(wc/seconds, "x-of-wc")
			}
			if mawk > 0 {
				b.ReportMetric(size/mawk, "mawk-MB/cpu-s")
				b.ReportMetric(mawk/seconds, "x-of-mawk")
			}
		})
	}
}

// startup are lines of real runs' starts, half of them, and of channels, under the names of many hosts.
func startup(b *testing.B) func(i int) string {
	b.Helper()
	var bodies []string
	for _, name := range []string{"b_ofi_tcp_all_reduce.txt", "a_nvlink_all_reduce.txt", "j_aws1211_p5en_fi_provider_tcp.txt"} {
		content, err := os.ReadFile(filepath.Join(data, "nccl-two-host", name))
		require.NoError(b, err)
		for text := range strings.Lines(string(content)) {
			if _, body, found := strings.Cut(text, "] NCCL INFO "); found && strings.HasPrefix(text, "vm:") {
				bodies = append(bodies, body)
			}
		}
	}
	return func(i int) string {
		if i%2 == 0 {
			return channelLine(i / 2)
		}
		rank := i / 3 % 512
		return fmt.Sprintf("ip-10-1-%d-%d:%d:%d [%d] NCCL INFO %s", rank/8%4, rank/32+10, 41000+rank, 41000+rank+i%3*90, rank%8, bodies[i/2%len(bodies)])
	}
}

// big writes a log, and tells its size in MB.
func big(b *testing.B, write func(i int) string) (path string, size float64) {
	b.Helper()
	most := 256
	if asked := os.Getenv("WEFT_BENCH_MB"); asked != "" {
		_, err := fmt.Sscan(asked, &most)
		require.NoError(b, err)
	}
	path = filepath.Join(b.TempDir(), "job.log")
	file, err := os.Create(path)
	require.NoError(b, err)
	w := bufio.NewWriterSize(file, 1<<20)
	written := 0
	for i := 0; written < most*1e6; i++ {
		n, err := w.WriteString(write(i))
		require.NoError(b, err)
		written += n
	}
	require.NoError(b, w.Flush())
	require.NoError(b, file.Close())
	return path, float64(written) / 1e6
}

// peak reads a file and tells the most that the heap held meanwhile, looked at each time that a megabyte was read.
func peak(b *testing.B, path string) uint64 {
	b.Helper()
	file, err := os.Open(path)
	require.NoError(b, err)
	watched := &watch{File: file}
	doc, err := parse.Read(path, watched)
	require.NoError(b, err)
	require.NoError(b, file.Close())
	require.Len(b, doc.Path.Nodes, 64)
	return watched.most.Load()
}

// watch looks at the heap while a file is read.
type watch struct {
	*os.File
	reads int
	most  atomic.Uint64
}

func (w *watch) Read(p []byte) (int, error) {
	if w.reads++; w.reads%64 == 1 {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		w.most.Store(max(w.most.Load(), memory.HeapInuse))
	}
	return w.File.Read(p)
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

// spent is the processor time that this process used so far.
func spent() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

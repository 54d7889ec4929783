package sweep_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/validation/evidence"
)

const (
	asked   = "# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 \n"
	columns = "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong \n"
	footer  = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 3.5 \n"
	left    = "     1048576        262144     float     sum      -1"
	outside = "   886.56    1.18    1.18       0"
	inside  = "   584.84    1.79    1.79     N/A"
	message = "vm:2212:2212 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f35b5800000 count 262144 datatype 7\n"
	warning = "\n[2026-11-30 19:01:53] vm:4487:4510 [0] misc/socket.cc:71 NCCL WARN socketProgress: Connection closed by remote peer\n"
)

// halves writes a row shortly: what it is of, then its times.
func halves(rows []evidence.Row) string {
	var out []string
	for _, r := range rows {
		text := fmt.Sprintf("%d %s", r.Bytes, r.Type)
		for _, h := range []*evidence.Half{r.OutOfPlace, r.InPlace} {
			if h == nil {
				text += " none"
				continue
			}
			text += fmt.Sprintf(" %g", h.TimeUS)
			if h.Wrong == nil {
				text += "?"
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestRowsInPieces(t *testing.T) {
	t.Parallel()
	const whole = "1048576 float 886.56 584.84?"
	for name, c := range map[string]struct {
		text   string
		want   string
		faults int
	}{
		"in one piece":                                        {left + outside + inside + "\n", whole, 0},
		"a message after the left side":                       {left + message + outside + inside + "\n", whole, 0},
		"a message after each piece":                          {left + message + outside + message + message + inside + message, whole, 0},
		"a message with a line end":                           {left + warning + outside + warning + inside + "\n", whole, 0},
		"a host that begins with a digit":                     {left + "0" + message + outside + "\n" + inside + "\n", whole, 0},
		"a host that begins with a digit, in the last column": {left + outside + inside + "10-0-0-7:1:2 [0] NCCL INFO x\n", whole, 0},
		"other ranks' lines between":                          {left + message + "other text\n[node-2] 17 things\n" + message + outside + inside + "\n", whole, 0},
		"a host's name in a word":                             {"     1048576        524288  bfloatip-10-1:1:2 [3] NCCL INFO x\n16     sum      -1" + outside + inside + "\n", "", 1},
		"blanks run together":                                 {"1048576 262144 float sum -1 886.56 1.18 1.18 0 584.84 1.79 1.79 N/A\n", whole, 0},
		"blanks run together, in pieces":                      {" 1048576 262144 float sum -1" + message + " 886.56 1.18 1.18 0 584.84 1.79 1.79 N/A\n", whole, 0},
		"parted inside a figure":                              {left + "   88" + message + "6.56    1.18    1.18       0" + inside + "\n", whole, 0},
		"parted inside a figure, blanks run together":         {"1048576 262144 float sum -1 886." + message + "56 1.18 1.18 0 584.84 1.79 1.79 N/A\n", "", 1},
		"parted before the type":                              {left[:14] + message + left[14:] + outside + inside + "\n", whole, 0},
		"parted inside N/A":                                   {left + outside + inside[:len(inside)-2] + message + "/A\n", "1048576 float 886.56 none", 1},
		"the second half is missing":                          {left + outside + "\n", "1048576 float 886.56 none", 1},
		"both halves are missing":                             {left + "\n", "", 1},
		"cut inside the first half":                           {left + outside[:12] + "\n", "", 1},
		"a half without its left side":                        {outside + inside + "\n", "", 1},
		"one half without its left side":                      {inside + "\n", "", 1},
		"the next row comes instead":                          {left + outside + "\n" + strings.Replace(left, "float", " half", 1) + outside + inside + "\n", "1048576 float 886.56 none, 1048576 half 886.56 584.84?", 1},
		"two rows in one line":                                {left + left + outside + inside + "\n", "", 1},
		"a figure that is none":                               {strings.Replace(left+outside+inside, "1.18", " nan", 1) + "\n", "1048576 float none 584.84?", 1},
		"numbers of another program":                          {left + "\n   12   3.5\n" + outside + inside + "\n", whole, 0},
		"a remark inside the row":                             {left + "# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY: mode=generated nranks=2\n#   rank=0 send_bytes=1 recv_bytes=1\n" + outside + inside + "\n", whole, 0},
		"a tag of the same process":                           {"[1,0]<stdout>:" + left + "[1,0]<stdout>:" + message + "[1,0]<stdout>:" + outside + inside + "\n", whole, 0},
		"a size of nothing":                                   {strings.Replace(left, "1048576        262144", "      0             0", 1) + outside + inside + "\n", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := asked + columns
			if strings.HasPrefix(c.text, "[1,0]") {
				header = "[1,0]<stdout>:" + asked + "[1,0]<stdout>:" + columns
			}
			found, faults := readText(header + c.text + footer)
			require.Len(t, found, 1)
			require.Equal(t, c.want, halves(found[0].Rows))
			require.Len(t, faults, c.faults, "%v", faults)
			diagtest.Complete(t, faults)
		})
	}
}

func TestRanksInterleavedByLabel(t *testing.T) {
	t.Parallel()
	found, faults := readText(
		"[1,0]<stdout>:" + asked + "[1,0]<stdout>:" + columns +
			"[1,0]<stdout>:" + left + "[1,1]<stdout>:vm:2213:2213 [1] NCCL INFO first\n" +
			"[1,1]<stdout>:vm:2213:2213 [1] NCCL INFO second\n" +
			"[1,0]<stdout>:" + outside[1:] + "Mon Nov 30 18:59:44 2026[1,1]<stdout>: 7 other things\n" +
			"[1,0]<stdout>:" + inside + "\n" + "[1,0]<stdout>:" + footer[:strings.Index(footer, "\n")] + "\n")
	require.Empty(t, faults)
	require.Equal(t, "1048576 float 886.56 584.84?", halves(found[0].Rows))
	require.Equal(t, 4, found[0].Rows[0].Line-2+3, "a row is where it begins")
}

func TestWorldsByLabel(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, part := range []string{asked, "#  Rank  0 Group  0 Pid   %d on vm device  0 [0000:00:06] NVIDIA H200\n", columns, left + outside + inside + "\n"} {
		for _, label := range []string{"0", "1"} {
			text.WriteString(label + ": " + strings.Replace(part, "%d", "10"+label, 1))
		}
	}
	for _, label := range []string{"0", "1"} {
		for _, l := range strings.SplitAfter(strings.TrimSuffix(footer, "\n"), "\n") {
			text.WriteString(label + ": " + strings.TrimSuffix(l, "\n") + "\n")
		}
	}
	found, faults := readText(text.String())
	require.Empty(t, faults)
	require.Len(t, found, 1)
	require.Equal(t, 2, found[0].Worlds)
	require.True(t, found[0].Complete)
	require.Equal(t, 1, found[0].RankCount)
	require.Len(t, found[0].Rows, 2)
}

func TestRunsOneAfterAnother(t *testing.T) {
	t.Parallel()
	ranks := "#  Rank  0 Group  0 Pid   1 on a device  0 [0000:00:06] NVIDIA H200\n#  Rank  1 Group  0 Pid   1 on b device  0 [0000:00:06] NVIDIA H200\n"
	row := left + outside + inside + "\n"
	for name, c := range map[string]struct {
		text string
		want []bool // Complete, one for each run
	}{
		"one":                      {asked + ranks + columns + row + footer, []bool{true}},
		"two":                      {asked + ranks + columns + row + footer + asked + ranks + columns + row + footer, []bool{true, true}},
		"a retry":                  {asked + ranks + columns + row + left + "\n" + asked + ranks + columns + row + footer, []bool{false, true}},
		"a retry of one process":   {asked + "vm: Test CUDA failure common.cu:1 'out of memory'\n" + asked + columns + row + footer, []bool{false, true}},
		"another program":          {"# Collective test starting: alltoall_perf\n" + asked + columns + row + "# Collective test starting: all_reduce_perf\n" + asked + columns + row + footer, []bool{false, true}},
		"two programs without MPI": {asked + asked + columns + row + columns + row + footer + footer, []bool{true}},
		"one of two ended":         {asked + asked + columns + row + columns + row + footer, []bool{false}},
		"without its first lines":  {columns + row + footer, []bool{true}},
		"without a header":         {footer, []bool{true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, _ := readText(c.text)
			got := []bool{}
			for _, s := range found {
				got = append(got, s.Complete)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header, row, want string
		faults            int
	}{
		"2.9 broadcast": {
			"#       size         count      type    root     time   algbw   busbw  error     time   algbw   busbw  error\n",
			"     1048576        262144     float       0    181.7    5.77   10.82  5e-07    181.7    5.77   10.82    N/A\n", "1048576 float 181.7? 181.7?", 0,
		},
		"hypercube prints no operation": {columns, strings.Replace(left, "sum", "   ", 1) + outside + inside + "\n", "1048576 float 886.56 584.84?", 0},
		"the CPU's time":                {strings.ReplaceAll(columns, "   time", "cputime"), left + outside + inside + "\n", "1048576 float 886.56 584.84?", 0},
		"a column of a later version": {
			strings.Replace(columns, "#wrong \n", "#wrong   energy\n", 1), left + outside + inside + "      3.5\n", "1048576 float 886.56 584.84?", 1,
		},
		"half a table":              {strings.Replace(columns, "   busbw  #wrong \n", "\n", 1), left + outside + inside + "\n", "", 1},
		"a figure that is too wide": {columns, left + "  12345678    1.18    1.18       0" + inside + "\n", "1048576 float 1.2345678e+07 584.84?", 0},
		"many wrong values":         {columns, left + "   886.56    1.18    1.18   1e+06" + inside + "\n", "1048576 float 886.56 584.84?", 0},
		"more than the header":      {columns, left + outside + inside + "  5.0\n", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, faults := readText(asked + c.header + c.row + footer)
			require.Equal(t, c.want, halves(found[0].Rows))
			require.Len(t, faults, c.faults, "%v", faults)
			diagtest.Complete(t, faults)
		})
	}
}

func TestAFileThatEndsInsideALine(t *testing.T) {
	t.Parallel()
	wide := strings.Replace(inside, "   N/A", "123456", 1)
	for name, c := range map[string]struct {
		last, want string
		faults     int
	}{
		"after a row":                          {left + outside + inside, "1048576 float 886.56 584.84?", 0},
		"after a row's line end":               {left + outside + inside + "\n", "1048576 float 886.56 584.84?", 0},
		"in a count that fills its column":     {left + outside + wide, "1048576 float 886.56 none", 1},
		"where blanks run together":            {"1048576 262144 float sum -1 886.56 1.18 1.18 0 584.84 1.79 1.79 1", "", 1},
		"in the size":                          {left[:9], "", 1},
		"in the type":                          {left[:33], "", 1},
		"in the first lines":                   {"# nThread 1 nGpus 1 minBytes 8 maxBytes 10", "", 1},
		"in a rank":                            {"#  Rank  0 Group  0 Pid  1 on vm device  0 [0000:00:06] NVIDIA H2", "", 1},
		"in the header":                        {columns[:90], "", 1},
		"in another program's line":            {"rc=0", "", 0},
		"in the footer":                        {"# Out of bounds values : 1", "", 1},
		"in the average, which is not told":    {"# Avg bus bandwidth    : 156.7", "", 0},
		"behind a footer that has no line end": {"# Collective test concluded: all_reduce_perf", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, faults := readText(asked + columns + c.last)
			require.Equal(t, c.want, halves(found[0].Rows))
			require.Nil(t, found[0].AverageGBps)
			require.Nil(t, found[0].Wrong)
			require.False(t, found[0].Complete)
			require.Len(t, faults, c.faults, "%v", faults)
			diagtest.Complete(t, faults)
		})
	}
}

func TestLongLinesTakeNoLongTime(t *testing.T) {
	t.Parallel()
	const long = 1 << 19
	for _, text := range []string{
		strings.Repeat(" 1", long), strings.Repeat("1", 2*long), left + strings.Repeat("a", long) + ":1:2 [0] NCCL INFO x", left + strings.Repeat("7", long) + ":1:2 [0] NCCL INFO x",
		" " + strings.Repeat("[1,0]<stdout>:", long/14), " " + strings.Repeat("x<stdout>", long/9), " " + strings.Repeat("vm:1:2 [0] NCCL INFO ", long/21),
		strings.Repeat(left, long/50), "# nThread " + strings.Repeat("1 ", long), "#  Rank " + strings.Repeat("1 ", long), "# size algbw busbw " + strings.Repeat("time ", long/5),
	} {
		found, faults := readText(asked + columns + text + "\n" + left + outside + inside + "\n" + footer)
		require.NotEmpty(t, found)
		diagtest.Complete(t, faults)
	}
}

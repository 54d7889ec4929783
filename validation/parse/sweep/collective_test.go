package sweep_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/parse/sweep"
)

// TestTheCollectiveOfALogWithoutItsName reads rows as versions before 2.16.7 print them: the name of the program does not stand there.
func TestTheCollectiveOfALogWithoutItsName(t *testing.T) {
	t.Parallel()
	const some = 1048576
	for name, c := range map[string]struct {
		ranks, count int
		redop        string
		root         int
		factor       float64
		inPlace      string
		want         string
	}{
		"all-reduce":                       {16, some / 4, "sum", -1, 1.875, "0", "all_reduce"},
		"all-reduce of two":                {2, some / 4, "sum", -1, 1, "0", ""}, // send and receive look the same
		"reduce-scatter":                   {16, some / 64, "sum", -1, 0.9375, "0", "reduce_scatter"},
		"all-to-all":                       {16, some / 64, "none", -1, 0.9375, "N/A", "alltoall"},
		"all-gather, or an old all-to-all": {16, some / 64, "none", -1, 0.9375, "0", ""},
		"broadcast":                        {16, some / 4, "none", 0, 1, "0", "broadcast"},
		"gather, or scatter":               {16, some / 64, "none", 0, 0.9375, "0", ""},
		"reduce":                           {16, some / 4, "sum", 0, 1, "0", "reduce"},
		"send and receive":                 {16, some / 4, "sum", -1, 1, "N/A", "sendrecv"},
		"hypercube":                        {16, some / 64, "", -1, 1, "0", "hypercube"},
		"one rank":                         {1, some / 4, "sum", -1, 0, "0", ""},
		"another factor":                   {16, some / 4, "sum", -1, 1.5, "0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			text.WriteString(asked)
			for r := range c.ranks {
				fmt.Fprintf(&text, "#  Rank %2d Group  0 Pid %6d on %10s device %2d [0x53] NVIDIA H200\n", r, r+1, "vm", r)
			}
			text.WriteString(columns)
			fmt.Fprintf(&text, "%12d  %12d  %8s  %6s  %6d  %7.2f  %6.2f  %6.2f  %6s  %7.2f  %6.2f  %6.2f  %6s\n",
				some, c.count, "float", c.redop, c.root, 12.5, 100.0, 100*c.factor, "0", 12.5, 100.0, 100*c.factor, c.inPlace)
			found, faults := readText(text.String() + footer)
			require.Empty(t, faults)
			require.Len(t, found[0].Rows, 1)
			require.Empty(t, found[0].Program)
			require.Equal(t, c.want, found[0].Collective)
		})
	}
}

func TestRecognises(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                               false,
		asked:                            true,
		columns:                          true,
		"0: " + columns:                  true,
		"# Avg bus bandwidth    : 3.5 ":  true,
		"# nThread 1\n minBytes 8":       false,
		" algbw in GB/s\nand busbw too":  false,
		"vm:1:2 [0] NCCL INFO Bootstrap": false,
		"# algbw of day 1\n" + columns:   true,
		"# an algbw of\n# yesterday\n":   false,
	} {
		require.Equal(t, want, sweep.Recognises([]byte(text)), "%q", text)
	}
	for text, want := range map[string]bool{
		"":                       false,
		file():                   true,
		"\ufeff\n " + file():     true,
		file()[:200]:             true,
		"[" + file():             false,
		`{"version":1,"env":[]}`: false,
	} {
		require.Equal(t, want, sweep.RecognisesJSON([]byte(text)), "%q", text)
	}
}

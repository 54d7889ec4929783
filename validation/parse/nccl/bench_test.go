package nccl_test

import (
	"testing"

	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/nccl"
)

// BenchmarkLine reads lines one by one; package parse reads whole logs beside other programs.
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

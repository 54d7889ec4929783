package catalog

import (
	"testing"

	"github.com/weft-hpc/weft/fabric/diag"
)

func BenchmarkInstance(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := Instance("p6-b300.48xlarge"); !ok {
			b.Fatal("not found")
		}
	}
}

func BenchmarkEFASupport(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if EFASupport("t3.micro") != Unknown {
			b.Fatal("not unknown")
		}
	}
}

func BenchmarkFloors(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if len(Floors("p6-b300.48xlarge", Workload{Kind: "moe", Dispatcher: "deepep-v2"})) == 0 {
			b.Fatal("no floors")
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	installed := map[Component]string{NVIDIADriver: "580.105.08", EFAInstaller: "1.50.0", NCCL: "2.31.2-1", GDRCopy: "2.5", CUDA: "13.0"}
	floors := Floors("p6-b300.48xlarge", Workload{Kind: "moe", Dispatcher: "deepep-v2"})
	b.ReportAllocs()
	for b.Loop() {
		if _, findings := Judge(installed, floors, diag.Place{}); len(findings) > 0 {
			b.Fatal(findings)
		}
	}
}

// The key list is parsed once; this is what the first question costs.
func BenchmarkParseKeys(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if len(parseKeys(keyFile)) != 2 {
			b.Fatal("not parsed")
		}
	}
}

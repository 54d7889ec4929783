package version_test

import (
	"testing"

	"github.com/weft-hpc/weft/fabric/version"
)

func BenchmarkParse(b *testing.B) {
	for _, s := range []string{"570.86.15", "1.22.0amzn4.0", "2.27.3-1+cuda12.9", "22809", "6.1.134-150.224.amzn2023.x86_64", "118.x"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = version.Parse(s)
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	low, high := version.MustParse("1.22.0amzn4.0"), version.MustParse("1.22.0amzn5.0")
	b.Run("versions", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = low.Compare(high)
		}
	})
	b.Run("strings", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = version.Compare("1.22.0amzn4.0", "1.22.0amzn5.0")
		}
	})
}

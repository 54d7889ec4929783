package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
)

func TestArchitecture(t *testing.T) {
	for _, c := range []struct {
		instanceType, arch string
		known              bool
	}{
		{"p5en.48xlarge", "x86_64", true},
		{"p6e-gb200.36xlarge", "arm64", true},
		{"m6i.2xlarge", "x86_64", true},
		{"m7g.2xlarge", "arm64", true},
		{"c7gn.16xlarge", "arm64", true},
		{"x2gd.metal", "arm64", true},
		{"a1.large", "arm64", true},
		{"g5.xlarge", "x86_64", true},
		{"u-6tb1.112xlarge", "", false},
		{"mac2.metal", "", false},
		{"large", "", false},
		{"", "", false},
	} {
		t.Run(c.instanceType, func(t *testing.T) {
			arch, known := catalog.Architecture(c.instanceType)
			require.Equal(t, c.arch, arch)
			require.Equal(t, c.known, known)
		})
	}
}

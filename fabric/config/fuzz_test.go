package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag/diagtest"
)

// FuzzDecode: no text makes the decoder panic; every finding tells enough to act on and lies in the file; and
// a config without findings survives being written and read again.
func FuzzDecode(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*/*.[yj][as]*")
	require.NoError(f, err)
	require.NotEmpty(f, seeds)
	for _, seed := range seeds {
		data, err := os.ReadFile(seed)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, list := Decode("c.yaml", data)
		diagtest.Complete(t, list)
		lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 1
		for _, f := range list {
			require.True(t, f.Place.Line >= 1 && f.Place.Line <= lines, "%v", f)
			require.True(t, utf8.ValidString(f.Got+f.Want+f.Hint), "%v", f)
		}
		FromStack(data, "Pulumi.dev.yaml", "weft")
		if list.Failed() {
			return
		}
		text, err := Encode(doc.Cluster)
		require.NoError(t, err)
		again, list := Decode("c.yaml", text)
		require.False(t, list.Failed(), "%s\n%s", render(list), text)
		require.Empty(t, cmp.Diff(doc.Cluster, again.Cluster), "%s", text)
	})
}

// megabyte is a sound config of a megabyte, of many groups.
func megabyte() []byte {
	var b strings.Builder
	b.WriteString("name: pretrain\nregion: us-east-2\nnetwork:\n  create: {}\ngroups:\n")
	for i := 0; b.Len() < 1_000_000; i++ {
		fmt.Fprintf(&b, "  - name: g%d\n    instanceType: p5.48xlarge\n    count: 4\n    capacity:\n      block:\n        reservation: cr-0123456789abcdef0\n    zone: us-east-2a\n", i)
	}
	return []byte(b.String())
}

func TestMegabyte(t *testing.T) {
	doc, list := Decode("c.yaml", megabyte())
	require.Empty(t, list)
	require.Greater(t, len(doc.Cluster.Groups), 5000)
}

func BenchmarkDecodeMegabyte(b *testing.B) {
	data := megabyte()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, list := Decode("c.yaml", data); len(list) > 0 {
			b.Fatal(render(list))
		}
	}
}

func BenchmarkDecodeCluster(b *testing.B) {
	data, err := os.ReadFile("testdata/full/cluster.yaml")
	require.NoError(b, err)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, list := Decode("c.yaml", data); len(list) > 0 {
			b.Fatal(render(list))
		}
	}
}

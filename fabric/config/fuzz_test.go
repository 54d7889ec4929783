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
	"pgregory.net/rapid"
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
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, data) })
}

// TestScraps puts pieces of YAML together at random: more of it is nearly YAML than what a fuzzer finds.
func TestScraps(t *testing.T) {
	scraps := rapid.SampledFrom([]string{
		"a", "name", "groups", "tags", "capacity", "<<", "x", "1", "3.20", "1e3", "0x1", "true", "null", "~", ".nan", ": ", ":", "- ", "-", "? ", "\n", "\n  ", "\n    ", "\n ",
		" ", "  ", "\t", "\r\n", "\r", "[", "]", "{", "}", ", ", ",", "&a ", "*a", "!!str ", "!t ", "!", "|", "|-\n", ">", ">+2\n", "'", "\"", "\\", "\\u00", "#", " # c", "---\n", "...\n", "%YAML 1.2\n",
		"%", "@", "`", "=", "é", "\u0085", "\u2028", "\ufeff", "\x00", "\x7f", "config:\n  weft:cluster:\n    ", "secure: x", minimal, "\n- ",
	})
	rapid.Check(t, func(t *rapid.T) {
		holds(t, []byte(strings.Join(rapid.SliceOfN(scraps, 0, 40).Draw(t, "scraps"), "")))
	})
}

// holds decodes a text and fails unless what must hold for any text does.
func holds(t require.TestingT, data []byte) {
	doc, list := Decode("c.yaml", data)
	lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 1
	for _, f := range list {
		require.True(t, f.Got != "" && f.Want != "" && f.Hint != "", "%v", f)
		require.True(t, f.Place.Line >= 1 && f.Place.Line <= lines && f.Place.Column >= 1, "%v", f)
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

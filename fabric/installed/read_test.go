package installed

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/version"
)

var update = flag.Bool("update", false, "write the wanted readings")

// shown is a list as the goldens have it.
func shown(l List) string {
	var b strings.Builder
	for _, f := range l.Formats {
		fmt.Fprintln(&b, "format", f)
	}
	for _, v := range l.Versions {
		fmt.Fprintf(&b, "%d: %s %s | %s | %s\n", v.Place.Line, v.Component, v.Text, v.From, v.Format)
	}
	for _, m := range l.Modules {
		fmt.Fprintf(&b, "%d: %s modules | %s\n", m.Place.Line, m.Flavour, m.From)
	}
	for _, x := range l.Bases {
		fmt.Fprintf(&b, "%d: base %s | NGC %v, EFA %v, plain plugin %v\n", x.Place.Line, x.Image, x.NGC, x.EFA, x.PlainPlugin)
	}
	return b.String()
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(path))
	require.NoError(t, err)
	return data
}

func situations(t testing.TB) []string {
	t.Helper()
	folders, err := filepath.Glob("testdata/*/input.txt")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for i := range folders {
		folders[i] = filepath.Dir(folders[i])
	}
	return folders
}

func TestRead(t *testing.T) {
	for _, folder := range situations(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			list, findings := Read("input.txt", read(t, folder+"/input.txt"))
			require.Empty(t, findings)
			require.NotEmpty(t, list.Formats)
			want := folder + "/want.txt"
			if *update {
				require.NoError(t, os.WriteFile(want, []byte(shown(list)), 0o600))
			}
			require.Empty(t, cmp.Diff(string(read(t, want)), shown(list)))
		})
	}
}

func TestEveryGoldenIsRead(t *testing.T) {
	goldens, err := filepath.Glob("testdata/*/want.txt")
	require.NoError(t, err)
	require.Len(t, goldens, len(situations(t)))
}

// Line ends of another system change nothing.
func TestReadTakesCarriageReturns(t *testing.T) {
	for _, folder := range situations(t) {
		data := read(t, folder+"/input.txt")
		plain, _ := Read("input.txt", data)
		windows, _ := Read("input.txt", bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")))
		require.Equal(t, shown(plain), shown(windows), folder)
	}
}

// No text of the samples but those that are meant to be is one that the judge could not read.
func TestReadTextsAreVersions(t *testing.T) {
	unreadable := map[string]bool{"latest": true, "newest": true, "${NCCL_PACKAGE}": true}
	for _, folder := range situations(t) {
		list, _ := Read("input.txt", read(t, folder+"/input.txt"))
		for _, v := range list.Versions {
			_, err := version.Parse(v.Text)
			require.Equal(t, unreadable[v.Text], err != nil, "%s: %s %s: %v", folder, v.Component, v.Text, err)
		}
	}
}

// What was cut off loses its tail and nothing before it.
func TestReadTruncated(t *testing.T) {
	for _, folder := range situations(t) {
		data := read(t, folder+"/input.txt")
		whole, _ := Read("input.txt", data)
		for cut := 0; cut < len(data); cut += 29 {
			part, _ := Read("input.txt", data[:cut])
			line := 1 + bytes.Count(data[:cut], []byte("\n"))
			for _, b := range part.Bases {
				if b.Place.Line < line {
					require.Contains(t, images(whole), b.Image, "%s cut at %d", folder, cut)
				}
			}
			for _, v := range part.Versions {
				// The last line may end within a version; a later line of facts takes back an earlier one.
				if v.Place.Line >= line || v.Format == Dockerfile || v.Format == NodeFacts {
					continue
				}
				require.Contains(t, texts(whole, v.Component), v.Text, "%s cut at %d", folder, cut)
			}
		}
	}
}

func images(l List) []string {
	var out []string
	for _, b := range l.Bases {
		out = append(out, b.Image)
	}
	return out
}

func texts(l List, c catalog.Component) []string {
	var out []string
	for _, v := range l.Of(c) {
		out = append(out, v.Text)
	}
	return out
}

func TestNothingReadable(t *testing.T) {
	tests := []struct{ name, text, got string }{
		{"empty", "", "nothing"},
		{"blank", " \n\n", "nothing"},
		{"prose", "The nodes hang in all_reduce since Tuesday.\nkernel panic\nDriver crashed\n", "text of no known form"},
		{"binary", "\x7fELF\x02\x01\x00nvidia-driver 580.105.08", "data that is no text"},
		{"a package list of something else", "ii  vim  2:8.2.3995-1ubuntu2.24  amd64  Vi IMproved\n", "recognised dpkg -l, and no version"},
		{"two", "NCCL_DEBUG=INFO\nzlib-1.2.11-40.el9.x86_64\n", "recognised environment, rpm -qa, and no version"},
		{"a module without a version", "filename: /lib/modules/6.1.1/efa.ko\nlicense: Dual BSD/GPL\n", "recognised modinfo"},
		{"node facts cut off", `{"fact":"efa","driver":"3.3`, "recognised weft's node facts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, findings := Read("node.txt", []byte(tt.text))
			require.Empty(t, list.Versions)
			require.Len(t, findings, 1)
			diagtest.Complete(t, findings)
			require.Equal(t, diag.FileUnreadable, findings[0].Rule)
			require.Equal(t, diag.Error, findings[0].Level)
			require.Contains(t, findings[0].Got, tt.got)
		})
	}
}

// Traps: lines that look like a version of a component and are none.
func TestLinesThatSayNothing(t *testing.T) {
	for _, text := range []string{
		"| libnccl2 | 2.27.3 | 2.28.7 |",                           // a change: neither is said to be there
		"rc  libnccl2  2.27.3-1+cuda12.9  amd64  NCCL",             // removed
		"un  libnccl2  <none>  <none>  (no description available)", // never installed
		"cuda-toolkit-13-0",                                        // a name
		"CUDA Version                              : 13.0",         // of nvidia-smi -q: what the driver would take
		"# nccl-tests version 2.18.3 nccl-headers=23004 nccl-library=23004",
		"NCCL_TESTS_VERSION=2.17.3",
		"nvidia_cuda_stack\t/usr/local/cuda-12.6,/usr/local/cuda-12.8",
		"nvidia_container_toolkit_version | 1.18.1",
		"nvidia-container-toolkit 1.18.1",
		"efa-nv-peermem_1.2.3-1.amzn1_amd64",
		"libfabric api: 2.3",
		"USER       PID %CPU %MEM",
		"version:        3.3.0g", // of which module?
		"580.105.08",             // of what?
	} {
		list, _ := Read("node.txt", []byte(text+"\n"))
		require.Empty(t, list.Versions, text)
	}
}

// Every version text that weft knows to compare comes through reading as it was written.
func TestVersionsComeThroughUnchanged(t *testing.T) {
	for _, row := range strings.Split(string(read(t, "testdata/VER-01.tsv")), "\n") {
		cells := strings.Split(row, "\t")
		if strings.HasPrefix(row, "#") || len(cells) < 3 {
			continue
		}
		for _, text := range cells[:2] {
			for _, form := range []string{"nccl %s\n", "NCCL: %s\n", "NCCL_VERSION=%s\n", "FROM scratch\nARG NCCL_VERSION=%s\n", "|  nccl_version  |  %s  |\n"} {
				list, findings := Read("list.txt", fmt.Appendf(nil, form, text))
				require.Empty(t, findings, form, text)
				require.Equal(t, map[catalog.Component]string{catalog.NCCL: text}, list.Map(), form)
			}
		}
	}
}

// Texts that stand alone read the same in any order and company.
func TestReadInAnyOrder(t *testing.T) {
	parts := map[string]string{}
	for _, name := range []string{"efa-packages-rpm", "nvidia-smi-q", "modinfo", "dpkg", "rpm", "pip-freeze", "environment", "dockerfile-pins", "nvidia-smi-table"} {
		parts[name] = string(read(t, "testdata/"+name+"/input.txt"))
	}
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.Permutation([]string{"efa-packages-rpm", "nvidia-smi-q", "modinfo", "dpkg", "rpm", "pip-freeze", "environment", "dockerfile-pins", "nvidia-smi-table"}).Draw(t, "order")
		var all strings.Builder
		want := map[string]bool{}
		for _, name := range names {
			all.WriteString(parts[name])
			alone, _ := Read("x", []byte(parts[name]))
			for _, v := range alone.Versions {
				want[string(v.Component)+" "+v.Text] = true
			}
		}
		list, _ := Read("x", []byte(all.String()))
		got := map[string]bool{}
		for _, v := range list.Versions {
			got[string(v.Component)+" "+v.Text] = true
		}
		require.Equal(t, want, got)
	})
}

func FuzzRead(f *testing.F) {
	for _, folder := range situations(f) {
		f.Add(read(f, folder+"/input.txt"))
	}
	f.Add([]byte("RUN <<EOF\nARG\nENV A\nFROM\nFROM --x\n|||\n\t\t\n::\n"))
	known := catalog.Components()
	f.Fuzz(func(t *testing.T, data []byte) {
		list, findings := Read("fuzz", data)
		lines := 1 + bytes.Count(data, []byte("\n"))
		for _, v := range list.Versions {
			require.Contains(t, known, v.Component)
			require.NotEmpty(t, v.Text)
			require.NotEmpty(t, v.From)
			require.Contains(t, list.Formats, v.Format)
			require.Positive(t, v.Place.Line)
			require.LessOrEqual(t, v.Place.Line, lines)
		}
		if len(list.Versions) == 0 && len(list.Bases) == 0 {
			require.Len(t, findings, 1)
		}
		again, _ := Read("fuzz", data)
		require.Equal(t, shown(list), shown(again))
		_, judged := Judge("p6-b300.48xlarge", nil, &list, &list)
		for _, j := range judged {
			require.NotEmpty(t, j.Place.File, j.Rule)
		}
	})
}

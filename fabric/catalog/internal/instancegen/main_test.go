package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

func testInputs(answer string) inputs {
	return inputs{
		types: answer, notes: "testdata/notes.json", efa: "testdata/efa.tsv", out: "unused",
		source: source{ref: "an answer", date: "2026-11-30"},
	}
}

// Both forms of the same answer give the same file.
func TestGenerate(t *testing.T) {
	const golden = "testdata/want.golden"
	for _, form := range []string{"live", "reduced"} {
		t.Run(form, func(t *testing.T) {
			got, err := generate(testInputs(filepath.Join("testdata", form, "answer.json")))
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(string(want), string(got)))
		})
	}
}

// The committed file is what go:generate would write now.
func TestCommittedFileIsCurrent(t *testing.T) {
	root := filepath.Join("..", "..")
	src, err := os.ReadFile(filepath.Join(root, "instance.go"))
	require.NoError(t, err)
	directive := regexp.MustCompile(`(?m)^//go:generate go run ./internal/instancegen (.*)$`).FindStringSubmatch(string(src))
	require.NotNil(t, directive)
	in, err := parseFlags(splitQuoted(directive[1]))
	require.NoError(t, err)
	committed, err := os.ReadFile(filepath.Join(root, in.out))
	require.NoError(t, err)
	in.types, in.notes, in.efa = filepath.Join(root, in.types), filepath.Join(root, in.notes), filepath.Join(root, in.efa)
	got, err := generate(in)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(string(committed), string(got)), "run go generate ./fabric/catalog")
}

// splitQuoted splits at spaces outside double quotes, as go generate does.
func splitQuoted(s string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(s, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.go")
	args := []string{"-types", "testdata/live/answer.json", "-notes", "testdata/notes.json", "-efa", "testdata/efa.tsv", "-ref", "an answer", "-date", "2026-11-30", "-out", out}
	require.NoError(t, run(args))
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(got), "// Code generated"))

	require.ErrorContains(t, run(args[:8]), "are needed")
	require.ErrorContains(t, run([]string{"-nonsense"}), "parsing flags")
	for i := 1; i < 6; i += 2 {
		missing := append([]string{}, args...)
		missing[i] = filepath.Join(t.TempDir(), "missing")
		require.ErrorIs(t, run(missing), os.ErrNotExist)
	}
	args[len(args)-1] = filepath.Join(t.TempDir(), "no", "such", "folder.go")
	require.ErrorContains(t, run(args), "writing the generated file")
}

func TestParseAnswerRefuses(t *testing.T) {
	card := `{"NetworkCardIndex":0,"InterfaceTypes":["interface"]}`
	for name, tt := range map[string]struct{ answer, want string }{
		"no JSON":             {`<xml/>`, "decoding JSON"},
		"nothing known in it": {`{"Reservations":[]}`, "neither"},
		"both forms":          {`{"types":{"a.b":{}},"InstanceTypes":[{"InstanceType":"a.b"}]}`, "both"},
		"a type without name": {`{"InstanceTypes":[{}]}`, "no InstanceType"},
		"a type twice":        {`{"InstanceTypes":[{"InstanceType":"a.b"},{"InstanceType":"a.b"}]}`, "stands twice"},
		"an old CLI":          {`{"InstanceTypes":[{"InstanceType":"a.b","NetworkInfo":{"NetworkCards":[{"NetworkCardIndex":3}]}}]}`, "card 3 has no InterfaceTypes"},
		"EFA in contradiction": {
			`{"InstanceTypes":[{"InstanceType":"a.b","NetworkInfo":{"EfaSupported":true,"NetworkCards":[` + card + `]}}]}`, "contradicts",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseAnswer([]byte(tt.answer))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestParseNotesRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ notes, want string }{
		"no JSON":          {`-`, "decoding JSON"},
		"an unknown key":   {`{"date":"2026-11-30","types":{"a.b":{"efaGpbs":3}}}`, "unknown field"},
		"no date":          {`{}`, "no date"},
		"no sources":       {`{"date":"2026-11-30","types":{"a.b":{}}}`, "a.b: no sources"},
		"unlisted source":  {`{"date":"2026-11-30","types":{"a.b":{"sources":["x"]}}}`, `source "x" is not listed`},
		"unknown offering": {`{"date":"2026-11-30","types":{"a.b":{"blocks":"many"}}}`, `blocks "many"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseNotes([]byte(tt.notes))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestMergeRefuses(t *testing.T) {
	described := map[string]record{"a.b": {Architectures: []string{"arm64"}}}
	for name, tt := range map[string]struct {
		described map[string]record
		notes     map[string]note
		want      string
	}{
		"notes about nothing":    {described, map[string]note{"c.d": {}}, "c.d: notes about a type that the answer lacks"},
		"described by EC2 now":   {described, map[string]note{"a.b": {Describe: &record{}}}, "EC2 describes it by now"},
		"two architectures":      {map[string]record{"a.b": {Architectures: []string{"i386", "x86_64"}}}, nil, "one was expected"},
		"cards that are missing": {map[string]record{"a.b": {Architectures: []string{"arm64"}, Network: network{MaximumNetworkCards: 2}}}, nil, "0 cards listed of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := merge(tt.described, notesFile{Types: tt.notes}, source{})
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestPerformanceGbps(t *testing.T) {
	for s, want := range map[string]float64{"3200 Gigabit": 3200, "4x 100 Gigabit": 400, "12.5 Gigabit": 12.5} {
		got, ok := performanceGbps(s)
		require.True(t, ok, s)
		require.InDelta(t, want, got, 0, s)
	}
	for _, s := range []string{"Up to 25 Gigabit", "High", "", "x 100 Gigabit", "4x Gigabit"} {
		_, ok := performanceGbps(s)
		require.False(t, ok, s)
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, form := range []string{"live", "reduced"} {
		b, err := os.ReadFile(filepath.Join("testdata", form, "answer.json"))
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		described, err := parseAnswer(b)
		if err != nil {
			return
		}
		rows, err := merge(described, notesFile{}, source{"fuzz", "2026-11-30"})
		if err != nil {
			return
		}
		if _, err := render(rows, efaNames("", rows)); err != nil {
			t.Fatalf("rendering what was accepted: %v", err)
		}
	})
}

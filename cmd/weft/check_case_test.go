package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag/render"
)

var update = flag.Bool("update", false, "write the wanted verdicts")

// Public reports, each with its right verdict.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/cases/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			require.NoError(t, err)
			wanted := &a.Files[len(a.Files)-1]
			require.Equal(t, "want", wanted.Name)
			got := checkFiles(t, a.Files[:len(a.Files)-1], flagsOf(a.Comment)...)
			if *update {
				wanted.Data = []byte(got)
				require.NoError(t, os.WriteFile(name, txtar.Format(a), 0o600))
			}
			require.Empty(t, cmp.Diff(string(wanted.Data), got))
		})
	}
}

// flagsOf are the lines of an archive's comment that are flags.
func flagsOf(comment []byte) []string {
	var out []string
	for line := range strings.Lines(string(comment)) {
		if strings.HasPrefix(line, "--") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// checkFiles runs weft check over files and gives the findings, a line for each.
func checkFiles(t *testing.T, files []txtar.File, flags ...string) string {
	t.Helper()
	folder := t.TempDir()
	args := append([]string{"check", "-o", "json"}, flags...)
	for _, f := range files {
		path := filepath.Join(folder, f.Name)
		require.NoError(t, os.WriteFile(path, f.Data, 0o600))
		args = append(args, path)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs})
	var report render.Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &report), errs.String())
	want := exitClean
	if report.Errors > 0 {
		want = exitFindings
	}
	require.Equal(t, want, code, errs.String())
	var b strings.Builder
	for _, f := range report.Findings {
		place := strings.TrimPrefix(f.Place.String(), folder+string(filepath.Separator))
		fmt.Fprintf(&b, "%s %s %s\n", f.Level, f.Rule, place)
	}
	return b.String()
}

// What ParallelCluster itself generates is right from 3.15 on. Before, it puts EFA on card 0 of p6-b300, which takes none.
func TestTemplatesOfParallelCluster(t *testing.T) {
	names, err := filepath.Glob("../../fabric/plan/testdata/generated/*/*.json")
	require.NoError(t, err)
	require.Len(t, names, 32)
	templates := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var g struct {
			Version      string `json:"parallelcluster"`
			InstanceType string `json:"instanceType"`
			Variants     map[string]struct {
				Data json.RawMessage `json:"launchTemplateData"`
			} `json:"variants"`
		}
		require.NoError(t, json.Unmarshal(text, &g))
		for variant, v := range g.Variants {
			if strings.HasSuffix(variant, "EfaOff") {
				continue
			}
			templates++
			data := fmt.Appendf(nil, `{"LaunchTemplateData": %s}`, v.Data)
			got := checkFiles(t, []txtar.File{{Name: "template.json", Data: data}})
			wrong := g.InstanceType == "p6-b300.48xlarge" && g.Version < "3.15"
			require.Equal(t, wrong, strings.Contains(got, "error nic/efa-card"), "%s %s: %s", name, variant, got)
			if !wrong {
				require.NotRegexp(t, `(?m)^(error|warn)`, got, "%s %s", name, variant)
			}
		}
	}
	require.Greater(t, templates, 100)
}

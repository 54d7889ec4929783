package amibuild_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

var situations = []string{"ubuntu2204-official", "ubuntu2404-dlami", "alinux2023-plain", "rhel9-own-driver"}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	require.NoError(t, err)
	return text
}

// golden compares with a file that a person has read.
func golden(t testing.TB, got string, path ...string) {
	t.Helper()
	name := filepath.Join(append([]string{"testdata"}, path...)...)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
		require.NoError(t, os.WriteFile(name, []byte(got), 0o600))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err, "run the test with -update to write the golden")
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-golden +got), -update writes it anew:\n%s", name, diff)
	}
}

// recipe decodes a recipe that must be readable.
func recipe(t testing.TB, text string) config.File[amibuild.Recipe] {
	t.Helper()
	f, found := amibuild.Decode("recipe.yaml", []byte(text))
	require.Empty(t, found, text)
	return f
}

func lock(t testing.TB, text []byte) config.File[amibuild.Lock] {
	t.Helper()
	f, found := amibuild.DecodeLock(amibuild.LockFile, text)
	require.Empty(t, found)
	return f
}

// locked plans a recipe with a lock that pins everything it needs.
func locked(t testing.TB, r amibuild.Request) (amibuild.Image, diag.List) {
	t.Helper()
	i, found := amibuild.New(r)
	if i.ParallelCluster == "" || i.OS == "" {
		return i, found // nothing to lock
	}
	l := amibuild.Resolve(i, amibuild.Lock{})
	for k := range l.Artifacts {
		if l.Artifacts[k].SHA256 == "" {
			l.Artifacts[k].SHA256 = strings.Repeat("ab", 32)
		}
	}
	l.Parent = "ami-0a1b2c3d4e5f6000f"
	text, err := l.Write()
	require.NoError(t, err)
	r.Lock, _ = amibuild.DecodeLock(amibuild.LockFile, text)
	return amibuild.New(r)
}

func situation(t testing.TB, name string) amibuild.Request {
	t.Helper()
	r := amibuild.Request{Recipe: recipe(t, string(read(t, name, "recipe.yaml"))), Files: map[string][]byte{}}
	for _, c := range r.Recipe.Value.Components {
		if c.Script != nil && c.Script.File != "" {
			r.Files[c.Script.File] = read(t, name, c.Script.File)
		}
	}
	return r
}

// show is a list of findings as the tests hold it.
func show(list diag.List) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s %s %s: %s | %s | %s\n", f.Level, f.Rule, f.Place.Path, f.Got, f.Want, f.Hint)
	}
	return b.String()
}

// rules are the rules of the findings, each with its path and level.
func rules(list diag.List) []string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s %s %s", f.Level, f.Rule, f.Place.Path))
	}
	return out
}

// target is a cluster of one group.
func target(version, os, instanceType string) amibuild.Target {
	return amibuild.Target{
		Name: "llama", ParallelCluster: version, OS: os, Region: "us-east-2", Workload: catalog.Workload{Kind: "dense"},
		Nodes: []amibuild.Node{{Who: "group train", InstanceType: instanceType, Compute: true}},
	}
}

package judged_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/internal/judged"
)

var update = flag.Bool("update", false, "write the wanted faults")

// exceptions of the repository: who judges a rule in other steps than its folder tells, and why.
var exceptions = []judged.Exception{
	{Package: "infra", Rule: diag.ConfigConflict, Where: diag.Plan, Reason: "the cluster's Region against aws:region, which only the program knows"},
	{Package: "infra", Rule: diag.FileUnreadable, Where: diag.Plan, Reason: "a recipe that is not there"},
	{Package: "components/cluster/confirmation", Rule: diag.FileUnreadable, Where: diag.Plan, Reason: "a running configuration that can't be compared with the planned one"},
	{Package: "offline/demo", Rule: diag.BlockType, Reason: "the demo waits for the finding"},
	{Package: "offline/demo", Rule: diag.AMIParallelCluster, Reason: "the demo waits for the finding"},
	{Package: "fabric/catalog", Rule: diag.VerDenied, Where: diag.Plan | diag.Image, Reason: "the catalogue judges an image's contents for amibuild too"},
	{Package: "fabric/catalog", Rule: diag.VerFloor, Where: diag.Plan | diag.Image, Reason: "the catalogue judges an image's contents for amibuild too"},
	{Package: "fabric/catalog", Rule: diag.VerPair, Where: diag.Plan | diag.Image, Reason: "the catalogue judges an image's contents for amibuild too"},
	{Package: "fabric/catalog", Rule: diag.VerUnreadable, Where: diag.Plan | diag.Image, Reason: "the catalogue judges an image's contents for amibuild too"},
}

// TestRepository holds the registry of this repository equal to what its code judges.
func TestRepository(t *testing.T) {
	faults, err := judged.Check(os.DirFS("../../../.."), diag.Rules(), exceptions)
	require.NoError(t, err)
	for _, f := range faults {
		t.Error(f)
	}
}

// The registry of the small repositories in testdata; what they declare stands in base.txtar.
var rules = []diag.Rule{
	{ID: "block/kind", Level: diag.Error, Where: diag.Account, Says: "kind"},
	{ID: "block/size", Level: diag.Error, Where: diag.Plan | diag.Account, Says: "size"},
	{ID: "ver/floor", Level: diag.Error, Where: diag.Plan | diag.Policy | diag.Boot, Says: "floor"},
}

var excepted = map[string][]judged.Exception{
	"exceptions.txtar": {
		{Package: "fabric/catalog", Rule: "ver/floor", Where: diag.Plan | diag.Policy | diag.Boot, Reason: "all three call Judge"},
		{Package: "cmd/weft", Rule: "block/kind", Reason: "only counts the findings"},
	},
	"exceptions-stale.txtar": {
		{Package: "fabric/catalog", Rule: "block/kind", Where: diag.Plan, Reason: "the catalogue does not judge it any more"},
		{Package: "fabric/plan", Rule: "ver/floor", Where: diag.Plan | diag.Policy | diag.Boot, Reason: " "},
	},
}

func TestCheck(t *testing.T) {
	base := archive(t, "testdata/base.txtar")
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		name := filepath.Base(file)
		if name == "base.txtar" {
			continue
		}
		t.Run(strings.TrimSuffix(name, ".txtar"), func(t *testing.T) {
			repository := maps.Clone(base)
			maps.Copy(repository, archive(t, file))
			want := string(repository["faults"].Data)
			delete(repository, "faults")

			faults, err := judged.Check(repository, rules, excepted[name])
			require.NoError(t, err)
			var got strings.Builder
			for _, f := range faults {
				got.WriteString(f.String() + "\n")
			}
			if *update {
				write(t, file, got.String())
			}
			require.Empty(t, cmp.Diff(want, got.String()))
		})
	}
}

func archive(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	a, err := txtar.ParseFile(name)
	require.NoError(t, err)
	files := fstest.MapFS{}
	for _, f := range a.Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return files
}

func write(t *testing.T, name, faults string) {
	t.Helper()
	a, err := txtar.ParseFile(name)
	require.NoError(t, err)
	for i := range a.Files {
		if a.Files[i].Name == "faults" {
			a.Files[i].Data = []byte(faults)
		}
	}
	require.NoError(t, os.WriteFile(name, txtar.Format(a), 0o600))
}

func TestCheckWithoutRegistry(t *testing.T) {
	_, err := judged.Check(fstest.MapFS{"fabric/diag/diag.go": {Data: []byte("package diag\n")}}, rules, nil)
	require.ErrorContains(t, err, "fabric/diag declares no rule")

	_, err = judged.Check(fstest.MapFS{"fabric/diag/diag.go": {Data: []byte("pakage diag\n")}}, rules, nil)
	require.ErrorContains(t, err, "parsing fabric/diag/diag.go")
}

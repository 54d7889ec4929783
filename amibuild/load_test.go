package amibuild_test

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
)

func TestLoad(t *testing.T) {
	f, err := amibuild.Load(os.DirFS("testdata"), "ubuntu2204-official/recipe.yaml", "images")
	require.NoError(t, err)
	i, found := f.Plan(amibuild.Target{})
	require.Empty(t, show(found))
	require.Equal(t, "ami-0a1b2c3d4e5f60000", i.Parent.AMI)
	require.Contains(t, string(f.Request.Files["tools.sh"]), "nvtop")
	require.Contains(t, f.Sources, "images/ubuntu2204-official/amibuild.lock.yaml")
	require.Equal(t, "images/ubuntu2204-official/recipe.yaml", f.Request.Recipe.Positions["name"].File)
}

func TestLoadWhatIsNotThere(t *testing.T) {
	_, err := amibuild.Load(fstest.MapFS{}, "recipe.yaml", "")
	require.ErrorContains(t, err, "reading the recipe: open recipe.yaml")

	folder := fstest.MapFS{"recipe.yaml": {Data: []byte(official + "components:\n" + newEFA + tools + "  - script: {name: out, file: ../out.sh}\n")}}
	f, err := amibuild.Load(folder, "recipe.yaml", "")
	require.NoError(t, err)
	_, found := f.Plan(amibuild.Target{})
	require.Equal(t, []string{"error ami/lock ", "error file/unreadable components[1].script.file", "error file/unreadable components[2].script.file"}, rules(found))
}

// Faults of the files and of the plan come together.
func TestLoadKeepsFindings(t *testing.T) {
	folder := fstest.MapFS{"recipe.yaml": {Data: []byte(official + "bogus: 1\ncomponents:\n" + newEFA)}, "amibuild.lock.yaml": {Data: []byte("bogus: 1\n")}}
	f, err := amibuild.Load(folder, "recipe.yaml", "")
	require.NoError(t, err)
	_, found := f.Plan(amibuild.Target{})
	require.Contains(t, rules(found), "error config/key bogus")
	require.Contains(t, rules(found), "error config/required recipe")
	require.Contains(t, rules(found), "error ami/lock ")
}

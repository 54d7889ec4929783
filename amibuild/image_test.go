package amibuild_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/config"
)

// Every situation: its lock, its plan, what it renders to, and no finding at error level.
func TestSituations(t *testing.T) {
	for _, name := range situations {
		t.Run(name, func(t *testing.T) {
			r := situation(t, name)
			i, _ := amibuild.New(r)
			if *update {
				writeLock(t, name, i)
			}
			r.Lock = lock(t, read(t, name, amibuild.LockFile))
			i, found := amibuild.New(r)
			require.False(t, found.Failed(), show(found))
			golden(t, show(found), name, "findings.txt")
			text, err := json.MarshalIndent(i, "", "  ")
			require.NoError(t, err)
			golden(t, string(text)+"\n", name, "plan.json")

			bundle, found, err := i.BuildImage()
			require.NoError(t, err)
			require.Empty(t, found, show(found))
			golden(t, string(bundle.Config), name, "build-image.yaml")
			renderDocuments(t, name, i)
		})
	}
}

// writeLock keeps what a person pinned.
func writeLock(t *testing.T, name string, i amibuild.Image) {
	t.Helper()
	earlier := amibuild.Lock{}
	if text, err := os.ReadFile(filepath.Join("testdata", name, amibuild.LockFile)); err == nil {
		earlier = lock(t, text).Value
	}
	l := amibuild.Resolve(i, earlier)
	text, err := l.Write()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join("testdata", name, amibuild.LockFile), text, 0o600))
}

// renderDocuments holds the documents whole for one situation, and by their checksums elsewhere: the scripts are the same.
func renderDocuments(t *testing.T, name string, i amibuild.Image) {
	t.Helper()
	documents, found, err := i.ImageBuilder()
	require.NoError(t, err)
	if i.Parent.Kind != amibuild.Official {
		require.Equal(t, []string{"error ami/parent parent"}, rules(found))
	} else {
		require.Empty(t, found)
		for k, c := range documents.Components {
			golden(t, c.Data, name, "components", i.StepName(k)+".yaml")
		}
	}
	for k := range documents.Components {
		require.NotEmpty(t, documents.Components[k].Data)
		documents.Components[k].Data = ""
	}
	text, err := json.MarshalIndent(documents, "", "  ")
	require.NoError(t, err)
	golden(t, string(text)+"\n", name, "image-builder.json")
}

// Every file below a situation is one that a test reads.
func TestNoGoldenIsUnused(t *testing.T) {
	wanted := map[string]bool{"recipe.yaml": true, amibuild.LockFile: true, "findings.txt": true, "plan.json": true, "build-image.yaml": true, "image-builder.json": true, "tools.sh": true}
	for _, name := range situations {
		entries, err := os.ReadDir(filepath.Join("testdata", name))
		require.NoError(t, err)
		for _, e := range entries {
			require.True(t, wanted[e.Name()] || e.IsDir() && name == "ubuntu2204-official", "%s/%s", name, e.Name())
		}
	}
	components, err := os.ReadDir("testdata/ubuntu2204-official/components")
	require.NoError(t, err)
	require.Len(t, components, 5)
}

func TestTypes(t *testing.T) {
	require.NoError(t, config.CheckType[amibuild.Recipe]())
	require.NoError(t, config.CheckType[amibuild.Lock]())
}

// One plan, however often it is made: a difference would rebuild an image.
func TestPlanIsDeterministic(t *testing.T) {
	for _, name := range situations {
		first, _ := amibuild.New(situation(t, name))
		a, _, err := first.ImageBuilder()
		require.NoError(t, err)
		for range 5 {
			again, _ := amibuild.New(situation(t, name))
			b, _, err := again.ImageBuilder()
			require.NoError(t, err)
			require.Equal(t, a, b)
		}
	}
}

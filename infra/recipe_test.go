package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
)

const recipeCluster = `
name: llama
region: us-east-2
parallelcluster: 3.16.1
network: {create: {}}
image: {recipe: images/image.yaml}
groups:
  - {name: train, instanceType: p5en.48xlarge, count: 2, zone: us-east-2a, capacity: {onDemand: true}}
`

const imageRecipe = "name: training\nparent: {official: true}\ncomponents:\n  - efa: {version: 1.50.0}\n"

const imageLock = `recipe: training
parallelcluster: 3.16.1
os: ubuntu2204
architecture: x86_64
parent: ami-0123456789abcdef0
artifacts:
  - name: efa-installer
    version: 1.50.0
    url: https://efa-installer.amazonaws.com/aws-efa-installer-1.50.0.tar.gz
    sha256: "abababababababababababababababababababababababababababababababab"
`

// project is a folder with a recipe and its lock.
func project(t *testing.T, recipe, lock string) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "images"), 0o750))
	for name, text := range map[string]string{"image.yaml": recipe, "amibuild.lock.yaml": lock} {
		if text != "" {
			require.NoError(t, os.WriteFile(filepath.Join(root, "images", name), []byte(text), 0o600))
		}
	}
	return root
}

func ruled(found diag.List) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Level.String()+" "+string(f.Rule)+" "+f.Place.File)
	}
	return out
}

// What is wrong with the image of a cluster is found at preview, before anything is built.
func TestRecipesOfACluster(t *testing.T) {
	for name, c := range map[string]struct {
		cluster, recipe, lock string
		want                  []string
	}{
		"good":        {recipeCluster, imageRecipe, imageLock, nil},
		"not there":   {recipeCluster, "", "", []string{"error file/unreadable "}},
		"not locked":  {recipeCluster, imageRecipe, "", []string{"error ami/lock "}},
		"upgraded":    {strings.Replace(recipeCluster, "3.16.1", "3.16.3", 1), imageRecipe, imageLock, []string{"error ami/lock images/amibuild.lock.yaml"}},
		"wrong key":   {recipeCluster, imageRecipe + "bogus: 1\n", imageLock, []string{"error config/key images/image.yaml"}},
		"below floor": {recipeCluster, strings.Replace(imageRecipe, "1.50.0", "1.47.0", 1), strings.ReplaceAll(imageLock, "1.50.0", "1.47.0"), []string{"error ver/denied images/image.yaml"}},
		"built elsewhere": {
			recipeCluster, strings.Replace(imageRecipe, "official: true", "ami: ami-01234567, holds: {nvidia-driver: 595.71.05}", 1), imageLock,
			[]string{"error ami/parent images/image.yaml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := stack{sources: map[string][]byte{}}
			images, found, err := s.images(project(t, c.recipe, c.lock), planned(t, c.cluster))
			require.NoError(t, err)
			require.Equal(t, c.want, ruled(found))
			require.Contains(t, images, "images/image.yaml")
			if c.recipe != "" {
				require.Contains(t, s.sources, "images/image.yaml", "findings show their lines")
			}
		})
	}
}

// An upgrade names the step: lock again, with the parent of the new version.
func TestUpgradeNamesTheStep(t *testing.T) {
	s := stack{sources: map[string][]byte{}}
	_, found, err := s.images(project(t, imageRecipe, imageLock), planned(t, strings.Replace(recipeCluster, "3.16.1", "3.16.3", 1)))
	require.NoError(t, err)
	require.Equal(t, "a lock for ParallelCluster 3.16.1, ubuntu2204, x86_64", found[0].Got)
	require.Contains(t, found[0].Hint, "run weft ami lock again, and pin the parent of the new version (--parent): the image is rebuilt on it")
}

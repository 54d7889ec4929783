package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/topology"
	"github.com/weft-hpc/weft/validation/result"
	validation "github.com/weft-hpc/weft/validation/verdict"
)

// places of a situation, as a validation takes them.
func placesOf(t *testing.T, situation string) ([]result.Place, topology.Topology, error) {
	t.Helper()
	files, err := filepath.Glob("../../fabric/topology/testdata/" + situation + "/*")
	require.NoError(t, err)
	var answers topology.Answers
	for _, name := range files {
		if filepath.Base(name) == "want.txt" {
			continue
		}
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		read, _ := topology.Read(name, data)
		answers.Add(read)
	}
	top, _ := topology.New(answers)
	out, err := resultPlaces(top)
	return out, top, err
}

// TestValidationKeepsDistances: what a validation measures distance by says the same as the topology itself, of one type.
func TestValidationKeepsDistances(t *testing.T) {
	for _, situation := range []string{"slurm-names", "p6-b200-pages", "ultraserver", "spread"} {
		t.Run(situation, func(t *testing.T) {
			out, top, err := placesOf(t, situation)
			require.NoError(t, err)
			distance := validation.Distance(out)
			for _, a := range top.Places {
				for _, b := range top.Places {
					if a.Known() && b.Known() {
						require.Equal(t, top.Between(a, b).Levels, distance(a.Name(), b.Name()), "%s %s", a.Name(), b.Name())
					}
				}
			}
		})
	}
}

// TestValidationNeedsSlurmNames: places by names that Slurm does not know would be places of nobody.
func TestValidationNeedsSlurmNames(t *testing.T) {
	_, _, err := placesOf(t, "renamed")
	require.ErrorContains(t, err, "scontrol show nodes")
}

package judge

import (
	"embed"
	"fmt"

	"github.com/weft-hpc/weft/offline/python"
)

//go:embed requirements-*.txt
var requirements embed.FS

//go:embed pcluster_judge/*.py
var sources embed.FS

// Versions are the versions of ParallelCluster that can judge, oldest first.
func Versions() []string { return []string{"3.14.2", "3.15.1", "3.16.1"} }

// Environment is the Python environment that holds a version of ParallelCluster.
func Environment(version string) (python.Environment, error) {
	text, err := requirements.ReadFile("requirements-" + version + ".txt")
	if err != nil {
		return python.Environment{}, fmt.Errorf("no environment for ParallelCluster %q, only for %v", version, Versions())
	}
	return python.Environment{Name: "pcluster-" + version, Version: version, Requirements: string(text)}, nil
}

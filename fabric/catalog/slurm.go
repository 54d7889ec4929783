package catalog

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/version"
)

// From srunLost to before srunInheritsAgain, srun did not take --cpus-per-task of its job.
const (
	srunLost          = "22.05"
	srunInheritsAgain = "23.11"
)

var (
	srunNotes      = Source{"SchedMD, release notes of Slurm 22.05 and 23.11", factsRead}
	placementGuide = Source{"EC2 User Guide, placement-strategies", factsRead}
)

// SrunInherits reports whether srun takes --cpus-per-task of the job that it runs in. known is false where the version of Slurm is not known or
// cannot be read.
func SrunInherits(slurm string) (inherits, known bool, source Source) {
	source = srunNotes
	v, err := version.Parse(slurm)
	if err != nil {
		return true, false, source
	}
	lost := v.AtLeast(version.MustParse(srunLost)) && !v.AtLeast(version.MustParse(srunInheritsAgain))
	return !lost, true, source
}

// TwoCPUCounts is the first Slurm whose srun ends where two variables of its environment give a task different numbers of CPUs.
func TwoCPUCounts() (slurm string, source Source) {
	return "22.05", Source{"scalableminds/webknossos-libs pull request 1483", factsRead}
}

// SlurmOf is the version of Slurm that a release of ParallelCluster ships; empty where no source says.
func SlurmOf(parallelCluster string) string {
	r, _ := ReleaseOf(parallelCluster)
	return r.Ships[Slurm]
}

// LeastCPUsPerGPU is the smallest number of vCPUs that a GPU of any type with EFA has: fewer are too few everywhere.
func LeastCPUsPerGPU() int {
	least := 0
	for _, t := range instanceTable {
		if t.Accelerator.Kind != "gpu" || t.Accelerator.Count == 0 {
			continue
		}
		if share := t.VCPUs / t.Accelerator.Count; least == 0 || share < least {
			least = share
		}
	}
	return least
}

// MostGPUs is the largest number of GPUs that a type with EFA has.
func MostGPUs() int {
	most := 0
	for _, t := range instanceTable {
		if t.Accelerator.Kind == "gpu" {
			most = max(most, t.Accelerator.Count)
		}
	}
	return most
}

// noClusterPlacement are families that no cluster placement group takes.
var noClusterPlacement = []string{"t1", "t2", "t3", "t3a", "t4g", "mac1", "m7i-flex"}

// ClusterPlacement reports whether a cluster placement group takes an instance type. known is false for a type that neither the catalogue nor the
// list of exceptions has.
func ClusterPlacement(instanceType string) (takes, known bool, source Source) {
	if slices.Contains(noClusterPlacement, family(instanceType)) {
		return false, true, placementGuide
	}
	if t, ok := Instance(instanceType); ok && len(t.Strategies) > 0 {
		return slices.Contains(t.Strategies, "cluster"), true, t.Source
	}
	return true, false, Source{}
}

package sweep

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
)

// The variables of a process's environment that are kept: settings of the libraries on the way and what Slurm gave the process. All others
// are dropped; the environment of a job holds its secrets.
var (
	prefixes = [...]string{"NCCL_", "OFI_", "FI_", "NVSHMEM_", "UCX_", "SHARP_", "RDMAV_"}
	exact    = [...]string{
		"SLURM_CPUS_PER_TASK", "SLURM_CPUS_PER_GPU", "SLURM_CPUS_ON_NODE", "SLURM_CPU_BIND", "SLURM_CPU_BIND_TYPE", "SLURM_HINT",
		"SLURM_GPUS_PER_NODE", "SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE",
		"SRUN_CPUS_PER_TASK", "OMP_NUM_THREADS", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "CUDA_VISIBLE_DEVICES",
	}
	// secret marks names that are dropped although they begin like a setting.
	secret = [...]string{"SECRET", "TOKEN", "PASSW", "CREDENTIAL", "_KEY", "AUTH"}
)

const maxSettings = 1000

// variable takes an entry of the environment when its name is on the list. Another entry is dropped here, unread but for its name.
func (d *decoder) variable(path string, first json.Token) error {
	entry, ok := first.(string)
	if !ok {
		return d.other(path, first, "a string")
	}
	name, value, ok := strings.Cut(entry, "=")
	if !ok || !allowed(name) || len(d.out.Settings) >= maxSettings {
		return nil
	}
	d.out.Settings = append(d.out.Settings, evidence.Setting{
		Name: strings.Clone(name), Value: evidence.Quote("", 0, []byte(value)).Text, By: "environment", Excerpt: evidence.Quote(d.file, 0, []byte(entry)),
	})
	return nil
}

func allowed(name string) bool {
	if slices.ContainsFunc(secret[:], func(part string) bool { return strings.Contains(name, part) }) {
		return false
	}
	return slices.Contains(exact[:], name) || slices.ContainsFunc(prefixes[:], func(p string) bool { return strings.HasPrefix(name, p) && settingName(name) })
}

// settingName tells names of variables, capital letters, digits and underscores, from anything else.
func settingName(name string) bool {
	return len(name) <= 100 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

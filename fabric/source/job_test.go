package source_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/source"
)

func TestJobs(t *testing.T) {
	runAll(t, source.Options{}, []spec{
		{
			"a batch script", `
#!/bin/bash
#SBATCH -N 2 --ntasks-per-node=8 --gpus-per-node=8
export NCCL_NET=IB
srun python train.py`, source.JobScript,
			[]string{"error env/ib-residue 3:8 NCCL_NET", "error cpu/per-rank 4:1"},
		},
		{
			"options that Slurm does not read", `
#!/bin/bash
#SBATCH -N 2
echo
#SBATCH --exclusive`, source.JobScript,
			[]string{"warn file/unreadable 4:9"},
		},
		{
			"a script that is cut off", `
#!/bin/bash
export NCCL_NET=IB
if true; then`, source.JobScript,
			[]string{"error env/ib-residue 2:8 NCCL_NET", "error file/unreadable 3:10"},
		},
		{
			"a batch script in another language", `
#!/usr/bin/env python3
#SBATCH -N 2
print("NCCL_NET=IB" if True else (`, source.JobScript, nil,
		},
		{
			"a script without a first line that says so", `
# for the site
export NCCL_NET=IB; echo "ready"`, source.JobScript,
			[]string{"error env/ib-residue 2:8 NCCL_NET"},
		},
		{
			"settings", `
# /etc/nccl.conf
NCCL_NET=AWS Libfabric
NCCL_ALGO=Ring`, source.Environment,
			[]string{"warn env/harmful 3:1 NCCL_ALGO"},
		},
		{
			"an image", `
FROM nvcr.io/nvidia/pytorch:26.08-py3
ENV NCCL_DEBUG=INFO \
    NCCL_NET_PLUGIN=spcx`, source.Dockerfile,
			[]string{"error env/forced-fallback 2:1 NCCL_NET_PLUGIN"},
		},
		{
			"Terraform's language", `
resource "aws_instance" "gpu" {
  instance_type = "p5.48xlarge"
}`, source.Unreadable,
			[]string{"error file/unreadable 1:1"},
		},
	})
}

// A script by its name, where its text could be anything.
func TestScriptByName(t *testing.T) {
	d := source.Read("install.sh", []byte("# nothing\necho hello: world\n"), source.Options{})
	require.Equal(t, source.JobScript, d.Kind)
	require.Empty(t, d.Findings)
	require.Equal(t, "; holds nothing that is judged", d.Contents())
}

func TestSlurmOfTheRelease(t *testing.T) {
	d := source.Read("job", []byte("#!/bin/bash\n#SBATCH -N 1\nsrun x\nsrun y\nexport A=1\n"), source.Options{ParallelCluster: "3.16.1"})
	require.Equal(t, "25.11.8", d.Set.JobScripts[0].Slurm.Or(""))
	require.Equal(t, "; judged: 2 starts of a program", d.Contents())
}

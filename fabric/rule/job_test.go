package rule_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/jobscript"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
)

// batch makes a batch script of directives, one a line without #SBATCH, and commands behind an empty line.
func batch(text string) rule.JobScript {
	directives, commands, _ := strings.Cut(text, "\n\n")
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	for line := range strings.Lines(directives) {
		b.WriteString("#SBATCH " + strings.TrimSpace(line) + "\n")
	}
	b.WriteString(commands + "\n")
	return script(b.String())
}

func script(text string) rule.JobScript {
	return read.JobScript(jobscript.Read(text, jobscript.Batch), rule.Input{Place: diag.Place{File: "job"}})
}

// judged gives the findings about a script's CPUs, as "level rule".
func judged(t *testing.T, set rule.Set, o rule.Options) []string {
	t.Helper()
	findings := rule.Judge(set, o)
	diagtest.Complete(t, findings)
	var out []string
	for _, f := range findings {
		out = append(out, f.Level.String()+" "+string(f.Rule)+" "+f.Got)
	}
	return out
}

const eight = "--nodes=4 --ntasks-per-node=8 --gpus-per-node=8"

func TestCPUsPerRank(t *testing.T) {
	const wrong = "error cpu/per-rank "
	for _, c := range []struct {
		name, types, text string
		want              []string
	}{
		{"nothing asked for", "p5.48xlarge", eight + "\n\nsrun python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU"}},
		{"on a type that nobody names", "", eight + "\n\nsrun python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU"}},
		{"the share", "p5.48xlarge", eight + " -c 24\n\nsrun -c 24 python train.py", nil},
		{"less than the share", "p5.48xlarge", eight + " -c 12\n\nsrun -c 12 python train.py", []string{wrong + "each of 8 tasks on a node gets 12 CPUs"}},
		{"the same on another type", "p4d.24xlarge", eight + " -c 12\n\nsrun -c 12 python train.py", nil},
		{"and on one that nobody names", "", eight + " -c 12\n\nsrun -c 12 python train.py", nil},
		{"too few on any type", "", eight + " -c 4\n\nsrun -c 4 python train.py", []string{wrong + "each of 8 tasks on a node gets 4 CPUs"}},
		{"more than there are", "p5.48xlarge", eight + " -c 48\n\nsrun -c 48 python train.py", []string{wrong + "--cpus-per-task=48 for 8 tasks on a node, 384 CPUs"}},
		{"by GPU", "p5.48xlarge", eight + " --cpus-per-gpu=24\n\nsrun python train.py", nil},
		{"too few by GPU", "p5.48xlarge", eight + " --cpus-per-gpu=8\n\nsrun python train.py", []string{wrong + "each of 8 tasks on a node gets 8 CPUs"}},
		{"whole nodes", "p5.48xlarge", eight + " --exclusive\n\nsrun python train.py", nil},
		{"whole nodes of a type that nobody names", "", eight + " --exclusive\n\nsrun python train.py", nil},
		{"whole nodes for GPUs that nobody asks for", "p5.48xlarge", "-N 2 --ntasks-per-node=8 --exclusive\n\nsrun --cpu-bind=cores python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU, by --cpu-bind=cores"}},
		{"whole nodes among one's own jobs", "p5.48xlarge", eight + " --exclusive=user\n\nsrun python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU"}},
		{"exclusive of a step", "p5.48xlarge", eight + "\n\nsrun --exclusive python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU"}},
		{"bound to a core", "p5.48xlarge", eight + " --exclusive\n\nsrun --cpu-bind=verbose,cores python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU, by --cpu-bind=cores"}},
		{"bound to a core, on a type that nobody names", "", eight + " --exclusive\n\nsrun --cpu-bind=cores python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU, by --cpu-bind=cores"}},
		{"one task a core", "p5.48xlarge", eight + " --exclusive --ntasks-per-core=1\n\nsrun python train.py", []string{"warn cpu/per-rank each of 8 tasks on a node gets 1 CPU, by --ntasks-per-core=1"}},
		{"one task a core, not bound", "p5.48xlarge", eight + " --exclusive --ntasks-per-core=1\n\nsrun --cpu-bind=none $P/all_reduce_perf -b 8 -n 100", nil},
		{"bound to the cores that it asked for", "p5.48xlarge", eight + " -c 24\n\nsrun -c 24 --cpu-bind=cores python train.py", nil},
		{"bound to its rank", "p5.48xlarge", eight + " -c 24\n\nsrun -c 24 --cpu-bind=rank python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU, by --cpu-bind=rank"}},
		{"bound to sockets", "p5.48xlarge", eight + " --exclusive\n\nsrun --cpu-bind=sockets python train.py", nil},
		{"not bound", "p5.48xlarge", eight + " --exclusive\n\nsrun --cpu-bind=none python train.py", nil},
		{"a mask of enough", "p5.48xlarge", eight + " --exclusive\n\nsrun --cpu-bind=mask_cpu:0xffffff,0xffffff000000 python train.py", nil},
		{"a mask of too few", "p5.48xlarge", eight + " --exclusive\n\nsrun --cpu-bind=mask_cpu:0xff,0xffffff python train.py", []string{wrong + "each of 8 tasks on a node gets 8 CPUs, by --cpu-bind=mask_cpu"}},
		{"torchrun in one task", "p5.48xlarge", "-N 4 --gpus-per-node=8\n\nsrun torchrun --nproc_per_node=8 train.py", []string{wrong + "the task on a node gets 1 CPU for 8 ranks"}},
		{"torchrun with every CPU", "p5.48xlarge", "-N 4 --gpus-per-node=8 -c 192\n\nsrun -c 192 torchrun --nproc_per_node=8 train.py", nil},
		{"torchrun on whole nodes", "p5.48xlarge", "-N 4 --exclusive\n\nsrun torchrun --nproc_per_node=8 train.py", nil},
		{"torchrun for each GPU there is", "p5.48xlarge", "-N 4 --gpus-per-node=8 -c 96\n\nsrun -c 96 torchrun --nproc_per_node=gpu train.py", []string{wrong + "the task on a node gets 96 CPUs for 8 ranks"}},
		{"torchrun without srun", "p5.48xlarge", "-N 1 --gpus-per-node=8\n\ntorchrun --nproc_per_node=8 train.py", []string{wrong + "the task on a node gets 1 CPU for 8 ranks"}},
		{"torchrun without srun, with CPUs", "p5.48xlarge", "-N 1 --gpus-per-node=8 -c 192\n\ntorchrun --nproc_per_node=8 train.py", nil},
		{"mpirun", "p5.48xlarge", eight + "\n\nmpirun -np 32 --bind-to none ./all_reduce_perf", []string{wrong + "each of 8 tasks on a node gets 1 CPU"}},
		{"mpirun on whole nodes", "p5.48xlarge", eight + " --exclusive\n\nmpirun -np 32 -N 8 --bind-to none ./all_reduce_perf", nil},
		{"mpirun bound to cores", "p5.48xlarge", eight + " --exclusive\n\nmpirun -np 32 --bind-to core ./all_reduce_perf", []string{wrong + "each of 8 tasks on a node gets 1 CPU, by --bind-to core"}},
		{"mpirun with several cores a rank", "p5.48xlarge", eight + " --exclusive\n\nmpirun -np 32 --map-by slot:PE=24 --bind-to core ./all_reduce_perf", nil},
		{"tasks by nodes", "p5.48xlarge", "-N 2 -n 16 --gres=gpu:h100:8\n\nsrun python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU"}},
		{"tasks by GPU", "p5.48xlarge", "-N 2 --gpus-per-node=8 --ntasks-per-gpu=1\n\nsrun python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU"}},
		{"GPUs by task", "p5.48xlarge", "-N 2 --gpus=16 --gpus-per-task=1 -n 16\n\nsrun python train.py", []string{wrong + "each of 8 tasks on a node gets 1 CPU"}},
		{"half of a node", "p5.48xlarge", "-N 1 --ntasks-per-node=4 --gpus-per-node=4 -c 24\n\nsrun -c 24 python train.py", nil},
		{"a tool beside the work", "p5.48xlarge", eight + "\n\nsrun hostname\nsrun bash -c nvidia-smi", nil},
		{"the step's own tasks", "p5.48xlarge", eight + "\n\nsrun --ntasks-per-node=1 -c 24 x", nil},
		{"the constraint's type", "p5.48xlarge", eight + " -C p4d.24xlarge -c 12\n\nsrun -c 12 python train.py", nil},
		{"CPUs that are not known", "p5.48xlarge", eight + "\n\nsrun -c $N python train.py", []string{"warn value/unknown --cpus-per-task of this start is not known, so that cpu/per-rank was not judged"}},
		{"options that are not known", "p5.48xlarge", eight + "\n\nsrun \"${ARGS[@]}\" python train.py", []string{"warn value/unknown a part of the options of this start is not known, so that cpu/per-rank was not judged"}},
		{"by the variable", "p5.48xlarge", eight + "\n\nexport SRUN_CPUS_PER_TASK=24\nsrun python train.py", nil},
		{"no GPUs", "p5.48xlarge", "-N 2 -n 16\n\nsrun make", nil},
		{"tasks that are not known", "p5.48xlarge", "--gpus-per-node=8 -n 16\n\nsrun python train.py", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o rule.Options
			if c.types != "" {
				o.InstanceTypes = []string{c.types}
			}
			got := judged(t, rule.Set{JobScripts: []rule.JobScript{batch(c.text)}}, o)
			var cpus []string
			for _, g := range got {
				if !strings.Contains(g, string(diag.CPUSrunInherit)) {
					cpus = append(cpus, g)
				}
			}
			require.Equal(t, c.want, cpus)
		})
	}
}

// A job beside the cluster that runs it: its queue tells type and exclusiveness.
func TestJobOnACluster(t *testing.T) {
	cluster := world(t, `
cluster pc: {Version: 3.16.1, Scheduling: {SlurmQueues: [
  {Name: small, ComputeResources: [{InstanceType: p4d.24xlarge, Efa: {Enabled: true}}]},
  {Name: train, JobExclusiveAllocation: true, ComputeResources: [{InstanceType: p5.48xlarge, Efa: {Enabled: true}}]},
  {Name: mixed, ComputeResources: [{InstanceType: p4d.24xlarge, Efa: {Enabled: true}}, {InstanceType: p5.48xlarge, Efa: {Enabled: true}}]}]}}`)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"the default queue", eight + " -c 12\n\nsrun -c 12 x", nil},
		{"a queue with whole nodes", eight + " -p train\n\nsrun x", nil},
		{"whole nodes narrowed", eight + " -p train\n\nsrun --cpu-bind=cores x", []string{"error cpu/per-rank each of 8 tasks on a node gets 1 CPU, by --cpu-bind=cores"}},
		{"the worst of a queue's types", eight + " -p mixed -c 12\n\nsrun -c 12 x", []string{"error cpu/per-rank each of 8 tasks on a node gets 12 CPUs"}},
		{"a queue that is not there", eight + " -p other -c 12\n\nsrun -c 12 x", nil},
		{"a new Slurm takes the job's CPUs over", eight + " -p small -c 12\n\nsrun x", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := cluster
			set.JobScripts = []rule.JobScript{batch(c.text)}
			require.Equal(t, c.want, judged(t, set, rule.Options{}))
		})
	}
}

func TestSrunInheritance(t *testing.T) {
	job := eight + " -c 24\n\n"
	for _, c := range []struct {
		name, slurm, text string
		want              []string
	}{
		{"before", "21.08.8", job + "srun x", nil},
		{"lost", "22.05.8", job + "srun x", []string{"error cpu/srun-inherit"}},
		{"lost still", "23.02.7", job + "srun x", []string{"error cpu/srun-inherit"}},
		{"back", "23.11.7", job + "srun x", nil},
		{"today's", "25.11.8", job + "srun x", nil},
		{"nobody says which", "", job + "srun x", []string{"note cpu/srun-inherit"}},
		{"said again", "22.05.8", job + "srun -c 24 x", nil},
		{"said by the variable", "22.05.8", job + "export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK\nsrun x", nil},
		{"two numbers", "25.11.8", job + "export SRUN_CPUS_PER_TASK=12\nsrun -c 24 x", []string{"error cpu/srun-inherit"}},
		{"two variables", "", "-N 1\n\nexport SLURM_CPUS_PER_TASK=24 SLURM_TRES_PER_TASK=cpu:12\nsrun x", []string{"note cpu/srun-inherit"}},
		{"two variables alike", "", "-N 1\n\nexport SLURM_CPUS_PER_TASK=24 SLURM_TRES_PER_TASK=cpu:24\nsrun x", nil},
		{"two variables before it mattered", "21.08", "-N 1\n\nexport SLURM_CPUS_PER_TASK=24 SRUN_CPUS_PER_TASK=12\nsrun x", nil},
		{"one of them not known", "25.11.8", "-N 1\n\nexport SLURM_CPUS_PER_TASK=24 SRUN_CPUS_PER_TASK=$N\nsrun x", []string{"note cpu/srun-inherit"}},
		{"in a file", "", "-N 1\n\nexport SLURM_CPUS_PER_TASK=24 SRUN_CPUS_PER_TASK=12", []string{"note cpu/srun-inherit"}},
		{"no srun", "22.05.8", job + "mpirun x", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := batch(c.text)
			if c.slurm != "" {
				s.Slurm = rule.Known(c.slurm)
			}
			var got []string
			for _, f := range rule.Judge(rule.Set{JobScripts: []rule.JobScript{s}}, rule.Options{}) {
				if f.Rule == diag.CPUSrunInherit {
					got = append(got, f.Level.String()+" "+string(f.Rule))
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

// Which of a script's settings are judged, and how: those that reach a program.
func TestSettingsOfAScript(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"exported", "-N 2\n\nexport NCCL_NET=IB\nsrun x", []string{"error env/ib-residue NCCL_NET=IB"}},
		{"a probe within a node", "-N 2\n\nNCCL_NET=Socket ./all_reduce_perf -g 8\nsrun x", nil},
		{"a probe by srun", "-N 2\n\nNCCL_NET=Socket srun -N 1 ./all_reduce_perf -g 8\nsrun x", nil},
		{"before the job's own start", "-N 2\n\nNCCL_NET=Socket srun python train.py", []string{"error env/forced-fallback NCCL_NET=Socket"}},
		{"a job of one node", "-N 1\n\nexport NCCL_NET=Socket\nsrun x", []string{"note env/forced-fallback NCCL_NET=Socket"}},
		{"torchrun over nodes", "-N 2\n\nNCCL_NET=Socket torchrun --nnodes=2 x", []string{"error env/forced-fallback NCCL_NET=Socket"}},
		{"unset before the start", "-N 2\n\nexport NCCL_IB_HCA=mlx5\nunset NCCL_IB_HCA\nsrun x", nil},
		{"under a condition", "-N 2\n\nif [ -n \"$A\" ]; then export NCCL_NET=IB; fi\nsrun x", []string{"note env/ib-residue NCCL_NET=IB"}},
		{"HPC-X first", "-N 2\n\nexport LD_LIBRARY_PATH=/opt/hpcx/nccl_rdma_sharp_plugin/lib:$LD_LIBRARY_PATH\nsrun x", []string{"error env/ib-residue LD_LIBRARY_PATH=/opt/hpcx/nccl_rdma_sharp_plugin/lib:…"}},
		{"HPC-X behind AWS's plugin", "-N 2\n\nexport LD_LIBRARY_PATH=/opt/amazon/ofi-nccl/lib:/opt/hpcx/nccl_rdma_sharp_plugin/lib:$LD_LIBRARY_PATH\nsrun x", nil},
		{"another cloud's file", "-N 2\n\nsource /usr/local/nvidia/lib64/nccl-env-profile.sh\nsrun x", []string{"warn env/other-cloud /usr/local/nvidia/lib64/nccl-env-profile.sh, which sets up Google's fabric"}},
		{"a value that decides and nobody knows", "-N 2\n\nexport NCCL_NET=$NET\nsrun x", []string{"warn value/unknown the value of NCCL_NET is not known, so that it was not judged"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, g := range judged(t, rule.Set{JobScripts: []rule.JobScript{batch(c.text)}}, rule.Options{}) {
				text, _, _ := strings.Cut(g, ": ")
				got = append(got, text)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestLeastCPUsPerGPU(t *testing.T) {
	require.Equal(t, 12, catalog.LeastCPUsPerGPU())
}

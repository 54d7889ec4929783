package jobscript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/jobscript"
)

// show writes a script, a line for each thing in it.
func show(s *jobscript.Script) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, o := range s.Directives {
		add("#%d:%d %s", o.Line, o.Column, option(o))
	}
	for _, o := range s.Ignored {
		add("ignored %d:%d %s", o.Line, o.Column, option(o))
	}
	for _, a := range s.Settings {
		text := fmt.Sprintf("%d:%d %s=%s", a.Line, a.Column, a.Name, word(a.Value))
		if a.Conditional {
			text += " if"
		}
		if a.OneCommand != nil {
			text += " once"
		}
		out = append(out, text)
	}
	for _, start := range s.Starts {
		out = append(out, fmt.Sprintf("%d:%d ", start.Line, start.Column)+launch(start))
	}
	for _, w := range s.Sourced {
		add("source %s", word(w))
	}
	for _, p := range s.Problems {
		add("problem %d:%d %s", p.Line, p.Column, p.Text)
	}
	return out
}

func word(w jobscript.Word) string {
	text := w.Text
	if !w.Known {
		text += "?"
	}
	return text
}

func option(o jobscript.Option) string {
	if o.Value == (jobscript.Word{}) {
		return o.Name
	}
	return o.Name + "=" + word(o.Value)
}

func launch(s *jobscript.Start) string {
	parts := []string{"start"}
	if s.Launcher != "" {
		parts = append(parts, s.Launcher)
	}
	for _, o := range s.Options {
		parts = append(parts, option(o))
	}
	if s.Open {
		parts = append(parts, "open")
	}
	if s.Inner != nil {
		parts = append(parts, "(", launch(s.Inner), ")")
	}
	if len(s.Program) > 0 {
		var words []string
		for _, w := range s.Program {
			words = append(words, word(w))
		}
		parts = append(parts, "["+strings.Join(words, " ")+"]")
	}
	if s.Conditional {
		parts = append(parts, "if")
	}
	return strings.Join(parts, " ")
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"long and short options", "#!/bin/bash\n#SBATCH --nodes=4 --ntasks-per-node 8 # a comment\n#SBATCH -c24 -p train --exclusive -J 'a b'\nsrun python train.py\n", []string{
			"#2:9 nodes=4", "#2:19 ntasks-per-node=8", "#3:9 cpus-per-task=24", "#3:14 partition=train", "#3:23 exclusive", "#3:35 job-name=a b",
			"4:1 start srun [python train.py]",
		}},
		{"directives behind a command", "#!/bin/bash\n\n# note\n#SBATCH -N 2\necho\n#SBATCH -c 24\n##SBATCH -c 1\n#SBATCHER\n", []string{"#4:9 nodes=2", "ignored 6:9 cpus-per-task=24"}},
		{"no shell", "#!/usr/bin/env python3\n#SBATCH --gpus=8\nimport os\nos.system('x')\n", []string{"#2:9 gpus=8"}},
		{"a line that goes on", "srun -l --cpus-per-task=24 \\\n  --cpu-bind=none \\\n  python train.py --lr 1\n", []string{"1:1 start srun label cpus-per-task=24 cpu-bind=none [python train.py --lr 1]"}},
		{"exported and not", "export NCCL_NET=IB\nNCCL_DEBUG=INFO\nsrun x\n", []string{"1:8 NCCL_NET=IB", "3:1 start srun [x]"}},
		{"exported later", "NCCL_NET=IB\nexport NCCL_NET\nsrun x\n", []string{"1:1 NCCL_NET=IB", "3:1 start srun [x]"}},
		{"exported by a word", "export \"NCCL_NET=I\"B\nset -a\nA=1\nset +a\nB=1\nsrun x\n", []string{"1:8 NCCL_NET=IB", "3:1 A=1", "6:1 start srun [x]"}},
		{"unset before the start", "export NCCL_NET=IB NCCL_ALGO=Ring\nunset NCCL_NET\nexport -n NCCL_ALGO\nsrun x\n", []string{"4:1 start srun [x]"}},
		{"unset after it", "export NCCL_NET=IB\nsrun x\nunset NCCL_NET\n", []string{"1:8 NCCL_NET=IB", "2:1 start srun [x]"}},
		{"replaced before the start", "export NCCL_NET=IB\nexport NCCL_NET=Libfabric\nsrun x\n", []string{"2:8 NCCL_NET=Libfabric", "3:1 start srun [x]"}},
		{"two starts", "export NCCL_NET=IB\nsrun x\nNCCL_NET=Libfabric\nsrun x\n", []string{"1:8 NCCL_NET=IB", "3:1 NCCL_NET=Libfabric", "2:1 start srun [x]", "4:1 start srun [x]"}},
		{"no start", "export NCCL_NET=IB\n", []string{"1:8 NCCL_NET=IB"}},
		{"before one command", "NCCL_NET=Socket ./all_reduce_perf -g 8\nA=1 mkdir x\nsrun x\n", []string{
			"1:1 NCCL_NET=Socket once", "2:1 A=1 once", "1:17 start [./all_reduce_perf -g 8]", "3:1 start srun [x]",
		}},
		{"by env, --export and -x", "srun --export=ALL,NCCL_NET=IB env NCCL_ALGO=Ring python t.py\nmpirun -np 16 -x NCCL_DEBUG=INFO -x PATH --bind-to none ./a_perf -b 8\n", []string{
			"1:6 NCCL_NET=IB once", "1:35 NCCL_ALGO=Ring once", "2:18 NCCL_DEBUG=INFO once",
			"1:1 start srun export=ALL,NCCL_NET=IB [python t.py]", "2:1 start mpirun np=16 x=NCCL_DEBUG=INFO x=PATH bind-to=none [./a_perf -b 8]",
		}},
		{"variables", "N=8\nC=$((192 / N))\nX=\"a${N}b\"'$N'\nexport A=$X B=${U} D=p${U}q E=$(date) F=${N/8/9}\nsrun -c $C x\n", []string{
			"4:8 A=a8b$N", "4:13 B=?", "4:20 D=p?", "4:29 E=?", "4:39 F=?", "5:1 start srun cpus-per-task=24 [x]",
		}},
		{"defaults", "export A=${A:-x}\nN=\nexport B=${N:-y} C=${N-z}\n", []string{"1:8 A=x if", "3:8 B=y", "3:18 C="}},
		{"what Slurm gives", "#!/bin/bash\n#SBATCH -c 24\nexport SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK NODE=$SLURM_NODEID\nsrun x\n", []string{
			"#2:9 cpus-per-task=24", "3:8 SRUN_CPUS_PER_TASK=24", "3:48 NODE=?", "4:1 start srun [x]",
		}},
		{"options in variables", "OPTS=\"-c 24 -l\"\nARGS=(--nproc_per_node=8 --nnodes 4)\nARGS+=(-m)\nsrun $OPTS torchrun \"${ARGS[@]}\" train\nsrun \"${MORE[@]}\" x\n", []string{
			"4:1 start srun cpus-per-task=24 label ( start torchrun nproc-per-node=8 nnodes=4 module [train] )", "5:1 start srun open [x]",
		}},
		{"a program that is not known", "srun -l $X/all_reduce_perf -b 8 -n 100\nsrun -l $Y -n 100\n", []string{"1:1 start srun label open [? -b 8 -n 100]", "2:1 start srun label open [? -n 100]"}},
		{"a text for a shell without a program", "srun bash -c 'echo $(hostname)'\n", []string{"1:1 start srun"}},
		{"under conditions", "if [ -n \"$X\" ]; then export A=1; B=1; else export A=2; fi\n[ -f y ] && export C=3\nexport B C\nsrun -c $A x\nfor i in 1 2; do srun -n $i y; done\nwhile true; do srun z; done\n", []string{
			"1:29 A=1 if", "1:34 B=1 if", "1:51 A=2 if", "2:20 C=3 if",
			"4:1 start srun cpus-per-task=? [x]", "5:18 start srun ntasks=? [y]", "6:16 start srun [z] if",
		}},
		{"the same on all ways", "case $X in a) export A=1;; *) export A=1;; esac\nsrun -c $A x\n", []string{"1:22 A=1 if", "1:38 A=1 if", "2:1 start srun cpus-per-task=? [x]"}},
		{"subshell and function", "f() { export A=$1; }\n(export B=1; srun x)\nf 5\nsrun y\n", []string{"1:14 A=5", "2:9 B=1", "2:14 start srun [x]", "4:1 start srun [y]"}},
		{"a function that is never called", "f() { export A=1; srun x; }\nexport B=1\n", []string{"2:8 B=1"}},
		{"recursion", "f() { f; export A=1; }\nf\n", []string{"1:17 A=1"}},
		{"a text for a shell", "srun -N 2 bash -c 'export NCCL_NET=IB; torchrun --nproc-per-node 8 t.py'\nbash -lc \"srun y\"\n", []string{
			"1:19 NCCL_NET=IB", "1:1 start srun nodes=2 ( start torchrun nproc-per-node=8 [t.py] )", "2:10 start srun [y]",
		}},
		{"launchers of PyTorch", "python3 -m torch.distributed.run --nproc_per_node=8 t.py\naccelerate launch --num_processes 8 t.py\ndeepspeed --num_gpus 8 t.py\n", []string{
			"1:1 start torchrun nproc-per-node=8 [t.py]", "2:1 start torchrun num-processes=8 [t.py]", "3:1 start torchrun nproc-per-node=8 [t.py]",
		}},
		{"wrappers", "nohup timeout 60 srun x &\nexec numactl -N 0 ./a\nnsys profile -o r srun y\n", []string{"1:18 start srun [x]", "2:19 start [./a]", "3:19 start srun [y]"}},
		{"containers", "docker run --rm -e NCCL_NET=IB --env=A=1 image ./x_perf\nsrun --container-image=i --container-mount-home python x\n", []string{
			"1:20 NCCL_NET=IB once", "1:32 A=1 once", "1:48 start [./x_perf]", "2:1 start srun container-image=i container-mount-home [python x]",
		}},
		{"sourced", ". /opt/weft/nccl-env.sh\nsource $HOME/env.sh\n", []string{"source /opt/weft/nccl-env.sh", "source ?"}},
		{"eval", "N=NCCL_NET\neval \"export $N=IB\"\nread N\nsrun -c $N x\n", []string{"2:6 NCCL_NET=IB", "4:1 start srun cpus-per-task=? [x]"}},
		{"cut in the middle", "export A=1\nsrun x\nif true; then\n  export B=1\n", []string{"1:8 A=1", "2:1 start srun [x]", "problem 3:1 `if` statement must end with `fi`; what follows was not read"}},
		{"windows line ends", "#!/bin/bash\r\n#SBATCH -N 2\r\nsrun x\r\n", []string{"#2:9 nodes=2", "3:1 start srun [x]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, show(jobscript.Read(c.text, jobscript.Batch)))
		})
	}
}

func TestEnvironmentFile(t *testing.T) {
	text := "# settings\n\nNCCL_IB_HCA=mlx5_0:1,mlx5_1:1      # residue\n  export NCCL_NET=AWS Libfabric\nA=\"x y\" \nB='$Z'\nC=$Z\nLD_LIBRARY_PATH=/opt/hpcx/lib:${LD_LIBRARY_PATH}\nEMPTY=\n"
	require.Equal(t, jobscript.Environment, jobscript.Recognise(text))
	require.Equal(t, []string{
		"3:1 NCCL_IB_HCA=mlx5_0:1,mlx5_1:1", "4:10 NCCL_NET=AWS Libfabric", "5:1 A=x y", "6:1 B=$Z", "7:1 C=?",
		"8:1 LD_LIBRARY_PATH=/opt/hpcx/lib:?", "9:1 EMPTY=",
	}, show(jobscript.Read(text, jobscript.Environment)))
}

func TestDockerfile(t *testing.T) {
	text := `# syntax=docker/dockerfile:1
ARG TAG=26.08
FROM nvcr.io/nvidia/pytorch:$TAG AS base
ENV NCCL_NET=IB \
    NCCL_IB_HCA="mlx5_0"
FROM ubuntu AS other
ENV NCCL_ALGO=Ring
FROM --platform=linux/amd64 base
ARG X=1
ENV NCCL_DEBUG INFO WARN
ENV NCCL_NET=Libfabric Y=$X
RUN <<END
ENV Z=1
END
`
	require.Equal(t, jobscript.Dockerfile, jobscript.Recognise(text))
	require.Equal(t, []string{
		"4:1 NCCL_IB_HCA=mlx5_0", "10:1 NCCL_DEBUG=INFO WARN", "11:1 NCCL_NET=Libfabric", "11:1 Y=1",
	}, show(jobscript.Read(text, jobscript.Dockerfile)))
}

func TestRecognise(t *testing.T) {
	for text, want := range map[string]jobscript.Kind{
		"":                                    jobscript.None,
		"#SBATCH -N 1\n":                      jobscript.Batch,
		"#!/usr/bin/env -S bash -e\n":         jobscript.Shell,
		"#!/usr/bin/python3\n":                jobscript.None,
		"#!/usr/bin/python3\n#SBATCH -N 1\n":  jobscript.Batch,
		"FROM x\n":                            jobscript.Dockerfile,
		"A=1\n":                               jobscript.Environment,
		"export A=1\nB=2\n":                   jobscript.Environment,
		"A=1\nsrun x\n":                       jobscript.None,
		"A=$(date)\n":                         jobscript.None,
		"region = \"us-east-1\"\n":            jobscript.None,
		"name: x\n":                           jobscript.None,
		"# only a comment\n":                  jobscript.None,
		"[a]\nx=1\n":                          jobscript.None,
		"FROM\n":                              jobscript.None,
		"\ufeff#!/bin/sh\nexport NCCL_NET=IB": jobscript.Shell,
	} {
		require.Equal(t, want, jobscript.Recognise(text), "%q", text)
	}
	require.True(t, jobscript.Plain("export A=1; echo\n"))
	require.False(t, jobscript.Plain("hello world\n"))
	require.False(t, jobscript.Plain("if\n"))
}

func TestWhatGrowsWithoutEnd(t *testing.T) {
	s := jobscript.Read(strings.Repeat("#", jobscript.MaxBytes+1), jobscript.Shell)
	require.Len(t, s.Problems, 1)
	s = jobscript.Read("A=aaaaaaaaaa\n"+strings.Repeat("A=$A$A\n", 100)+"export A\n", jobscript.Shell)
	require.False(t, s.Settings[0].Value.Known, "a value that grows without end")
	s = jobscript.Read("A=(x x)\n"+strings.Repeat("A+=(\"${A[@]}\")\n", 100)+"srun \"${A[@]}\"\n", jobscript.Shell)
	require.Len(t, s.Starts, 1)
	for _, deep := range []string{"(", "$(", "{ ", "\"$(", "if ", "$((", "a && (", "${a:-", "$[", "f() ", "! ", "((!", "((-", "((a=", "((a?", "while ", "time ", "a | ", "[[ ! "} {
		require.NotPanics(t, func() { jobscript.Read(strings.Repeat(deep, jobscript.MaxBytes/len(deep)), jobscript.Shell) }, deep)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"#!/bin/bash\n#SBATCH -N 2 -c24 'x\nexport A=${B:-$((1+2))} && srun -l \"${X[@]}\" bash -c 'torchrun x'\n",
		"f() { f; }; f; while read x; do A+=$A; done; (unset A); case $1 in a) env B=1 mpirun -x C=1 y;; esac",
		"FROM a AS b\nENV A=1 \\\n B=\"2\"\nFROM b\nENV C d\n", "A='x' # y\nexport B=$A\n", "eval \"srun x\"; A=(1 2); for i in \"${A[@]}\"; do srun $i; done",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []jobscript.Kind{jobscript.Batch, jobscript.Environment, jobscript.Dockerfile} {
			s := jobscript.Read(text, kind)
			lines := strings.Count(text, "\n") + 1
			for _, a := range s.Settings {
				require.True(t, a.Line >= 1 && a.Line <= lines && a.Column >= 1, "%v", a)
				require.NotEmpty(t, a.Name)
			}
			require.Equal(t, show(s), show(jobscript.Read(text, kind)), "two readings differ")
		}
		_ = jobscript.Plain(text)
	})
}

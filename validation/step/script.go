package step

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/plan"
)

//go:embed script/prelude.sh
var prelude string

// minute counts job limits.
const minute = time.Minute

// script is a batch script in the making.
type script struct {
	step  string
	group plan.NodeGroup
	nodes int
	hosts []string
	limit time.Duration
	// mpi is srun's word for how MPI programs start; none for programs that use none.
	mpi string
	// image that programs run in; empty: on the host.
	image string
	// environment of the programs, NAME=value.
	environment []string
	// commands follow the prelude; labels are the programs that they run.
	commands []string
	labels   []string
	// second group of a job between blocks.
	second *plan.NodeGroup
}

func (s *script) do(format string, args ...any) {
	s.commands = append(s.commands, fmt.Sprintf(format, args...))
}

// run adds a program; its label names its files.
func (s *script) run(label, format string, args ...any) {
	s.labels = append(s.labels, label)
	s.do(format, args...)
}

func (s *script) outputs(job string) []string {
	out := make([]string, 0, len(s.labels))
	for _, l := range s.labels {
		out = append(out, "out/"+job+"/"+l+".log")
	}
	return out
}

func (s *script) render(job string) string {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	for _, d := range s.directives(job) {
		b.WriteString("#SBATCH " + d + "\n")
	}
	b.WriteString("# Validation by weft: run it with sbatch in the folder of a run. Bash, as on every ParallelCluster image.\n")
	b.WriteString("# shellcheck disable=SC2034,SC2086,SC2317 # the beginning is the same in every job: some of it has no use here, and lists are split\n\n")
	fmt.Fprintf(&b, "job=%s\nnics=%d\n\n", quote(job), s.group.Healthy.EFADevices)
	_, shared, _ := strings.Cut(prelude, "\n") // the first line is for the check of the part alone
	b.WriteString(shared)
	b.WriteString("\nclean\n")
	if s.image == "" {
		b.WriteString("libraries\n")
	}
	fmt.Fprintf(&b, "road=(%s)\n", strings.Join(quoteAll(s.environment), " "))
	b.WriteString(s.launchers())
	for _, c := range s.commands {
		b.WriteString("\n" + c + "\n")
	}
	b.WriteString("\nfinish\n")
	return b.String()
}

// directives are sbatch's options. A job takes its nodes whole, with all their memory, and is not put back into the queue when a node
// fails: what became of it is what the validation wants to know.
func (s *script) directives(job string) []string {
	common := []string{
		"--job-name=weft-" + job, "--no-requeue", "--time=" + clock(s.limit),
	}
	out := append(common, s.component(s.group, s.nodes)...)
	if len(s.hosts) > 0 && s.second == nil {
		out = append(out, "--nodelist="+strings.Join(s.hosts, ","))
	}
	if s.second != nil {
		out = append(out, "hetjob")
		out = append(out, s.component(*s.second, s.nodes)...)
	}
	return out
}

// component asks for whole nodes of one group.
func (s *script) component(g plan.NodeGroup, nodes int) []string {
	out := []string{
		"--partition=" + g.Name, fmt.Sprintf("--nodes=%d", nodes), fmt.Sprintf("--ntasks-per-node=%d", g.Ranks.PerNode),
		fmt.Sprintf("--cpus-per-task=%d", g.Ranks.CPUs), "--exclusive", "--mem=0",
	}
	if g.Healthy.Kind == "gpu" {
		out = append(out, fmt.Sprintf("--gpus-per-node=%d", g.Healthy.Accelerators))
	}
	return out
}

// launchers are the functions that start programs. srun takes neither CPUs nor GPUs for a task from the job (since Slurm 22.05 for the
// CPUs): every step says them again.
func (s *script) launchers() string {
	g := s.group
	share := fmt.Sprintf("--cpus-per-task=%d", g.Ranks.CPUs)
	whole := fmt.Sprintf("--cpus-per-task=%d", g.Ranks.CPUs*g.Ranks.PerNode)
	gpus := ""
	if g.Healthy.Kind == "gpu" {
		gpus = fmt.Sprintf(" --gpus-per-node=%d", g.Healthy.Accelerators)
	}
	var b strings.Builder
	b.WriteString("\n# ranks NODES COMMAND...: a program with all ranks on some nodes.\n")
	fmt.Fprintf(&b, "ranks() {\n  local where=$1 n\n  n=$(count \"$where\")\n  shift\n"+
		"  timeout --kill-after=30 \"$limit\" srun --label --kill-on-bad-exit=1 --mpi=%s --nodelist=\"$where\" --nodes=\"$n\" --ntasks=$((n * %d)) --ntasks-per-node=%d \\\n"+
		"    %s%s%s env \"${road[@]}\" \"$@\"\n}\n", s.mpi, g.Ranks.PerNode, g.Ranks.PerNode, share, gpus, s.container())
	b.WriteString("\n# once NODES COMMAND...: one process on each of some nodes, with all that the node has.\n")
	fmt.Fprintf(&b, "once() {\n  local where=$1 n\n  n=$(count \"$where\")\n  shift\n"+
		"  timeout --kill-after=30 \"$limit\" srun --label --kill-on-bad-exit=1 --mpi=none --nodelist=\"$where\" --nodes=\"$n\" --ntasks=\"$n\" --ntasks-per-node=1 \\\n"+
		"    %s%s%s env \"${road[@]}\" \"$@\"\n}\n", whole, gpus, s.container())
	return b.String()
}

// container are Pyxis's options. The folder of the run is there under its own name; nothing else of the home is.
func (s *script) container() string {
	if s.image == "" {
		return ""
	}
	return ` --container-image=` + quote(s.image) + ` --container-mounts="$PWD:$PWD" --container-workdir="$PWD" --no-container-mount-home`
}

// facts reads what each node is, as its ranks see it: the first rank of each node tells.
func (s *script) facts(nodes string) {
	s.do("# What each node has, as its ranks see it.\n"+
		"limit=600 ranks %s bash -c \"$facts\" facts \"$out/facts\" >\"$out/facts.log\" 2>&1 </dev/null ||\n  say 'what the nodes have could not be read'", nodes)
}

// clock writes a duration as Slurm takes it.
func clock(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// quote makes one word of a shell out of a text.
func quote(text string) string {
	if text != "" && !strings.ContainsFunc(text, special) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func special(c rune) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:./_-"
	return !strings.ContainsRune(plain, c)
}

func quoteAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return out
}

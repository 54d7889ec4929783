package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

// judgeInheritance judges how --cpus-per-task comes from a job to srun.
func judgeInheritance(v *view) {
	for i := range v.JobScripts {
		s := &v.JobScripts[i]
		slurm := v.slurmOf(s)
		for _, step := range s.Steps {
			if step.Launcher == stepSRUN {
				v.lostCPUs(s, step, slurm)
				v.twoCounts(s, step, slurm)
			}
		}
		if len(s.Steps) == 0 {
			v.twoCounts(s, Step{Allocation: Allocation{Place: s.Place}, CPUCounts: countsOf(s.Settings)}, slurm)
		}
	}
}

// slurmOf is the version of Slurm that runs a job; empty where nobody tells, or clusters differ.
func (v *view) slurmOf(s *JobScript) string {
	homes := v.homes(s)
	for _, h := range homes[1:] {
		if h.slurm != homes[0].slurm {
			return ""
		}
	}
	return homes[0].slurm
}

// lostCPUs: the job says how many CPUs a task has, and srun does not take it over.
func (v *view) lostCPUs(s *JobScript, step Step, slurm string) {
	n, asked := s.Job.CPUsPerTask.Get()
	if !asked || !step.CPUsPerTask.IsAbsent() || !step.InheritedCPUs.IsAbsent() || step.Open {
		return
	}
	inherits, known, source := catalog.SrunInherits(slurm)
	level, which := diag.Error, "Slurm "+slurm
	switch {
	case known && inherits:
		return
	case !known:
		level, which = diag.Note, "Slurm 22.05 to 23.02"
	}
	v.addAt(level, step.Place, fmt.Sprintf("srun without --cpus-per-task in a job with %d: srun of %s does not take it over", n, which),
		fmt.Sprintf("srun --cpus-per-task=%d", n), fmt.Sprintf("write srun --cpus-per-task=%d, which is right in every version", n),
		fmt.Sprintf("%s (read %s)", source.Ref, source.Date))
}

// twoCounts: several variables say how many CPUs a task has, and not the same.
func (v *view) twoCounts(s *JobScript, step Step, slurm string) {
	names := slices.Sorted(maps.Keys(step.CPUCounts))
	counts := step.CPUCounts
	if len(names) == 0 {
		return
	}
	if !s.Job.CPUsPerTask.IsAbsent() && counts["SLURM_CPUS_PER_TASK"].IsAbsent() {
		names = append(names, "--cpus-per-task of the job")
		counts = maps.Clone(counts)
		counts[names[len(names)-1]] = s.Job.CPUsPerTask
	}
	if len(names) < 2 || agree(names, counts) {
		return
	}
	from, source := catalog.TwoCPUCounts()
	level := diag.Note
	if have, err := version.Parse(slurm); err == nil {
		if !have.AtLeast(version.MustParse(from)) {
			return
		}
		level = diag.Error
	}
	if unsure(names, counts) {
		level = diag.Note
	}
	v.addAt(level, step.Place, "a task's CPUs are set in several ways: "+describe(names, counts), "one way, or the same number",
		"keep srun --cpus-per-task=N and set none of the variables: two different numbers end srun in some versions",
		fmt.Sprintf("%s (read %s)", source.Ref, source.Date))
}

func agree(names []string, counts map[string]Value[int]) bool {
	n, known := counts[names[0]].Get()
	return known && !slices.ContainsFunc(names, func(name string) bool { return counts[name].Or(n-1) != n })
}

func unsure(names []string, counts map[string]Value[int]) bool {
	return slices.ContainsFunc(names, func(name string) bool { return !counts[name].IsKnown() })
}

func describe(names []string, counts map[string]Value[int]) string {
	var parts []string
	for _, name := range names {
		value := "a value that is not known"
		if n, ok := counts[name].Get(); ok {
			value = fmt.Sprint(n)
		}
		parts = append(parts, name+": "+value)
	}
	return strings.Join(parts, ", ")
}

// cpuVariables are those by which srun takes a task's CPUs from its environment.
var cpuVariables = []string{"SRUN_CPUS_PER_TASK", "SLURM_CPUS_PER_TASK", "SLURM_TRES_PER_TASK"}

// CPUCount reads one of the variables by which srun takes a task's CPUs: a number, or cpu:number.
func CPUCount(name string, value Value[string]) (Value[int], bool) {
	if !slices.Contains(cpuVariables, name) || value.IsAbsent() {
		return Value[int]{}, false
	}
	text, _ := value.Get()
	var n int
	if _, err := fmt.Sscanf(strings.TrimPrefix(strings.TrimPrefix(text, "cpu:"), "cpu="), "%d", &n); err != nil {
		return Unknown[int](), true
	}
	return Known(n), true
}

// countsOf are the numbers of CPUs that a file of settings gives.
func countsOf(settings []Setting) map[string]Value[int] {
	out := map[string]Value[int]{}
	for _, s := range settings {
		if n, ok := CPUCount(s.Name, s.Value); ok {
			out[s.Name] = n
		}
	}
	return out
}

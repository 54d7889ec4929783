package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/symptom"
)

// blockReservation begins the name of the Slurm reservation by which ParallelCluster keeps jobs off a block that has not started.
const blockReservation = "pcluster-"

// jobs judges what became of the step's jobs.
func (j *judging) jobs() {
	if len(j.Jobs) == 0 {
		j.add(diag.Finding{
			Rule: diag.JobEnded, Got: "no job was submitted", Want: "a job that runs the step",
			Hint: "run the validation again",
		})
	}
	for i := range j.Jobs {
		j.job(&j.Jobs[i])
	}
}

// ended says whether there is something to judge: a job that did not start has no evidence to be missed.
func (j *judging) ended() bool {
	return slices.ContainsFunc(j.Jobs, func(job Job) bool { return len(job.Outputs) > 0 || job.State == Completed })
}

func (j *judging) job(job *Job) {
	for _, node := range slices.Sorted(maps.Keys(job.Lost)) {
		j.lost(job, node, job.Lost[node])
	}
	j.sayings(job)
	switch job.State {
	case Pending:
		j.pending(job)
	case Running:
		j.waits = fmt.Sprintf("job %s runs", job.ID)
	case Completed:
		j.exit(job)
	case NodeFail, BootFail:
		if len(job.Lost) == 0 {
			j.lost(job, job.place(), string(job.State))
		}
	default:
		j.broken(job)
	}
}

func (job *Job) place() string {
	switch {
	case job.ID != "":
		return "job " + job.ID
	case job.Name != "":
		return "job " + job.Name
	default:
		return ""
	}
}

func (j *judging) pending(job *Job) {
	block, waits := strings.CutPrefix(job.Reservation, blockReservation)
	switch {
	case waits:
		j.waits = fmt.Sprintf("job %s waits for capacity block %s, which has not started", job.ID, block)
		j.add(diag.Finding{
			Rule: diag.BlockState, Level: diag.Note, Place: diag.Place{Resource: block},
			Got:    fmt.Sprintf("not started: job %s is held by reservation %s", job.ID, job.Reservation),
			Want:   "an active block",
			Hint:   "nothing to do: Slurm starts the job when the block's nodes are up",
			Source: "AWS ParallelCluster User Guide, launch instances with Capacity Blocks",
		})
	case job.Reason != "":
		j.waits = fmt.Sprintf("job %s waits: %s", job.ID, job.Reason)
	default:
		j.waits = fmt.Sprintf("job %s waits for its nodes", job.ID)
	}
}

func (j *judging) lost(job *Job, node, reason string) {
	j.add(diag.Finding{
		Rule: diag.JobNode, Place: diag.Place{Resource: node},
		Got:  fmt.Sprintf("went down while job %s ran: %s", job.ID, orElse(reason, "Slurm gives no reason")),
		Want: "a node that stays up through the job",
		Hint: fmt.Sprintf("look at `scontrol show node %s`, /var/log/parallelcluster/clustermgtd on the head node and the instance's system log; "+
			"a block's instances are taken from 30 minutes before its end", node),
	})
}

// broken names an end that a program's own fault may have caused: it is the last of the causes.
func (j *judging) broken(job *Job) {
	f := diag.Finding{Rule: diag.JobEnded, Place: diag.Place{Resource: job.place()}, Want: "a job that ends by itself, with exit code 0"}
	reason := ""
	if job.Reason != "" && job.Reason != "None" {
		reason = ": " + job.Reason
	}
	switch job.State {
	case SubmitFailed:
		f.Got, f.Hint = "sbatch refused the job"+reason, "correct what sbatch names: partition, limits, account or time"
	case TimedOut, Deadline:
		f.Got = "stopped by its time limit" + reason
		f.Hint = "look at the last line of its output: a collective that hangs waits for a node that is gone or cannot be reached; a longer limit helps only where the output still grew"
	case Cancelled, Preempted:
		f.Got, f.Hint = strings.ToLower(string(job.State))+reason, "run the validation again; `sacct -j "+job.ID+" -X -o user,state,end` tells who did it"
	case OutOfMemory:
		f.Got, f.Hint = "ran out of memory"+reason, "ask for the node's memory (--mem=0), or run smaller sizes"
	case JobFailed:
		f.Got, f.Hint = "failed"+exitText(job.ExitCode)+reason, "look at the findings before this one, and at the last lines of its output"
	default:
		f.Got, f.Hint = fmt.Sprintf("state %q%s", job.State, reason), "look at `scontrol show job "+job.ID+"`"
	}
	j.add(f)
}

// exit judges the codes of a job that came to its end.
func (j *judging) exit(job *Job) {
	if job.ExitCode != nil && *job.ExitCode != 0 {
		j.nonzero(job.place(), job.ExitCode)
	}
	for _, o := range job.Outputs {
		code := o.exitCode()
		if code != nil && *code != 0 {
			j.nonzero(orElse(o.file(), job.place()), code)
		}
	}
}

func (j *judging) nonzero(where string, code *int) {
	j.add(diag.Finding{
		Rule: diag.JobEnded, Place: diag.Place{Resource: where},
		Got: "ended" + exitText(code), Want: "exit code 0",
		Hint: "look at the findings before this one, and at the last lines of its output",
	})
}

func exitText(code *int) string {
	if code == nil {
		return ""
	}
	return " with exit code " + strconv.Itoa(*code)
}

// exitCode is the program's, from whoever noted it.
func (o Output) exitCode() *int {
	if o.ExitCode != nil {
		return o.ExitCode
	}
	for _, d := range o.Documents {
		if d.ExitCode != nil {
			return d.ExitCode
		}
	}
	return nil
}

func (o Output) file() string {
	if len(o.Documents) == 0 {
		return ""
	}
	return o.Documents[0].File
}

// sayings judges the lines of Slurm itself: they are known texts as those of programs are.
func (j *judging) sayings(job *Job) {
	for _, e := range job.Said {
		scanner := symptom.New(e.File)
		scanner.Line(line.Line{Number: e.Line, Text: []byte(e.Text)})
		for _, s := range scanner.Symptoms() {
			s.Host = orElse(s.Host, fileless(e, job.place()))
			j.symptom(s)
		}
	}
}

// fileless names the job where a line has no file to point to.
func fileless(e evidence.Excerpt, place string) string {
	if e.File != "" {
		return ""
	}
	return place
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

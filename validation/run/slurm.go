package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/hostlist"
	"github.com/weft-hpc/weft/validation/verdict"
)

// forgotten is weft's own state for a job that neither Slurm nor its accounting knows any more.
const forgotten verdict.State = "FORGOTTEN"

// sight is what one look at the cluster saw.
type sight struct {
	jobs         map[string]seen // by the job's name in the order
	nodes        []nodeState
	reservations []reservation
	done         string // how the run ended; empty while it goes on
}

// seen is a job as Slurm shows it.
type seen struct {
	id         string
	state      verdict.State
	reason     string
	nodes      []string
	code       *int
	start, end time.Time
}

// firstStart is when the first job began to run; zero where none has. Of a pending job Slurm shows the start that it expects.
func (s sight) firstStart() time.Time {
	var first time.Time
	for _, j := range s.jobs {
		if j.state != verdict.Pending && !j.start.IsZero() && (first.IsZero() || j.start.Before(first)) {
			first = j.start
		}
	}
	return first
}

type nodeState struct {
	name, partition, state, reason string
}

// away reports that the node takes no job: down, drained, not responding, failing.
func (n nodeState) away() bool {
	state := strings.ToLower(n.state)
	return strings.HasSuffix(state, "*") || slices.ContainsFunc([]string{"down", "drain", "fail", "unknown"}, func(w string) bool { return strings.HasPrefix(state, w) })
}

// why is the node's state with Slurm's reason for it.
func (n nodeState) why() string {
	if n.reason == "" || n.reason == "none" {
		if strings.HasSuffix(n.state, "*") {
			return n.state + ": it does not respond"
		}
		return n.state
	}
	return n.state + ": " + n.reason
}

type reservation struct {
	name  string
	nodes []string
}

// ended reports that the job will not run any more.
func (s seen) ended() bool {
	return !slices.Contains([]verdict.State{verdict.Pending, verdict.Running, "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED", "RESIZING", "STOPPED", "SIGNALING", "STAGE_OUT"}, s.state)
}

// readSight reads the answer of the head node's function look.
func readSight(text string) (sight, error) {
	s := sight{jobs: map[string]seen{}}
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		switch kind {
		case "job":
			name, shown, ok := strings.Cut(rest, "\t")
			if !ok {
				return s, fmt.Errorf("reading the state of jobs: %q", line)
			}
			s.jobs[name] = readJob(shown)
		case "node":
			f := strings.SplitN(rest, "|", 4)
			if len(f) == 4 {
				s.nodes = append(s.nodes, nodeState{f[0], f[1], f[2], f[3]})
			}
		case "reservation":
			v := fields(rest)
			s.reservations = append(s.reservations, reservation{v["ReservationName"], hostlist.Names(v["Nodes"])})
		case "done":
			s.done = rest
		}
	}
	return s, nil
}

// readJob reads a job of `scontrol show job --oneliner`.
func readJob(line string) seen {
	v := fields(line)
	j := seen{
		id: v["JobId"], state: verdict.State(strings.TrimSuffix(v["JobState"], "+")), reason: v["Reason"], nodes: hostlist.Names(v["NodeList"]),
		start: slurmTime(v["StartTime"]), end: slurmTime(v["EndTime"]),
	}
	if j.reason == "None" {
		j.reason = ""
	}
	if before, _, _ := strings.Cut(v["ExitCode"], ":"); before != "" && j.ended() && j.state != forgotten {
		if code, err := strconv.Atoi(before); err == nil {
			j.code = &code
		}
	}
	return j
}

// fields reads NAME=value words. A value runs to the next word that begins with a name: Reason holds blanks.
func fields(line string) map[string]string {
	out := map[string]string{}
	last := ""
	for _, word := range strings.Fields(line) {
		name, value, ok := strings.Cut(word, "=")
		if ok && name != "" && !strings.ContainsFunc(name, notName) {
			out[name], last = value, name
			continue
		}
		if last != "" {
			out[last] += " " + word
		}
	}
	return out
}

func notName(c rune) bool {
	return (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("/:_", c)
}

// slurmTime reads a time of Slurm, which is the cluster's own; ParallelCluster's run in UTC. Zero for Unknown.
func slurmTime(text string) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05", text)
	if err != nil {
		return time.Time{}
	}
	return t
}

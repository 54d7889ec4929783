package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/step"
	"github.com/weft-hpc/weft/validation/verdict"
)

// client is one client's part of a run.
type client struct {
	runner  *Runner
	id      string
	started time.Time
	free    time.Time // when this client last saw the run wait for a block, or opened it
	request Request
	order   step.Order
	jobs    map[string]*job // by name; those that were submitted, refused or given up
	sight   sight
	at      time.Time // of the sight
	closed  time.Time // when the run ended
	changed bool      // something, in this turn
	judged  *result.Run
}

// job is one job of the order, and what became of it.
type job struct {
	step.Job
	verdict verdict.Job
	ended   bool
	// waiting since when, for what was told.
	pending time.Time
	told    string
	// skipped says why it will not be submitted.
	skipped string
}

// look sees how the jobs stand, and collects those that ended.
func (s *client) look(ctx context.Context) error {
	var err error
	if s.sight, err = s.runner.head().look(ctx, s.id); err != nil {
		return err
	}
	s.at = s.runner.Clock.Now()
	for _, name := range slices.Sorted(maps.Keys(s.sight.jobs)) {
		if err := s.see(ctx, name, s.sight.jobs[name]); err != nil {
			return err
		}
	}
	return nil
}

func (s *client) see(ctx context.Context, name string, now seen) error {
	j := s.jobs[name]
	if j == nil {
		i := slices.IndexFunc(s.order.Jobs, func(j step.Job) bool { return j.Name == name })
		if i < 0 {
			return nil // a round of a search that this client has not come to yet
		}
		j = &job{Job: s.order.Jobs[i]}
		s.jobs[name] = j
	}
	if j.ended || j.skipped != "" {
		return nil
	}
	j.verdict = s.verdictOf(j.Job, now)
	if !now.ended() {
		return s.unfinished(ctx, j, now)
	}
	s.judged = nil
	if strings.HasPrefix(now.reason, "Dependency") && now.state == verdict.Cancelled {
		j.skipped = "the job before it did not end well"
		s.say(name, "not run: "+j.skipped)
		return nil
	}
	j.ended = true
	s.say(name, fmt.Sprintf("job %s ended: %s%s", now.id, now.state, took(now)))
	return s.collect(ctx, j)
}

func took(now seen) string {
	if now.start.IsZero() || now.end.Before(now.start) {
		return ""
	}
	return fmt.Sprintf(" after %s", now.end.Sub(now.start))
}

// verdictOf is a job as the judge takes it, still without outputs.
func (s *client) verdictOf(j step.Job, now seen) verdict.Job {
	v := verdict.Job{
		ID: now.id, Name: j.Name, State: now.state, Reason: now.reason, ExitCode: now.code, Nodes: now.nodes, Started: now.start, Finished: now.end,
	}
	if now.code != nil && *now.code == step.GateCode {
		ok := 0 // its script judged by less than we do
		v.State, v.ExitCode = verdict.Completed, &ok
	}
	if now.state == forgotten {
		v.State, v.Reason = verdict.JobFailed, "Slurm has forgotten the job, and there is no accounting"
	}
	if now.state == verdict.Pending {
		v.Nodes, v.Reservation = j.Hosts, s.reservation(j)
	}
	if now.state == verdict.NodeFail {
		v.Lost = s.lost(now.nodes)
	}
	return v
}

// lost are those of some nodes that are away, with Slurm's reasons.
func (s *client) lost(nodes []string) map[string]string {
	out := map[string]string{}
	for _, n := range s.sight.nodes {
		if n.away() && slices.Contains(nodes, n.name) {
			out[n.name] = n.why()
		}
	}
	return out
}

// blockReservation begins the names of reservations with which ParallelCluster holds the nodes of blocks that have not started.
const blockReservation = "pcluster-"

// reservation that holds back nodes of a job's group because their block has not started; empty for none.
func (s *client) reservation(j step.Job) string {
	nodes := s.partition(j.Group)
	for _, r := range s.sight.reservations {
		if strings.HasPrefix(r.name, blockReservation) && slices.ContainsFunc(r.nodes, func(n string) bool { return slices.Contains(nodes, n) }) {
			return r.name
		}
	}
	return ""
}

func (s *client) partition(group string) []string {
	var out []string
	for _, n := range s.sight.nodes {
		if n.partition == group {
			out = append(out, n.name)
		}
	}
	return out
}

// waits says what a pending job waits for, with Slurm's reason and the nodes that are away.
func (s *client) waits(j step.Job, now seen) string {
	if now.state != verdict.Pending {
		return ""
	}
	if r := s.reservation(j); r != "" {
		return fmt.Sprintf("waits for capacity block %s, which has not started", strings.TrimPrefix(r, blockReservation))
	}
	text := "waits for its nodes"
	if now.reason != "" {
		text += " (" + now.reason + ")"
	}
	if away := s.lost(s.partition(j.Group)); len(away) > 0 {
		var parts []string
		for _, n := range slices.Sorted(maps.Keys(away)) {
			parts = append(parts, n+" is "+away[n])
		}
		text += "; " + strings.Join(parts, ", ")
	}
	return text
}

// unfinished tells what a job does or waits for, and gives up one that waits in vain.
func (s *client) unfinished(ctx context.Context, j *job, now seen) error {
	text := "runs as job " + now.id
	if now.state == verdict.Pending {
		text = "job " + now.id + " " + s.waits(j.Job, now)
	}
	if text != j.told {
		j.told = text
		s.say(j.Name, text)
	}
	if now.state != verdict.Pending || j.verdict.Reservation != "" || now.reason == "Dependency" {
		j.pending = time.Time{}
		return nil
	}
	if j.pending.IsZero() {
		j.pending = s.at
	}
	away := s.lost(s.partition(j.Group))
	if s.at.Sub(j.pending) < s.runner.Patience || len(away) == 0 && !hopeless(now.reason) {
		return nil
	}
	return s.abandon(ctx, j, away)
}

// hopeless are Slurm's reasons that do not go away by waiting.
func hopeless(reason string) bool {
	return slices.ContainsFunc([]string{
		"PartitionNodeLimit", "PartitionTimeLimit", "PartitionDown", "PartitionInactive", "BadConstraints", "InvalidQOS", "InvalidAccount", "QOS",
		"Assoc", "JobHeld", "DependencyNeverSatisfied",
	}, func(p string) bool { return strings.HasPrefix(reason, p) })
}

// abandon cancels a job that waits in vain, and names the nodes that it waited for.
func (s *client) abandon(ctx context.Context, j *job, away map[string]string) error {
	if _, err := s.runner.head().call(ctx, nil, "cancel", s.id, j.Name); err != nil {
		return err
	}
	j.verdict.State, j.verdict.Lost = verdict.Cancelled, away
	j.verdict.Reason = fmt.Sprintf("it waited %s for its nodes (%s)", s.at.Sub(j.pending).Truncate(time.Second), j.verdict.Reason)
	j.ended, s.judged = true, nil
	s.say(j.Name, "given up: "+j.verdict.Reason)
	return nil
}

// held reports that the run waits for a block that has not started, and for nothing else.
func (s *client) held() bool {
	held := false
	for _, j := range s.jobs {
		switch {
		case j.ended, j.skipped != "", j.verdict.Reason == "Dependency":
		case j.verdict.State == verdict.Pending && j.verdict.Reservation != "":
			held = true
		default:
			return false
		}
	}
	return held
}

// overdue reports that the order's time is up. It runs from the start of the first job: a wait for a block does not count.
func (s *client) overdue() bool {
	if s.held() {
		s.free = s.at
	}
	since := s.free
	if first := s.sight.firstStart(); !first.IsZero() {
		since = first
	}
	return s.request.Timeout > 0 && s.at.Sub(since) > s.request.Timeout
}

// say tells of a change.
func (s *client) say(job, text string) {
	s.changed = true
	s.runner.say(s.id, job, text)
}

func orNone(out string) string {
	if names := strings.Fields(out); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "no job was left"
}

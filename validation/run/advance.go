package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/step"
	"github.com/weft-hpc/weft/validation/suspect"
	"github.com/weft-hpc/weft/validation/verdict"
)

// advance submits what may run now, and skips what may not. It reports whether anything changed.
func (s *client) advance(ctx context.Context) (changed bool, err error) {
	for _, j := range s.order.Jobs {
		if s.jobs[j.Name] != nil {
			if err := s.revoke(ctx, s.jobs[j.Name]); err != nil {
				return false, err
			}
			continue
		}
		ready, why := s.ready(j)
		switch {
		case why != "":
			s.jobs[j.Name] = &job{Job: j, skipped: why}
			s.say(j.Name, "not run: "+why)
		case ready:
			err = s.submit(ctx, j, false)
		default:
			continue
		}
		s.judged, changed = nil, true
		if err != nil {
			return changed, err
		}
	}
	searched, err := s.search(ctx)
	return changed || searched, err
}

// ready reports that all jobs before are judged and good; why says that one is not.
func (s *client) ready(j step.Job) (ready bool, why string) {
	for _, name := range j.DependsOn {
		before := s.jobs[name]
		if before == nil || !before.ended && before.skipped == "" {
			return false, ""
		}
		if s.request.KeepGoing {
			continue
		}
		if before.skipped != "" {
			return false, before.skipped
		}
		if s.searching(before) {
			return false, ""
		}
		// What a step comes to is known when all its jobs have ended.
		if before.Step != j.Step && s.outcome(before.Step, before.Group) == result.Failed {
			return false, fmt.Sprintf("step %s failed on group %s", before.Step, before.Group)
		}
	}
	return true, ""
}

// revoke ends a job whose foundation has failed: it was submitted when nobody watched.
func (s *client) revoke(ctx context.Context, j *job) error {
	if j.ended || j.skipped != "" {
		return nil
	}
	_, why := s.ready(j.Job)
	if why == "" {
		return nil
	}
	if _, err := s.runner.head().call(ctx, nil, "cancel", s.id, j.Name); err != nil {
		return err
	}
	j.skipped, s.judged = why, nil
	s.say(j.Name, "cancelled: "+why)
	return nil
}

// submit submits a job; queued ones wait for those before them, and stop the order themselves.
func (s *client) submit(ctx context.Context, j step.Job, queued bool) error {
	var after []string
	if queued && !s.request.KeepGoing {
		after = j.DependsOn
	}
	id, refused, err := s.runner.head().submit(ctx, s.id, j.Name, []byte(j.Script), after)
	if err != nil {
		return err
	}
	now := &job{Job: j, verdict: verdict.Job{ID: id, Name: j.Name, State: verdict.Pending, Nodes: j.Hosts}}
	s.jobs[j.Name] = now
	if refused != "" {
		now.verdict.State, now.verdict.Reason, now.ended = verdict.SubmitFailed, refused, true
		s.say(j.Name, "sbatch refuses it: "+refused)
		return nil
	}
	now.told = "submitted as job " + id
	s.say(j.Name, now.told)
	return nil
}

// queueAll puts the rest of the order into Slurm's queue, for a run that nobody watches.
func (s *client) queueAll(ctx context.Context) error {
	if !s.request.KeepGoing {
		if _, err := s.runner.head().call(ctx, []byte("since "+s.at.UTC().Format(time.RFC3339)+"\n"), "put", s.id, step.Unwatched); err != nil {
			return err
		}
	}
	for _, j := range s.order.Jobs {
		if s.jobs[j.Name] != nil {
			continue
		}
		if err := s.submit(ctx, j, true); err != nil {
			return err
		}
	}
	s.judged = nil
	return nil
}

// searching reports that a search for slow nodes goes on for the job's group.
func (s *client) searching(j *job) bool {
	if j.Step != plan.StepHost {
		return false
	}
	next, going := s.nextRound(j)
	return going || next != nil
}

// search submits the next round of each search for slow nodes.
func (s *client) search(ctx context.Context) (changed bool, err error) {
	for _, first := range s.order.Jobs {
		j := s.jobs[first.Name]
		if first.Step != plan.StepHost || j == nil || !j.ended {
			continue
		}
		next, _ := s.nextRound(j)
		if next == nil {
			continue
		}
		s.say(next.Name, "the bandwidth is low, and no node's log says why: "+next.Why)
		if err := s.submit(ctx, *next, false); err != nil {
			return changed, err
		}
		s.judged, changed = nil, true
	}
	return changed, nil
}

// nextRound is the next round of a search for slow nodes after a group's host step; going says that one is under way.
func (s *client) nextRound(host *job) (next *step.Job, going bool) {
	if !s.unexplained(host) {
		return nil, false
	}
	var measured []suspect.Measured
	done := 0
	for s.round(host.Group, done+1) != nil {
		done++
		j := s.round(host.Group, done)
		if !j.ended {
			return nil, true
		}
		measured = append(measured, figures(j.verdict)...)
	}
	if done >= suspect.Most {
		return nil, false
	}
	var round *suspect.Round
	if done == 0 {
		first := suspect.First(host.verdict.Nodes, verdict.Distance(s.places()))
		round = &first
	} else {
		round, _ = suspect.Next(host.verdict.Nodes, measured, verdict.Distance(s.places()))
	}
	if round == nil {
		return nil, false
	}
	j := step.Suspect(s.request.Plan, host.Group, []suspect.Round{*round}, done+1, s.request.Options)
	return &j, false
}

// round is the job of a round of a search, if it was submitted.
func (s *client) round(group string, n int) *job {
	return s.jobs[fmt.Sprintf("%s-%s-%d", step.Suspects, group, n)]
}

// fewSuspects is from how many nodes on a search can tell one from another.
const fewSuspects = 3

// unexplained reports that a group of nodes moves too little, and that nothing in the logs says why.
func (s *client) unexplained(host *job) bool {
	if host.verdict.State != verdict.Completed || len(host.verdict.Nodes) < fewSuspects {
		return false
	}
	below := false
	for _, f := range s.stepOf(host.Step, host.Group).Findings {
		switch f.Rule {
		case diag.PerfBelow:
			below = true
		case diag.PerfStraggler, diag.PerfUnjudged, diag.JobEnded:
		default:
			if f.Severity() == diag.Error {
				return false
			}
		}
	}
	return below
}

// figures are what the groups of a round reached: the bus bandwidth of the largest size.
func figures(j verdict.Job) []suspect.Measured {
	var out []suspect.Measured
	for _, o := range j.Outputs {
		if o.Round == 0 {
			continue
		}
		m := suspect.Measured{Round: o.Round, Nodes: o.Nodes}
		for _, d := range o.Documents {
			if d.Sweep == nil || !d.Sweep.Complete {
				continue
			}
			for _, row := range d.Sweep.Rows {
				if row.OutOfPlace != nil {
					m.Value = row.OutOfPlace.BusGBps
				}
			}
		}
		out = append(out, m)
	}
	return out
}

// settled reports that every job ended or was left out, and no search goes on.
func (s *client) settled() bool {
	for _, j := range s.order.Jobs {
		if now := s.jobs[j.Name]; now == nil || !now.ended && now.skipped == "" || s.searching(now) && now.ended {
			return false
		}
	}
	return true
}

// giveUp cancels what has not ended.
func (s *client) giveUp(ctx context.Context, why string) error {
	for _, j := range s.order.Jobs {
		now := s.jobs[j.Name]
		switch {
		case now == nil:
			s.jobs[j.Name] = &job{Job: j, skipped: why}
		case !now.ended && now.skipped == "":
			now.ended, now.verdict.State, now.verdict.Reason = true, verdict.Cancelled, why
		}
	}
	s.judged, s.closed = nil, s.at
	_, err := s.runner.head().call(ctx, nil, "cancel", s.id)
	return err
}

func (s *client) outcome(name, group string) result.Outcome { return s.stepOf(name, group).Outcome }

func (s *client) stepOf(name, group string) result.Step {
	r := s.result()
	i := slices.IndexFunc(r.Steps, func(st result.Step) bool { return st.Name == name && (st.Group == group || name == plan.StepBlocks) })
	if i < 0 {
		return result.Step{}
	}
	return r.Steps[i]
}

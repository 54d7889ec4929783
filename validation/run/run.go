package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/step"
)

// Request is what is to be validated.
type Request struct {
	// Key tells one validation from another. A run that goes on for the same key is gone on with; for another key there is an error.
	Key string
	// Plan of the cluster.
	Plan plan.Cluster
	// Options of the jobs.
	Options step.Options
	// KeepGoing runs later steps on a failed foundation.
	KeepGoing bool
	// Detached submits the whole order and comes back at once, with result.Waiting.
	Detached bool
	// AwaitBlock goes on waiting when a capacity block has not started. Without it, the run comes back with result.Waiting and the whole
	// order in Slurm's queue.
	AwaitBlock bool
	// Timeout of the whole order from the start of its first job; 0 for none. What has not ended by then is cancelled. A wait for a block
	// does not count.
	Timeout time.Duration
	// Drop is the id of a run that is to be cancelled before; empty for none.
	Drop string
}

// Runner runs validations on one cluster. Its zero values are set by [New].
type Runner struct {
	Exec  Exec
	Clock Clock
	// Weft is weft's version, for reports.
	Weft string
	// Dir gets a folder for each run with everything that was collected.
	Dir string
	// Poll is how often the cluster is looked at while nothing changes. After a change the next looks follow sooner.
	Poll time.Duration
	// Patience is how long a job may wait for nodes that are away before it is given up.
	Patience time.Duration
	// EachFile and EachJob bound what is collected, in bytes: of larger files the beginning and the end, of larger jobs the first files.
	EachFile, EachJob int64
	// Say gets a line for people when something changes.
	Say func(Event)
	// Retry spaces out calls of the head node that could not be made.
	Retry func() backoff.BackOff
}

// Event is something that happened, in one line.
type Event struct {
	At   time.Time
	Run  string
	Job  string // empty for one of the run
	Text string
}

// New gives a runner with the usual bounds.
func New(e Exec, dir string) *Runner {
	return &Runner{
		Exec: e, Clock: SystemClock{}, Dir: dir, Poll: 15 * time.Second, Patience: 30 * time.Minute,
		EachFile: 64 << 20, EachJob: 512 << 20, Say: func(Event) {}, Retry: defaultRetry,
	}
}

func (r *Runner) head() head { return head{exec: r.Exec, retry: r.Retry} }

// Run brings the order to its end and judges it, or comes back when it waits for a block. A validation that fails is a result, an error
// is for an order that could not be run or read. When ctx ends, the cluster's jobs go on, and so does the next Run for the same key.
func (r *Runner) Run(ctx context.Context, q Request) (result.Run, error) {
	if q.Drop != "" {
		if err := r.Cancel(ctx, q.Drop); err != nil {
			return result.Run{}, err
		}
	}
	s, err := r.open(ctx, q)
	if err != nil {
		return result.Run{}, err
	}
	for pause := time.Duration(0); ; {
		s.changed = false
		ready, err := s.turn(ctx)
		if err != nil {
			return s.result(), err
		}
		if ready {
			return s.result(), s.save(ctx)
		}
		pause = r.next(pause, s.changed)
		if err := r.Clock.Wait(ctx, pause); err != nil {
			return s.result(), fmt.Errorf("waiting for run %s, which goes on: %w", s.id, err)
		}
	}
}

// soon is how long after a change the cluster is looked at again.
const soon = time.Second

// next is the pause after a pause: half as long again, up to Poll, and short after a change.
func (r *Runner) next(pause time.Duration, changed bool) time.Duration {
	if changed || pause == 0 {
		return min(soon, r.Poll)
	}
	return min(pause+pause/2, r.Poll)
}

// turn looks at the cluster once and does what is due. It reports that there is nothing to wait for.
func (s *client) turn(ctx context.Context) (ready bool, err error) {
	if err := s.look(ctx); err != nil {
		return false, err
	}
	if s.overdue() {
		return true, s.giveUp(ctx, "the run's time was up")
	}
	// What one step came to lets the next begin: both in one turn.
	for changed := true; changed; {
		if changed, err = s.advance(ctx); err != nil {
			return false, err
		}
	}
	switch {
	case s.settled():
		return true, s.close(ctx)
	case s.request.Detached || s.held() && !s.request.AwaitBlock:
		return true, s.queueAll(ctx)
	}
	return false, nil
}

// Cancel ends a run and its jobs. Outputs stay.
func (r *Runner) Cancel(ctx context.Context, id string) error {
	out, err := r.head().call(ctx, nil, "cancel", id)
	if err != nil {
		return err
	}
	r.say(id, "", "cancelled: "+orNone(out))
	return nil
}

// Status is where a run stands.
type Status struct {
	ID   string
	Done string // how it ended; empty while it goes on
	Jobs []JobStatus
}

// JobStatus is where a job stands.
type JobStatus struct {
	Name, ID, State string
	// Waits says what a pending job waits for.
	Waits string
}

// ErrNoRun says that the cluster has no such run.
var ErrNoRun = errors.New("no such validation on this cluster")

// Status looks at a run; with an empty id at the newest.
func (r *Runner) Status(ctx context.Context, id string) (Status, error) {
	id, err := r.find(ctx, id)
	if err != nil {
		return Status{}, err
	}
	spec, err := r.spec(ctx, id)
	if err != nil {
		return Status{}, err
	}
	s := &client{runner: r, id: id, request: spec.request(), jobs: map[string]*job{}}
	s.order = step.New(s.request.Plan, s.request.Options)
	if s.sight, err = r.head().look(ctx, id); err != nil {
		return Status{}, err
	}
	out := Status{ID: id, Done: s.sight.done}
	for _, j := range s.order.Jobs {
		seen, ok := s.sight.jobs[j.Name]
		state := JobStatus{Name: j.Name, ID: seen.id, State: string(seen.state)}
		if !ok {
			state.State = "not submitted"
		} else if !seen.ended() {
			state.Waits = s.waits(j, seen)
		}
		out.Jobs = append(out.Jobs, state)
	}
	return out, nil
}

func (r *Runner) say(run, job, text string) {
	r.Say(Event{At: r.Clock.Now(), Run: run, Job: job, Text: text})
}

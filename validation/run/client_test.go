package run

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/step"
	"github.com/weft-hpc/weft/validation/verdict"
)

func TestOverdue(t *testing.T) {
	t.Parallel()
	opened := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return opened.Add(d) }
	waiting := &job{Job: step.Job{Name: "host-train"}, verdict: verdict.Job{State: verdict.Pending, Reservation: "pcluster-cr-0aa00000000000001"}}
	pending := &job{Job: step.Job{Name: "host-train"}, verdict: verdict.Job{State: verdict.Pending, Reason: "Resources"}}
	started := func(d time.Duration) map[string]seen {
		return map[string]seen{"host-train": {state: verdict.Running, start: at(d)}}
	}
	for name, tt := range map[string]struct {
		limit, after time.Duration
		waited       time.Duration // until then, the block had not started
		jobs         map[string]*job
		seen         map[string]seen
		want         bool
	}{
		"no limit":                           {after: 100 * time.Hour, seen: started(0)},
		"within":                             {limit: 2 * time.Hour, after: 2 * time.Hour, seen: started(0)},
		"over":                               {limit: 2 * time.Hour, after: 2*time.Hour + 1, seen: started(0), want: true},
		"from the first job on":              {limit: 2 * time.Hour, after: 5 * time.Hour, seen: started(3 * time.Hour)},
		"the first job began before we came": {limit: 2 * time.Hour, after: time.Minute, seen: started(-2 * time.Hour), want: true},
		"waits for its block":                {limit: 2 * time.Hour, after: 100 * time.Hour, jobs: map[string]*job{"host-train": waiting}},
		"the block has started, no job yet":  {limit: 2 * time.Hour, after: 101 * time.Hour, waited: 100 * time.Hour, jobs: map[string]*job{"host-train": pending}},
		"waits for other things":             {limit: 2 * time.Hour, after: 3 * time.Hour, jobs: map[string]*job{"host-train": pending}, want: true},
		"the start that Slurm expects is none": {
			limit: 2 * time.Hour, after: 3 * time.Hour, jobs: map[string]*job{"host-train": pending},
			seen: map[string]seen{"host-train": {state: verdict.Pending, start: at(3 * time.Hour)}}, want: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := client{free: opened, request: Request{Timeout: tt.limit}, sight: sight{jobs: tt.seen}}
			if tt.waited != 0 {
				s.at, s.jobs = at(tt.waited), map[string]*job{"host-train": waiting}
				require.False(t, s.overdue())
			}
			s.at, s.jobs = at(tt.after), tt.jobs
			require.Equal(t, tt.want, s.overdue())
		})
	}
}

package plan

import (
	"slices"
	"time"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/market"
)

// Guard says how jobs are brought to the end of the cluster's blocks. All times are minutes before the end of a block,
// which may move: an extended block ends later.
type Guard struct {
	Enabled bool `json:"enabled"`
	// CheckpointMinutes lie between the signal and the moment at which a job must be gone, StopMinutes between the last
	// start of a job and the signal.
	CheckpointMinutes int `json:"checkpointMinutes"`
	StopMinutes       int `json:"stopMinutes"`
	// Signal without SIG, and who gets it: steps, batch or all.
	Signal   string `json:"signal"`
	SignalTo string `json:"signalTo"`
	// Requeue is the queue that takes jobs which had the signal; empty: their own.
	Requeue string `json:"requeue,omitempty"`
	// Blocks in the order of their first group.
	Blocks []GuardedBlock `json:"blocks"`
}

// GuardMargin is how long before EC2 ends instances the last job is gone. A pass of the guard may come a minute late, and
// Slurm gives a job half a minute to end.
const GuardMargin = 2 * time.Minute

// GuardedBlock is the end of one block.
type GuardedBlock struct {
	// Key is the reservation, or the offering that is to be bought.
	Key string `json:"key"`
	// Queues that stand on the block.
	Queues []string `json:"queues"`
	// Minutes before the end of the block: no job starts any more, running ones get their signal, the last one is ended,
	// EC2 begins to end instances.
	StopsAt       int `json:"stopsAt"`
	SignalsAt     int `json:"signalsAt"`
	JobsEndAt     int `json:"jobsEndAt"`
	InstancesGoAt int `json:"instancesGoAt"`
	// End of the block, RFC 3339, where an offering states it: the account knows it otherwise.
	End string `json:"end,omitempty"`
}

// guard plans the end of the blocks; nil where no group is on one.
func (p *planner) guard() *Guard {
	pools := p.pools(CapacityBlock)
	if len(pools) == 0 {
		return nil
	}
	c := p.config.EndGuard
	g := &Guard{
		Enabled: c.Enabled, CheckpointMinutes: c.CheckpointMinutes, StopMinutes: c.StopMinutes,
		Signal: c.Signal, SignalTo: c.SignalTo, Requeue: c.Requeue,
	}
	for _, pool := range pools {
		g.Blocks = append(g.Blocks, p.guardedBlock(c, pool))
	}
	return g
}

func (p *planner) guardedBlock(c config.EndGuard, pool pool) GuardedBlock {
	b := GuardedBlock{Key: pool.key}
	for _, i := range pool.groups {
		g := p.plan.Groups[i]
		b.Queues = append(b.Queues, g.Name)
		b.InstancesGoAt = max(b.InstancesGoAt, int(market.Lead(g.InstanceType)/time.Minute))
		b.End = offeredEnd(g.Capacity.Offering)
	}
	b.JobsEndAt = b.InstancesGoAt + int(GuardMargin/time.Minute)
	b.SignalsAt = b.JobsEndAt + c.CheckpointMinutes
	b.StopsAt = b.SignalsAt + c.StopMinutes
	return b
}

// offeredEnd is the end of a pinned offering: its hours count in full, and it ends at 11:30 UTC.
func offeredEnd(o *config.Offering) string {
	if o == nil {
		return ""
	}
	start, err := time.Parse(time.RFC3339, o.Start)
	if err != nil {
		return "" // a finding of the config
	}
	end := start.UTC().Add(time.Duration(o.DurationHours) * time.Hour)
	at := time.Date(end.Year(), end.Month(), end.Day(), market.EndHour, market.EndMinute, 0, 0, time.UTC)
	if at.Before(end) {
		at = at.AddDate(0, 0, 1)
	}
	return at.Format(time.RFC3339)
}

// Block finds the end of the block that a queue stands on.
func (g *Guard) Block(queue string) (GuardedBlock, bool) {
	if g == nil {
		return GuardedBlock{}, false
	}
	i := slices.IndexFunc(g.Blocks, func(b GuardedBlock) bool { return slices.Contains(b.Queues, queue) })
	if i < 0 {
		return GuardedBlock{}, false
	}
	return g.Blocks[i], true
}

package show

import (
	"fmt"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/plan"
)

// blockEnd tells how the jobs of a group come to the end of its block.
func blockEnd(b *strings.Builder, guard *plan.Guard, group string) {
	block, ok := guard.Block(group)
	if !ok {
		return
	}
	when := before(block)
	if !guard.Enabled {
		line(b, "block ends", when(0)+", unguarded: jobs run until EC2 ends their instances, "+when(block.InstancesGoAt))
		return
	}
	line(b, "block ends", fmt.Sprintf("%s: no new job from %s, SIG%s to %s %s, jobs gone %s, instances %s",
		when(0), when(block.StopsAt), guard.Signal, receivers(guard.SignalTo), when(block.SignalsAt), when(block.JobsEndAt), when(block.InstancesGoAt)))
	if guard.Requeue != "" {
		line(b, "", "jobs that had the signal and may run again go to queue "+guard.Requeue)
	}
}

func receivers(to string) string {
	return map[string]string{"steps": "steps", "batch": "batch scripts", "all": "steps and batch scripts"}[to]
}

// before writes minutes before the end of a block: by the clock where the end is known, else from T on.
func before(b plan.GuardedBlock) func(minutes int) string {
	end, err := time.Parse(time.RFC3339, b.End)
	return func(minutes int) string {
		switch {
		case err != nil && minutes == 0:
			return "at T"
		case err != nil:
			return fmt.Sprintf("T-%d min", minutes)
		}
		return end.Add(-time.Duration(minutes) * time.Minute).Format("2006-01-02 15:04 UTC")
	}
}

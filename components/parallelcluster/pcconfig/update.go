package pcconfig

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Need is what a change asks of a cluster whose compute fleet runs.
type Need int

// The needs, from the least. Drain and Terminate are met by the QueueUpdateStrategy of the new configuration, or by a stopped
// fleet.
const (
	Live      Need = iota // nothing
	Drain                 // QueueUpdateStrategy DRAIN or TERMINATE
	Terminate             // QueueUpdateStrategy TERMINATE
	Stopped               // a stopped compute fleet
	Never                 // another cluster
)

// String names the need in one word.
func (n Need) String() string {
	return [...]string{"live", "drain", "terminate", "stopped", "never"}[n]
}

// Change is one difference between two configurations, as ParallelCluster finds it.
type Change struct {
	Key    string // in ParallelCluster's words: Scheduling.SlurmQueues[train].ComputeResources[nodes].MaxCount
	Old    any    // nil where the key or item is new
	New    any    // nil where the key or item is gone
	Policy string // ParallelCluster's name of the update policy, for example QUEUE_UPDATE_STRATEGY
	Needs  Need
	// LoginStopped says that login nodes run which must be stopped first, by setting their Count to 0.
	LoginStopped bool

	strategy string // QueueUpdateStrategy of the new configuration
}

// Allowed reports whether ParallelCluster takes the change, while the compute fleet runs or is stopped.
func (c Change) Allowed(fleetRunning bool) bool {
	switch {
	case c.LoginStopped || c.Needs == Never:
		return false
	case !fleetRunning || c.Needs == Live:
		return true
	case c.Needs == Drain:
		return c.strategy == "DRAIN" || c.strategy == "TERMINATE"
	case c.Needs == Terminate:
		return c.strategy == "TERMINATE"
	default:
		return false
	}
}

// Update compares the configuration of a cluster with a new one by the update policies of a ParallelCluster version, and
// gives the changes sorted by key. Both are YAML or JSON. A version whose schema was not read is judged by the read
// release of the same minor.
//
// A section that appears or disappears as a whole is one change, judged by the section's own policy; items of lists are matched
// by their name. An id that is not known yet (IsPlaceholder) equals any that is. What ParallelCluster ignores is no change.
func Update(version string, before, after []byte) ([]Change, error) {
	release, err := readRelease(version)
	if err != nil {
		return nil, err
	}
	c := comparison{release: release}
	if c.before, err = readObject(before); err != nil {
		return nil, fmt.Errorf("the cluster's configuration: %w", err)
	}
	if c.after, err = readObject(after); err != nil {
		return nil, fmt.Errorf("the new configuration: %w", err)
	}
	c.section(place{}, c.before, c.after)
	slices.SortStableFunc(c.changes, func(a, b Change) int { return strings.Compare(a.Key, b.Key) })
	return c.changes, nil
}

// Refused names the changes that ParallelCluster would not take, with what each needs.
func Refused(changes []Change, fleetRunning bool) diag.List {
	var out diag.List
	for _, c := range changes {
		if c.Allowed(fleetRunning) {
			continue
		}
		want, hint := c.wants()
		out.Add(diag.Finding{
			Rule: diag.PCUpdate, Place: diag.Place{Path: c.Key},
			Got: c.describe(fleetRunning), Want: want, Hint: hint, Source: "ParallelCluster update policy " + c.Policy,
		})
	}
	return out
}

func (c Change) describe(fleetRunning bool) string {
	state := "with a running compute fleet"
	if !fleetRunning {
		state = "with a stopped compute fleet"
	}
	switch {
	case c.Old == nil:
		return fmt.Sprintf("added %s %s", short(c.New), state)
	case c.New == nil:
		return fmt.Sprintf("removed %s %s", short(c.Old), state)
	default:
		return fmt.Sprintf("%s to %s %s", short(c.Old), short(c.New), state)
	}
}

func (c Change) wants() (want, hint string) {
	const stop = "stop the compute fleet (pcluster update-compute-fleet --status STOP_REQUESTED)"
	switch {
	case c.Needs == Never:
		return "no change: ParallelCluster never takes this one", fmt.Sprintf("put %s back, or make another cluster", short(c.Old))
	case c.LoginStopped && c.Needs == Live:
		return "stopped login nodes", "set the count of the login nodes to 0 in an update of its own, then make this change"
	case c.LoginStopped:
		return "stopped login nodes and a stopped compute fleet", "set the count of the login nodes to 0 in an update of its own, and " + stop
	case c.Needs == Drain:
		return "slurm.queueUpdateStrategy DRAIN or TERMINATE, or a stopped compute fleet", "set slurm.queueUpdateStrategy to DRAIN, which waits for jobs, or " + stop
	case c.Needs == Terminate:
		return "slurm.queueUpdateStrategy TERMINATE, or a stopped compute fleet", "set slurm.queueUpdateStrategy to TERMINATE, which ends jobs on the nodes that go, or " + stop
	default:
		return "a stopped compute fleet", stop + ", and start it again after the update"
	}
}

// short writes a value on one line, cut where it is long.
func short(v any) string {
	const most = 60
	text, err := json.Marshal(v)
	if s, ok := v.(string); ok {
		text, err = []byte(s), nil
	}
	if err != nil {
		return fmt.Sprintf("%.60v", v)
	}
	if runes := []rune(string(text)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(text)
}

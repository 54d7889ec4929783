package verdict

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

// consequences takes the blame off nodes that only stopped because another one did: when a node's network does not start, or the node goes,
// its peers are told to end before their roads are built, and they are the ones who say so.
func (j *judging) consequences() {
	guilty := j.guilty()
	if len(guilty) == 0 {
		return
	}
	for i := range j.found {
		f := &j.found[i].Finding
		node := short(f.Place.Resource)
		if follows(f.Rule) && j.takesPart(node) && !guilty[node] {
			f.Level = diag.Note
		}
	}
}

// guilty are the nodes that Slurm lost, or else those on which the network did not start.
func (j *judging) guilty() map[string]bool {
	out := map[string]bool{}
	for i := range j.Jobs {
		for node := range j.Jobs[i].Lost {
			out[short(node)] = true
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, r := range j.found {
		stops := slices.Contains([]diag.ID{diag.NetProvider, diag.NetPlugin}, r.Rule) && r.Severity() == diag.Error
		if node := short(r.Place.Resource); stops && j.takesPart(node) {
			out[node] = true
		}
	}
	return out
}

// follows lists the rules of what a node says that was stopped.
func follows(rule diag.ID) bool {
	return slices.Contains([]diag.ID{diag.JobEnded, diag.JobNode, diag.NetUnproved}, rule)
}

func (j *judging) takesPart(node string) bool {
	return node != "" && slices.ContainsFunc(j.Jobs, func(job Job) bool {
		return slices.ContainsFunc(job.Nodes, func(n string) bool { return short(n) == node })
	})
}

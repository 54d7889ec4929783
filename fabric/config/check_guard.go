package config

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

// guardRequeue: jobs move to a queue that lives on when the block has gone.
func (v *view) guardRequeue() {
	const at = "endGuard.requeue"
	to := v.cluster.EndGuard.Requeue
	if to == "" || !v.sound(at, "groups") {
		return
	}
	i := slices.IndexFunc(v.cluster.Groups, func(g Group) bool { return g.Name == to })
	switch {
	case i < 0:
		v.report(diag.ConfigValue, at, quote(to), "the name of a group", suggestion(to, v.groupNames()))
	case v.cluster.Groups[i].Capacity.Block == nil:
	case len(v.blockKeys()) < 2:
		v.report(diag.ConfigConflict, at, "group "+to+", which is on the block that ends", "a group that is not on the same block",
			"name a group on other capacity, or leave requeue out: jobs then wait in their own queue")
	}
}

func (v *view) groupNames() []string {
	var out []string
	for _, g := range v.cluster.Groups {
		out = append(out, g.Name)
	}
	return out
}

// blockKeys lists the different blocks of the groups.
func (v *view) blockKeys() []string {
	var out []string
	v.blocks(func(_ string, b *Block) {
		key := b.Reservation
		if b.Offering != nil {
			key = b.Offering.ID
		}
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	})
	return out
}

// guardLength: a block must be longer than its own end.
func (v *view) guardLength() {
	const at = "endGuard.checkpointMinutes"
	g := v.cluster.EndGuard
	if !g.Enabled || !v.sound(at, "endGuard.stopMinutes") {
		return
	}
	v.offerings(func(path string, o *Offering) {
		hours, asked := path+".durationHours", g.CheckpointMinutes+g.StopMinutes
		if lasts := o.DurationHours * minutesPerHour; v.sound(hours) && asked >= lasts {
			v.report(diag.ConfigConflict, at, fmt.Sprintf("%d minutes, with stopMinutes", asked), fmt.Sprintf("less than the %d minutes of offering %s", lasts, o.ID),
				"lower checkpointMinutes and stopMinutes: no job could start on the block")
		}
	})
}

const minutesPerHour = 60

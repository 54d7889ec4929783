package capacity

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

const sourceLaunch = "EC2 User Guide, capacity-blocks-launch"

// block gives the block of a reservation id.
func (h Holding) block(id string) (Reservation, bool) {
	i := slices.IndexFunc(h.Blocks, func(b Reservation) bool { return b.Reservation == id })
	if i < 0 {
		return Reservation{}, false
	}
	return h.Blocks[i], true
}

// outside reports an instance that stands beside a block which it could run in: paid for a second time, most likely.
func (h Holding) outside(i Instance) bool {
	if _, inside := h.block(i.Reservation); inside {
		return false
	}
	return slices.ContainsFunc(h.Blocks, func(b Reservation) bool {
		return b.State == "active" && b.InstanceType == i.Type && b.Zone == i.Zone
	})
}

// drift compares what was bought with what launch templates target, and with where instances run.
func (h Holding) drift(r Report) diag.List {
	var out diag.List
	for _, i := range r.Outside {
		out.Add(drifted(i.ID, fmt.Sprintf("%s runs %s in %s, beside a block of the same type with %d free", i.what(), i.where(), i.Zone, h.free(i)),
			"an instance in the block that is paid for", "launch it with market type capacity-block and the block's reservation as its target"))
	}
	for _, i := range h.Instances {
		out.Add(h.launched(i)...)
	}
	for _, t := range h.Templates {
		out.Add(h.targets(t)...)
	}
	return out
}

func drifted(resource, got, want, hint string) diag.Finding {
	return diag.Finding{Rule: diag.BlockDrift, Place: diag.Place{Resource: resource}, Got: got, Want: want, Hint: hint, Source: sourceLaunch}
}

func (i Instance) what() string {
	if i.Name == "" {
		return fmt.Sprintf("%s (%s)", i.ID, i.Type)
	}
	return fmt.Sprintf("%s (%s, %s)", i.ID, i.Name, i.Type)
}

func (i Instance) where() string {
	if i.Reservation == "" {
		return "in no reservation"
	}
	return "in " + i.Reservation
}

func (h Holding) free(i Instance) int {
	n := 0
	for _, b := range h.Blocks {
		if b.State == "active" && b.InstanceType == i.Type && b.Zone == i.Zone {
			n += b.Free
		}
	}
	return n
}

// launched compares an instance with the template version that it was launched from, and that with the default one.
func (h Holding) launched(i Instance) diag.List {
	used, known := h.template(i.Template, i.Version)
	if !known {
		return nil
	}
	var out diag.List
	if _, inside := h.block(i.Reservation); inside && used.Target != i.Reservation {
		out.Add(drifted(i.ID, fmt.Sprintf("%s runs %s", i.what(), i.where()), orNone(used.Target)+", which "+used.String()+" targets",
			"replace the instance, or find out who launched it with another target"))
	}
	at := slices.IndexFunc(h.Templates, func(t Template) bool { return t.ID == i.Template && t.Default })
	if at >= 0 && h.Templates[at].Target != used.Target {
		now := h.Templates[at]
		out.Add(drifted(i.ID, fmt.Sprintf("%s was launched from %s, which targets %s", i.what(), used, orNone(used.Target)), orNone(now.Target)+", which "+now.String()+" targets",
			"the instance stays where it is until it is replaced"))
	}
	return out
}

func orNone(reservation string) string {
	if reservation == "" {
		return "no reservation"
	}
	return reservation
}

// targets judges a default version whose block has ended: the next launch fails.
func (h Holding) targets(t Template) diag.List {
	b, known := h.block(t.Target)
	if !t.Default || !known || !b.Ended() {
		return nil
	}
	want := "a block that can be used"
	if i := slices.IndexFunc(h.Blocks, func(o Reservation) bool {
		return !o.Ended() && o.InstanceType == b.InstanceType
	}); i >= 0 {
		want += ", such as " + h.Blocks[i].what()
	}
	return diag.List{drifted(t.ID, fmt.Sprintf("%s targets %s", t, b.what()), want, "update the stack with the reservation of the block that is to be used")}
}

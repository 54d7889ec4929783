package show

import (
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
)

// interfaces writes the network interfaces of a group, equal neighbours in one row.
func interfaces(b *strings.Builder, g plan.NodeGroup) {
	if len(g.Interfaces) == 0 {
		line(b, "interfaces", g.Rendering.Reason)
		return
	}
	line(b, "interfaces", fmt.Sprintf("%s; %s, %d addresses in all",
		plan.Describe(g.Interfaces), plural(g.Addresses, "address", "addresses")+" a node", g.Addresses*g.Nodes))
	line(b, "", who(g.Rendering))
	if g.Rendering.Lost != "" {
		line(b, "LOST", g.Rendering.Lost)
	}
	var table []Row
	for _, r := range rows(g) {
		table = append(table, Row{r.cards(), fmt.Sprint(r.device), r.kind, r.note})
	}
	indented(b, labelWidth+2, Row{"card", "device", "type", ""}, table)
}

func who(r plan.Rendering) string {
	if r.Override {
		return "by a launch template of weft's: " + r.Reason
	}
	return r.Reason
}

// row is a run of cards whose interfaces are alike.
type row struct {
	first, last, device int
	kind, note          string
}

func (r row) cards() string {
	if r.first == r.last {
		return fmt.Sprint(r.first)
	}
	return fmt.Sprintf("%d-%d", r.first, r.last)
}

func rows(g plan.NodeGroup) []row {
	t, _ := catalog.Instance(g.InstanceType)
	var out []row
	for _, i := range byDevice(g.Interfaces) {
		note := ""
		if i.Card == 0 && i.Device == 0 {
			note = primaryNote(t)
		}
		if n := len(out) - 1; n >= 0 && out[n].last+1 == i.Card && out[n].device == i.Device && out[n].kind == i.Type && out[n].note == note {
			out[n].last = i.Card
			continue
		}
		out = append(out, row{i.Card, i.Card, i.Device, i.Type, note})
	}
	return out
}

func primaryNote(t catalog.InstanceType) string {
	if t.MaxEFA > 0 && !t.PrimaryTakesEFA() {
		return "primary; this card takes no EFA"
	}
	return "primary"
}

// byDevice puts the interfaces of further cards that stand on the same device next to each other, the cards
// of one run ascending; card 0 comes first.
func byDevice(interfaces []plan.Interface) []plan.Interface {
	var first, out []plan.Interface
	devices := 0
	for _, i := range interfaces {
		devices = max(devices, i.Device)
	}
	for d := 0; d <= devices; d++ {
		for _, i := range interfaces {
			switch {
			case i.Device != d:
			case i.Card == 0:
				first = append(first, i)
			default:
				out = append(out, i)
			}
		}
	}
	return append(first, out...)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

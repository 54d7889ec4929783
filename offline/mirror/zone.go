package mirror

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/weft-hpc/weft/offline/standin"
)

// zone is an Availability Zone by both of its names. They pair as in the stand-in for Pulumi's provider, so that a
// subnet that is made and a reservation that exists agree.
type zone struct {
	name string // us-east-2a
	id   string // use2-az1
}

var zoneID = regexp.MustCompile(`^[a-z]+[0-9]+-az([0-9]+)$`)

// zoneOf reads a zone of a region, given by name or by id. Without one it is the region's first.
func zoneOf(region, text string) (zone, error) {
	switch found := zoneID.FindStringSubmatch(text); {
	case text == "":
		return zone{region + "a", standin.ZoneID(region + "a")}, nil
	case found == nil:
		return zone{text, standin.ZoneID(text)}, nil
	default:
		n, err := strconv.Atoi(found[1])
		if err != nil || n < 1 || n > 26 {
			return zone{}, fmt.Errorf("zone %s: no zone has this number", text)
		}
		return zone{region + string(rune('a'+n-1)), text}, nil
	}
}

// zone of a text in the config; a fault is kept.
func (m *maker) zone(text string) zone {
	z, err := zoneOf(m.plan.Region, text)
	if err != nil {
		m.errs = append(m.errs, err)
	}
	return z
}

// groupZones gives the zone of each group: its own, else that of another group in its subnet, else that of the first
// group that has one.
func (m *maker) groupZones() map[string]zone {
	bySubnet, first := map[string]string{}, ""
	for _, g := range m.plan.Groups {
		if g.Zone != "" && bySubnet[g.Subnet] == "" {
			bySubnet[g.Subnet] = g.Zone
		}
		if first == "" {
			first = g.Zone
		}
	}
	out := map[string]zone{}
	for _, g := range m.plan.Groups {
		switch {
		case g.Zone != "":
			out[g.Name] = m.zone(g.Zone)
		case bySubnet[g.Subnet] != "":
			out[g.Name] = m.zone(bySubnet[g.Subnet])
		default:
			out[g.Name] = m.zone(first)
		}
	}
	return out
}

// headZone is where head and login nodes stand: with the first group.
func (m *maker) headZone() zone {
	if len(m.plan.Groups) == 0 {
		return m.zone("")
	}
	return m.groupZones()[m.plan.Groups[0].Name]
}

package mirror

import (
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/account"
)

// Reservations began the day before; a block lasts two weeks. Blocks begin and end at 11:30 UTC.
const (
	day         = 24 * time.Hour
	blockTime   = 11*time.Hour + 30*time.Minute
	blockLength = 14 * day
)

func (m *maker) capacity() {
	zones := m.groupZones()
	for _, g := range m.plan.Groups {
		m.offer(g.InstanceType, zones[g.Name])
		m.placementGroup(g.Capacity.Placement.Name)
		if g.Capacity.Reservation != "" {
			m.reserve(g, zones[g.Name])
		}
	}
	head := m.headZone()
	m.offer(m.config.HeadNode.InstanceType, head)
	for _, pool := range m.config.LoginNodes {
		m.offer(pool.InstanceType, head)
	}
}

// reserve makes a group's reservation, or enlarges one that groups share.
func (m *maker) reserve(g plan.NodeGroup, z zone) {
	at := slices.IndexFunc(m.world.Reservations, func(r account.Reservation) bool { return r.ID == g.Capacity.Reservation })
	if at >= 0 {
		m.world.Reservations[at].Count += g.Nodes
		return
	}
	r := account.Reservation{
		ID: g.Capacity.Reservation, Kind: account.ODCR, Type: g.InstanceType, Zone: z.name, ZoneID: z.id, Count: g.Nodes,
		State: "active", Platform: m.plan.OS.Platform, Start: m.now.Add(-day).UTC().Truncate(day).Add(blockTime),
	}
	if name := g.Capacity.Placement.Name; name != "" {
		partition, _ := pcconfig.Partition(m.plan.Region)
		r.PlacementGroupARN = "arn:" + partition + ":ec2:" + m.plan.Region + ":" + account.ID + ":placement-group/" + name
	}
	if g.Capacity.Market == plan.CapacityBlock {
		block(&r)
	}
	m.world.Reservations = append(m.world.Reservations, r)
}

// block makes a reservation one of a Capacity Block.
func block(r *account.Reservation) {
	r.Kind = account.Block
	r.End = r.Start.Add(blockLength)
	r.BlockID = "cb-" + strings.TrimPrefix(r.ID, "cr-")
	if t, known := catalog.Instance(r.Type); known && t.Blocks == catalog.UltraServerBlocks {
		r.Interconnect = "ok"
	}
}

// offer lists a type under the zone's name and under its id: the account finds a zone's id by itself only where AWS
// paired the two as when its zones were recorded.
func (m *maker) offer(instanceType string, z zone) {
	if instanceType == "" {
		return
	}
	if m.world.Offerings == nil {
		m.world.Offerings = map[string][]string{}
	}
	for _, key := range []string{z.name, z.id} {
		if !slices.Contains(m.world.Offerings[key], instanceType) {
			m.world.Offerings[key] = append(m.world.Offerings[key], instanceType)
		}
	}
}

func (m *maker) placementGroup(name string) {
	known := slices.ContainsFunc(m.world.PlacementGroups, func(g account.PlacementGroup) bool { return g.Name == name })
	if name != "" && !known {
		m.world.PlacementGroups = append(m.world.PlacementGroups, account.PlacementGroup{ID: "pg-" + name, Name: name, Strategy: "cluster"})
	}
}

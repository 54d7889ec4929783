// Package show writes a plan as text that an engineer reads, or pastes into a review.
package show

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Text writes the plan of a cluster.
func Text(w io.Writer, c plan.Cluster) error {
	var b strings.Builder
	fmt.Fprintf(&b, "cluster %s in %s: ParallelCluster %s, %s\n", c.Name, c.Region, c.ParallelCluster, c.OS.Name)
	network(&b, c)
	for _, g := range c.Groups {
		group(&b, c, g)
	}
	if len(c.Steps) > 0 {
		fmt.Fprintf(&b, "\nvalidation after each deployment: %s\n", strings.Join(c.Steps, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func network(b *strings.Builder, c plan.Cluster) {
	n := c.Network
	if n.Create {
		fmt.Fprintf(b, "\nnetwork: a new VPC, %s\n", n.CIDR)
	} else {
		fmt.Fprintf(b, "\nnetwork: existing %s, head node in %s\n", n.VPC, n.Head)
	}
	var rows []Row
	if n.Public != nil {
		rows = append(rows, Row{"public", n.Public.Zone, n.Public.CIDR, "", publicUse(n)})
	}
	for i, s := range n.Compute {
		stands := s.Groups
		if i == 0 {
			stands = slices.Concat(stands, homeUse(c))
		}
		rows = append(rows, Row{orText(s.ID, "private"), s.Zone, s.CIDR, s.Addresses, strings.Join(stands, ", ")})
	}
	indented(b, 2, Row{"subnet", "zone", "cidr", "addresses", "holds"}, rows)
}

// homeUse is what stands in the first compute subnet beside nodes.
func homeUse(c plan.Cluster) []string {
	var out []string
	if c.Network.Create && !c.Network.HeadPublic {
		out = append(out, "head node")
	}
	for _, s := range c.Config.Storage {
		if s.FSxLustre != nil && s.FSxLustre.Existing == "" {
			out = append(out, "FSx for Lustre "+s.Name)
		}
	}
	return out
}

func publicUse(n plan.Network) string {
	if n.HeadPublic {
		return "head node, NAT gateway"
	}
	return "NAT gateway"
}

func group(b *strings.Builder, c plan.Cluster, g plan.NodeGroup) {
	fmt.Fprintf(b, "\ngroup %s: %d × %s%s\n", g.Name, g.Nodes, g.InstanceType, accelerators(g))
	line(b, "capacity", capacity(g))
	line(b, "placement", placement(g.Capacity.Placement))
	blockEnd(b, c.Guard, g.Name)
	interfaces(b, g)
	if g.Ranks.PerNode > 0 {
		line(b, "ranks", fmt.Sprintf("%d a node, %d CPUs per rank", g.Ranks.PerNode, g.Ranks.CPUs))
		line(b, "healthy", healthy(g.Healthy))
	}
	ceilings(b, g.Expect)
	floors(b, c, g)
	if len(g.Unverified) > 0 {
		line(b, "UNVERIFIED", strings.Join(g.Unverified, ", ")+": no source settles it")
	}
}

func accelerators(g plan.NodeGroup) string {
	if g.Healthy.Accelerators == 0 {
		return ""
	}
	t, _ := catalog.Instance(g.InstanceType)
	return fmt.Sprintf(", each %d %s %s", t.Accelerator.Count, t.Accelerator.Maker, t.Accelerator.Name)
}

func capacity(g plan.NodeGroup) string {
	k := g.Capacity
	switch {
	case k.Offering != nil:
		return fmt.Sprintf("capacity block that the stack buys once: offering %s, %d hours from %s for %s %s, at most %s, confirmed until %s; all %d nodes are static",
			k.Offering.ID, k.Offering.DurationHours, k.Offering.Start, k.Offering.Fee, k.Offering.Currency, most(k), k.Offering.ConfirmedUntil, g.Nodes)
	case k.Market == plan.CapacityBlock:
		return fmt.Sprintf("capacity block %s, market type %s; all %d nodes are static", k.Reservation, k.Market, g.Nodes)
	case k.Reservation != "":
		return fmt.Sprintf("on-demand reservation %s; %d nodes always run", k.Reservation, g.MinNodes)
	default:
		return fmt.Sprintf("on demand; %d nodes always run", g.MinNodes)
	}
}

// most is the confirmed price, and the budget where there is one.
func most(k plan.Capacity) string {
	if k.Purchase == nil || k.Purchase.Budget == "" {
		return k.Offering.MaxFee
	}
	return k.Offering.MaxFee + " and within a budget of " + k.Purchase.Budget
}

func placement(p plan.Placement) string {
	switch {
	case p.None():
		return "no placement group: " + p.Reason
	case p.Managed:
		return "a cluster placement group of its own: " + p.Reason
	default:
		return fmt.Sprintf("placement group %s: %s", p.Name, p.Reason)
	}
}

func healthy(h plan.Healthy) string {
	out := fmt.Sprintf("%d %ss, %d EFA devices", h.Accelerators, h.Kind, h.EFADevices)
	if h.EFADevices == 0 {
		return out
	}
	out += fmt.Sprintf(" (%.0f Gbps), provider %s", h.EFAGbps, h.Provider)
	if h.GDR {
		out += ", GPUDirect RDMA on every inter-node channel"
	}
	return out
}

func ceilings(b *strings.Builder, e plan.Expect) {
	if e.AllToAllBusGBps == 0 {
		return
	}
	line(b, "ceilings", fmt.Sprintf("on %d nodes: all-to-all busbw %.1f GB/s, algbw %.1f; all-reduce algbw %.0f (from 4 nodes on)",
		e.Nodes, e.AllToAllBusGBps, e.AllToAllAlgGBps, e.AllReduceAlgGBps))
}

const labelWidth = 12

func line(b *strings.Builder, label, value string) {
	fmt.Fprintf(b, "  %-*s%s\n", labelWidth, label, value)
}

// indented writes a table into the text; a strings.Builder takes everything.
func indented(b *strings.Builder, by int, header Row, rows []Row) {
	_ = Table(b, strings.Repeat(" ", by), header, rows...)
}

func orText(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

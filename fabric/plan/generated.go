package plan

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/version"
)

// The first ParallelCluster version that separates EFA from the primary interface and that takes
// LaunchTemplateOverrides; both came with 3.15.0.
var separateInterfaces = version.MustParse("3.15.0")

// Rendering says who lays out the interfaces of a group's nodes.
type Rendering struct {
	// Override is true when weft's own launch template replaces ParallelCluster's interfaces
	// (LaunchTemplateOverrides). That takes ParallelCluster's security group off the nodes, so it is done only
	// where the wanted layout is not the one that ParallelCluster makes itself.
	Override bool `json:"override"`
	// Reason in one clause.
	Reason string `json:"reason"`
	// Lost is what the chosen ParallelCluster version can't do of what was asked for; empty if nothing.
	Lost string `json:"lost,omitempty"`
}

// Generated gives the interfaces that ParallelCluster itself puts into a compute launch template, as read in
// its queue stack and recorded from its output for eight instance types and four versions.
func Generated(release version.Version, t catalog.InstanceType, efa bool) []Interface {
	var out []Interface
	separate := release.AtLeast(separateInterfaces)
	for _, card := range t.Cards {
		device := 1
		if card.Index == 0 || card.MaxInterfaces == 1 {
			device = 0
		}
		switch {
		case !efa:
			out = append(out, Interface{card.Index, device, Plain})
		case !separate: // one combined interface on every card, whether the card takes it or not
			out = append(out, Interface{card.Index, device, EFA})
		case card.Index > 0:
			out = append(out, Interface{card.Index, device, EFAOnly})
		default: // card 0 counts as an EFA card only if all cards are
			out = append(out, primary(card, t.MaxEFA == len(t.Cards))...)
		}
	}
	return out
}

// same reports whether two layouts put the same types on the same cards. Device indexes may differ: EC2's
// guide puts an EFA-only interface of a further card on device 0, ParallelCluster on device 1, and EC2 takes
// both.
func same(a, b []Interface) bool {
	return slices.Equal(cardTypes(a), cardTypes(b))
}

func cardTypes(interfaces []Interface) []string {
	var out []string
	for _, i := range interfaces {
		out = append(out, fmt.Sprintf("%d %s", i.Card, i.Type))
	}
	slices.Sort(out)
	return out
}

// render chooses who lays out the interfaces of a group, and gives the interfaces that its nodes get.
func (p *planner) render(g *NodeGroup, t catalog.InstanceType, path string) {
	wanted := Interfaces(t, g.Layout, g.EFA)
	own := Generated(p.release, t, g.EFA)
	makes := Describe(own)
	verified := t.Verified("Cards.MaxInterfaces")
	if !verified {
		makes = "interfaces by card facts that no source settles"
	}
	switch {
	case verified && same(wanted, own):
		g.Interfaces = own
		g.Rendering.Reason = fmt.Sprintf("ParallelCluster %s makes this layout itself", p.release)
	case p.release.AtLeast(separateInterfaces):
		g.Interfaces = wanted
		g.Rendering = Rendering{Override: true, Reason: fmt.Sprintf("ParallelCluster %s would make %s", p.release, makes)}
	default:
		g.Interfaces = own
		g.Rendering = Rendering{
			Reason: fmt.Sprintf("ParallelCluster %s takes no launch template of yours", p.release),
			Lost: fmt.Sprintf("%s is not possible before 3.15.0: a node gets %s and takes %d addresses, instead of %s and %d",
				g.Layout, makes, countAddresses(own), Describe(wanted), countAddresses(wanted)),
		}
		if p.judgeCards(g.Interfaces, t, path) {
			p.tellLost(g, makes, Describe(wanted), path)
		}
	}
}

// tellLost says where an older ParallelCluster does not lay out what was asked for. More addresses than needed cost
// nothing while the subnet has them, which nic/addresses judges; bandwidth that was asked for is missed.
func (p *planner) tellLost(g *NodeGroup, makes, wanted, path string) {
	level := diag.Note
	if g.Layout == MostBandwidth {
		level = diag.Warn
	}
	p.addAt(level, diag.PCKey, path+".layout", fmt.Sprintf("%s by ParallelCluster %s, which takes no other layout", makes, p.release),
		fmt.Sprintf("%s, as layout %s asks", wanted, g.Layout), "set parallelcluster to 3.15.1 or later",
		"ParallelCluster 3.15.0, LaunchTemplateOverrides")
}

// judgeCards refuses what an older ParallelCluster would launch with EFA on a card that takes none.
func (p *planner) judgeCards(interfaces []Interface, t catalog.InstanceType, path string) (fine bool) {
	fine = true
	for _, i := range interfaces {
		card := t.Cards[slices.IndexFunc(t.Cards, func(c catalog.Card) bool { return c.Index == i.Card })]
		if slices.Contains(card.Types, i.Type) {
			continue
		}
		fine = false
		p.add(diag.NICEFACard, path+".instanceType",
			fmt.Sprintf("ParallelCluster %s puts %s on card %d of %s", p.release, i.Type, i.Card, t.Name),
			fmt.Sprintf("card %d takes %v only", i.Card, card.Types),
			"set parallelcluster to 3.15.1 or later, which leaves that card without EFA",
			"aws/aws-parallelcluster#7143; EC2 User Guide, efa-acc-inst-types")
	}
	return fine
}

// Describe tells a layout in a few words: "1 interface, 16 efa-only".
func Describe(interfaces []Interface) string {
	text := ""
	for _, kind := range []string{Plain, EFA, EFAOnly} {
		n := 0
		for _, i := range interfaces {
			if i.Type == kind {
				n++
			}
		}
		if n > 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%d %s", n, kind)
		}
	}
	return text
}

package standin

import (
	"fmt"
	"slices"
)

const templateType = "aws:ec2/launchTemplate:LaunchTemplate"

// EC2 takes most of these templates and refuses the launch, or the instances end by themselves. The stand-in launches
// nothing, so it speaks up when the template is made.
var templateRefusals = []refusal{
	templateRefusal("nic-security-groups",
		"EC2's own words at RunInstances; groups stand in the template or on the interfaces, not on both",
		func(t launch) *complaint {
			if len(t.nics) == 0 || len(t.Texts("vpcSecurityGroupIds"))+len(t.Texts("securityGroupNames")) == 0 {
				return nil
			}
			return complain(combination, "Network interfaces and an instance-level security groups may not be specified on the same request")
		}),
	templateRefusal("nic-primary",
		"EC2 User Guide, \"Network cards\": the primary interface is device index 0 of network card 0",
		func(t launch) *complaint {
			if len(t.nics) == 0 || slices.ContainsFunc(t.nics, nic.primary) {
				return nil
			}
			return complain(combination, "no network interface has network card index 0 and device index 0: the primary one is missing")
		}),
	templateRefusal("nic-primary-efa-only",
		"EC2 User Guide, \"Create and attach an EFA\": the primary interface cannot be EFA-only",
		func(t launch) *complaint {
			for _, n := range t.nics {
				if n.primary() && n.kind == "efa-only" {
					return complain(combination, "networkInterfaces[%d] is the primary network interface, it cannot be of the type efa-only", n.place)
				}
			}
			return nil
		}),
	templateRefusal("nic-device-index-unique",
		"EC2 API Reference, RunInstances: device indexes are unique on a card",
		func(t launch) *complaint {
			for _, n := range t.nics {
				for _, other := range t.nics[:n.place] {
					if n.card == other.card && n.device == other.device {
						return complain(value, "Each network interface requires a unique device index: networkInterfaces[%d] and [%d] both have "+
							"device index %d of network card %d", other.place, n.place, n.device, n.card)
					}
				}
			}
			return nil
		}),
	templateRefusal("nic-two-efa",
		"EC2 User Guide, \"EFA limitations\": one EFA or EFA-only interface a network card",
		func(t launch) *complaint {
			for _, n := range t.nics {
				for _, other := range t.nics[:n.place] {
					if n.efa() && other.efa() && n.card == other.card {
						return complain(combination, "networkInterfaces[%d] and [%d] are both EFA on network card %d, which takes one", other.place, n.place, n.card)
					}
				}
			}
			return nil
		}),
	templateRefusal("nic-public-ip",
		"EC2's own words at RunInstances; EC2 User Guide, \"Maximize network bandwidth\"",
		func(t launch) *complaint {
			public := slices.ContainsFunc(t.nics, func(n nic) bool { return n.public })
			if len(t.nics) < 2 || !public {
				return nil
			}
			return complain(combination, "The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces.")
		}),
	templateRefusal("nic-efa-card",
		"DescribeInstanceTypes, NetworkCards[].InterfaceTypes",
		onCards(func(t launch, n nic, card Card) *complaint {
			if !n.efa() || card.EFA {
				return nil
			}
			return complain("Unsupported", "network card %d of %s takes no EFA, networkInterfaces[%d] is of the type %s", n.card, t.instanceType, n.place, n.kind)
		})),
	templateRefusal("nic-device-index",
		"DescribeInstanceTypes, NetworkCards[].MaximumNetworkInterfaces. EC2 takes the launch and ends the instance",
		onCards(func(t launch, n nic, card Card) *complaint {
			if n.device < card.Interfaces || card.Interfaces == 0 {
				return nil
			}
			return complain("AttachmentLimitExceeded", "network card %d of %s takes device indexes 0 to %d, networkInterfaces[%d] has %d",
				n.card, t.instanceType, card.Interfaces-1, n.place, n.device)
		})),
	{
		id: "nic-card", ops: []string{opCreate, opUpdate}, types: []string{templateType},
		source: "DescribeInstanceTypes, MaximumNetworkCards",
		judge: func(r Request, s *StandIn) *complaint {
			t := launchOf(r.Inputs, s)
			for _, n := range t.nics {
				if _, ok := t.card(n.card); !ok && t.known {
					return complain(value, "%s has no network card %d, networkInterfaces[%d] is on it", t.instanceType, n.card, n.place)
				}
			}
			return nil
		},
	},
	templateRefusal("market-placement-group",
		"EC2 User Guide, \"Capacity Blocks for ML\": not in a placement group",
		func(t launch) *complaint {
			placement := t.Object("placement")
			group := or(placement.Text("groupName"), placement.Text("groupId"))
			if !t.block() || group == "" {
				return nil
			}
			return complain(combination, "Capacity Blocks cannot be used with a placement group, the launch template names %s", group)
		}),
	templateRefusal("market-target",
		"EC2 User Guide, \"Launch instances using Capacity Blocks\": the market type needs the id of the block",
		func(t launch) *complaint {
			target := t.Object("capacityReservationSpecification").Object("capacityReservationTarget")
			if !t.block() || target.Text("capacityReservationId") != "" || target.Text("capacityReservationResourceGroupArn") != "" {
				return nil
			}
			return complain(combination, "The market type capacity-block needs a capacity reservation target, the launch template names none")
		}),
}

// Error codes that EC2 uses for parameters that do not go together, and for a value that it does not take.
const (
	combination = "InvalidParameterCombination"
	value       = "InvalidParameterValue"
)

func templateRefusal(id, source string, judge func(launch) *complaint) refusal {
	return refusal{
		id: id, ops: []string{opCreate, opUpdate}, types: []string{templateType}, source: source,
		judge: func(r Request, s *StandIn) *complaint { return judge(launchOf(r.Inputs, s)) },
	}
}

// onCards judges each interface together with the card that it is on, when the instance type's cards are known.
func onCards(judge func(launch, nic, Card) *complaint) func(launch) *complaint {
	return func(t launch) *complaint {
		for _, n := range t.nics {
			if card, ok := t.card(n.card); ok {
				if c := judge(t, n, card); c != nil {
					return c
				}
			}
		}
		return nil
	}
}

// launch is a launch template with what its interfaces and its instance type say.
type launch struct {
	Document
	instanceType string
	nics         []nic
	cards        []Card
	known        bool
}

// nic is one network interface of a template. place is its index in the list.
type nic struct {
	place, card, device int
	kind                string
	public              bool
}

func (n nic) primary() bool { return n.card == 0 && n.device == 0 }
func (n nic) efa() bool     { return n.kind == "efa" || n.kind == "efa-only" }

func launchOf(d Document, s *StandIn) launch {
	t := launch{Document: d, instanceType: d.Text("instanceType")}
	for i, n := range d.Objects("networkInterfaces") {
		card, _ := n.Number("networkCardIndex")
		device, _ := n.Number("deviceIndex")
		t.nics = append(t.nics, nic{
			place: i, card: card, device: device, kind: or(n.Text("interfaceType"), "interface"),
			public: n.True("associatePublicIpAddress"),
		})
	}
	t.cards, t.known = s.cards(t.instanceType)
	return t
}

func (t launch) card(index int) (Card, bool) {
	for _, card := range t.cards {
		if card.Index == index {
			return card, true
		}
	}
	return Card{}, false
}

// block tells whether the template launches into a Capacity Block.
func (t launch) block() bool {
	return fmt.Sprint(t.Object("instanceMarketOptions")["marketType"]) == "capacity-block"
}

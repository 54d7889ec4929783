package plan

import (
	"github.com/weft-hpc/weft/fabric/catalog"
)

// Interface types, in EC2's words.
const (
	Plain   = "interface" // ENA, carries IP
	EFA     = "efa"       // ENA and EFA on one interface, carries IP
	EFAOnly = "efa-only"  // EFA alone, takes no address
)

// Layouts of a node's interfaces, in the config's words.
const (
	SaveAddresses = "save-addresses"
	MostBandwidth = "most-bandwidth"
)

// Interface is one network interface of a launch template.
type Interface struct {
	Card   int    `json:"card"`   // network card index
	Device int    `json:"device"` // device index on that card; unique within the card only
	Type   string `json:"type"`   // interface, efa or efa-only
}

// TakesAddress reports whether the interface takes a private IPv4 address of the subnet.
func (i Interface) TakesAddress() bool { return i.Type != EFAOnly }

// TakesEFA reports whether the interface is an EFA device on the node.
func (i Interface) TakesEFA() bool { return i.Type != Plain }

// Interfaces lays out the interfaces of a type as EC2's guide does ("Maximize network bandwidth on Amazon
// EC2 instances with multiple network cards"): a plain primary interface on card 0, an EFA-only interface
// on device 1 of card 0 where that card takes EFA, an EFA-only interface on device 0 of every further card
// that does, and, for most bandwidth, a plain interface on device 1 of further cards.
//
// Without EFA the node has its primary interface, and for most bandwidth one on every card.
func Interfaces(t catalog.InstanceType, layout string, efa bool) []Interface {
	var out []Interface
	carriers := efaCards(t, efa)
	for _, card := range t.Cards {
		if card.Index == 0 {
			out = append(out, primary(card, carriers[0])...)
			continue
		}
		device := 0
		if carriers[card.Index] {
			out = append(out, Interface{card.Index, device, EFAOnly})
			device = 1
		}
		if layout == MostBandwidth && carriesIP(t, card, efa) {
			out = append(out, Interface{card.Index, device, Plain})
		}
	}
	return out
}

// primary lays out card 0. Its first interface must carry IP, so a card that holds one interface and takes
// EFA gets the combined type.
func primary(card catalog.Card, efa bool) []Interface {
	switch {
	case !efa:
		return []Interface{{0, 0, Plain}}
	case card.MaxInterfaces == 1:
		return []Interface{{0, 0, EFA}}
	default:
		return []Interface{{0, 0, Plain}, {0, 1, EFAOnly}}
	}
}

// efaCards says which cards carry an EFA interface: those that take it, or the subset that AWS recommends
// where cards share a device, never more than the type's limit.
func efaCards(t catalog.InstanceType, efa bool) map[int]bool {
	carriers := map[int]bool{}
	if !efa {
		return carriers
	}
	cards := t.SaveAddressesCards
	if cards == nil {
		for _, c := range t.EFACards() {
			cards = append(cards, c.Index)
		}
	}
	if t.MaxEFA > 0 { // 0 on such a type means that no source gives the limit
		cards = cards[:min(len(cards), t.MaxEFA)]
	}
	for _, index := range cards {
		carriers[index] = true
	}
	return carriers
}

// carriesIP says whether a further card carries a plain interface for IP traffic in the most-bandwidth
// layout. Where AWS publishes no layout every card that has room does; the plan then marks it unverified.
func carriesIP(t catalog.InstanceType, card catalog.Card, efa bool) bool {
	if !efa {
		return true
	}
	if t.IPCards != nil {
		for _, index := range t.IPCards {
			if index == card.Index {
				return true
			}
		}
		return false
	}
	return card.MaxInterfaces > 1
}

func countAddresses(interfaces []Interface) int {
	n := 0
	for _, i := range interfaces {
		if i.TakesAddress() {
			n++
		}
	}
	return n
}

func countEFA(interfaces []Interface) int {
	n := 0
	for _, i := range interfaces {
		if i.TakesEFA() {
			n++
		}
	}
	return n
}

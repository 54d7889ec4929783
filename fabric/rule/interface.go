package rule

import (
	"fmt"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

const (
	sourceCards = "EC2 User Guide, efa-acc-inst-types"
	sourceEFA   = "EC2 User Guide, efa"
)

var interfaceRules = []Rule{
	{
		diag.NICPrimary, Alone,
		"The primary interface is device 0 of card 0 and carries the instance's address. An efa-only interface takes no address and cannot be it.",
		judgePrimary,
	},
	{
		diag.NICEFACard, Everything,
		"EFA sits only on network cards that take it, one EFA interface a card. Card 0 of p6-b300 takes none.",
		judgeEFACard,
	},
	{
		diag.NICEFACount, Everything,
		"Each EFA interface carries its card's share of the node's bandwidth. Fewer of them is bandwidth that was paid for and is not used.",
		judgeEFACount,
	},
	{
		diag.NICDeviceIndex, Everything,
		"A device index counts within its card, from 0, and is there once. An index that rises with the card exceeds what the card takes.",
		judgeDeviceIndex,
	},
	{
		diag.NICAggregate, Everything,
		"A card takes a limited number of interfaces, and so does the instance in all.",
		judgeAggregate,
	},
	{
		diag.NICPublicIP, Everything,
		"EC2 gives no public address of itself to an instance with more than one interface, and refuses the launch that asks for it, in the template or by the subnet's setting.",
		judgePublicIP,
	},
	{
		diag.NICDeleteOnTermination, Alone,
		"An interface that is not deleted with its instance stays, keeps its address, and counts against the quota.",
		judgeDeleteOnTermination,
	},
	{
		diag.NICCombinedType, Together,
		"An interface of type efa takes an address of the subnet. Beside the primary interface efa-only does the same for EFA and takes none.",
		judgeCombinedType,
	},
	{
		diag.NICNotSupported, Everything,
		"Only some instance types take EFA; on others a launch with an EFA interface is refused.",
		judgeNotSupported,
	},
	{
		diag.NICEFAOff, Together,
		"Nodes of a type that has EFA, launched without an EFA interface, talk over TCP. Nothing says so: jobs are just slow.",
		judgeEFAOff,
	},
}

// card, device and kind give what EC2 takes where a launch is silent: card 0, device 0, a plain interface.
func (i Interface) card() int    { return i.Card.Or(0) }
func (i Interface) device() int  { return i.Device.Or(0) }
func (i Interface) kind() string { return orElse(i.Type.Or(""), catalog.TypeInterface) }

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// isEFA reports that the interface is known to be an EFA device.
func (i Interface) isEFA() bool {
	return i.kind() == catalog.TypeEFA || i.kind() == catalog.TypeEFAOnly
}

// laidOut reports that cards, devices and types of all interfaces are known. What is not is waited for.
func (v *view) laidOut(l *launch) bool {
	ok := true
	if l.Interfaces.IsUnknown() {
		v.wait(l.Input, l.Interfaces.Path)
		ok = false
	}
	for _, i := range l.Interfaces.Items {
		for _, number := range []Value[int]{i.Card, i.Device} {
			if number.IsUnknown() {
				v.wait(l.Input, number.Path)
				ok = false
			}
		}
		if i.Type.IsUnknown() {
			v.wait(l.Input, i.Type.Path)
			ok = false
		}
	}
	return ok
}

func judgePrimary(v *view) {
	for _, l := range v.launches {
		if !v.laidOut(l) || l.Interfaces.Len() == 0 {
			continue
		}
		found := false
		for _, i := range l.Interfaces.Items {
			if i.card() != 0 || i.device() != 0 {
				continue
			}
			found = true
			if i.kind() == catalog.TypeEFAOnly {
				v.add(at(l.Input, orElse(i.Type.Path, i.Path)), "card 0 device 0 is efa-only", "interface, or efa where card 0 takes EFA: the primary interface carries the address",
					"set the type to interface, and put efa-only on device 1 of card 0 where the card takes EFA", sourceCards)
			}
		}
		if !found {
			v.add(at(l.Input, l.Interfaces.Path), "no interface on card 0 device 0", "a primary interface there",
				"add an interface with network card index 0 and device index 0", sourceCards)
		}
	}
}

func judgeEFACard(v *view) {
	for _, l := range v.launches {
		if v.is(Alone) && v.laidOut(l) {
			v.oneEFAACard(l)
		}
	}
	for _, t := range v.typed() {
		for _, i := range t.Interfaces.Items {
			card, exists := t.Card(i.card())
			if !i.isEFA() || !exists || len(t.EFACards()) == 0 || card.Takes(i.kind()) {
				continue
			}
			v.add(at(t.Input, orElse(i.Type.Path, i.Path)), fmt.Sprintf("%s on card %d of %s", i.kind(), i.card(), t.of()),
				fmt.Sprintf("card %d takes %s", card.Index, list(card.Types)), "set the type of this interface to interface, and keep EFA on "+t.efaCards(),
				"aws/aws-parallelcluster#7143; "+sourceCards)
		}
	}
}

// oneEFAACard is about the card, whatever the type of instance.
func (v *view) oneEFAACard(l *launch) {
	seen := map[int]bool{}
	for _, i := range l.Interfaces.Items {
		if !i.isEFA() {
			continue
		}
		if seen[i.card()] {
			v.add(at(l.Input, i.Path), fmt.Sprintf("a second EFA interface on card %d", i.card()), "one EFA interface a card",
				"move it to a card without EFA, or make it a plain interface", "EC2 User Guide, create-efa")
		}
		seen[i.card()] = true
	}
}

// efaCards tells which cards take EFA: "cards 1 to 16".
func (t typed) efaCards() string {
	cards := t.EFACards()
	if len(cards) == 1 {
		return fmt.Sprintf("card %d", cards[0].Index)
	}
	return fmt.Sprintf("cards %d to %d", cards[0].Index, cards[len(cards)-1].Index)
}

func judgeEFACount(v *view) {
	for _, t := range v.typed() {
		have, want := 0, len(t.EFACards())
		for _, i := range t.Interfaces.Items {
			if i.isEFA() {
				have++
			}
		}
		if t.SaveAddressesCards != nil {
			want = len(t.SaveAddressesCards)
		}
		if have == 0 || have >= want {
			continue
		}
		got := fmt.Sprintf("%d EFA interfaces on %s", have, t.of())
		if have == 1 {
			got = "1 EFA interface on " + t.of()
		}
		v.add(at(t.Input, t.Interfaces.Path), got, fmt.Sprintf("%d: %.0f %% of the node's EFA bandwidth is lost", want, 100*(1-float64(have)/float64(want))),
			"add an EFA interface on each of "+t.efaCards()+"; a public address is no reason to leave them out: attach an Elastic IP after launch", sourceCards)
	}
}

func judgeDeviceIndex(v *view) {
	for _, l := range v.launches {
		if v.is(Alone) && v.laidOut(l) {
			v.uniqueDevices(l)
		}
	}
	for _, t := range v.typed() {
		for _, i := range t.Interfaces.Items {
			v.deviceOnCard(t, i)
		}
	}
}

func (v *view) deviceOnCard(t typed, i Interface) {
	card, exists := t.Card(i.card())
	switch {
	case !exists:
		v.add(at(t.Input, orElse(i.Card.Path, i.Path)), fmt.Sprintf("network card %d of %s", i.card(), t.of()),
			fmt.Sprintf("cards 0 to %d", t.Cards[len(t.Cards)-1].Index), "leave this interface out, or correct its card", sourceCards)
	case card.MaxInterfaces > 0 && i.device() >= card.MaxInterfaces:
		v.add(at(t.Input, orElse(i.Device.Path, i.Path)), fmt.Sprintf("device index %d on card %d of %s", i.device(), i.card(), t.of()),
			fmt.Sprintf("0 to %d: the index counts within the card", card.MaxInterfaces-1), deviceHint(i.card()), "eksctl-io/eksctl#7520; "+sourceCards)
	}
}

func deviceHint(card int) string {
	if card == 0 {
		return "set it to 0 for the primary interface, to 1 for a second one"
	}
	return "set it to 1, or to 0, on every card above 0"
}

// uniqueDevices: an index is there once on its card, and does not rise with the card. EC2 takes 0 and 1 on further
// cards; an index that leaves a gap of more than one is the slip of counting over all cards.
func (v *view) uniqueDevices(l *launch) {
	perCard := map[int]int{}
	for _, i := range l.Interfaces.Items {
		perCard[i.card()]++
	}
	seen := map[[2]int]bool{}
	for _, i := range l.Interfaces.Items {
		key := [2]int{i.card(), i.device()}
		switch {
		case seen[key]:
			v.add(at(l.Input, orElse(i.Device.Path, i.Path)), fmt.Sprintf("card %d device %d twice", key[0], key[1]), "each device index of a card once",
				"give the second interface another device index, or another card", sourceCards)
		case i.device() > perCard[i.card()] && !v.beyondCard(l, i):
			v.add(at(l.Input, orElse(i.Device.Path, i.Path)),
				fmt.Sprintf("device index %d on card %d, which carries %d %s", i.device(), i.card(), perCard[i.card()], plural(perCard[i.card()], "interface")),
				fmt.Sprintf("at most %d: the index counts within the card", perCard[i.card()]), deviceHint(i.card()), "aws/aws-k8s-tester#531; "+sourceCards)
		}
		seen[key] = true
	}
}

// beyondCard reports that the index is named already for exceeding what the launch's own type takes.
func (v *view) beyondCard(l *launch, i Interface) bool {
	for _, t := range v.typesOf(l) {
		if row, ok := catalog.Instance(t.name); ok {
			card, exists := row.Card(i.card())
			return !exists || card.MaxInterfaces > 0 && i.device() >= card.MaxInterfaces
		}
	}
	return false
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

func judgeAggregate(v *view) {
	for _, t := range v.typed() {
		perCard, efa := map[int]int{}, map[int]bool{}
		for _, i := range t.Interfaces.Items {
			perCard[i.card()]++
			if i.isEFA() && t.TakesEFA(i.card()) { // what stands on another card is the business of nic/efa-card
				efa[i.card()] = true
			}
		}
		for _, card := range t.Cards {
			v.atMost(t, perCard[card.Index], card.MaxInterfaces, fmt.Sprintf("interfaces on card %d", card.Index), "spread the interfaces over the cards")
		}
		v.atMost(t, t.Interfaces.Len(), t.MaxInterfaces, "interfaces", "leave some out")
		v.atMost(t, len(efa), t.MaxEFA, "EFA interfaces", "make the others plain interfaces")
	}
}

// atMost compares with a limit; 0 is one that no source settled.
func (v *view) atMost(t typed, have, limit int, what, hint string) {
	if limit > 0 && have > limit {
		v.add(at(t.Input, t.Interfaces.Path), fmt.Sprintf("%d %s of %s", have, what, t.of()), fmt.Sprintf("at most %d", limit), hint, sourceCards)
	}
}

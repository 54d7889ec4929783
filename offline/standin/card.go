package standin

import "github.com/weft-hpc/weft/fabric/catalog"

// Card is one network card of an instance type.
type Card struct {
	// Index is the card's network card index.
	Index int
	// Interfaces is how many network interfaces the card takes; device indexes run from 0 to one below it. 0: not known.
	Interfaces int
	// EFA says that one of them may be an EFA.
	EFA bool
}

// CatalogCards gives the cards of an instance type as the catalogue has them.
func CatalogCards(instanceType string) ([]Card, bool) {
	instance, ok := catalog.Instance(instanceType)
	if !ok {
		return nil, false
	}
	var cards []Card
	for _, c := range instance.Cards {
		cards = append(cards, Card{Index: c.Index, Interfaces: c.MaxInterfaces, EFA: c.TakesEFA()})
	}
	return cards, len(cards) > 0
}

package suspect

import "slices"

// plan is the round that tells the most: each undecided node with a good one, as near as can be, or with another undecided one that it
// has not met where the good ones are all taken. Nil when nothing new can be asked.
func (k *known) plan() *Round {
	if k.rounds() >= Most {
		return nil
	}
	p := planner{known: k, open: k.open(), taken: map[string]bool{}}
	p.withGood()
	p.amongThemselves()
	if len(p.round.Groups) == 0 {
		return nil
	}
	p.controls()
	for _, n := range k.nodes {
		if !p.taken[n] {
			p.round.Idle = append(p.round.Idle, n)
		}
	}
	return &p.round
}

func (k *known) rounds() int {
	n := 0
	for _, m := range k.measured {
		n = max(n, m.Round)
	}
	return n
}

// open are the nodes that are neither good nor proved slow. Of each slow group one comes first: it tells of the others too.
func (k *known) open() []string {
	var out, later []string
	met := map[string]bool{}
	for _, n := range k.nodes {
		if _, proved := k.proof(n); proved || k.good[n] {
			continue
		}
		if met[n] {
			later = append(later, n)
			continue
		}
		out = append(out, n)
		for _, i := range k.groupsOf(n) {
			for _, other := range k.measured[i].Nodes {
				met[other] = true
			}
		}
	}
	return append(out, later...)
}

type planner struct {
	*known
	open  []string
	taken map[string]bool
	round Round
}

func (p *planner) pair(a, b string) {
	p.taken[a], p.taken[b] = true, true
	p.round.Groups = append(p.round.Groups, []string{a, b})
}

func (p *planner) withGood() {
	var good []string
	for _, n := range p.nodes {
		if p.good[n] {
			good = append(good, n)
		}
	}
	for _, n := range p.open {
		if partner, ok := p.nearest(n, good); ok {
			p.pair(n, partner)
		}
	}
}

func (p *planner) amongThemselves() {
	for i, n := range p.open {
		if p.taken[n] {
			continue
		}
		if partner, ok := p.nearest(n, p.open[i+1:]); ok {
			p.pair(n, partner)
		}
	}
}

// controls adds a pair of good nodes at each distance of the round at which none was measured: what the others there are compared with.
func (p *planner) controls() {
	for _, g := range slices.Clone(p.round.Groups) {
		want := p.distance.of(g[0], g[1])
		if !p.controlled(want) {
			p.control(want)
		}
	}
}

func (p *planner) controlled(distance int) bool {
	at := func(nodes []string) bool {
		return p.class(Measured{Nodes: nodes}) == class{2, distance} && p.allGood(nodes, "")
	}
	return slices.ContainsFunc(p.round.Groups, at) ||
		slices.ContainsFunc(p.measured, func(m Measured) bool { return m.Value > 0 && at(m.Nodes) })
}

func (p *planner) control(distance int) {
	for i, a := range p.nodes {
		if !p.good[a] || p.taken[a] {
			continue
		}
		for _, b := range p.nodes[i+1:] {
			if p.good[b] && !p.taken[b] && p.distance.of(a, b) == distance {
				p.pair(a, b)
				return
			}
		}
	}
}

// nearest is the free partner at the least distance that a node was not measured with.
func (p *planner) nearest(node string, among []string) (string, bool) {
	best, found := "", false
	for _, n := range among {
		if n == node || p.taken[n] || p.met(node, n) {
			continue
		}
		if !found || p.distance.of(node, n) < p.distance.of(node, best) {
			best, found = n, true
		}
	}
	return best, found
}

func (p *planner) met(a, b string) bool {
	return slices.ContainsFunc(p.measured, func(m Measured) bool { return slices.Contains(m.Nodes, a) && slices.Contains(m.Nodes, b) })
}

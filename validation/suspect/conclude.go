package suspect

import (
	"cmp"
	"slices"
)

// groupsOf are the indices of the groups with a node.
func (k *known) groupsOf(node string) []int {
	var out []int
	for i, m := range k.measured {
		if slices.Contains(m.Nodes, node) {
			out = append(out, i)
		}
	}
	return out
}

// proof says why a node is slow: it was in two slow groups at least and in no fast one, and in one of them all others are good. One slow
// group alone can be chance.
func (k *known) proof(node string) (Proof, bool) {
	p := Proof{Node: node}
	if k.good[node] {
		return p, false
	}
	for _, i := range k.groupsOf(node) {
		if k.speeds[i] != slow {
			continue
		}
		m := k.measured[i]
		p.Evidence = append(p.Evidence, m)
		p.Share = max(p.Share, m.Value/k.median)
		if k.allGood(m.Nodes, node) {
			p.Partners = append(p.Partners, others(m.Nodes, node)...)
		}
	}
	slices.SortStableFunc(p.Evidence, func(a, b Measured) int { return cmp.Compare(a.Round, b.Round) })
	slices.Sort(p.Partners)
	p.Partners = slices.Compact(p.Partners)
	return p, len(p.Evidence) > 1 && len(p.Partners) > 0
}

func others(nodes []string, but string) []string {
	return slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return n == but })
}

func (k *known) conclude() Conclusion {
	c := Conclusion{Median: k.median}
	for _, n := range slices.Sorted(slices.Values(k.nodes)) {
		p, proved := k.proof(n)
		switch {
		case proved:
			c.Slow = append(c.Slow, p)
		case k.good[n]:
			c.Good = append(c.Good, n)
		case len(k.groupsOf(n)) > 0:
			c.Undecided = append(c.Undecided, n)
		}
	}
	for i, m := range k.measured {
		if k.speeds[i] == slow && k.allGood(m.Nodes, "") {
			c.Roads = append(c.Roads, m)
		}
	}
	return c
}

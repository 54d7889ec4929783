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

// proof says why a node is slow: it was in no fast group, and in two slow ones at least for which no other node is the reason, and in one
// of them all others are good. One slow group alone can be chance.
func (k *known) proof(node string) (Proof, bool) {
	p, unexplained := Proof{Node: node}, 0
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
		if !k.explained(m, node) {
			unexplained++
		}
		if k.allGood(m.Nodes, node) {
			p.Partners = append(p.Partners, others(m.Nodes, node)...)
		}
	}
	slices.SortStableFunc(p.Evidence, func(a, b Measured) int { return cmp.Compare(a.Round, b.Round) })
	slices.Sort(p.Partners)
	p.Partners = slices.Compact(p.Partners)
	return p, unexplained > 1 && len(p.Partners) > 0
}

// explained says whether a group is slow for the sake of a node other than the given one: one that is about as slow with good nodes only.
func (k *known) explained(m Measured, but string) bool {
	return slices.ContainsFunc(m.Nodes, func(n string) bool {
		own, ok := k.own(n)
		return n != but && ok && m.Value >= Share*own
	})
}

// own is the best figure of a node that is not good beside good nodes only. False where it was not measured so.
func (k *known) own(node string) (best float64, ok bool) {
	if k.good[node] {
		return 0, false
	}
	for _, i := range k.groupsOf(node) {
		if m := k.measured[i]; k.speeds[i] == slow && k.allGood(m.Nodes, node) {
			best, ok = max(best, m.Value), true
		}
	}
	return best, ok
}

func others(nodes []string, but string) []string {
	return slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return n == but })
}

func (k *known) conclude() Conclusion {
	c := Conclusion{Median: k.median, Above: k.above}
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

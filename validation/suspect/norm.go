package suspect

import "slices"

// norm is what fast groups measure: the highest figure beside which fewer than half of the nodes are slow. Where as many would have to be,
// a few groups were lucky (alone on a shared device for a while, say), and what the others reach is the norm.
func norm(groups []Measured) float64 {
	values := make([]float64, 0, len(groups))
	for _, m := range groups {
		values = append(values, m.Value)
	}
	nodes := len(nodesOf(groups))
	for {
		figure, highest := top(values), slices.Max(values)
		lower := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v >= Share*highest })
		if len(lower) == 0 || 2*leastSlow(groups, figure) < nodes {
			return figure
		}
		values = lower
	}
}

// above are the groups as far over the norm as the norm is over slow ones. There are none but where the norm is not the highest figure.
func above(groups []Measured, norm float64) []Measured {
	return slices.DeleteFunc(slices.Clone(groups), func(m Measured) bool { return Share*m.Value <= norm })
}

// leastSlow is how many nodes must be slow at least, were a figure that of good groups: each node that alone of its slow group is in no
// fast one, and one more for each slow group that has none of those, as far as such groups share no node.
func leastSlow(groups []Measured, figure float64) int {
	fast := slices.DeleteFunc(slices.Clone(groups), func(m Measured) bool { return m.Value < Share*figure })
	good, counted := nodesOf(fast), map[string]bool{}
	var open [][]string
	for _, m := range groups {
		suspects := slices.DeleteFunc(slices.Clone(m.Nodes), func(n string) bool { return good[n] })
		if len(suspects) == 1 {
			counted[suspects[0]] = true
		}
		if len(suspects) > 1 {
			open = append(open, suspects)
		}
	}
	least := len(counted)
	for _, suspects := range open {
		if slices.ContainsFunc(suspects, func(n string) bool { return counted[n] }) {
			continue
		}
		least++
		for _, n := range suspects {
			counted[n] = true
		}
	}
	return least
}

func nodesOf(groups []Measured) map[string]bool {
	out := map[string]bool{}
	for _, m := range groups {
		for _, n := range m.Nodes {
			out[n] = true
		}
	}
	return out
}

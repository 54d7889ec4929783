package suspect

import (
	"cmp"
	"maps"
	"slices"
)

// speed is what a group was found to be.
type speed int

const (
	unknown speed = iota // failed, or nothing to compare with
	slow
	fast
)

// known is what the measurements say.
type known struct {
	nodes    []string
	measured []Measured
	speeds   []speed // of measured
	distance Distance
	median   float64
	above    []Measured // groups of the class that was compared first, far above the norm
	good     map[string]bool
}

// class is what groups must share to be compared.
type class struct{ size, distance int }

func nearer(a, b class) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.size, b.size))
}

func (k *known) class(m Measured) class {
	far := 0
	for i, a := range m.Nodes {
		for _, b := range m.Nodes[i+1:] {
			far = max(far, k.distance.of(a, b))
		}
	}
	return class{len(m.Nodes), far}
}

// judge compares the groups. The best groups of the class with the most groups are fast: with fewer slow nodes than groups one group at
// least has none. Another class has its own figure where all nodes of one of its groups are fast elsewhere.
func judge(nodes []string, measured []Measured, distance Distance) *known {
	k := &known{nodes: nodes, measured: measured, speeds: make([]speed, len(measured)), distance: distance, good: map[string]bool{}}
	classes := map[class][]int{}
	for i, m := range measured {
		if m.Value > 0 {
			classes[k.class(m)] = append(classes[k.class(m)], i)
		}
	}
	base, ok := baseOf(classes)
	if !ok || !tellApart(k.groups(classes[base])) {
		return k
	}
	k.median = norm(k.groups(classes[base]))
	k.above = above(k.groups(classes[base]), k.median)
	k.mark(classes[base], k.median)
	for settled := false; !settled; {
		settled = true
		for _, c := range slices.SortedFunc(maps.Keys(classes), nearer) {
			if c != base && k.markOther(classes[c]) {
				settled = false
			}
		}
	}
	return k
}

// baseOf is the class with the most groups, of equal ones the nearest.
func baseOf(classes map[class][]int) (class, bool) {
	var best class
	for c, groups := range classes {
		if more := len(groups) - len(classes[best]); more > 0 || more == 0 && nearer(c, best) < 0 {
			best = c
		}
	}
	return best, len(classes) > 0
}

// tellApart says whether groups tell anything of one another: two without a common node, or three of any kind.
func tellApart(groups []Measured) bool {
	if len(groups) > 2 {
		return true
	}
	return len(groups) == 2 && !slices.ContainsFunc(groups[0].Nodes, func(n string) bool { return slices.Contains(groups[1].Nodes, n) })
}

func (k *known) groups(indices []int) []Measured {
	out := make([]Measured, 0, len(indices))
	for _, i := range indices {
		out = append(out, k.measured[i])
	}
	return out
}

// top is the median of the values near the highest.
func top(values []float64) float64 {
	highest := slices.Max(values)
	near := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v < Share*highest })
	slices.Sort(near)
	middle := len(near) / 2
	if len(near)%2 == 1 {
		return near[middle]
	}
	return (near[middle-1] + near[middle]) / 2
}

// mark calls groups fast or slow by a figure, and the nodes of fast ones good. It says whether anything was new.
func (k *known) mark(indices []int, figure float64) bool {
	changed := false
	for _, i := range indices {
		s := slow
		if k.measured[i].Value >= Share*figure {
			s = fast
			for _, n := range k.measured[i].Nodes {
				k.good[n] = true
			}
		}
		changed = changed || k.speeds[i] != s
		k.speeds[i] = s
	}
	return changed
}

// markOther judges the groups of a class that is not the base. As fast as the base is fast; below it only a control tells.
func (k *known) markOther(indices []int) bool {
	var controls []float64
	var reached []int
	for _, i := range indices {
		m := k.measured[i]
		if m.Value >= Share*k.median {
			reached = append(reached, i)
		}
		if k.allGood(m.Nodes, "") {
			controls = append(controls, m.Value)
		}
	}
	changed := k.mark(reached, k.median)
	if len(controls) == 0 {
		return changed
	}
	return k.mark(indices, min(k.median, top(controls))) || changed
}

// allGood says whether all nodes but one are good.
func (k *known) allGood(nodes []string, but string) bool {
	return !slices.ContainsFunc(nodes, func(n string) bool { return n != but && !k.good[n] })
}

package topology

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// order puts places that share network nodes next to each other. Of equals the first by name leads, so that the order is the same whatever the
// ids are, and as near to that of the names as the network allows. Rank order follows it: rings of NCCL go from each host to the next.
func order(places []Place) []Place {
	sorted := slices.Clone(places)
	slices.SortStableFunc(sorted, func(a, b Place) int {
		return cmp.Or(natural(a.Name(), b.Name()), cmp.Compare(a.Instance, b.Instance))
	})
	zones := map[string]string{} // of the first place under each top: a top is never split, whatever zones its places name
	for _, p := range sorted {
		if _, ok := zones[at(p, 0)]; !ok {
			zones[at(p, 0)] = "zone " + p.Zone
		}
	}
	zones[""] = "" // places that nobody knows come behind all others
	return descend(group(sorted, func(p Place) string { return zones[at(p, 0)] }), 0)
}

// descend orders places that share the first depth network nodes by those below. Within a leaf an UltraServer stays together, then a
// reservation.
func descend(places []Place, depth int) []Place {
	var out []Place
	for _, part := range parts(places, func(p Place) string { return at(p, depth) }) {
		if at(part[0], depth) == "" {
			part = group(part, func(p Place) string { return p.UltraServer })
			out = append(out, group(part, func(p Place) string { return p.UltraServer + "\n" + p.Reservation })...)
			continue
		}
		out = append(out, descend(part, depth+1)...)
	}
	return out
}

// at is the network node of a layer, with the account that its id means something in; empty below the path.
func at(p Place, depth int) string {
	if depth >= len(p.Path) {
		return ""
	}
	return strconv.Itoa(p.Account) + " " + p.Path[depth]
}

// group puts places with the same key together, in the order of each key's first.
func group(places []Place, key func(Place) string) []Place {
	return slices.Concat(parts(places, key)...)
}

// parts splits places by key, in the order of each key's first; those with an empty key come last.
func parts(places []Place, key func(Place) string) [][]Place {
	index := map[string]int{}
	var out [][]Place
	var last []Place
	for _, p := range places {
		k := key(p)
		if k == "" {
			last = append(last, p)
			continue
		}
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], p)
	}
	if len(last) > 0 {
		out = append(out, last)
	}
	return out
}

// natural compares names with the numbers in them by value: node-2 stands before node-10.
func natural(a, b string) int {
	for whole := cmp.Compare(a, b); ; {
		if a == "" || b == "" {
			return cmp.Or(cmp.Compare(len(a), len(b)), whole)
		}
		var x, y string
		x, a = piece(a)
		y, b = piece(b)
		if c := comparePieces(x, y); c != 0 {
			return c
		}
	}
}

func comparePieces(x, y string) int {
	if !digit(x[0]) || !digit(y[0]) {
		return cmp.Compare(x, y)
	}
	x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
}

// piece cuts off the digits, or what is none, that a name begins with.
func piece(s string) (head, rest string) {
	n := 1
	for n < len(s) && digit(s[n]) == digit(s[0]) {
		n++
	}
	return s[:n], s[n:]
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

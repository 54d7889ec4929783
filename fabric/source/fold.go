package source

import (
	"fmt"
	"regexp"

	"github.com/weft-hpc/weft/fabric/diag"
)

// itemNumber is the number of a list's item in a path.
var itemNumber = regexp.MustCompile(`\[\d+\]`)

// alike is what findings of the same kind over the items of one list have in common.
type alike struct {
	file, resource, path, got string
}

// Fold joins what could not be judged in the same way over the items of a list: 32 interfaces with an unknown security group are
// one thing to look at. Findings of faults stay apart, since each is mended in its own place.
func Fold(list diag.List) diag.List {
	var out diag.List
	first, more := map[alike]int{}, map[int]int{}
	for _, f := range list {
		key := alike{f.Place.File, f.Place.Resource, itemNumber.ReplaceAllString(f.Place.Path, "[]"), itemNumber.ReplaceAllString(f.Got, "[]")}
		at, seen := first[key]
		if f.Rule == diag.ValueUnknown && seen {
			more[at]++
			continue
		}
		if f.Rule == diag.ValueUnknown {
			first[key] = len(out)
		}
		out = append(out, f)
	}
	for at, n := range more {
		out[at].Got += fmt.Sprintf("; the same goes for %d more %s of the list", n, plural(n, "item"))
	}
	return out
}

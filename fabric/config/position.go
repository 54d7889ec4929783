package config

import (
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Positions tells where each path of a document stands: the key of a mapping's entry, the first character of a list's
// element. Paths are in the words of the file: groups[0].capacity.block.reservation. A key with other characters
// than letters, digits and _ - / stands quoted: tags["a.b"]. The root's path is empty.
//
// What stands behind an alias is placed where it is written, beside its anchor.
type Positions map[string]diag.Place

// Resolve fills file, line and column of every finding that has a path and no line, in place. A path that the
// document does not have takes the place of its longest known prefix, so that a missing key points at its section.
// Later stages therefore need to name nothing but paths.
func (p Positions) Resolve(list diag.List) {
	for i := range list {
		place := &list[i].Place
		if place.Path == "" || place.Line > 0 || place.File != "" {
			continue
		}
		if at, ok := p.nearest(place.Path); ok {
			place.File, place.Line, place.Column = at.File, at.Line, at.Column
		}
	}
}

func (p Positions) nearest(path string) (diag.Place, bool) {
	for {
		if at, ok := p[path]; ok || path == "" {
			return at, ok
		}
		path = parent(path)
	}
}

// plainKey says whether a key needs no quotes in a path. Rule ids have a slash, so it is among the plain characters.
func plainKey(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '/' && r != '-'
	})
}

func child(path, key string) string {
	switch {
	case !plainKey(key):
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	default:
		return path + "." + key
	}
}

func item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// parent drops the last step of a path. The parent of a first step is the root, whose path is empty.
func parent(path string) string {
	if strings.HasSuffix(path, "\"]") {
		return path[:quotedStart(path)]
	}
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// quotedStart finds the bracket that opens the quoted step at the end of a path. strconv.Quote escapes every quote
// inside the key, so the first unescaped one before the end opens it.
func quotedStart(path string) int {
	for i := len(path) - 3; i > 0; i-- {
		if path[i] == '"' && path[i-1] == '[' && !escaped(path, i) {
			return i - 1
		}
	}
	return 0
}

func escaped(s string, i int) bool {
	n := 0
	for i--; i >= 0 && s[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

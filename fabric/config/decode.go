package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Document is a config as it was written: its values, defaults filled in, and where each of them stands.
type Document struct {
	Cluster   Cluster
	Positions Positions
	unsound   map[string]struct{} // paths whose value was refused
}

// Sound says whether the values at all paths were read: none of them, nor a section around one, was refused.
func (d Document) Sound(paths ...string) bool { return sound(d.unsound, paths...) }

// Place gives findings of later stages their file, line and column, in place, and leaves out those about a value that
// Decode refused: the default that stands for it would be blamed for the user's one mistake, which is reported.
func (d Document) Place(list diag.List) diag.List {
	d.Positions.Resolve(list)
	return slices.DeleteFunc(list, func(f diag.Finding) bool { return f.Place.Path != "" && !d.Sound(f.Place.Path) })
}

// firstKeys are those without which there is no cluster.
const firstKeys = "name, region and groups"

// Decode reads one cluster from YAML or JSON and judges it: every key, every value, and the keys against each other.
// It finds all faults in one pass, sorted by place; a faulty part keeps its default and does not hide the rest.
// The cluster is fit for use when no finding stands at error level.
//
// The name is the file's, as findings shall name it. Text is taken as written: the unquoted number 3.20 is never read
// as 3.2, but refused where text is wanted. One document is read, of at most 2 MiB; anchors, aliases and merge keys
// are understood.
func Decode(name string, data []byte) (Document, diag.List) {
	root, found := parse(name, data, firstKeys)
	if root == nil {
		return nothing(diag.Place{File: name, Line: 1, Column: 1}), found
	}
	w := newWalker[Cluster](name, root)
	w.found = found
	return w.document(root, w.at(start(root), ""))
}

// nothing is the document of a file in which there is no cluster to read.
func nothing(at diag.Place) Document {
	return Document{Cluster: Default(), Positions: Positions{"": at}, unsound: map[string]struct{}{"": {}}}
}

// document reads the cluster at a node and judges it.
func (w *walker) document(n ast.Node, at diag.Place) (Document, diag.List) {
	w.positions[""] = at
	doc := Document{Positions: w.positions, Cluster: decodeInto[Cluster](w, n, at)}
	if _, broken := w.unsound[""]; !broken {
		judge(&view{cluster: &doc.Cluster, walker: w})
	}
	doc.unsound = w.unsound
	doc.Positions.Resolve(w.found)
	w.found.Sort()
	return doc, w.found
}

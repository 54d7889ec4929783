package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/weft-hpc/weft/fabric/diag"
)

// stackKey is the key of the cluster among a stack's config values.
const stackKey = "weft:cluster"

// FromStack decodes the cluster of a Pulumi stack: the structured value weft:cluster under config in the content of
// Pulumi.<stack>.yaml. A Pulumi project of another name may hold it under its own, as <project>:cluster.
//
// The name is the stack file's. Paths of findings and positions are the cluster's own, lines and columns the stack
// file's. Other values of the file are not judged.
func FromStack(stackFile []byte, name, project string) (Document, diag.List) {
	root, found := parse(name, stackFile, firstKeys)
	if root == nil {
		return nothing(diag.Place{File: name, Line: 1, Column: 1}), found
	}
	w := newWalker[Cluster](name, root)
	w.found, w.stack = found, true
	node, at := w.stackValue(root, project)
	if node == nil {
		w.found.Sort()
		return nothing(at), w.found
	}
	return w.document(node, at)
}

// stackValue finds the cluster's node, and the place of its key. What is missing on the way is reported.
func (w *walker) stackValue(root ast.Node, project string) (ast.Node, diag.Place) {
	top := w.at(start(root), "")
	config, at := w.valueOf(root, top, "config")
	if config == nil {
		w.note(diag.ConfigRequired, top, "no config section", "config: with "+stackKey, "give the cluster under config: "+stackKey+":")
		return nil, top
	}
	cluster, place := w.valueOf(config, at, stackKey)
	other, otherPlace := w.valueOf(config, at, project+":cluster")
	switch {
	case cluster == nil && other == nil:
		w.note(diag.ConfigRequired, at, "no "+stackKey, "the cluster as a mapping under "+stackKey, "write it into the stack file, or start with pulumi config set --path '"+stackKey+".name' NAME")
		return nil, at
	case cluster == nil:
		return other, otherPlace
	case other != nil && project+":cluster" != stackKey:
		w.note(diag.ConfigConflict, otherPlace, project+":cluster beside "+stackKey, "the cluster once", "remove one of them; "+stackKey+" was judged")
	}
	return cluster, place
}

// valueOf finds a key of a mapping, aliases followed. Keys around the cluster are Pulumi's to judge.
func (w *walker) valueOf(n ast.Node, at diag.Place, key string) (ast.Node, diag.Place) {
	switch n := n.(type) {
	case *ast.AnchorNode:
		return w.valueOf(n.Value, at, key)
	case *ast.AliasNode:
		var value ast.Node
		place := at
		w.follow(n, at, func(target ast.Node) { value, place = w.valueOf(target, at, key) })
		return value, place
	}
	values, _ := pairs(n)
	i := slices.IndexFunc(values, func(pair *ast.MappingValueNode) bool {
		text, ok := keyText(pair.Key)
		return ok && text == key
	})
	if i < 0 {
		return nil, at
	}
	return values[i].Value, w.at(start(values[i].Key), "")
}

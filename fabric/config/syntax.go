package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Syntax reads the first document of a YAML or JSON file of any kind as a tree, within the limits that hold for weft's own
// files: they keep a hostile file from costing memory or time. What can't be read is a finding; the tree is then nil, or the
// first of several documents. Keys that stand twice are the caller's to judge. first are the keys that a file of the kind
// starts with, for who gives an empty one.
func Syntax(name string, data []byte, first string) (ast.Node, diag.List) {
	return parse(name, data, first)
}

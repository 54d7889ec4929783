package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/weft-hpc/weft/fabric/diag"
)

// references finds what each alias stands for: the nearest anchor of its name before it.
type references struct {
	anchors map[string]ast.Node
	aliases map[*ast.AliasNode]ast.Node
}

func resolveAliases(root ast.Node) map[*ast.AliasNode]ast.Node {
	r := references{anchors: map[string]ast.Node{}, aliases: map[*ast.AliasNode]ast.Node{}}
	ast.Walk(r, root)
	return r.aliases
}

// Visit is called for each node in the order of the file.
func (r references) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.AnchorNode:
		r.anchors[n.Name.GetToken().Value] = n.Value
	case *ast.AliasNode:
		if target, ok := r.anchors[n.Value.GetToken().Value]; ok {
			r.aliases[n] = target
		}
	}
	return r
}

// follow hands over what an alias stands for. An anchor that contains its own alias has no end.
func (w *walker) follow(alias *ast.AliasNode, at diag.Place, use func(ast.Node)) {
	name := alias.Value.GetToken().Value
	target, ok := w.aliases[alias]
	if !ok {
		w.refuse(diag.ConfigValue, at, "the alias *"+name+" without an anchor before it", "the name of an anchor", "write &"+name+" where the value stands first")
		return
	}
	if _, inside := w.open[target]; inside {
		w.refuse(diag.ConfigValue, at, "the alias *"+name+" inside its own anchor", "a value that does not contain itself", "write the value out")
		return
	}
	w.open[target] = struct{}{}
	use(target)
	delete(w.open, target)
}

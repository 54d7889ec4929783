package config

import (
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/weft-hpc/weft/fabric/config/internal/tag"
	"github.com/weft-hpc/weft/fabric/diag"
)

// entry is one key of a mapping with its value, whether it stands there or comes by a merge key.
type entry struct {
	key   string
	value ast.Node
	at    diag.Place // of the key; the path is the entry's
	again bool       // the key stood before
}

// entries lists what a mapping holds, merge keys resolved: a key that stands in the mapping itself wins over a merged
// one, and an earlier merged mapping over a later one, as YAML's merge key says. ok is false where the node is no
// mapping.
func (w *walker) entries(t reflect.Type, n ast.Node, at diag.Place) (entries []entry, ok bool) {
	values, ok := pairs(n)
	if !ok {
		w.mistyped(t, n, at, tag.Rules{})
		return nil, false
	}
	return w.flatten(values, at), true
}

func pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	default:
		return nil, false
	}
}

func (w *walker) flatten(values []*ast.MappingValueNode, at diag.Place) []entry {
	var out []entry
	var merges []*ast.MappingValueNode
	first := map[string]diag.Place{}
	for _, pair := range values {
		if pair.Key.IsMergeKey() {
			merges = append(merges, pair)
			continue
		}
		e, ok := w.entry(pair, at)
		if !ok {
			continue
		}
		if before, twice := first[e.key]; twice {
			e.again = true
			w.note(diag.ConfigKey, e.at, fmt.Sprintf("%s for the second time, first in line %d", quote(e.key), before.Line), "each key once",
				"remove one of them; the first one counts")
		} else {
			first[e.key] = e.at
		}
		out = append(out, e)
	}
	for _, pair := range merges {
		place := w.at(pair.Key.GetToken(), child(at.Path, "<<"))
		w.merge(pair.Value, place, at, func(e entry) {
			if _, ok := first[e.key]; !ok && w.spend(e.at) {
				first[e.key] = e.at
				w.positions[e.at.Path] = e.at
				out = append(out, e)
			}
		})
	}
	return out
}

func (w *walker) entry(pair *ast.MappingValueNode, at diag.Place) (entry, bool) {
	key, ok := keyText(pair.Key)
	tk := start(pair.Key)
	if !ok {
		w.note(diag.ConfigKey, w.at(tk, at.Path), "a key that is not a plain word", "a key", "write the key as text")
		return entry{}, false
	}
	return entry{key: key, value: pair.Value, at: w.mark(tk, child(at.Path, key))}, true
}

// merge hands over the entries of what a merge key names: a mapping, or a list of mappings.
func (w *walker) merge(n ast.Node, place, at diag.Place, take func(entry)) {
	if !w.spend(place) {
		return
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		w.merge(n.Value, place, at, take)
	case *ast.AliasNode:
		w.follow(n, place, func(target ast.Node) { w.merge(target, place, at, take) })
	case *ast.SequenceNode:
		for _, value := range n.Values {
			w.merge(value, place, at, take)
		}
	case *ast.MappingNode, *ast.MappingValueNode:
		values, _ := pairs(n)
		for _, e := range w.flatten(values, at) {
			take(e)
		}
	default:
		w.refuse(diag.ConfigType, place, describe(n), "a mapping, or a list of mappings, to merge", "name an anchor of a mapping: <<: *name")
	}
	if _, failed := w.unsound[place.Path]; failed {
		w.unsound[at.Path] = struct{}{}
	}
}

// keyText is a key as it is written. YAML takes whole lists as keys; a config does not.
func keyText(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	case *ast.MappingKeyNode:
		return keyText(n.Value)
	case *ast.AnchorNode:
		return keyText(n.Value)
	default:
		return "", false
	}
}

// start is the first token of a node. The parser keeps the colon for a block mapping.
func start(n ast.Node) *token.Token {
	switch n := n.(type) {
	case nil:
		return nil
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return start(n.Values[0])
		}
		return n.GetToken()
	case *ast.MappingValueNode:
		return start(n.Key)
	default:
		return n.GetToken()
	}
}

// secret refuses a value that Pulumi encrypted. It can't be read here, and nothing in this config is secret.
func (w *walker) secret(t reflect.Type, n ast.Node, at diag.Place) bool {
	values, ok := pairs(n)
	if !w.stack || !ok || len(values) != 1 {
		return false
	}
	if key, _ := keyText(values[0].Key); key != "secure" {
		return false
	}
	w.refuse(diag.ConfigType, at, "an encrypted value (secure:)", wanted(t, tag.Rules{}),
		"use plain values: this config decides what is made and holds no secrets; a password's place is Secrets Manager, named by ARN")
	return true
}

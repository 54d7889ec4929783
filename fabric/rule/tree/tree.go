// Package tree is the neutral form of structured input: what JSON, YAML, registered resources and plans have in common.
//
// Readers of the rules' inputs walk trees, so that one reader serves every source with the same shape. A node knows
// its path in the source, and is known, unknown or absent like the values that are made of it.
package tree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/rule"
)

// Kind is what a node holds.
type Kind uint8

// The kinds. The zero Kind is an absent node.
const (
	Absent  Kind = iota
	Unknown      // there is something that cannot be read now
	Scalar
	Map
	List
)

// Node is a part of structured input. The zero Node is absent. No method panics.
type Node struct {
	Path   string // from the root of the input: networkInterfaces[3].deviceIndex
	Kind   Kind
	Secret bool
	// Refers are the keys of the inputs that an unknown node may come from.
	Refers []string

	text  string
	keys  map[string]Node
	items []Node
}

// New makes a tree of plain values as encoding/json and YAML libraries give them: maps with text keys, lists, texts,
// numbers, switches and nil, which is absent. A value that is a Node already stays as it is, under its new path.
func New(path string, value any) Node {
	switch v := value.(type) {
	case nil:
		return Node{Path: path}
	case Node:
		return v.under(path)
	case map[string]any:
		n := Node{Path: path, Kind: Map, keys: make(map[string]Node, len(v))}
		for key, child := range v {
			n.keys[key] = New(Join(path, key), child)
		}
		return n
	case []any:
		n := Node{Path: path, Kind: List, items: make([]Node, len(v))}
		for i, child := range v {
			n.items[i] = New(Index(path, i), child)
		}
		return n
	case float64:
		return Text(path, strconv.FormatFloat(v, 'f', -1, 64))
	default:
		return Text(path, fmt.Sprint(v))
	}
}

// Text makes a scalar.
func Text(path, text string) Node { return Node{Path: path, Kind: Scalar, text: text} }

// Hidden makes an unknown node that may come from the inputs with the given keys.
func Hidden(path string, refers ...string) Node {
	return Node{Path: path, Kind: Unknown, Refers: refers}
}

// Object makes a map of nodes, whose paths stay as they are.
func Object(path string, keys map[string]Node) Node { return Node{Path: path, Kind: Map, keys: keys} }

// Sequence makes a list of nodes, whose paths stay as they are.
func Sequence(path string, items []Node) Node { return Node{Path: path, Kind: List, items: items} }

// Join is the path of a key.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Index is the path of an item.
func Index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func (n Node) under(path string) Node {
	if n.Path == path {
		return n
	}
	n.Path = path
	if n.Kind == Map {
		keys := make(map[string]Node, len(n.keys))
		for key, child := range n.keys {
			keys[key] = child.under(Join(path, key))
		}
		n.keys = keys
	}
	if n.Kind == List {
		items := slices.Clone(n.items)
		for i := range items {
			items[i] = items[i].under(Index(path, i))
		}
		n.items = items
	}
	return n
}

// Get walks keys. Below an unknown node everything is unknown, below a missing key everything is absent. Where a list
// stands for a single map, as Terraform writes blocks, its only item counts.
func (n Node) Get(keys ...string) Node {
	for _, key := range keys {
		n = n.child(key)
	}
	return n
}

func (n Node) child(key string) Node {
	if n.Kind == List && len(n.items) == 1 {
		n = n.items[0]
	}
	switch n.Kind {
	case Map:
		if child, ok := n.keys[key]; ok {
			return child
		}
		return Node{Path: Join(n.Path, key)}
	case Unknown:
		return Node{Path: Join(n.Path, key), Kind: Unknown, Secret: n.Secret, Refers: n.Refers}
	default:
		return Node{Path: Join(n.Path, key)}
	}
}

// First gives the first of several keys that is there: names that differ between versions of a source. Where none is,
// the node is absent under the first key.
func (n Node) First(keys ...string) Node {
	for _, key := range keys {
		if child := n.child(key); child.Kind != Absent {
			return child
		}
	}
	if len(keys) == 0 {
		return Node{Path: n.Path}
	}
	return n.child(keys[0])
}

// Keys lists the keys of a map, sorted.
func (n Node) Keys() []string {
	out := make([]string, 0, len(n.keys))
	for key := range n.keys {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// Items lists the items of a list. A single map where a list could stand is a list of one.
func (n Node) Items() []Node {
	switch n.Kind {
	case List:
		return n.items
	case Map, Scalar:
		return []Node{n}
	default:
		return nil
	}
}

// Is reports that the node is there, known or not.
func (n Node) Is() bool { return n.Kind != Absent }

// String is the text of a scalar, "" for everything else.
func (n Node) String() string { return n.text }

// Text reads a text. A map or list in its place is an expression that cannot be resolved, and unknown.
func (n Node) Text() rule.Value[string] {
	return value(n, func(text string) (string, bool) { return text, true })
}

// Bool reads a switch, also one that is written as a text.
func (n Node) Bool() rule.Value[bool] {
	return value(n, func(text string) (bool, bool) {
		switch strings.ToLower(text) {
		case "true", "yes":
			return true, true
		case "false", "no":
			return false, true
		default:
			return false, false
		}
	})
}

// Int reads a whole number, also one that is written as a text.
func (n Node) Int() rule.Value[int] {
	return value(n, func(text string) (int, bool) {
		number, err := strconv.Atoi(strings.TrimSpace(text))
		return number, err == nil
	})
}

// Texts reads a list of texts. A single text where a list could stand is a list of one. Of an unknown list it is known
// at least what its items come from.
func (n Node) Texts() rule.List[rule.Value[string]] {
	if n.Kind == Unknown && len(n.Refers) > 0 {
		return rule.ListOf(n.Text()).At(n.Path)
	}
	return Each(n, Node.Text)
}

// Each reads a list of parts.
func Each[T any](n Node, read func(Node) T) rule.List[T] {
	switch n.Kind {
	case Absent:
		return rule.List[T]{Path: n.Path}
	case Unknown:
		return rule.UnknownList[T]().At(n.Path)
	}
	items := n.Items()
	out := make([]T, len(items))
	for i, item := range items {
		out[i] = read(item)
	}
	return rule.ListOf(out...).At(n.Path)
}

// value reads a scalar. What is there and has another form than it should is unknown: nobody may take it for absent.
func value[T any](n Node, read func(string) (T, bool)) rule.Value[T] {
	v := rule.Unknown[T]()
	if n.Kind == Absent {
		v = rule.Absent[T]()
	}
	if n.Kind == Scalar {
		if known, ok := read(n.text); ok {
			v = rule.Known(known)
		}
	}
	if n.Secret {
		v = v.AsSecret()
	}
	return v.At(n.Path).Referring(n.Refers...)
}

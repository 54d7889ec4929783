package config

import (
	"encoding"
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/weft-hpc/weft/fabric/config/internal/tag"
	"github.com/weft-hpc/weft/fabric/diag"
)

// walker sets Go values from a YAML tree and collects what does not fit.
type walker struct {
	file      string
	stack     bool         // the file is a Pulumi stack's, which can hold encrypted values
	whole     reflect.Type // what the file holds, where misplaced keys are looked for
	found     diag.List
	positions Positions
	// unsound are the paths whose value could not be used. A rule over such a path is not judged: it would
	// blame the user twice for one mistake.
	unsound map[string]struct{}
	aliases map[*ast.AliasNode]ast.Node
	open    map[ast.Node]struct{} // aliases that are being followed
	values  int
	shapes  map[reflect.Type]shape
}

func newWalker[T any](file string, root ast.Node) *walker {
	return &walker{
		file:      file,
		whole:     reflect.TypeFor[T](),
		positions: Positions{},
		unsound:   map[string]struct{}{},
		aliases:   resolveAliases(root),
		open:      map[ast.Node]struct{}{},
		shapes:    map[reflect.Type]shape{},
	}
}

func decodeInto[T any](w *walker, n ast.Node, at diag.Place) T {
	var out T
	SetDefaults(&out)
	w.value(reflect.ValueOf(&out).Elem(), n, at, tag.Rules{})
	return out
}

// at is the place of a token.
func (w *walker) at(tk *token.Token, path string) diag.Place {
	place := diag.Place{File: w.file, Line: 1, Column: 1, Path: path}
	if tk != nil && tk.Position != nil {
		place.Line, place.Column = tk.Position.Line, tk.Position.Column
	}
	return place
}

// refuse reports a value that can't be used.
func (w *walker) refuse(rule diag.ID, at diag.Place, got, want, hint string) {
	w.note(rule, at, got, want, hint)
	w.unsound[at.Path] = struct{}{}
}

// note reports a fault that leaves the value at its path usable.
func (w *walker) note(rule diag.ID, at diag.Place, got, want, hint string) {
	w.found.Add(diag.Finding{Rule: rule, Place: at, Got: got, Want: want, Hint: hint})
}

// spend counts one value, and says whether the document may have it.
func (w *walker) spend(at diag.Place) bool {
	w.values++
	if w.values == maxValues+1 {
		w.refuse(diag.FileUnreadable, at, fmt.Sprintf("more than %d values", maxValues),
			fmt.Sprintf("at most %d values, each alias counting as what it stands for", maxValues), "use fewer aliases; what follows was not judged")
	}
	return w.values <= maxValues
}

// value sets v from a node.
func (w *walker) value(v reflect.Value, n ast.Node, at diag.Place, rules tag.Rules) {
	if !w.spend(at) {
		return
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		w.value(v, n.Value, at, rules)
	case *ast.AliasNode:
		w.follow(n, at, func(target ast.Node) { w.value(v, target, at, rules) })
	case *ast.TagNode:
		w.tagged(v, n, at, rules)
	case nil, *ast.NullNode:
		w.refuse(diag.ConfigType, at, "nothing (null)", wanted(v.Type(), rules), "give a value, or leave the key out")
	default:
		w.kind(v, n, at, rules)
	}
}

func (w *walker) kind(v reflect.Value, n ast.Node, at diag.Place, rules tag.Rules) {
	if w.secret(v.Type(), n, at) {
		return
	}
	if reader, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		w.word(reader, v.Type(), n, at)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(w.fresh(v.Type().Elem()).Addr())
		w.kind(v.Elem(), n, at, rules)
	case reflect.Struct:
		w.section(v, n, at)
	case reflect.Slice:
		w.list(v, n, at, rules)
	case reflect.Map:
		w.table(v, n, at, rules)
	default:
		w.scalar(v, n, at, rules)
	}
}

// fresh makes a value at its defaults.
func (w *walker) fresh(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	setDefaults(v)
	return v
}

// section sets a struct from a mapping.
func (w *walker) section(v reflect.Value, n ast.Node, at diag.Place) {
	entries, ok := w.entries(v.Type(), n, at)
	if !ok {
		return
	}
	shape := w.shape(v.Type())
	given := map[string]struct{}{}
	var unknown []entry
	for _, e := range entries {
		f, known := shape.field(e.key)
		if !known {
			unknown = append(unknown, e)
			continue
		}
		given[e.key] = struct{}{}
		target := v.Field(f.Index)
		if e.again {
			target = w.fresh(target.Type()) // judged, so that it hides nothing, and dropped
		}
		w.value(target, e.value, e.at, f.Rules)
	}
	for _, e := range unknown {
		w.unknownKey(v.Type(), given, e)
	}
	w.missing(shape, given, at)
}

// missing reports required keys that are not there, at the place of their section.
func (w *walker) missing(s shape, given map[string]struct{}, at diag.Place) {
	if _, partial := w.unsound[at.Path]; partial {
		return // a merge failed, which might have brought them
	}
	for _, f := range s.fields {
		if _, ok := given[f.Name]; ok || !f.Rules.Required {
			continue
		}
		path := child(at.Path, f.Name)
		if _, meant := w.unsound[path]; meant {
			continue // an unknown key next to it is reported, and names it
		}
		place := at
		place.Path = path
		w.refuse(diag.ConfigRequired, place, "no "+f.Name, wanted(s.types[f.Name], f.Rules), addition(f.Name, s.types[f.Name], f.Rules))
	}
}

// list sets a slice from a sequence. An empty sequence is the same as none.
func (w *walker) list(v reflect.Value, n ast.Node, at diag.Place, rules tag.Rules) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		w.mistyped(v.Type(), n, at, rules)
		return
	}
	v.SetZero()
	elem := rules
	elem.Required = false
	seen := map[string]struct{}{}
	for i, node := range seq.Values {
		place := w.mark(start(node), item(at.Path, i))
		value := w.fresh(v.Type().Elem())
		w.value(value, node, place, elem)
		w.repeated(value, place, rules, seen)
		v.Set(reflect.Append(v, value))
	}
	if rules.Required && len(seq.Values) == 0 {
		w.refuse(diag.ConfigRequired, at, "an empty list", wanted(v.Type(), rules), "give at least one")
	}
}

// repeated reports a word or id that stands twice in its list. Other lists, of arguments say, may repeat.
func (w *walker) repeated(v reflect.Value, at diag.Place, rules tag.Rules, seen map[string]struct{}) {
	if v.Kind() != reflect.String || len(rules.OneOf) == 0 && rules.ID == "" {
		return
	}
	if _, bad := w.unsound[at.Path]; bad {
		return
	}
	if _, ok := seen[v.String()]; ok {
		w.note(diag.ConfigValue, at, quote(v.String())+" for the second time", "each value once", "remove one of them")
	}
	seen[v.String()] = struct{}{}
}

// table sets a map from a mapping with keys of the user's own.
func (w *walker) table(v reflect.Value, n ast.Node, at diag.Place, rules tag.Rules) {
	entries, ok := w.entries(v.Type(), n, at)
	if !ok {
		return
	}
	v.SetZero()
	for _, e := range entries {
		value := w.fresh(v.Type().Elem())
		w.value(value, e.value, e.at, rules)
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		if !e.again {
			v.SetMapIndex(reflect.ValueOf(e.key).Convert(v.Type().Key()), value)
		}
	}
}

// tagged reads a node with a YAML tag. !!str takes a scalar as it is written; the other tags of the core
// schema say what the kind of node says already; tags of other programs mean nothing here.
func (w *walker) tagged(v reflect.Value, n *ast.TagNode, at diag.Place, rules tag.Rules) {
	name := n.GetToken().Value
	switch name {
	case "!!str":
		inner := n.Value
		if scalar, ok := inner.(ast.ScalarNode); ok && inner.Type() != ast.LiteralType && inner.Type() != ast.TagType {
			inner = ast.String(scalar.GetToken())
		}
		w.value(v, inner, at, rules)
	case "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		w.value(v, n.Value, at, rules)
	default:
		w.refuse(diag.ConfigType, at, "the tag "+quote(name), wanted(v.Type(), rules), "write the value itself; weft knows no tags of other programs")
	}
}

// mark records where a path stands. The first place holds: a second one is of a duplicate.
func (w *walker) mark(tk *token.Token, path string) diag.Place {
	place := w.at(tk, path)
	if _, ok := w.positions[path]; !ok {
		w.positions[path] = place
	}
	return place
}

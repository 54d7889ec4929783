package config

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/goccy/go-yaml/ast"

	"github.com/weft-hpc/weft/fabric/config/internal/tag"
	"github.com/weft-hpc/weft/fabric/diag"
)

// File is a file of another package's own kind, read as strictly as a cluster's.
type File[T any] struct {
	// Value is what was read, at the defaults where nothing was, or nothing that can be used.
	Value T
	// Positions of its paths.
	Positions Positions

	unsound map[string]struct{}
}

// Read reads one file the way Decode reads a cluster: every key and value is judged by the type's `yaml` and `weft` tags, all
// faults come in one pass, sorted by place, and a faulty part keeps its default (see Defaulter). Rules over several keys are the
// caller's. first are the keys that such a file starts with, for who gives an empty one.
//
// T is a struct whose parts are structs, pointers to them, slices, maps of text, texts, whole numbers, float64 and bool.
func Read[T any](name string, data []byte, first string) (File[T], diag.List) {
	f := File[T]{Positions: Positions{"": {File: name, Line: 1, Column: 1}}, unsound: map[string]struct{}{}}
	SetDefaults(&f.Value)
	root, found := parse(name, data, first)
	if root == nil {
		f.unsound[""] = struct{}{}
		return f, found
	}
	w := newWalker[T](name, root)
	w.found = found
	f.read(w, root)
	w.found.Sort()
	return f, w.found
}

func (f *File[T]) read(w *walker, root ast.Node) {
	at := w.at(start(root), "")
	w.positions[""] = at
	f.Value = decodeInto[T](w, root, at)
	f.Positions, f.unsound = w.positions, maps.Clone(w.unsound)
}

// Sound says whether the values at all paths, and all that they are part of, could be used. A rule over a path that is not
// sound would blame the user twice for one mistake.
func (f File[T]) Sound(paths ...string) bool { return sound(f.unsound, paths...) }

// CheckType fails for a type that Read and Write can't serve: a tag that can't be read, a field without a name, a kind of
// value that is not read. That does not depend on any file, so a package that reads a type calls it in a test.
func CheckType[T any]() error { return checkType(reflect.TypeFor[T](), map[reflect.Type]struct{}{}) }

func checkType(t reflect.Type, seen map[reflect.Type]struct{}) error {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return checkType(t.Elem(), seen)
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return fmt.Errorf("%s has keys that are not text", t)
		}
		return checkType(t.Elem(), seen)
	case reflect.Struct:
		return checkStruct(t, seen)
	case reflect.String, reflect.Int, reflect.Float64, reflect.Bool:
		return nil
	default:
		return fmt.Errorf("%s is of no kind that is read", t)
	}
}

func checkStruct(t reflect.Type, seen map[reflect.Type]struct{}) error {
	if _, ok := seen[t]; ok {
		return nil
	}
	seen[t] = struct{}{}
	fields, err := tag.Fields(t)
	if err != nil {
		return err
	}
	if len(fields) != t.NumField() {
		return fmt.Errorf("%s has a field without a name", t)
	}
	for _, f := range fields {
		if err := checkType(t.Field(f.Index).Type, seen); err != nil {
			return fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
	}
	return nil
}

func (w *walker) sound(paths ...string) bool { return sound(w.unsound, paths...) }

func sound(unsound map[string]struct{}, paths ...string) bool {
	for _, path := range paths {
		for {
			if _, bad := unsound[path]; bad {
				return false
			}
			if path == "" {
				break
			}
			path = parent(path)
		}
	}
	return true
}

package config

import (
	"reflect"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/weft-hpc/weft/fabric/config/internal/tag"
	"github.com/weft-hpc/weft/fabric/diag"
)

// shape is what a struct type takes.
type shape struct {
	fields []tag.Field
	types  map[string]reflect.Type
	byName map[string]int
}

func (s shape) field(name string) (tag.Field, bool) {
	i, ok := s.byName[name]
	if !ok {
		return tag.Field{}, false
	}
	return s.fields[i], true
}

// shape reads a type once for each document.
func (w *walker) shape(t reflect.Type) shape {
	if s, ok := w.shapes[t]; ok {
		return s
	}
	s := shape{fields: fieldsOf(t), types: map[string]reflect.Type{}, byName: map[string]int{}}
	for i, f := range s.fields {
		s.types[f.Name] = t.Field(f.Index).Type
		s.byName[f.Name] = i
	}
	w.shapes[t] = s
	return s
}

// fieldsOf reads the tags of a type. Whether they are well formed does not depend on any input: a test reads every type
// of this package, and one of each package that reads files of its own types, so that the panic can't be met.
func fieldsOf(t reflect.Type) []tag.Field {
	fields, err := tag.Fields(t)
	if err != nil {
		panic(err)
	}
	return fields
}

// unknownKey reports a key that its section does not have. The key that was probably meant counts as given.
func (w *walker) unknownKey(t reflect.Type, given map[string]struct{}, e entry) {
	if e.again {
		return // reported as a duplicate; its first entry is reported as unknown
	}
	all := keys(t)
	hint, elsewhere := w.misplaced(t, e.key)
	meant, ok := nearest(e.key, all)
	if !ok && !elsewhere {
		meant, ok = affixed(e.key, all)
	}
	if ok {
		if _, twice := given[meant]; twice {
			hint = "remove the key; " + meant + " is given already"
		} else {
			hint = "did you mean " + meant + "?"
			w.unsound[child(parent(e.at.Path), meant)] = struct{}{}
		}
	}
	w.note(diag.ConfigKey, e.at, "the key "+quote(e.key), "one of "+strings.Join(all, ", "), hint)
}

// affixed is the longest key that a given one begins or ends with, as sharedStorage does with storage.
func affixed(got string, keys []string) (string, bool) {
	const least = 4 // os and s3 are in many words
	best := ""
	for _, key := range keys {
		part := fold(key)
		if len(key) >= max(len(best)+1, least) && (strings.HasPrefix(fold(got), part) || strings.HasSuffix(fold(got), part)) {
			best = key
		}
	}
	return best, best != ""
}

// misplaced says where a key stands that its section does not have: deeper in it, or elsewhere, if it stands anywhere.
func (w *walker) misplaced(section reflect.Type, key string) (hint string, elsewhere bool) {
	if home := homes(section, "", key); len(home) > 0 {
		return "its place is deeper: " + oneOf(home), true
	}
	if home := homes(w.whole, "", key); len(home) > 0 {
		return "its place is " + oneOf(home), true
	}
	return "remove the key", false
}

// homes lists the paths below a type at which a key of that name stands.
func homes(t reflect.Type, path, key string) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return homes(t.Elem(), path, key)
	case reflect.Slice:
		return homes(t.Elem(), path+"[]", key)
	case reflect.Struct:
	default:
		return nil
	}
	var out []string
	for _, f := range fieldsOf(t) {
		at := child(path, f.Name)
		if fold(f.Name) == fold(key) {
			out = append(out, at)
		}
		out = append(out, homes(t.Field(f.Index).Type, at, key)...)
	}
	return out
}

// suggestion is a hint with the nearest of some words, or with all of them where none is near.
func suggestion(got string, allowed []string) string {
	if meant, ok := nearest(got, allowed); ok {
		return "did you mean " + meant + "?"
	}
	return "choose " + oneOf(allowed)
}

// nearest finds the word that differs least, if it is near enough for a slip of the hand: a third of its letters, but
// two at least. Case, hyphens and underscores don't count, since other tools write them differently.
func nearest(got string, words []string) (string, bool) {
	const most = 64 // a longer text is no slip of the hand, and comparing costs its square
	if len(got) > most {
		return "", false
	}
	best, distance := "", -1
	for _, word := range words {
		d := levenshtein.Distance(fold(got), fold(word), nil)
		if d <= max(2, len(word)/3) && d < len(word) && (distance < 0 || d < distance) {
			best, distance = word, d
		}
	}
	return best, distance >= 0
}

func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s))
}

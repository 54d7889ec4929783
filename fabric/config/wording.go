package config

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/weft-hpc/weft/fabric/config/internal/tag"
	"github.com/weft-hpc/weft/fabric/diag"
)

// quote shows a text of the user, shortened where it is long.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most-1]) + "…"
	}
	return strconv.Quote(s)
}

// describe says in words what stands in the file.
func describe(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		if numeric(n) {
			return "the number " + shorten(n.Value)
		}
		return "the text " + quote(n.Value)
	case *ast.LiteralNode:
		return "the text " + quote(n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "the number " + shorten(n.GetToken().Value)
	case *ast.BoolNode:
		return n.GetToken().Value
	case *ast.SequenceNode:
		return fmt.Sprintf("a list of %d", len(n.Values))
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	default:
		return "nothing (null)"
	}
}

func shorten(s string) string { return strings.Trim(quote(s), `"`) }

// wanted says in words what a key takes.
func wanted(t reflect.Type, rules tag.Rules) string {
	if list := cmp.Or(strings.Join(words(t), "|"), strings.Join(rules.OneOf, "|")); list != "" && t.Kind() != reflect.Slice {
		return oneOf(strings.Split(list, "|"))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem(), rules)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return "a list of mappings with the keys " + strings.Join(keys(t.Elem()), ", ")
		}
		return "a list, each element " + wanted(t.Elem(), rules)
	case reflect.Struct:
		return "a mapping with the keys " + strings.Join(keys(t), ", ")
	case reflect.Map:
		return "a mapping"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return wantedText(rules)
	case reflect.Int:
		return "a whole number" + between(rules)
	default:
		return "a number" + between(rules)
	}
}

func wantedText(rules tag.Rules) string {
	switch {
	case rules.ID != "":
		_, form, err := tag.Pattern(rules.ID)
		if err != nil {
			return "an id"
		}
		return "an id: " + form
	case rules.Time:
		return "a time in RFC 3339 form"
	case rules.Decimal:
		return "a decimal number"
	default:
		return "a text"
	}
}

func between(rules tag.Rules) string {
	switch {
	case rules.Min != nil && rules.Max != nil:
		return fmt.Sprintf(" from %s to %s", bound(*rules.Min), bound(*rules.Max))
	case rules.Min != nil:
		return " of at least " + bound(*rules.Min)
	case rules.Max != nil:
		return " of at most " + bound(*rules.Max)
	default:
		return ""
	}
}

func oneOf(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// words are the values of a type that reads itself from text.
func words(t reflect.Type) []string {
	if t == reflect.TypeFor[diag.Level]() {
		return []string{diag.Note.String(), diag.Warn.String(), diag.Error.String()}
	}
	return nil
}

// keys lists the keys of a struct type.
func keys(t reflect.Type) []string {
	var out []string
	for _, f := range fieldsOf(t) {
		out = append(out, f.Name)
	}
	return out
}

// addition says how to add a missing key.
func addition(name string, t reflect.Type, rules tag.Rules) string {
	switch {
	case rules.Example != "":
		return fmt.Sprintf("add %s, for example %s: %s", name, name, rules.Example)
	case t.Kind() != reflect.String && t.Kind() != reflect.Int:
		return "add " + name + " and what belongs to it, indented below"
	case rules.Time:
		return fmt.Sprintf("add %s, for example %s: 2026-12-07T11:30:00Z", name, name)
	case rules.Min != nil:
		return fmt.Sprintf("add %s, %s or more", name, bound(*rules.Min))
	case rules.ID != "":
		return fmt.Sprintf("add %s: %s-…", name, rules.ID)
	default:
		return "add " + name
	}
}

package config

import (
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
	switch {
	case len(words(t)) > 0:
		return oneOf(words(t))
	case t.Kind() == reflect.Pointer:
		return wanted(t.Elem(), rules)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return "a list of mappings with the keys " + strings.Join(keys(t.Elem()), ", ")
	case t.Kind() == reflect.Slice:
		return "a list, each element " + wanted(t.Elem(), rules)
	case t.Kind() == reflect.Struct:
		return "a mapping with the keys " + strings.Join(keys(t), ", ")
	case t.Kind() == reflect.Map:
		return "a mapping"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case len(rules.OneOf) > 0:
		return oneOf(rules.OneOf)
	case t.Kind() == reflect.String:
		return wantedText(rules)
	case t.Kind() == reflect.Int:
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
	if len(list) == 1 {
		return list[0]
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

// example is a form that a hint can show behind a key.
func example(t reflect.Type, rules tag.Rules) string {
	switch {
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer:
		return "and what belongs to it, indented"
	case rules.Time:
		return "2026-12-07T11:30:00Z"
	case len(rules.OneOf) > 0:
		return rules.OneOf[0]
	case t.Kind() == reflect.Int && rules.Min != nil:
		return bound(*rules.Min)
	case rules.ID != "":
		return rules.ID + "-…"
	default:
		return "…"
	}
}

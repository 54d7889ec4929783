package config

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/weft-hpc/weft/fabric/config/internal/tag"
	"github.com/weft-hpc/weft/fabric/diag"
)

// plainInt is a whole number that every reader of YAML and JSON reads alike: no octal, no hex, no underscores.
var plainInt = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,17})$`)

// plainFloat is a number as JSON writes it.
var plainFloat = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// numeric says whether the parser left a number as text: one with an exponent, or too long for 64 bits.
func numeric(n *ast.StringNode) bool {
	return n.GetToken().Type == token.StringType && plainFloat.MatchString(n.Value)
}

// scalar sets a text, number or truth value.
func (w *walker) scalar(v reflect.Value, n ast.Node, at diag.Place, rules tag.Rules) {
	var ok bool
	switch v.Kind() {
	case reflect.String:
		ok = w.text(v, n, at, rules)
	case reflect.Int:
		ok = w.integer(v, n, at)
	case reflect.Float64:
		ok = w.float(v, n, at)
	case reflect.Bool:
		ok = w.truth(v, n, at)
	}
	if ok {
		w.judgeValue(v, at, rules)
	}
}

// text takes what is written, letter for letter. A number that another reader would write differently (3.20, 010, 1e3)
// is refused rather than guessed: Pulumi hands such values on as numbers, and 3.20 would arrive as 3.2.
func (w *walker) text(v reflect.Value, n ast.Node, at diag.Place, rules tag.Rules) bool {
	switch n := n.(type) {
	case *ast.StringNode:
		if rules.Decimal || !numeric(n) {
			v.SetString(n.Value)
			return true
		}
	case *ast.LiteralNode:
		v.SetString(n.Value.Value)
		return true
	case *ast.IntegerNode, *ast.FloatNode:
		// A decimal number keeps its value, whatever zeros are lost behind the point.
		if s := n.GetToken().Value; rules.Decimal || plainInt.MatchString(s) {
			v.SetString(s)
			return true
		}
	}
	w.mistyped(v.Type(), n, at, rules)
	return false
}

func (w *walker) integer(v reflect.Value, n ast.Node, at diag.Place) bool {
	number, ok := n.(*ast.IntegerNode)
	if !ok {
		w.mistyped(v.Type(), n, at, tag.Rules{})
		return false
	}
	text := number.GetToken().Value
	if !plainInt.MatchString(text) {
		w.refuse(diag.ConfigType, at, "the number "+text, "a whole number in plain decimal digits", "write it without prefix, sign, underscore or leading zero")
		return false
	}
	// 18 digits fit into 64 bits, so that only a Go int of 32 bits could fail here.
	i, err := strconv.Atoi(text)
	if err != nil {
		w.refuse(diag.ConfigValue, at, "the number "+text, "a number of this machine's word size", "give a smaller number")
		return false
	}
	v.SetInt(int64(i))
	return true
}

func (w *walker) float(v reflect.Value, n ast.Node, at diag.Place) bool {
	// The parser takes 1e-3, a number in JSON and YAML 1.2, for text.
	if tk := n.GetToken(); isScalar(n) && plainFloat.MatchString(tk.Value) && tk.Type != token.DoubleQuoteType && tk.Type != token.SingleQuoteType {
		if f, err := strconv.ParseFloat(tk.Value, 64); err == nil {
			v.SetFloat(f)
			return true
		}
	}
	w.mistyped(v.Type(), n, at, tag.Rules{})
	return false
}

func (w *walker) truth(v reflect.Value, n ast.Node, at diag.Place) bool {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		w.mistyped(v.Type(), n, at, tag.Rules{})
		return false
	}
	v.SetBool(b.Value)
	return true
}

// word sets a value that reads itself from text, as a finding's level does.
func (w *walker) word(reader encoding.TextUnmarshaler, t reflect.Type, n ast.Node, at diag.Place) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		w.refuse(diag.ConfigType, at, describe(n), wanted(t, tag.Rules{}), "choose "+oneOf(words(t)))
		return
	}
	if err := reader.UnmarshalText([]byte(s.Value)); err != nil {
		w.refuse(diag.ConfigValue, at, quote(s.Value), wanted(t, tag.Rules{}), suggestion(s.Value, words(t)))
	}
}

// mistyped reports a node of another kind than the key takes.
func (w *walker) mistyped(t reflect.Type, n ast.Node, at diag.Place, rules tag.Rules) {
	w.refuse(diag.ConfigType, at, describe(n), wanted(t, rules), retype(t, n))
}

// retype says how to write the value so that it has the type.
func retype(t reflect.Type, n ast.Node) string {
	text := n.GetToken().Value
	switch t.Kind() {
	case reflect.Pointer:
		return retype(t.Elem(), n)
	case reflect.Struct, reflect.Map:
		return "write its keys, each on a line of its own, indented below it"
	case reflect.Slice:
		return "write it as a list: each element on a line of its own, after a hyphen"
	case reflect.String:
		if isScalar(n) {
			return fmt.Sprintf("put it in quotes: %q", text)
		}
		return "write one text"
	case reflect.Bool:
		return "write " + truthOf(text) + " without quotes"
	case reflect.Int:
		if n.Type() == ast.StringType && plainInt.MatchString(text) {
			return "remove the quotes"
		}
		return "write a whole number, without quotes and without a point"
	default:
		return "write a number, without quotes"
	}
}

// truthOf guesses what a word of YAML 1.1 or of another language meant.
func truthOf(text string) string {
	switch text {
	case "yes", "Yes", "YES", "on", "On", "ON", "y", "Y", "1", "true", "True", "TRUE", "enabled":
		return "true"
	case "no", "No", "NO", "off", "Off", "OFF", "n", "N", "0", "false", "False", "FALSE", "disabled":
		return "false"
	default:
		return "true or false"
	}
}

func isScalar(n ast.Node) bool {
	switch n.(type) {
	case *ast.StringNode, *ast.LiteralNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return true
	default:
		return false
	}
}

package config

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Encode writes the shortest YAML document that decodes to the cluster: keys at their defaults are left out. Keys stand in
// the order of the types, keys of the user's own sorted. An error means that the cluster holds what no document can say.
//
// The text is written here and not by the YAML library, whose encoder leaves text unquoted that its own reader changes.
func Encode(c Cluster) ([]byte, error) { return Write(c) }

// Write is Encode for a file of another kind than a cluster's, the other way of Read.
func Write[T any](value T) ([]byte, error) {
	tree, err := encodeStruct(reflect.ValueOf(&value).Elem())
	if err != nil {
		return nil, fmt.Errorf("writing the config: %w", err)
	}
	var b strings.Builder
	tree.write(&b, "\n")
	return []byte(strings.TrimPrefix(b.String(), "\n") + "\n"), nil
}

// writer is a part of a document. The indent starts with the line break before each line of the part.
type writer interface {
	write(b *strings.Builder, indent string)
}

type (
	scalar  string // as it stands in the file
	mapping []pair
	pair    struct {
		key   string
		value writer
	}
	sequence []writer
)

func (s scalar) write(b *strings.Builder, _ string) { b.WriteString(" " + string(s)) }

func (m mapping) write(b *strings.Builder, indent string) {
	if len(m) == 0 {
		b.WriteString(" {}")
	}
	for _, entry := range m {
		b.WriteString(indent + quoteYAML(entry.key) + ":")
		entry.value.write(b, indent+"  ")
	}
}

func (s sequence) write(b *strings.Builder, indent string) {
	if len(s) == 0 {
		b.WriteString(" []")
	}
	for _, value := range s {
		var element strings.Builder
		value.write(&element, indent+"  ")
		// A mapping's first key stands on the line of its hyphen.
		b.WriteString(indent + "- " + strings.TrimLeft(element.String(), "\n "))
	}
}

// plainText is text that no reader of YAML takes for anything else.
var plainText = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*(:[A-Za-z0-9_./-]+)*$`)

// otherwiseRead are words that YAML 1.1 or 1.2 takes for something else than text.
var otherwiseRead = []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null"}

func quoteYAML(s string) string {
	if plainText.MatchString(s) && !slices.Contains(otherwiseRead, strings.ToLower(s)) {
		return s
	}
	// A JSON string is a YAML string. Marshalling a string can't fail.
	quoted, _ := json.Marshal(s)
	return string(quoted)
}

func encodeStruct(v reflect.Value) (writer, error) {
	standard := reflect.New(v.Type()).Elem()
	setDefaults(standard)
	out := mapping{}
	for _, f := range fieldsOf(v.Type()) {
		field := v.Field(f.Index)
		if !f.Rules.Required && reflect.DeepEqual(field.Interface(), standard.Field(f.Index).Interface()) {
			continue
		}
		value, err := encodeValue(field)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out = append(out, pair{f.Name, value})
	}
	return out, nil
}

func encodeValue(v reflect.Value) (writer, error) {
	if word, ok := v.Interface().(encoding.TextMarshaler); ok {
		b, err := word.MarshalText()
		return scalar(quoteYAML(string(b))), err
	}
	switch v.Kind() {
	case reflect.Pointer:
		return encodeValue(v.Elem()) // nil is the default of every pointer, and left out
	case reflect.Struct:
		return encodeStruct(v)
	case reflect.Slice:
		return encodeSlice(v)
	case reflect.Map:
		return encodeMap(v)
	case reflect.String:
		return scalar(quoteYAML(v.String())), nil
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, errors.New("not a number")
		}
		return scalar(strconv.FormatFloat(v.Float(), 'f', -1, 64)), nil
	default: // whole numbers and truth values
		return scalar(fmt.Sprint(v.Interface())), nil
	}
}

func encodeSlice(v reflect.Value) (writer, error) {
	out := make(sequence, v.Len())
	for i := range out {
		value, err := encodeValue(v.Index(i))
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		out[i] = value
	}
	return out, nil
}

func encodeMap(v reflect.Value) (writer, error) {
	out := mapping{}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	for _, key := range keys {
		value, err := encodeValue(v.MapIndex(key))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out = append(out, pair{key.String(), value})
	}
	return out, nil
}

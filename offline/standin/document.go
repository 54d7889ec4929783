package standin

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/propertyrpc"
)

// Document is a set of properties as plain JSON values, the form in which the world and the refusals see them. All
// values in it are known: refusals are asked only when something is really created, changed or deleted.
type Document map[string]any

// Text returns a property that is a string, "" when it is missing.
func (d Document) Text(name string) string {
	text, _ := d[name].(string)
	return text
}

// Number returns a property that is a number, and whether it is there.
func (d Document) Number(name string) (int, bool) {
	n, ok := d[name].(float64)
	return int(n), ok
}

// True tells whether a property is there and says yes. The SDK has a few of them as text.
func (d Document) True(name string) bool { return d[name] == true || d[name] == "true" }

// Object returns a nested object, an empty one when it is missing.
func (d Document) Object(name string) Document {
	object, _ := d[name].(map[string]any)
	return object
}

// Objects returns a list of nested objects.
func (d Document) Objects(name string) []Document {
	list, _ := d[name].([]any)
	objects := make([]Document, 0, len(list))
	for _, item := range list {
		object, _ := item.(map[string]any)
		objects = append(objects, object)
	}
	return objects
}

// Texts returns a list of strings. A single string counts as a list of one.
func (d Document) Texts(name string) []string {
	if text, ok := d[name].(string); ok {
		return []string{text}
	}
	list, _ := d[name].([]any)
	var texts []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Mentions tells whether a string of the document, however deep, is the text.
func (d Document) Mentions(text string) bool { return mentions(map[string]any(d), text) }

func mentions(value any, text string) bool {
	switch v := value.(type) {
	case string:
		return v == text
	case []any:
		for _, item := range v {
			if mentions(item, text) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if mentions(item, text) {
				return true
			}
		}
	}
	return false
}

// Has tells whether every property of want is there with the same value. In a text of want, a "*" at either end stands
// for anything.
func (d Document) Has(want Document) bool {
	for name, value := range want {
		if !matches(value, d[name]) {
			return false
		}
	}
	return true
}

func matches(want, got any) bool {
	pattern, isText := want.(string)
	text, gotText := got.(string)
	if !isText || !gotText {
		return reflect.DeepEqual(plainJSON(want), plainJSON(got))
	}
	middle, open := strings.CutPrefix(pattern, "*")
	middle, closed := strings.CutSuffix(middle, "*")
	switch {
	case open && closed:
		return strings.Contains(text, middle)
	case open:
		return strings.HasSuffix(text, middle)
	case closed:
		return strings.HasPrefix(text, middle)
	}
	return text == pattern
}

// plainJSON makes values of different origin (YAML has several kinds of numbers) comparable.
func plainJSON(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		return value
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return value
	}
	return plain
}

func (d Document) with(name string, value any) Document {
	next := maps.Clone(d)
	if next == nil {
		next = Document{}
	}
	next[name] = value
	return next
}

// encode turns properties into a document. Assets keep their content, in the form in which the engine sends them.
func encode(props property.Map) Document { return propertyrpc.Marshal(props).AsMap() }

// decode is the way back.
func (d Document) decode() (property.Map, error) {
	plain, ok := plainJSON(map[string]any(d)).(map[string]any)
	if !ok {
		plain = map[string]any{}
	}
	s, err := structpb.NewStruct(plain)
	if err != nil {
		return property.Map{}, fmt.Errorf("reading properties: %w", err)
	}
	props, err := propertyrpc.Unmarshal(s)
	if err != nil {
		return property.Map{}, fmt.Errorf("reading properties: %w", err)
	}
	return props, nil
}

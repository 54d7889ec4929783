// Package awsschema reads what the Pulumi SDK for AWS says about its resources and data sources out of the SDK's Go
// source: which properties exist, of which type, and which of them must be given.
//
// The SDK is generated from the provider's own schema, so its source carries nearly all of it. Nothing is compiled and
// nothing is fetched. Not in the source, and so not here: which change replaces a resource, enumerations, defaults,
// and properties that exclude each other.
package awsschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Schema is what the SDK of one version says.
type Schema struct {
	// Version is the SDK's version without the leading v, such as "6.83.4".
	Version string `json:"version"`
	// Resources by type token, such as "aws:ec2/vpc:Vpc".
	Resources map[string]Object `json:"resources"`
	// Functions (data sources) by token, such as "aws:ec2/getAmi:getAmi".
	Functions map[string]Object `json:"functions"`
	// Types holds the nested object types by name, such as "ec2.LaunchTemplatePlacement".
	Types map[string]Properties `json:"types"`
}

// Object is a resource or a data source.
type Object struct {
	Inputs  Properties `json:"inputs"`
	Outputs Properties `json:"outputs"`
}

// Properties are the properties of an object by name.
type Properties map[string]Property

// Property is one property of an object. In JSON it is its type as text, with a "!" behind it when it is required.
type Property struct {
	Type Type
	// Required says, of an input, that it must be given; of an output, that it always has a value. It is known for
	// top-level inputs (the SDK checks them) and for nested scalars and objects (the SDK has no pointer for them).
	// Whether a nested list or map must be given is not in the SDK's source: it counts as not required.
	Required bool
}

// Type is the type of a property as text: "string", "int", "number", "bool", "any", "asset", "archive", the name of a
// nested type, or one of these behind "[]" (a list of it) or "{}" (a map of it), also several times.
type Type string

// List returns the type of the elements when t is a list.
func (t Type) List() (Type, bool) {
	elem, ok := strings.CutPrefix(string(t), "[]")
	return Type(elem), ok
}

// Map returns the type of the values when t is a map.
func (t Type) Map() (Type, bool) {
	elem, ok := strings.CutPrefix(string(t), "{}")
	return Type(elem), ok
}

// Leaf returns t without its list and map marks.
func (t Type) Leaf() Type {
	for strings.HasPrefix(string(t), "[]") || strings.HasPrefix(string(t), "{}") {
		t = t[2:]
	}
	return t
}

// MarshalText writes the property in its short form.
func (p Property) MarshalText() ([]byte, error) {
	if p.Required {
		return []byte(p.Type + "!"), nil
	}
	return []byte(p.Type), nil
}

// UnmarshalText reads the short form.
func (p *Property) UnmarshalText(text []byte) error {
	typ, required := strings.CutSuffix(string(text), "!")
	if typ == "" {
		return errors.New("a property without a type")
	}
	p.Type, p.Required = Type(typ), required
	return nil
}

// Write writes the schema as compact JSON.
func (s *Schema) Write(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(s); err != nil {
		return fmt.Errorf("writing the schema: %w", err)
	}
	return nil
}

// Load reads a schema that Write has written to a file.
func Load(path string) (*Schema, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the caller names the file
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	s := &Schema{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("reading the schema in %s: %w", path, err)
	}
	return s, nil
}

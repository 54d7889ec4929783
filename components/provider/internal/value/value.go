// Package value reads and writes what the engine hands to a resource of the plugin: property values, as JSON has them.
package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Read decodes a value that has no unknown part. A key that the target lacks is an error.
func Read(v property.Value, target any) error {
	plain, err := plainOf(v)
	if err != nil {
		return err
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return fmt.Errorf("reading the value: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil {
		return explained(err)
	}
	return nil
}

// explained says to a program's author what the decoder says to a Go programmer.
func explained(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		got := strings.Replace(wrong.Value, "bool", "true or false", 1)
		if wrong.Field != "" {
			return fmt.Errorf("%s is a %s", wrong.Field, got)
		}
		return fmt.Errorf("got a %s", got)
	}
	if key, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return fmt.Errorf("there is no key %s", key)
	}
	return err
}

var errNoText = errors.New("got an asset, an archive or a resource")

// plainOf gives a value without the marks of secrets and dependencies.
func plainOf(v property.Value) (any, error) {
	switch {
	case v.IsNull():
		return nil, nil //nolint:nilnil // null is a value like others
	case v.IsBool():
		return v.AsBool(), nil
	case v.IsNumber():
		return v.AsNumber(), nil
	case v.IsString():
		return v.AsString(), nil
	case v.IsArray():
		return plainList(v.AsArray())
	case v.IsMap():
		return plainMap(v.AsMap())
	}
	return nil, errNoText
}

func plainList(list property.Array) (any, error) {
	out := []any{}
	for _, item := range list.All {
		plain, err := plainOf(item)
		if err != nil {
			return nil, err
		}
		out = append(out, plain)
	}
	return out, nil
}

func plainMap(m property.Map) (any, error) {
	out := map[string]any{}
	for name, item := range m.All {
		plain, err := plainOf(item)
		if err != nil {
			return nil, err
		}
		out[name] = plain
	}
	return out, nil
}

// Properties gives a value that becomes a JSON object as properties.
func Properties(v any) (property.Map, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return property.Map{}, fmt.Errorf("writing properties: %w", err)
	}
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		return property.Map{}, fmt.Errorf("writing properties: %w", err)
	}
	return resource.FromResourcePropertyMap(resource.NewPropertyMapFromMap(plain)), nil
}

package configschema

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"
)

type sample struct {
	Kind  string `yaml:"kind" weft:"required,oneof=a|b"`
	Count int    `yaml:"count" weft:"min=1,max=9"`
}

func (s *sample) Defaults() { s.Count = 2 }

func TestGenerate(t *testing.T) {
	text, err := File{Root: sample{}, ID: "https://example.com/s.json", Title: "sample"}.Generate()
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/s.json", "title": "sample",
		"type": "object", "additionalProperties": false, "required": []any{"kind"},
		"properties": map[string]any{
			"kind":  map[string]any{"type": "string", "enum": []any{"a", "b"}},
			"count": map[string]any{"type": "integer", "minimum": 1.0, "maximum": 9.0, "default": 2.0},
		},
	}, got)
}

func TestComplete(t *testing.T) {
	text, err := File{Root: sample{}, Complete: func(of reflect.Type, s *jsonschema.Schema) {
		require.Equal(t, reflect.TypeFor[sample](), of)
		s.Description = "completed"
	}}.Generate()
	require.NoError(t, err)
	require.Contains(t, string(text), `"description": "completed"`)
}

func TestGenerateFailsOnABadTag(t *testing.T) {
	type bad struct {
		A string `yaml:"a" weft:"nonsense"`
	}
	_, err := File{Root: bad{}}.Generate()
	require.ErrorContains(t, err, `"nonsense" is not a word of the tag`)
}

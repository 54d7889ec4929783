package standin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// urnOf is the URN of a resource in the stack test of the project weft.
func urnOf(typ, name string) urn.URN { return urn.New("test", "weft", "", tokens.Type(typ), name) }

// props reads properties from JSON.
func props(t *testing.T, text string) property.Map {
	t.Helper()
	values := map[string]any{}
	if text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &values), "%s", text)
	}
	return resource.FromResourcePropertyMap(resource.NewPropertyMapFromMap(values))
}

// fill puts ids in the place of their names.
func fill(text string, ids map[string]string) string {
	for name, id := range ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// plainOf gives properties as plain values, to compare them. Unknown ones are "<unknown>".
func plainOf(m property.Map) map[string]any {
	out := map[string]any{}
	for name, v := range m.All {
		if v.IsComputed() {
			out[name] = "<unknown>"
			continue
		}
		out[name] = resource.ToResourcePropertyValue(v).Mappable()
	}
	return out
}

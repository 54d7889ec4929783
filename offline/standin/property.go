package standin

import "github.com/pulumi/pulumi/sdk/v3/go/property"

// Plain takes secrets' marks, dependencies and nulls off properties: the account knows none of them.
func Plain(props property.Map) property.Map {
	out := map[string]property.Value{}
	for name, v := range props.All {
		if v = plainValue(v); !v.IsNull() {
			out[name] = v
		}
	}
	return property.NewMap(out)
}

func plainValue(v property.Value) property.Value {
	switch {
	case v.IsMap():
		return property.New(Plain(v.AsMap()))
	case v.IsArray():
		items := make([]property.Value, 0, v.AsArray().Len())
		for _, item := range v.AsArray().All {
			items = append(items, plainValue(item))
		}
		return property.New(items)
	}
	return v.WithSecret(false).WithDependencies(nil)
}

func asMap(v property.Value) map[string]property.Value {
	if !v.IsMap() {
		return map[string]property.Value{}
	}
	return v.AsMap().AsMap()
}

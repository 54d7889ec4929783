package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// resource is a resource as an analyzer sees it.
type resource struct {
	policyx.AnalyzerResource
}

// read makes the resource one that the rules' readers take. Properties are those given, which are not always the
// resource's own.
func (r resource) read(properties property.Map) read.Resource {
	keys := make(map[string]tree.Node, properties.Len())
	for key, value := range properties.All {
		keys[key] = node(key, value, r.PropertyDependencies[key])
	}
	return read.Resource{
		Type: r.Type, URN: r.URN, Properties: tree.Object("", keys),
		Later: rule.LaterAtApply,
	}
}

// merged are the properties of a resource at the end of an operation. The analyzer then gets outputs, and in a preview
// what AWS decides is unknown among them, also where the program left a setting out. What the program wrote counts
// before that, and an unknown that it did not write is no setting of its own.
func (r resource) merged(inputs property.Map) property.Map {
	out := r.Properties
	for key, value := range r.Properties.All {
		input, given := inputs.GetOk(key)
		switch {
		case given && value.HasComputed():
			out = out.Set(key, input)
		case !given && value.IsComputed():
			out = out.Delete(key)
		}
	}
	for key, value := range inputs.All {
		if _, ok := out.GetOk(key); !ok {
			out = out.Set(key, value)
		}
	}
	return out
}

// node is the one place where values of Pulumi are read: none of its accessors is called before its kind is known,
// since they panic on computed values. A value comes from the resources that Pulumi says, its own or its property's.
func node(path string, value property.Value, refers []string) tree.Node {
	if dependencies := value.Dependencies(); len(dependencies) > 0 {
		refers = make([]string, len(dependencies))
		for i, urn := range dependencies {
			refers[i] = string(urn)
		}
	}
	n := kind(path, value, refers)
	n.Secret = value.Secret()
	n.Refers = refers
	return n
}

func kind(path string, value property.Value, refers []string) tree.Node {
	switch {
	case value.IsNull():
		return tree.Node{Path: path}
	case value.IsString():
		return tree.New(path, value.AsString())
	case value.IsBool():
		return tree.New(path, value.AsBool())
	case value.IsNumber():
		return tree.New(path, value.AsNumber())
	case value.IsArray():
		return array(path, value.AsArray(), refers)
	case value.IsMap():
		return object(path, value.AsMap(), refers)
	default: // computed, or an asset, an archive, a reference to a resource: nothing that can be read now
		return tree.Hidden(path, refers...)
	}
}

func array(path string, values property.Array, refers []string) tree.Node {
	items := make([]tree.Node, 0, values.Len())
	for i, value := range values.All {
		items = append(items, node(tree.Index(path, i), value, refers))
	}
	return tree.Sequence(path, items)
}

func object(path string, values property.Map, refers []string) tree.Node {
	keys := make(map[string]tree.Node, values.Len())
	for key, value := range values.All {
		keys[key] = node(tree.Join(path, key), value, refers)
	}
	return tree.Object(path, keys)
}

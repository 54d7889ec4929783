package componenttest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
)

// Unknown stands in recorded inputs for a value that is not known in a preview.
const Unknown = "<unknown>"

// Registration is one resource as a program registered it.
type Registration struct {
	URN    string `json:"urn"`
	Type   string `json:"type"`
	Name   string `json:"name"`
	Parent string `json:"parent,omitempty"` // URN; empty directly under the stack
	Custom bool   `json:"custom"`           // a resource of a provider, not a component
	Read   bool   `json:"read,omitempty"`   // an existing resource that is read
	ID     string `json:"id,omitempty"`     // of a resource that is read or imported
	// Inputs as plain JSON values. Unknown stands for what is not known; a secret is a map with the one key
	// "<secret>".
	Inputs  map[string]any `json:"inputs,omitempty"`
	Options Options        `json:"options,omitzero"`
}

// Options are the resource options that change what the engine does.
type Options struct {
	DependsOn           []string `json:"dependsOn,omitempty"` // URNs, sorted
	Protect             bool     `json:"protect,omitempty"`
	RetainOnDelete      bool     `json:"retainOnDelete,omitempty"`
	DeleteBeforeReplace bool     `json:"deleteBeforeReplace,omitempty"`
	DeletedWith         string   `json:"deletedWith,omitempty"`
	IgnoreChanges       []string `json:"ignoreChanges,omitempty"`
	ReplaceOnChanges    []string `json:"replaceOnChanges,omitempty"`
	ReplaceWith         []string `json:"replaceWith,omitempty"`
	Aliases             []string `json:"aliases,omitempty"`
	Timeouts            string   `json:"timeouts,omitempty"` // create, update, delete
	Provider            string   `json:"provider,omitempty"`
}

func options(rpc *pulumirpc.RegisterResourceRequest) Options {
	depends := slices.Clone(rpc.GetDependencies())
	slices.Sort(depends)
	o := Options{
		DependsOn: depends, Protect: rpc.GetProtect(), RetainOnDelete: rpc.GetRetainOnDelete(),
		DeleteBeforeReplace: rpc.GetDeleteBeforeReplace(), DeletedWith: rpc.GetDeletedWith(),
		IgnoreChanges: rpc.GetIgnoreChanges(), ReplaceOnChanges: rpc.GetReplaceOnChanges(), ReplaceWith: rpc.GetReplaceWith(), Provider: rpc.GetProvider(),
	}
	for _, a := range rpc.GetAliases() {
		o.Aliases = append(o.Aliases, alias(a))
	}
	o.Timeouts = timeouts(rpc.GetCustomTimeouts())
	return o
}

func timeouts(t *pulumirpc.RegisterResourceRequest_CustomTimeouts) string {
	var out []string
	for _, limit := range []struct{ operation, time string }{
		{"create", t.GetCreate()}, {"update", t.GetUpdate()}, {"delete", t.GetDelete()},
	} {
		if limit.time != "" {
			out = append(out, limit.operation+" "+limit.time)
		}
	}
	return strings.Join(out, ", ")
}

func alias(a *pulumirpc.Alias) string {
	if urn := a.GetUrn(); urn != "" {
		return urn
	}
	s := a.GetSpec()
	return fmt.Sprintf("type %q, name %q, parent %q", s.GetType(), s.GetName(), s.GetParentUrn())
}

// plain turns the inputs of a request into JSON values, unknowns included: the mocks themselves drop those.
func plain(object *structpb.Struct) (map[string]any, error) {
	properties, err := plugin.UnmarshalProperties(object, plugin.MarshalOptions{
		KeepUnknowns: true, KeepSecrets: true, KeepResources: true,
	})
	if err != nil {
		return nil, fmt.Errorf("reading inputs: %w", err)
	}
	return plainMap(properties), nil
}

func plainMap(m resource.PropertyMap) map[string]any {
	out := make(map[string]any, len(m))
	for key, value := range m {
		out[string(key)] = plainValue(value)
	}
	return out
}

func plainValue(v resource.PropertyValue) any {
	switch {
	case v.IsComputed() || v.IsOutput() && !v.OutputValue().Known:
		return Unknown
	case v.IsOutput():
		return plainValue(v.OutputValue().Element)
	case v.IsSecret():
		return map[string]any{"<secret>": plainValue(v.SecretValue().Element)}
	case v.IsResourceReference():
		return string(v.ResourceReferenceValue().URN)
	case v.IsArray():
		out := []any{}
		for _, item := range v.ArrayValue() {
			out = append(out, plainValue(item))
		}
		return out
	case v.IsObject():
		return plainMap(v.ObjectValue())
	default:
		return v.Mappable()
	}
}

package provider

import (
	"context"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumiprovider "github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Construct registers a component and its children.
func (s *server) Construct(ctx context.Context, r *pulumirpc.ConstructRequest) (*pulumirpc.ConstructResponse, error) {
	if err := asText(r.GetInputs(), "cluster"); err != nil {
		return nil, err
	}
	return pulumiprovider.Construct(ctx, r, s.host.EngineConn(), construct)
}

// asText turns an input that is an object into its JSON: a cluster's config may come as either.
func asText(inputs *structpb.Struct, name string) error {
	value, ok := inputs.GetFields()[name]
	if !ok || value.GetStructValue() == nil {
		return nil
	}
	text, err := value.MarshalJSON()
	if err != nil {
		return fmt.Errorf("reading the input %s: %w", name, err)
	}
	inputs.Fields[name] = structpb.NewStringValue(string(text))
	return nil
}

func construct(
	ctx *pulumi.Context, typ, name string, in pulumiprovider.ConstructInputs, options pulumi.ResourceOption,
) (*pulumiprovider.ConstructResult, error) {
	for _, c := range components() {
		if c.Token == typ {
			return c.construct(ctx, name, in, options)
		}
	}
	return nil, fmt.Errorf("the plugin %s %s has no component %s", Name, Version, typ)
}

// component is a component that the plugin serves.
type component struct {
	Type

	construct func(*pulumi.Context, string, pulumiprovider.ConstructInputs, pulumi.ResourceOption) (*pulumiprovider.ConstructResult, error)
}

// serve describes a component by its arguments A, its type C, and the function that registers it.
func serve[A, C any, P interface {
	*C
	pulumi.ComponentResource
}](token string, register func(*pulumi.Context, string, *A, pulumi.ResourceOption) (P, error)) component {
	return component{
		Type: Type{Token: token, Component: true, Inputs: reflect.TypeFor[A](), Outputs: reflect.TypeFor[C]()},
		construct: func(
			ctx *pulumi.Context, name string, in pulumiprovider.ConstructInputs, options pulumi.ResourceOption,
		) (*pulumiprovider.ConstructResult, error) {
			args := new(A)
			if err := in.CopyTo(args); err != nil {
				return nil, fmt.Errorf("reading the inputs of %s: %w", name, err)
			}
			c, err := register(ctx, name, args, options)
			if err != nil {
				return nil, err
			}
			return pulumiprovider.NewConstructResult(c)
		},
	}
}

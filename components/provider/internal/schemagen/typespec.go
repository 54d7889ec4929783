package main

import (
	"fmt"
	"reflect"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/components/provider"
)

const (
	text    = "string"
	number  = "number"
	integer = "integer"
	boolean = "boolean"
	object  = "object"
	array   = "array"
)

// anything is a value of any type.
const anything = "pulumi.json#/Any"

// special are the types that are not what their kind says.
var special = map[reflect.Type]schema.TypeSpec{
	reflect.TypeFor[any]():                     {Ref: anything},
	reflect.TypeFor[pulumi.StringInput]():      {Type: text},
	reflect.TypeFor[pulumi.StringPtrInput]():   {Type: text},
	reflect.TypeFor[pulumi.StringArrayInput](): {Type: array, Items: &schema.TypeSpec{Type: text}},
	reflect.TypeFor[pulumi.StringOutput]():     {Type: text},
	reflect.TypeFor[pulumi.IntOutput]():        {Type: integer},
	reflect.TypeFor[pulumi.StringMapOutput]():  {Type: object, AdditionalProperties: &schema.TypeSpec{Type: text}},
	reflect.TypeFor[provider.Config](): {Plain: true, OneOf: []schema.TypeSpec{
		{Type: text, Plain: true}, {Type: object, AdditionalProperties: &schema.TypeSpec{Ref: anything}, Plain: true},
	}},
}

var kinds = map[reflect.Kind]string{
	reflect.String: text, reflect.Bool: boolean, reflect.Float64: number, reflect.Int: integer,
}

// typeOf describes a Go type. What a component takes as a plain Go value must be known when it is constructed: plain.
func (g *generator) typeOf(t reflect.Type, tag string) (schema.TypeSpec, error) {
	if spec, ok := special[t]; ok {
		return spec, nil
	}
	plain := tag == "pulumi"
	if kind, ok := kinds[t.Kind()]; ok {
		return schema.TypeSpec{Type: kind, Plain: plain}, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.typeOf(t.Elem(), tag)
	case reflect.Slice:
		items, err := g.typeOf(t.Elem(), tag)
		return schema.TypeSpec{Type: array, Items: &items, Plain: plain}, err
	case reflect.Map:
		values, err := g.typeOf(t.Elem(), tag)
		return schema.TypeSpec{Type: object, AdditionalProperties: &values, Plain: plain}, err
	case reflect.Struct:
		return g.object(t, tag)
	}
	return schema.TypeSpec{}, fmt.Errorf("the schema has no type for %s", t)
}

// object gives a struct a type of its own.
func (g *generator) object(t reflect.Type, tag string) (schema.TypeSpec, error) {
	token := provider.Name + ":index:" + t.Name()
	spec := schema.TypeSpec{Ref: "#/types/" + token, Plain: tag == "pulumi"}
	if _, ok := g.spec.Types[token]; ok {
		return spec, nil
	}
	properties, required, err := g.properties(t, tag)
	if err != nil {
		return schema.TypeSpec{}, err
	}
	g.spec.Types[token] = schema.ComplexTypeSpec{ObjectTypeSpec: schema.ObjectTypeSpec{
		Type: object, Description: g.comment(t.PkgPath() + "." + t.Name()), Properties: properties, Required: required,
	}}
	return spec, nil
}

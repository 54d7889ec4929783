package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"

	"github.com/weft-hpc/weft/components/provider"
)

// importPath of package provider, in whose folder the command runs.
const importPath = "github.com/weft-hpc/weft/components/provider"

// generate makes the schema. The working directory is that of package provider; the types come from there, from below,
// and from the folders beside it.
func generate() ([]byte, error) {
	comments := &jsonschema.Reflector{}
	if err := comments.AddGoComments(importPath, "..", jsonschema.WithFullComment()); err != nil {
		return nil, fmt.Errorf("reading the comments: %w", err)
	}
	g := &generator{comments: comments.CommentMap, spec: schema.PackageSpec{
		Name:        provider.Name,
		DisplayName: "weft",
		Version:     provider.Version,
		Description: "GPU training clusters on AWS whose nodes talk over EFA, and the proof that they do",
		Keywords:    []string{"category/infrastructure", "kind/component", "aws", "efa", "hpc"},
		License:     "Apache-2.0",
		Repository:  "https://github.com/weft-hpc/weft",
		Types:       map[string]schema.ComplexTypeSpec{},
		Resources:   map[string]schema.ResourceSpec{},
		Language:    languages(),
		Meta:        &schema.MetadataSpec{ModuleFormat: "(.*)"},
	}}
	for _, t := range provider.Types() {
		if err := g.add(t); err != nil {
			return nil, fmt.Errorf("describing %s: %w", t.Token, err)
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(g.spec); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return out.Bytes(), nil
}

// languages are what the generators of SDKs are told.
func languages() map[string]schema.RawMessage {
	return map[string]schema.RawMessage{
		"nodejs": schema.RawMessage(`{"packageName":"@weft-hpc/weft","respectSchemaVersion":true}`),
		"python": schema.RawMessage(`{"packageName":"weft_hpc","pyproject":{"enabled":true},"respectSchemaVersion":true}`),
	}
}

type generator struct {
	comments map[string]string
	spec     schema.PackageSpec
}

func (g *generator) add(t provider.Type) error {
	tag := "json"
	if t.Component {
		tag = "pulumi"
	}
	inputs, required, err := g.properties(t.Inputs, tag)
	if err != nil {
		return err
	}
	outputs, always, err := g.properties(t.Outputs, tag)
	if err != nil {
		return err
	}
	description, err := packageDoc(t.Outputs.PkgPath())
	if err != nil {
		return err
	}
	g.spec.Resources[t.Token] = schema.ResourceSpec{
		IsComponent: t.Component,
		ObjectTypeSpec: schema.ObjectTypeSpec{
			Description: description, Properties: outputs, Required: always,
		},
		InputProperties: inputs, RequiredInputs: required,
	}
	return nil
}

// comment gives the comment of a type or a field.
func (g *generator) comment(key string) string { return paragraphs(g.comments[key]) }

// properties are the tagged fields of a struct, with the names of those that are always there.
func (g *generator) properties(t reflect.Type, tag string) (map[string]schema.PropertySpec, []string, error) {
	out, required, comment := map[string]schema.PropertySpec{}, []string{}, ""
	for i := range t.NumField() {
		f := t.Field(i)
		text, ok := f.Tag.Lookup(tag)
		if !ok {
			continue
		}
		name, option, _ := strings.Cut(text, ",")
		spec, err := g.typeOf(f.Type, tag)
		if err != nil {
			return nil, nil, fmt.Errorf("%s.%s: %w", t.Name(), f.Name, err)
		}
		if own := g.comment(t.PkgPath() + "." + t.Name() + "." + f.Name); own != "" {
			comment = own // a field without one shares that of the field before it
		}
		out[name] = schema.PropertySpec{TypeSpec: spec, Description: comment}
		if option == "" {
			required = append(required, name)
		}
	}
	return out, required, nil
}

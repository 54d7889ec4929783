// Command schemagen writes the JSON Schema of the config from its types: comments become descriptions, weft tags become
// enums, bounds, patterns and required keys, and defaults come from where the decoder takes them.
//
// It runs in the folder of package config: go generate ./fabric/config
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

const importPath = "github.com/weft-hpc/weft/fabric/config"

func main() {
	log.SetFlags(0)
	out, err := generate()
	if err == nil {
		err = os.WriteFile("schema.json", out, 0o600)
	}
	if err != nil {
		log.Fatalf("making the schema: %v", err)
	}
}

// generate makes the schema. The working directory is that of package config, whose comments it reads.
func generate() ([]byte, error) {
	r := jsonschema.Reflector{
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true, // what is required stands in the weft tags
		ExpandedStruct:             true,
		Mapper:                     levels,
	}
	for _, folder := range []string{".", "../diag"} {
		if err := r.AddGoComments(importPath, folder, jsonschema.WithFullComment()); err != nil {
			return nil, fmt.Errorf("reading the comments of %s: %w", folder, err)
		}
	}
	for name, text := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(text), " ")
	}
	root := r.Reflect(config.Cluster{})
	root.ID = "https://github.com/weft-hpc/weft/fabric/config/schema.json"
	root.Title = "weft cluster"
	if err := (&refiner{definitions: root.Definitions}).refine(reflect.TypeFor[config.Cluster](), root); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return b.Bytes(), nil
}

// levels gives the words of a finding's level, which the reflector would take for a number.
func levels(t reflect.Type) *jsonschema.Schema {
	if t != reflect.TypeFor[diag.Level]() {
		return nil
	}
	return &jsonschema.Schema{Type: "string", Enum: []any{diag.Note.String(), diag.Warn.String(), diag.Error.String()}}
}

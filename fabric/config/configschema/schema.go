// Package configschema makes the JSON Schema of a file that package config reads, from the file's type: comments become
// descriptions, weft tags become enums, bounds, patterns and required keys, and defaults come from where the decoder takes them.
//
// It reads Go sources, so it serves commands that generate, and no program of a user.
package configschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/weft-hpc/weft/fabric/diag"
)

// File is a kind of file.
type File struct {
	Root  any    // a value of the file's type
	ID    string // of the schema, a URL
	Title string
	// ImportPath of the package in the working directory, and the Folders that its types come from, relative to it.
	ImportPath string
	Folders    []string
	// Complete adds to the schema of a type what no tag can say; nil adds nothing.
	Complete func(reflect.Type, *jsonschema.Schema)
}

// Generate writes the schema, indented JSON.
func (f File) Generate() ([]byte, error) {
	r := jsonschema.Reflector{
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true, // what is required stands in the weft tags
		ExpandedStruct:             true,
		Mapper:                     levels,
	}
	for _, folder := range f.Folders {
		if err := r.AddGoComments(f.ImportPath, folder, jsonschema.WithFullComment()); err != nil {
			return nil, fmt.Errorf("reading the comments of %s: %w", folder, err)
		}
	}
	for name, text := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(text), " ")
	}
	root := r.Reflect(f.Root)
	root.ID, root.Title = jsonschema.ID(f.ID), f.Title
	refine := &refiner{definitions: root.Definitions, complete: f.Complete}
	if refine.complete == nil {
		refine.complete = func(reflect.Type, *jsonschema.Schema) {}
	}
	if err := refine.refine(reflect.TypeOf(f.Root), root); err != nil {
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

// Command schemagen writes the JSON Schema of a validation report.
//
// It runs in the folder of package report: go generate ./validation/report
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
)

const module = "github.com/weft-hpc/weft"

func main() {
	log.SetFlags(0)
	out, err := generate("../..")
	if err == nil {
		err = os.WriteFile("schema.json", out, 0o600)
	}
	if err != nil {
		log.Fatalf("making the schema: %v", err)
	}
}

// generate makes the schema; the types' comments are read from the module's folder.
func generate(root string) ([]byte, error) {
	r := jsonschema.Reflector{ExpandedStruct: true, AllowAdditionalProperties: true, Mapper: mapped, Namer: named}
	// The reflector finds a type's comment by the folder as it was given, joined to the module's name.
	for _, folder := range []string{"validation/result", "validation/evidence", "fabric/diag", "fabric/plan"} {
		if err := comments(&r, root, folder); err != nil {
			return nil, err
		}
	}
	s := r.Reflect(result.Run{})
	s.ID = jsonschema.ID("https://" + module + "/validation/report/schema.json")
	s.Title = fmt.Sprintf("weft validation report, form %d", result.Version)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return b.Bytes(), nil
}

func comments(r *jsonschema.Reflector, root, folder string) error {
	here, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the folder: %w", err)
	}
	if err := os.Chdir(root); err != nil {
		return fmt.Errorf("going to the module: %w", err)
	}
	if err := r.AddGoComments(module, "./"+folder, jsonschema.WithFullComment()); err != nil {
		return fmt.Errorf("reading the comments of %s: %w", folder, err)
	}
	for name, text := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(text), " ")
	}
	if err := os.Chdir(here); err != nil {
		return fmt.Errorf("going back: %w", err)
	}
	return nil
}

// named tells types of one name apart by their packages: a finding's place is not a node's.
func named(t reflect.Type) string {
	if t.Name() == "" || t.PkgPath() == reflect.TypeFor[result.Run]().PkgPath() {
		return t.Name()
	}
	return path.Base(t.PkgPath()) + "." + t.Name()
}

// mapped gives what the reflector cannot see: the words of levels and outcomes, and numbers that JSON has no word for.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[diag.Level]():
		return &jsonschema.Schema{Type: "string", Enum: []any{diag.Note.String(), diag.Warn.String(), diag.Error.String()}}
	case reflect.TypeFor[result.Outcome]():
		return &jsonschema.Schema{Type: "string", Enum: []any{result.Passed, result.Warned, result.NotRun, result.Waiting, result.Failed, result.Outcome("")}, Description: "the empty text: none yet"}
	case reflect.TypeFor[evidence.Float]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "number"}, {Type: "string", Enum: []any{"NaN", "+Inf", "-Inf"}}}}
	default:
		return nil
	}
}

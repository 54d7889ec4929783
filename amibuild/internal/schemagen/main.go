// Command schemagen writes the JSON Schema of an image recipe.
//
// It runs in the folder of package amibuild: go generate ./amibuild
package main

import (
	"log"
	"os"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/config/configschema"
)

const importPath = "github.com/weft-hpc/weft/amibuild"

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

// generate makes the schema. The working directory is that of package amibuild, whose comments it reads.
func generate() ([]byte, error) {
	return configschema.File{
		Root:       amibuild.Recipe{},
		ID:         "https://" + importPath + "/schema.json",
		Title:      "weft image recipe",
		ImportPath: importPath,
		Folders:    []string{"."},
		Complete:   exclude,
	}.Generate()
}

// exclude states which sections take one key of several.
func exclude(t reflect.Type, s *jsonschema.Schema) {
	switch t {
	case reflect.TypeFor[amibuild.Component]():
		one := uint64(1)
		s.MinProperties, s.MaxProperties = &one, &one
	case reflect.TypeFor[amibuild.Parent]():
		for _, kind := range []string{"official", "dlami", "ami"} {
			s.OneOf = append(s.OneOf, &jsonschema.Schema{Required: []string{kind}})
		}
	case reflect.TypeFor[amibuild.Script]():
		for _, place := range []string{"file", "url"} {
			s.OneOf = append(s.OneOf, &jsonschema.Schema{Required: []string{place}})
		}
	}
}

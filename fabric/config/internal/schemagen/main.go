// Command schemagen writes the JSON Schema of the cluster's config.
//
// It runs in the folder of package config: go generate ./fabric/config
package main

import (
	"log"
	"os"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/config/configschema"
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
	return configschema.File{
		Root:       config.Cluster{},
		ID:         "https://" + importPath + "/schema.json",
		Title:      "weft cluster",
		ImportPath: importPath,
		Folders:    []string{".", "../diag"},
		Complete:   exclude,
	}.Generate()
}

// exclude states which sections take one key of several.
func exclude(t reflect.Type, s *jsonschema.Schema) {
	switch t {
	case reflect.TypeFor[config.Network](), reflect.TypeFor[config.Capacity]():
		s.MinProperties, s.MaxProperties = pointer(1), pointer(1)
	case reflect.TypeFor[config.Image]():
		s.MaxProperties = pointer(1)
	case reflect.TypeFor[config.Block]():
		s.OneOf = oneOf("reservation", "offering")
		s.DependentRequired = map[string][]string{"purchase": {"offering"}}
	case reflect.TypeFor[config.Storage]():
		s.OneOf = oneOf("ebs", "efs", "fsxLustre")
	case reflect.TypeFor[config.Cluster]():
		s.Required = append(s.Required, "network")
	case reflect.TypeFor[diag.Override]():
		s.Required = append(s.Required, "level")
	}
}

func oneOf(keys ...string) (out []*jsonschema.Schema) {
	for _, key := range keys {
		out = append(out, &jsonschema.Schema{Required: []string{key}})
	}
	return out
}

func pointer(n uint64) *uint64 { return &n }

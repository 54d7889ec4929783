package config

import (
	_ "embed"
	"slices"
)

//go:generate go run ./internal/schemagen

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (draft 2020-12) of a cluster's config, for editors and other programs. It is made from the
// types, their comments, tags and defaults. Whatever Decode accepts as it is meant to be written, the schema does too;
// rules over several keys are Decode's alone.
func Schema() []byte { return slices.Clone(schema) }

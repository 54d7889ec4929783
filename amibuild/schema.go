package amibuild

import (
	_ "embed" // the schema
	"slices"
)

//go:generate go run ./internal/schemagen

//go:embed schema.json
var recipeSchema []byte

// Schema is the JSON Schema (draft 2020-12) of a recipe, for editors. It is made from the types, their comments, tags and
// defaults; rules over several keys are New's.
func Schema() []byte { return slices.Clone(recipeSchema) }

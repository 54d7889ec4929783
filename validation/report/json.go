package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/weft-hpc/weft/validation/result"
)

//go:generate go run ./internal/schemagen

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (draft 2020-12) of what JSON writes, made from the types of a run and their comments.
func Schema() []byte { return slices.Clone(schema) }

// JSON writes a run as one indented document, as Schema describes it: a result.Run whose texts are redacted and printable.
func JSON(w io.Writer, run result.Run) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(cleaned(run)); err != nil {
		return fmt.Errorf("encoding the report as JSON: %w", err)
	}
	return write(w, "JSON", b.Bytes())
}

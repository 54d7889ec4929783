// Package report writes the outcome of a validation run for people and for machines: one self-contained HTML page, JSON, JUnit XML and a
// summary for a terminal.
//
// Equal runs give equal bytes. Nothing goes out before account ids, secrets, names of users and public addresses are taken out of it, so that
// a report can be handed to a vendor, and no control character goes out at all. A report shows what a run holds and judges nothing.
package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"

	"github.com/weft-hpc/weft/validation/result"
)

//go:embed page.gohtml style.css
var files embed.FS

var page = template.Must(template.New("page").ParseFS(files, "page.gohtml"))

// HTML writes a run as one page that needs nothing but itself: no script, no font, no picture from elsewhere. It follows the reader's light or
// dark scheme, fits a phone and a sheet of paper, and each of its plots has its figures beside it as a table.
func HTML(w io.Writer, run result.Run) error {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return fmt.Errorf("reading the report's style: %w", err)
	}
	v := newView(cleaned(run))
	v.Style = template.CSS(style) //nolint:gosec // our own file
	var b bytes.Buffer
	if err := page.ExecuteTemplate(&b, "page", v); err != nil {
		return fmt.Errorf("making the report's page: %w", err)
	}
	return write(w, "HTML", b.Bytes())
}

func write(w io.Writer, format string, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("writing the report as %s: %w", format, err)
	}
	return nil
}

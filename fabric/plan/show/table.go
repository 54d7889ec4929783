package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Row is a row of a table; a cell may be anything that prints.
type Row = table.Row

// Table writes rows under a header, aligned, without borders and trailing blanks, each line behind an indent.
func Table(w io.Writer, indent string, header Row, rows ...Row) error {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(header)
	t.AppendRows(rows)
	for _, line := range strings.Split(t.Render(), "\n") {
		if _, err := fmt.Fprintln(w, strings.TrimRight(indent+line, " ")); err != nil {
			return fmt.Errorf("writing a table: %w", err)
		}
	}
	return nil
}

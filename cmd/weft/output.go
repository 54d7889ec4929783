package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
)

// report is how a command shows findings.
type report struct {
	format string
	notes  bool
}

func (r *report) flags(c *cobra.Command, formats ...string) {
	c.Flags().StringVarP(&r.format, "output", "o", "text", "output format: "+strings.Join(formats, ", "))
	c.Flags().BoolVarP(&r.notes, "verbose", "v", false, "show notes too")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// check refuses an unknown format before any work is done.
func (r *report) check(formats ...string) error {
	for _, f := range formats {
		if f == r.format {
			return nil
		}
	}
	return fmt.Errorf("output format %q is not one of %s", r.format, strings.Join(formats, ", "))
}

// write shows findings; sources give their lines.
func (r *report) write(w io.Writer, findings diag.List, sources map[string][]byte) error {
	format, ok := render.Named(r.format)
	if !ok {
		format = render.Text
	}
	o := render.Options{Color: isTerminal(w) && os.Getenv("NO_COLOR") == "", Notes: r.notes, Width: width(w), Sources: sources, Version: moduleVersion()}
	return format(w, findings, o)
}

// terminal gives the file behind a writer that is a terminal.
func terminal(w io.Writer) (fd int, ok bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	fd = int(f.Fd())
	return fd, term.IsTerminal(fd)
}

func isTerminal(w io.Writer) bool {
	_, ok := terminal(w)
	return ok
}

// width is the terminal's, at most what reads well; elsewhere lines are not wrapped.
func width(w io.Writer) int {
	fd, ok := terminal(w)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(fd)
	if err != nil {
		return 0
	}
	return min(columns, 120)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// readInput reads a file, or standard input for "-".
func readInput(c *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(c.InOrStdin())
		if err != nil {
			return nil, fmt.Errorf("reading standard input: %w", err)
		}
		return data, nil
	}
	data, err := os.ReadFile(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return data, nil
}

package main

import (
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
)

// examples show rules broken and kept, one file for each of those that people meet most often: who says so, what is wrong
// and what is right. The tests judge every one of them.
//
//go:embed explain
var examples embed.FS

// explain tells why a rule is there.
func explain(w io.Writer, id diag.ID) error {
	r, ok := diag.Lookup(id)
	if !ok {
		return fmt.Errorf("rule %q is not known: weft rules lists them", id)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s.\n\njudged  %s\n", r.ID, r.Level, r.Says, r.Where)
	for _, judged := range rule.Rules() {
		if judged.ID == id {
			fmt.Fprintf(&b, "why     %s\n", judged.Doc)
		}
	}
	if text, err := examples.ReadFile("explain/" + string(id) + ".txt"); err == nil {
		e := txtar.Parse(text)
		fmt.Fprintf(&b, "source  %s\n", strings.TrimSpace(string(e.Comment)))
		for _, f := range e.Files {
			fmt.Fprintf(&b, "\n%s:\n\n  %s\n", f.Name, strings.ReplaceAll(strings.TrimSpace(string(f.Data)), "\n", "\n  "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

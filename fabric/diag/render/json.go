package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Report is what JSON writes. Its shape is stable: keys are only ever added.
//
//	{
//	  "findings": [{
//	    "rule":   "block/placement-group",  id, see `weft rules`
//	    "level":  "error",                  error, warn or note
//	    "place":  {"file", "line", "column", "path", "resource"}, each left out where it is not known;
//	              line and column from 1, column in characters
//	    "got":    what was found,
//	    "want":   what the rule asks for,
//	    "hint":   what to do,
//	    "source": who says so,              left out where nobody is cited
//	    "reason": why the user lowered it   left out where nobody did
//	  }],
//	  "errors": 1, "warnings": 0, "notes": 0
//	}
//
// The list is sorted and never null, and carries the notes.
type Report struct {
	Findings diag.List `json:"findings"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Notes    int       `json:"notes"`
}

// NewReport sorts and counts a list.
func NewReport(l diag.List) Report {
	all := prepared(l)
	return Report{
		Findings: all,
		Errors:   all.Count(diag.Error),
		Warnings: all.Count(diag.Warn),
		Notes:    all.Count(diag.Note),
	}
}

// JSON writes findings as a Report. The options do not change it.
func JSON(w io.Writer, l diag.List, _ Options) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(NewReport(l)); err != nil {
		return fmt.Errorf("encoding findings as JSON: %w", err)
	}
	return write(w, "JSON", escapeHidden(b.Bytes()))
}

// escapeHidden writes every character of a JSON text that cannot be printed as \uXXXX. encoding/json does so
// only below U+0020; the control characters above it, which a terminal obeys as well, it passes on. They
// stand only inside strings, so the text keeps its meaning.
func escapeHidden(b []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(b) {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}

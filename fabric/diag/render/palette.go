package render

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/weft-hpc/weft/fabric/diag"
)

// palette paints pieces of text; without colours every piece stays as it is.
type palette struct {
	levels map[diag.Level]func(string) string
	strong func(string) string
	faint  func(string) string
}

func plain(s string) string { return s }

func newPalette(color bool) palette {
	if !color {
		levels := map[diag.Level]func(string) string{diag.Note: plain, diag.Warn: plain, diag.Error: plain}
		return palette{levels: levels, strong: plain, faint: plain}
	}
	// The profile is fixed so that nothing here asks the environment or the terminal: sixteen colours are what
	// every terminal has, and the caller has already decided that there is one.
	r := lipgloss.NewRenderer(io.Discard, termenv.WithProfile(termenv.ANSI))
	r.SetColorProfile(termenv.ANSI)
	// A style costs more to render than a finding to write, so each is asked once for what it puts around a text.
	paint := func(s lipgloss.Style) func(string) string {
		before, after, _ := strings.Cut(s.Render("text"), "text")
		return func(text string) string { return before + text + after }
	}
	level := func(color string) func(string) string {
		return paint(r.NewStyle().Bold(true).Foreground(lipgloss.Color(color)))
	}
	return palette{
		levels: map[diag.Level]func(string) string{
			diag.Error: level("1"), // red
			diag.Warn:  level("3"), // yellow
			diag.Note:  level("6"), // cyan
		},
		strong: paint(r.NewStyle().Bold(true)),
		faint:  paint(r.NewStyle().Faint(true)),
	}
}

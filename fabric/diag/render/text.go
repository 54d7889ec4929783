package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Text writes findings as an engineer pastes them into a review, and a line that counts them:
//
//	error  block/placement-group  cluster.yaml:14:5 groups[0].placementGroup
//	  14 |     placementGroup: pg-train
//	     |     ^
//	  got     placement group "pg-train" on a group that uses capacity block cr-0a1b2c3d4e5f60718
//	  want    no placement group
//	  do      remove groups[0].placementGroup
//	  source  Amazon EC2 User Guide, Capacity Blocks for ML
//
//	1 error, 1 warning (2 notes hidden, -v shows them)
//
// The list is judged by its levels as they stand; a finding whose level the user lowered shows the reason.
func Text(w io.Writer, l diag.List, o Options) error {
	t := text{Options: o, palette: newPalette(o.Color), sources: newSources(o.Sources)}
	all := prepared(l)
	for _, f := range all {
		if f.Level > diag.Note || o.Notes {
			t.finding(f)
		}
	}
	if !o.Bare {
		t.buf.WriteString(summary(all, o.Notes) + "\n")
	}
	return write(w, "text", t.buf.Bytes())
}

type text struct {
	Options
	palette
	buf     bytes.Buffer
	sources *sources
}

func (t *text) finding(f diag.Finding) {
	paint := t.levels[f.Level]
	t.buf.WriteString(paint(f.Level.String()) + strings.Repeat(" ", len("error")-len(f.Level.String())))
	t.buf.WriteString("  " + t.strong(visible(string(f.Rule))))
	if place := f.Place.String(); place != "" {
		t.buf.WriteString("  " + visible(place))
	}
	t.buf.WriteByte('\n')
	t.excerpt(f)
	for _, p := range parts(f) {
		t.part(p)
	}
	t.buf.WriteByte('\n')
}

func (t *text) excerpt(f diag.Finding) {
	quoted, caret := t.sources.excerpt(f.Place, t.Width)
	if quoted != "" {
		t.buf.WriteString(quoted + "\n")
	}
	if caret != "" {
		t.buf.WriteString(strings.TrimSuffix(caret, "^") + t.levels[f.Level]("^") + "\n")
	}
}

// hanging is the indent of a value: two spaces, the longest label, two spaces.
const hanging = len("  source  ")

func (t *text) part(p part) {
	room := 0
	if t.Width > 0 {
		room = max(t.Width-hanging, narrowest)
	}
	label := "  " + t.faint(p.label) + strings.Repeat(" ", hanging-len("  ")-len(p.label))
	for _, line := range visibleLines(p.value) {
		for _, piece := range wrap(line, room) {
			t.buf.WriteString(strings.TrimRight(label+piece, " ") + "\n")
			label = strings.Repeat(" ", hanging)
		}
	}
}

// summary counts the findings: "2 errors, 1 warning (1 note hidden, -v shows it)".
func summary(l diag.List, notes bool) string {
	var counts []string
	count := func(level diag.Level, one string) {
		if n := l.Count(level); n > 0 {
			counts = append(counts, plural(n, one))
		}
	}
	count(diag.Error, "error")
	count(diag.Warn, "warning")
	if notes {
		count(diag.Note, "note")
	}
	line := "no findings"
	if len(counts) > 0 {
		line = strings.Join(counts, ", ")
	}
	return line + hiddenNotes(l.Count(diag.Note), notes)
}

func hiddenNotes(n int, shown bool) string {
	if n == 0 || shown {
		return ""
	}
	them := "them"
	if n == 1 {
		them = "it"
	}
	return fmt.Sprintf(" (%s hidden, -v shows %s)", plural(n, "note"), them)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

package render

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"

	"github.com/weft-hpc/weft/fabric/diag"
)

// longestExcerpt is the number of cells that a quoted line may take where no width is given: the one line of
// a minified file must not flood a review.
const longestExcerpt = 120

// sources gives lines of files. It splits a file once, however many findings lie in it.
type sources struct {
	content map[string][]byte
	lines   map[string][][]byte
}

func newSources(content map[string][]byte) *sources {
	return &sources{content: content, lines: make(map[string][][]byte, len(content))}
}

// line gives the line at a place, without its ending; ok is false where the content is not known or shorter.
func (s *sources) line(p diag.Place) (line string, ok bool) {
	content, ok := s.content[p.File]
	if !ok || p.Line < 1 {
		return "", false
	}
	lines, ok := s.lines[p.File]
	if !ok {
		lines = bytes.Split(bytes.TrimPrefix(content, []byte("\ufeff")), []byte("\n"))
		s.lines[p.File] = lines
	}
	if p.Line > len(lines) {
		return "", false
	}
	return strings.TrimSuffix(string(lines[p.Line-1]), "\r"), true
}

// excerpt gives the line at a place behind its number, and under it a caret at the column; nothing where the
// line is not known, and no caret line where the column is not.
func (s *sources) excerpt(p diag.Place, width int) (quoted, caret string) {
	line, ok := s.line(p)
	if !ok {
		return "", ""
	}
	gutter := fmt.Sprintf("  %d | ", p.Line)
	room := longestExcerpt
	if width > 0 {
		room = max(width-len(gutter)-len("^"), narrowest) // a caret can stand behind the line
	}
	shown, cells := window(line, offset(line, p.Column), room)
	quoted = strings.TrimRight(gutter+shown, " ")
	if p.Column < 1 {
		return quoted, ""
	}
	blank := strings.Repeat(" ", len(gutter)-len("| ")) + "| "
	return quoted, blank + strings.Repeat(" ", cells) + "^"
}

// offset turns a column, from 1 and in characters, into a byte offset; a column behind the line is its end.
func offset(line string, column int) int {
	at := 0
	for i := 1; i < column && at < len(line); i++ {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// window gives the part of a line around a byte offset that fits into room cells, with an ellipsis where
// something is cut off, and the cell of the offset in it. It looks at no more of the line than fits.
func window(line string, at, room int) (shown string, cells int) {
	left, right := tail(line[:at], room), head(line[at:], room)
	leftCells, rightCells := lipgloss.Width(visible(left)), lipgloss.Width(visible(right))
	if len(left) < at || len(right) < len(line)-at || leftCells+rightCells > room {
		room -= 2 // an ellipsis on each side
		forRight := min(rightCells, max(room/2, room-leftCells))
		left, right = tail(left, room-forRight), head(right, forRight)
	}
	before, after := "", ""
	if len(left) < at {
		before = "…"
	}
	if len(right) < len(line)-at {
		after = "…"
	}
	prefix := before + visible(left)
	return prefix + visible(right) + after, lipgloss.Width(prefix)
}

// head is the longest beginning of s that takes at most room cells when made visible.
func head(s string, room int) string {
	end := 0
	for end < len(s) {
		_, size := utf8.DecodeRuneInString(s[end:])
		room -= lipgloss.Width(visible(s[end : end+size]))
		if room < 0 {
			break
		}
		end += size
	}
	return s[:end]
}

// tail is the longest end of s that takes at most room cells when made visible.
func tail(s string, room int) string {
	start := len(s)
	for start > 0 {
		_, size := utf8.DecodeLastRuneInString(s[:start])
		room -= lipgloss.Width(visible(s[start-size : start]))
		if room < 0 {
			break
		}
		start -= size
	}
	return s[start:]
}

package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible writes s so that it is safe and honest on a terminal: whatever Unicode does not count as printable
// is written as Go escapes it. That takes in ANSI escapes, line breaks and tabs, but also what reads as
// something else: bidirectional controls, zero-width and no-break spaces, a byte order mark, broken UTF-8.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		writeVisible(&b, r, s[:size])
		s = s[size:]
	}
	return b.String()
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }

func writeVisible(b *strings.Builder, r rune, raw string) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(b, `\x%02x`, raw[0])
	case hidden(r):
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	default:
		b.WriteString(raw)
	}
}

// visibleLines is visible for text of several lines: its line breaks stay, except at the end.
func visibleLines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, line := range lines {
		lines[i] = visible(strings.TrimSuffix(line, "\r"))
	}
	return lines
}

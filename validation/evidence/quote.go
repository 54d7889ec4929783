package evidence

import (
	"bytes"
	"unicode/utf8"

	"github.com/weft-hpc/weft/validation/report/redact"
)

// ellipsis ends a text that was cut.
const ellipsis = "…"

// Quote makes an excerpt of a line's text: valid UTF-8 without control characters, without what must not leave its owner, and cut at
// [MaxText].
func Quote(file string, line int, text []byte) Excerpt {
	if len(text) > 2*MaxText {
		text = text[:2*MaxText]
	}
	return Excerpt{File: file, Line: line, Text: shorten(redact.Text(printable(text)))}
}

// printable makes a text of bytes that may be anything.
func printable(text []byte) string {
	return string(bytes.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, bytes.ToValidUTF8(bytes.TrimSpace(text), []byte("?"))))
}

func shorten(s string) string {
	if len(s) <= MaxText {
		return s
	}
	end := MaxText - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}

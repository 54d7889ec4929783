package mark

import (
	"bytes"
	"strings"
)

// Rare is a short text that is found by the byte of it which is the rarest in logs: where a text begins with a blank, one at each word of a
// line were to be looked at otherwise.
type Rare struct {
	text []byte
	at   int // of the rare byte
}

// NewRare makes a text to be found by a byte of it.
func NewRare(text string, rare byte) Rare {
	return Rare{text: []byte(text), at: strings.IndexByte(text, rare)}
}

// Len is the text's length, in bytes.
func (r Rare) Len() int { return len(r.text) }

// Index is where the text first stands in a line; -1 where it does not.
func (r Rare) Index(line []byte) int {
	for from := r.at; from < len(line); from++ {
		i := bytes.IndexByte(line[from:], r.text[r.at])
		if i < 0 {
			return -1
		}
		from += i
		if bytes.HasPrefix(line[from-r.at:], r.text) {
			return from - r.at
		}
	}
	return -1
}

package parse

import (
	"io"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// ReadText reads a text, whatever it begins with.
func ReadText(file string, content io.Reader) (evidence.Document, error) {
	doc := evidence.Document{File: file}
	err := readText(&doc, content)
	return doc, err
}

// ReadEvery reads a text and gives each parser every line, also those that have none of its marks.
func ReadEvery(file string, content io.Reader) (evidence.Document, error) {
	t, lines := newText(file), line.New(content)
	for lines.Next() {
		l := lines.Line()
		t.nccl.Line(l)
		if !isMessage(l.Text) {
			for _, p := range t.each {
				p.Line(l)
			}
			continue
		}
		t.sweep.Line(l)
		t.dispatch.Line(l)
	}
	doc := evidence.Document{File: file}
	t.into(&doc)
	return doc, lines.Err()
}

package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// Limits of a JSON file: states and plans of whole companies are large, nothing real is deep.
const (
	maxJSONBytes = 256 << 20
	maxJSONDepth = 200
)

// looksLikeJSON goes by the first character: YAML's flow style begins alike, and is read when JSON is not.
func looksLikeJSON(text []byte) bool {
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' && !bytes.HasPrefix(trimmed, []byte("{{")) && !bytes.HasPrefix(trimmed, []byte("{%")) || trimmed[0] == '[')
}

// errDeep ends the reading of nested input before it costs the stack.
var errDeep = errors.New("too deep")

type jsonReader struct {
	*json.Decoder
	document *Document
	text     []byte
	depth    int
}

func (d *Document) parseJSON(text []byte) {
	if len(text) > maxJSONBytes {
		d.unreadable(0, fmt.Sprintf("%d bytes", len(text)), fmt.Sprintf("at most %d", maxJSONBytes), "check the parts on their own; nothing was judged")
		return
	}
	r := &jsonReader{Decoder: json.NewDecoder(bytes.NewReader(text)), document: d, text: text}
	r.UseNumber()
	d.mark("", r.next())
	root, err := r.value("")
	if err == nil {
		d.root = root
		r.rest()
		return
	}
	r.refuse(err)
}

// refuse tells why the text is no JSON. Flow style of YAML is JSON without quotes, so YAML has a try at small texts that
// are whole.
func (r *jsonReader) refuse(err error) {
	d, text := r.document, r.text
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errDeep):
		d.unreadable(int(r.InputOffset()), fmt.Sprintf("more than %d lists and objects in each other", maxJSONDepth), "flatter JSON", "write it flat; nothing was judged")
	case isCut(text) && !hasExpression(text):
		d.unreadable(len(text), "JSON that ends in the middle", "the whole file", "write the file again: it was cut off; nothing was judged")
	case hasExpression(text) || errors.As(err, &syntax) && utf8.Valid(text) && len(text) < 1<<20:
		clear(d.marks)
		d.parseYAML(text)
	default:
		d.unreadable(int(r.InputOffset()), "not readable: "+err.Error(), "JSON", "look at this line and the one before it; nothing was judged")
	}
}

// isCut reports that the text would be JSON if it went on.
func isCut(text []byte) bool {
	var whole json.RawMessage
	err := json.NewDecoder(bytes.NewReader(bytes.TrimRight(text, " \t\r\n"))).Decode(&whole)
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// rest reports what follows the first value: several answers in one file, or text behind it.
func (r *jsonReader) rest() {
	offset := r.next()
	if offset < len(r.text) {
		r.document.unreadable(offset, "more text behind the first JSON value", "one value in a file", "keep each answer in a file of its own; only the first was judged")
	}
}

// next is the offset of the next token.
func (r *jsonReader) next() int {
	offset := int(r.InputOffset())
	for offset < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[offset]) >= 0 {
		offset++
	}
	return offset
}

func (r *jsonReader) value(path string) (any, error) {
	token, err := r.Token()
	if err != nil {
		return nil, err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return plain(token), nil
	}
	if r.depth++; r.depth > maxJSONDepth {
		return nil, errDeep
	}
	defer func() { r.depth-- }()
	if open == '[' {
		return r.list(path)
	}
	return r.object(path)
}

// plain writes a whole number as one: programs take 4.0 for 4.
func plain(token any) any {
	number, ok := token.(json.Number)
	if !ok {
		return token
	}
	if value, err := number.Float64(); err == nil && value == math.Trunc(value) && math.Abs(value) < 1<<53 {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return number.String()
}

func (r *jsonReader) list(path string) (any, error) {
	out := []any{}
	for r.More() {
		at := tree.Index(path, len(out))
		r.document.mark(at, r.next())
		item, err := r.value(at)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	_, err := r.Token()
	return out, err
}

func (r *jsonReader) object(path string) (any, error) {
	out := map[string]any{}
	for r.More() {
		offset := r.next()
		token, err := r.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		at := tree.Join(path, key)
		r.document.mark(at, offset)
		value, err := r.value(at)
		if err != nil {
			return nil, err
		}
		if _, twice := out[key]; twice {
			r.document.tellTwice(key, offset)
			continue
		}
		out[key] = value
	}
	_, err := r.Token()
	return out, err
}

// tellTwice reports a key that stands twice: programs differ in which one they take.
func (d *Document) tellTwice(key string, offset int) {
	d.unreadable(offset, fmt.Sprintf("key %q for the second time", key), "each key once", "remove one of them; the first was judged")
}

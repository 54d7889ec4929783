package report

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weft-hpc/weft/validation/report/redact"
	"github.com/weft-hpc/weft/validation/result"
)

// cleaned gives a copy of a run of which every text may go out: redacted, and without what a terminal or a browser would obey.
// Every finding has a level, and no list is nil, so that JSON writes it as a list.
func cleaned(run result.Run) result.Run {
	c := cleaner{seen: map[string]string{}}
	out := c.copy(reflect.ValueOf(run)).Interface().(result.Run)
	if out.Cause != nil {
		out.Cause.Level = out.Cause.Severity()
	}
	for _, s := range out.Steps {
		for i, f := range s.Findings {
			s.Findings[i].Level = f.Severity()
		}
	}
	return out
}

// cleaner copies values and cleans the texts in them. The same text comes often, and is looked at once.
type cleaner struct{ seen map[string]string }

func (c cleaner) text(s string) string {
	out, ok := c.seen[s]
	if !ok {
		out = printable(redact.Text(s))
		c.seen[s] = out
	}
	return out
}

// copy gives a deep copy with clean texts. A kind that it does not know is an error of the program: a text in it would go out as it is.
func (c cleaner) copy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(c.text(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(c.copy(v.Elem()))
		}
	case reflect.Slice:
		c.slice(v, out)
	case reflect.Map:
		c.entries(v, out)
	case reflect.Struct:
		c.fields(v, out)
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		out.Set(v)
	default:
		panic(fmt.Sprintf("a run holds a %s, which is not cleaned", v.Type()))
	}
	return out
}

func (c cleaner) slice(v, out reflect.Value) {
	out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
	for i := range v.Len() {
		out.Index(i).Set(c.copy(v.Index(i)))
	}
}

// entries copies a map with clean keys. Of keys that become the same the last in order stays, whatever the map's own order is.
func (c cleaner) entries(v, out reflect.Value) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	out.Set(reflect.MakeMapWithSize(v.Type(), len(keys)))
	for _, k := range keys {
		out.SetMapIndex(c.copy(k), c.copy(v.MapIndex(k)))
	}
}

func (c cleaner) fields(v, out reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		out.Set(v)
		return
	}
	for i := range v.NumField() {
		out.Field(i).Set(c.copy(v.Field(i)))
	}
}

// printable writes what cannot be printed as Go escapes it: terminal controls, and what reads as something else, such as controls of the
// writing direction and broken UTF-8. Line breaks stay, tabs and unusual spaces become spaces.
func printable(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }) < 0 {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		writePrintable(&b, r, s[:size])
		s = s[size:]
	}
	return b.String()
}

func writePrintable(b *strings.Builder, r rune, raw string) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(b, `\x%02x`, raw[0])
	case r == '\t':
		b.WriteString("    ")
	case r == '\n' || unicode.IsPrint(r):
		b.WriteString(raw)
	case unicode.Is(unicode.Zs, r):
		b.WriteByte(' ')
	case r == '\r':
	default:
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
}

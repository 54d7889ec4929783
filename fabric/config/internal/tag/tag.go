// Package tag reads the `weft:"…"` struct tags that say what values a key of the config takes.
//
// One reader serves the decoder and the JSON Schema, so that both judge alike.
package tag

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Rules are what one key asks of its value. The zero value asks nothing but the type.
type Rules struct {
	Required bool     // required: the key has no default and must be given
	OneOf    []string // oneof=a|b: nothing else
	Min, Max *float64 // min=1,max=10: both ends belong to it
	ID       string   // id=subnet: an id of that kind, see Pattern
	Time     bool     // time: RFC 3339, with its zone
	Decimal  bool     // decimal: digits with at most one point, judged as text so that no digit is lost
	Example  string   // eg=train: what a value may look like
	Free     bool     // free: any text, even none; elsewhere a text is one line and not empty
}

// Field is one key of a struct.
type Field struct {
	Name  string // as the user writes it
	Index int    // of the Go field
	Rules Rules
}

// idForms are the kinds of AWS ids. EC2 and EFS gave 8 hex digits before 2016 and give 17 since; old ids live on.
var idForms = forms("vpc", "subnet", "sg", "ami", "fs", "cr")

func forms(kinds ...string) map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for _, kind := range kinds {
		out[kind] = regexp.MustCompile("^" + kind + "-([0-9a-f]{8}|[0-9a-f]{17})$")
	}
	return out
}

// DecimalPattern is the form of a decimal number. The lengths keep any value far from what can't be money.
const DecimalPattern = `^[0-9]{1,12}(\.[0-9]{1,9})?$`

// Pattern is the regular expression of an id kind, and its form in words. It fails for a kind that it does not know.
func Pattern(kind string) (pattern, form string, err error) {
	re, ok := idForms[kind]
	if !ok {
		return "", "", fmt.Errorf("%q is not a kind of id", kind)
	}
	return re.String(), kind + "- and 8 or 17 hex digits", nil
}

// IsID says whether a text has the form of an id of a kind.
func IsID(kind, s string) bool {
	re, ok := idForms[kind]
	return ok && re.MatchString(s)
}

// Fields lists the keys of a struct type in their order: all exported fields that have a yaml name.
// An error is a fault of the type, not of a config.
func Fields(t reflect.Type) ([]Field, error) {
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if !f.IsExported() || name == "" || name == "-" {
			continue
		}
		rules, err := Parse(f.Tag.Get("weft"))
		if err != nil {
			return nil, fmt.Errorf("reading the tag of %s.%s: %w", t.Name(), f.Name, err)
		}
		fields = append(fields, Field{Name: name, Index: i, Rules: rules})
	}
	return fields, nil
}

// Parse reads one tag: words separated by commas. An empty tag asks nothing.
func Parse(s string) (Rules, error) {
	var r Rules
	if s == "" {
		return r, nil
	}
	for word := range strings.SplitSeq(s, ",") {
		if err := r.add(word); err != nil {
			return Rules{}, err
		}
	}
	return r, nil
}

func (r *Rules) add(word string) error {
	name, value, valued := strings.Cut(word, "=")
	if flag := r.flag(name); flag != nil && !valued {
		*flag = true
		return nil
	}
	switch {
	case !valued:
		return fmt.Errorf("%q is not a word of the tag", word)
	case name == "oneof":
		r.OneOf = strings.Split(value, "|")
		return nil
	case name == "min":
		return number(value, &r.Min)
	case name == "max":
		return number(value, &r.Max)
	case name == "eg":
		r.Example = value
		return nil
	case name == "id":
		r.ID = value
		_, _, err := Pattern(value)
		return err
	default:
		return fmt.Errorf("%q is not a word of the tag", word)
	}
}

func (r *Rules) flag(name string) *bool {
	switch name {
	case "required":
		return &r.Required
	case "time":
		return &r.Time
	case "decimal":
		return &r.Decimal
	case "free":
		return &r.Free
	default:
		return nil
	}
}

func number(s string, to **float64) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("reading the bound %q: %w", s, errors.Unwrap(err))
	}
	*to = &f
	return nil
}

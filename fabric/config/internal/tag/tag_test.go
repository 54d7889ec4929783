package tag

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	one, half := 1.0, 0.5
	for text, want := range map[string]Rules{
		"":                       {},
		"required":               {Required: true},
		"required,oneof=a|b":     {Required: true, OneOf: []string{"a", "b"}},
		"min=0.5,max=1":          {Min: &half, Max: &one},
		"id=subnet":              {ID: "subnet"},
		"required,eg=s3://a/b=c": {Required: true, Example: "s3://a/b=c"},
		"time":                   {Time: true},
		"required,decimal,free":  {Required: true, Decimal: true, Free: true},
		"oneof=a=b|c":            {OneOf: []string{"a=b", "c"}},
	} {
		got, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, message := range map[string]string{
		"requird":    `"requird" is not a word of the tag`,
		"required=1": `"required=1" is not a word of the tag`,
		"between=1":  `"between=1" is not a word of the tag`,
		"min=one":    `reading the bound "one": invalid syntax`,
		"id=cow":     `"cow" is not a kind of id`,
		",":          `"" is not a word of the tag`,
	} {
		_, err := Parse(text)
		require.EqualError(t, err, message)
	}
}

func TestFields(t *testing.T) {
	type good struct {
		A    string `yaml:"a" weft:"required"`
		B    int    `yaml:"b,omitempty"`
		C    int    `yaml:"-"`
		D    int
		priv int //nolint:unused // stands for what is not exported
	}
	fields, err := Fields(reflect.TypeFor[good]())
	require.NoError(t, err)
	require.Equal(t, []Field{{Name: "a", Rules: Rules{Required: true}}, {Name: "b", Index: 1}}, fields)

	type bad struct {
		A string `yaml:"a" weft:"x"`
	}
	_, err = Fields(reflect.TypeFor[bad]())
	require.EqualError(t, err, `reading the tag of bad.A: "x" is not a word of the tag`)
}

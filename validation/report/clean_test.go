package report

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCopyCleansEveryText(t *testing.T) {
	t.Parallel()
	type inner struct {
		Text string
		More []string
	}
	type outer struct {
		Pointer *inner
		Nil     *inner
		Map     map[string]inner
		Number  float64
	}
	const dirty, clean = "account 123456789012", "account [account]"
	in := outer{Pointer: &inner{dirty, []string{dirty}}, Map: map[string]inner{dirty: {Text: dirty}}, Number: 5}
	c := cleaner{seen: map[string]string{}}
	out := c.copy(reflect.ValueOf(in)).Interface().(outer)
	require.Nil(t, out.Nil)
	require.InDelta(t, 5, out.Number, 0)
	require.Equal(t, &inner{clean, []string{clean}}, out.Pointer)
	require.Equal(t, map[string]inner{clean: {Text: clean, More: []string{}}}, out.Map)
	require.Equal(t, dirty, in.Pointer.More[0], "the original stays")
	require.Panics(t, func() { c.copy(reflect.ValueOf(make(chan int))) }, "what is not known must not go out")
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                      "",
		"Kosten: 5 µs – gut":    "Kosten: 5 µs – gut",
		"a\tb\r\nc":             "a    b\nc",
		"\x1b[31mred":           `\x1b[31mred`,
		"\u202eabc":             `\u202eabc`,
		"\u00a0":                " ",
		"\xff\xfe":              `\xff\xfe`,
		"zero\u200bwidth\ufeff": `zero\u200bwidth\ufeff`,
	} {
		require.Equal(t, want, printable(in))
	}
}

package evidence_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/validation/evidence"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                  "",
		"  a\tb\x07 ":                       "a b",
		"\xffa":                             "?a",
		"vm:1:2 [0] NCCL INFO Using [0]eth": "vm:1:2 [0] NCCL INFO Using [0]eth",
		"arn:aws:iam::123456789012:role/x":  "arn:aws:iam::[account]:role/x",
	} {
		require.Equal(t, evidence.Excerpt{File: "f", Line: 3, Text: want}, evidence.Quote("f", 3, []byte(in)), in)
	}
	long := evidence.Quote("f", 1, []byte(strings.Repeat("größe ", 1000))).Text
	require.LessOrEqual(t, len(long), evidence.MaxText)
	require.True(t, strings.HasSuffix(long, "…"))
}

func TestAQuoteIsShortAndPrintable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := evidence.Quote("", 0, rapid.SliceOfN(rapid.Byte(), 0, 3*evidence.MaxText).Draw(t, "text")).Text
		require.LessOrEqual(t, len(text), evidence.MaxText)
		require.True(t, utf8.ValidString(text))
		require.NotContains(t, text, "\n")
	})
}

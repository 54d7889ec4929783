package pcconfig

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func withTag(value string) Config {
	return Config{Region: "us-east-2", Tags: []Tag{{Key: "k", Value: value}}}
}

// Text that YAML 1.1 reads as something else stands in quotes.
func TestTextStaysText(t *testing.T) {
	for _, value := range []string{
		"yes", "no", "on", "off", "y", "null", "~", "true", "0042", "1e3", "0x1f", "1_000", "12:30:45", "2026-11-30", "=", "<<", "?", "-", ".5",
		"a: b", "a #b", " padded ", "trailing:", "*anchor", "&x", "!tag", "@at", "`tick", `"quoted"`, "it's", "a\\b", "line\nbreak", "ümlaut", "", "%", "[x]", "{x}",
	} {
		text, err := withTag(value).YAML()
		require.NoError(t, err)
		object, err := readObject(text)
		require.NoError(t, err, string(text))
		require.Equal(t, value, object["Tags"].([]any)[0].(map[string]any)["Value"], string(text))
	}
}

func TestQuotesStandWhereAReaderOfYAML11NeedsThem(t *testing.T) {
	for value, want := range map[string]string{
		"12:30:45": `"12:30:45"`, "=": `"="`, "yes": `"yes"`, "0042": `"0042"`, "2026-11-30": `"2026-11-30"`, "<<": `"<<"`,
		"research": "research", "s3://bucket/key.sh": "s3://bucket/key.sh", "arn:aws:iam::aws:policy/X": "arn:aws:iam::aws:policy/X",
	} {
		text, err := withTag(value).YAML()
		require.NoError(t, err)
		require.Contains(t, string(text), "Value: "+want+"\n")
	}
}

func TestAnyTextComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[ -~äöü]{0,40}`).Draw(t, "value")
		text, err := withTag(value).YAML()
		require.NoError(t, err)
		object, err := readObject(text)
		require.NoError(t, err)
		require.Equal(t, value, object["Tags"].([]any)[0].(map[string]any)["Value"])
	})
}

func TestObjectIsJSON(t *testing.T) {
	object, err := Preview(planned(t, "custom-actions")).Object()
	require.NoError(t, err)
	text, err := json.Marshal(object)
	require.NoError(t, err)
	yaml, err := Preview(planned(t, "custom-actions")).YAML()
	require.NoError(t, err)
	changes, err := Update("3.16.1", yaml, text)
	require.NoError(t, err)
	require.Empty(t, changes)
}

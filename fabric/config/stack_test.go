package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
)

func TestFromStack(t *testing.T) {
	for name, tc := range map[string]struct {
		data, project string
		want          []string
		cluster       string
	}{
		"own key":        {"config:\n  weft:cluster:\n    name: a\n", "training", nil, "a"},
		"project's key":  {"config:\n  training:cluster:\n    name: a\n", "training", nil, "a"},
		"project weft":   {"config:\n  weft:cluster:\n    name: a\n", "weft", nil, "a"},
		"both":           {"config:\n  weft:cluster: {name: a}\n  training:cluster: {name: b}\n", "training", []string{"3:3 config/conflict "}, "a"},
		"anchor":         {"x: &c\n  name: a\nconfig:\n  weft:cluster: *c\n", "training", nil, "a"},
		"no config":      {"encryptionsalt: x\n", "training", []string{"1:1 config/required "}, ""},
		"no cluster":     {"config:\n  aws:region: us-east-2\n", "training", []string{"1:1 config/required "}, ""},
		"empty config":   {"config:\n", "training", []string{"1:1 config/required "}, ""},
		"not a mapping":  {"config: [a]\n", "training", []string{"1:1 config/required "}, ""},
		"list":           {"- a\n", "training", []string{"1:1 config/required "}, ""},
		"empty":          {"", "training", []string{"1:1 file/unreadable "}, ""},
		"null":           {"config:\n  weft:cluster:\n", "training", []string{"2:3 config/type "}, ""},
		"text":           {"config:\n  weft:cluster: '{\"name\": \"a\"}'\n", "training", []string{"2:3 config/type "}, ""},
		"all encrypted":  {"config:\n  weft:cluster:\n    secure: AAAA\n", "training", []string{"2:3 config/type "}, ""},
		"nested in text": {"config:\n  weft:cluster:\n    name:\n      secure: AAAA\n", "training", []string{"3:5 config/type name"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			doc, list := FromStack([]byte(tc.data), "Pulumi.dev.yaml", tc.project)
			var got []string
			for _, f := range list {
				require.Equal(t, "Pulumi.dev.yaml", f.Place.File)
				// What the snippets leave out is not this test's matter.
				if f.Rule != diag.ConfigRequired || f.Place.Path == "" {
					got = append(got, render(diag.List{f})[:4]+string(f.Rule)+" "+f.Place.Path)
				}
			}
			require.Equal(t, tc.want, got, render(list))
			require.Equal(t, tc.cluster, doc.Cluster.Name)
			require.NotEmpty(t, doc.Positions[""].Line)
		})
	}
}

// A tag may be named secure where no Pulumi wrote the file.
func TestSecureOutsideStacks(t *testing.T) {
	doc, list := Decode("c.yaml", []byte(minimal+"tags: {secure: boot}\n"))
	require.Empty(t, list)
	require.Equal(t, map[string]string{"secure": "boot"}, doc.Cluster.Tags)
}

// Aliases on the way to the cluster are followed, and those that lead nowhere reported.
func TestStackAliases(t *testing.T) {
	doc, _ := FromStack([]byte("x: &c\n  weft:cluster: {name: a}\nconfig: *c\n"), "Pulumi.dev.yaml", "training")
	require.Equal(t, "a", doc.Cluster.Name)
	_, list := FromStack([]byte("config: *c\n"), "Pulumi.dev.yaml", "training")
	require.True(t, list.Failed())
	require.Contains(t, render(list), "the alias *c without an anchor")
}

package amibuild_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
)

func TestSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	require.NoError(t, c.AddResource("schema.json", bytes.NewReader(amibuild.Schema())))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	for _, name := range situations {
		require.NoError(t, validate(s, string(read(t, name, "recipe.yaml"))), name)
	}
	require.NoError(t, validate(s, everything))
	const good = official + "components:\n" + newEFA
	for name, text := range map[string]string{
		"unknown key":  good + "bogus: 1\n",
		"two parents":  strings.Replace(good, "official: true", "official: true, ami: ami-01234567", 1),
		"no parent":    strings.Replace(good, "{official: true}", "{}", 1),
		"two kinds":    good + "  - {nccl: {version: 2.30.4-1}, pyxis: {version: 0.24.0}}\n",
		"no kind":      good + "  - {}\n",
		"no version":   good + "  - nccl: {}\n",
		"two places":   good + "  - script: {name: a, file: b, url: \"https://c\"}\n",
		"id":           good + "build: {subnet: mine}\n",
		"flavour":      good + "  - nvidia: {modules: free}\n",
		"architecture": good + "architecture: riscv\n",
	} {
		require.Error(t, validate(s, text), name)
		r, found := amibuild.Decode("recipe.yaml", []byte(text))
		_, more := amibuild.New(amibuild.Request{Recipe: r})
		require.True(t, append(found, more...).Failed(), "weft refuses %s as well", name)
	}
}

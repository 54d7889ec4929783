package main

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/provider"
)

// The committed file is what the types say now.
func TestSchemaIsCurrent(t *testing.T) {
	t.Chdir("../..")
	want, err := generate()
	require.NoError(t, err)
	got, err := os.ReadFile("schema.json")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./components/provider")
	require.Equal(t, string(got), string(provider.Schema))
}

// Pulumi's own reader takes the schema: it is what SDKs are made of.
func TestPulumiReadsTheSchema(t *testing.T) {
	var spec schema.PackageSpec
	require.NoError(t, json.Unmarshal(provider.Schema, &spec))
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	require.NoError(t, err)
	require.Empty(t, diagnostics)
	require.Len(t, pkg.Resources, len(provider.Types()))
	for _, r := range pkg.Resources {
		require.NotEmpty(t, r.Comment, r.Token)
		for _, p := range slices.Concat(r.InputProperties, r.Properties) {
			require.NotEmpty(t, p.Comment, r.Token+" "+p.Name)
		}
	}
}

// What is plain, required and of which type, where it matters.
func TestShapes(t *testing.T) {
	var spec schema.PackageSpec
	require.NoError(t, json.Unmarshal(provider.Schema, &spec))
	require.Equal(t, []string{
		"weft:index:AdoptedCapacityBlock", "weft:index:CapacityBlock", "weft:index:Cluster", "weft:index:LaunchTemplate",
		"weft:index:Network", "weft:index:Storage", "weft:index:Validation",
	}, slices.Sorted(maps.Keys(spec.Resources)))
	template := spec.Resources["weft:index:LaunchTemplate"]
	require.True(t, template.IsComponent)
	require.Equal(t, []string{"cluster", "group"}, template.RequiredInputs)
	require.True(t, template.InputProperties["group"].Plain, "it decides the shape")
	require.False(t, template.InputProperties["subnetId"].Plain, "it is made by another resource")
	require.Len(t, template.InputProperties["cluster"].OneOf, 2, "text or an object")
	own := spec.Resources["weft:index:Validation"]
	require.False(t, own.IsComponent)
	require.Equal(t, []string{"cluster", "head"}, own.RequiredInputs)
	require.False(t, own.InputProperties["triggers"].Plain)
	block := spec.Resources["weft:index:CapacityBlock"]
	require.Equal(t, []string{"region", "instanceType", "offering"}, block.RequiredInputs)
	require.Equal(t, "integer", spec.Types["weft:index:Offering"].Properties["count"].Type)
	require.Len(t, block.Required, len(block.Properties), "every output is there")
}

func TestWords(t *testing.T) {
	require.Equal(t, "One line.\n\nAnother.", paragraphs("One\nline.\n\nAnother.\n"))
	require.Equal(t, "A cluster", capital("a cluster"))
	require.Empty(t, capital(""))
	t.Chdir("../..")
	doc, err := packageDoc("github.com/weft-hpc/weft/components/network")
	require.NoError(t, err)
	require.Contains(t, doc, "The Pulumi component of a cluster's network")
	_, err = packageDoc("github.com/weft-hpc/weft/components/none")
	require.ErrorContains(t, err, "has no comment")
}

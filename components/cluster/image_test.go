package cluster_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/components/cluster"
	"github.com/weft-hpc/weft/components/componenttest"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

const withRecipe = `
name: llama
region: us-east-2
parallelcluster: 3.16.1
network: {create: {}}
image: {recipe: all.yaml}
groups:
  - {name: train, instanceType: p5en.48xlarge, count: 2, zone: us-east-2a, capacity: {onDemand: true}}
  - {name: same, instanceType: p5en.48xlarge, count: 2, zone: us-east-2a, capacity: {onDemand: true}, image: {recipe: own.yaml}}
  - {name: own, instanceType: p5en.48xlarge, count: 2, zone: us-east-2a, capacity: {onDemand: true}, image: {recipe: own.yaml}}
`

func recipePlan(t *testing.T, text string) plan.Cluster {
	t.Helper()
	doc, found := config.Decode("cluster.yaml", []byte(text))
	require.False(t, found.Failed(), "%v", found)
	p, found := plan.New(doc.Cluster)
	require.False(t, found.Failed(), "%v", found)
	return p
}

func plannedImage(t *testing.T, name string) amibuild.Image {
	t.Helper()
	f, err := amibuild.Load(os.DirFS("../../amibuild/testdata"), "ubuntu2204-official/recipe.yaml", "")
	require.NoError(t, err)
	i, found := f.Plan(amibuild.Target{Region: "us-east-2"})
	require.False(t, found.Failed(), "%v", found)
	i.Name = name
	return i
}

func withImages(p plan.Cluster, images map[string]amibuild.Image) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		_, err := cluster.New(ctx, p.Name, &cluster.Args{Plan: p, Images: images})
		return err
	}
}

func imageAnswers() []componenttest.Option {
	return append([]componenttest.Option{
		componenttest.Outputs("aws:imagebuilder/image:Image", func(r componenttest.Registration) map[string]any {
			id := "ami-0000000000000000a"
			if strings.HasSuffix(r.Name, "-own") {
				id = "ami-0000000000000000b"
			}
			return map[string]any{"outputResources": []any{map[string]any{"amis": []any{map[string]any{"image": id}}}}}
		}),
	}, answers...)
}

// Each recipe is built once, and the cluster and its groups boot what was built.
func TestRecipesAreBuiltOnce(t *testing.T) {
	images := map[string]amibuild.Image{"all.yaml": plannedImage(t, "all"), "own.yaml": plannedImage(t, "own")}
	built, body := 0, ""
	for _, r := range componenttest.Record(t, withImages(recipePlan(t, withRecipe), images), componenttest.Update, imageAnswers()...) {
		if r.Type == "aws:imagebuilder/image:Image" {
			built++
		}
		if text, ok := r.Inputs["templateBody"].(string); ok {
			body += text
		}
	}
	require.Equal(t, 2, built)
	require.Equal(t, 1, strings.Count(body, "ami-0000000000000000a"), "the cluster's image")
	require.Equal(t, 2, strings.Count(body, "ami-0000000000000000b"), "the image of two groups")
}

// A preview does not know the id, and goes through.
func TestRecipesInAPreview(t *testing.T) {
	images := map[string]amibuild.Image{"all.yaml": plannedImage(t, "all"), "own.yaml": plannedImage(t, "own")}
	require.NotEmpty(t, componenttest.Record(t, withImages(recipePlan(t, withRecipe), images), componenttest.Preview, imageAnswers()...))
}

// An image that nobody planned, or that only pcluster build-image can build, stops the cluster before anything is registered.
func TestRecipesAreRefused(t *testing.T) {
	p := recipePlan(t, withRecipe)
	foreign := plannedImage(t, "all")
	foreign.Parent.Kind = amibuild.AMI
	foreign.Parent.Holds = nil
	for want, images := range map[string]map[string]amibuild.Image{
		`images["all.yaml"] is missing`: nil,
		"--to build-image":              {"all.yaml": foreign},
	} {
		registered, err := componenttest.Try(withImages(p, images), componenttest.Update, imageAnswers()...)
		require.ErrorContains(t, err, want)
		for _, r := range registered {
			require.Equal(t, cluster.Token, r.Type)
		}
	}
}

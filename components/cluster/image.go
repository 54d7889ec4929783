package cluster

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/components/image"
)

// images registers each image that a recipe of the plan builds, once, and gives the ids: of the cluster's image, and of those
// groups that have one of their own.
func (b *builder) images() (pulumi.StringInput, map[string]pulumi.StringInput, error) {
	built := map[string]pulumi.StringOutput{}
	build := func(recipe string) (pulumi.StringInput, error) {
		if recipe == "" {
			return nil, nil
		}
		if id, done := built[recipe]; done {
			return id, nil
		}
		made, err := b.image(recipe)
		if err != nil {
			return nil, err
		}
		built[recipe] = made.ImageID
		return made.ImageID, nil
	}
	of, groups := b.plan.Config.Image.Recipe, map[string]pulumi.StringInput{}
	all, err := build(of)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range b.plan.Config.Groups {
		if g.Image == nil || g.Image.Recipe == "" {
			continue
		}
		if groups[g.Name], err = build(g.Image.Recipe); err != nil {
			return nil, nil, err
		}
	}
	return all, groups, nil
}

func (b *builder) image(recipe string) (*image.Image, error) {
	planned, known := b.recipes[recipe]
	if !known {
		return nil, fmt.Errorf("images[%q] is missing: the plan builds an image of that recipe", recipe)
	}
	return image.New(b.ctx, b.name+"-"+planned.Name, &image.Args{Image: planned, Region: b.plan.Region, Tags: b.plan.Config.Tags}, b.parent)
}

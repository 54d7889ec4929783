package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// images plans the images of the recipes that the cluster names, by the recipes' paths relative to the project. What is wrong with
// a recipe, its lock, or its versions for this cluster is found here: at preview, and before anything is built.
func (s *stack) images(root string, p plan.Cluster) (map[string]amibuild.Image, diag.List, error) {
	out, found := map[string]amibuild.Image{}, diag.List{}
	for _, recipe := range amibuild.Recipes(p.Config) {
		planned, judged, err := s.image(root, recipe, p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			found.Add(diag.Finding{
				Rule: diag.FileUnreadable, Place: diag.Place{Path: "image.recipe"}, Got: recipe + ", which is not there",
				Want: "an image recipe, relative to the project", Hint: "write the path from the folder of Pulumi.yaml on",
			})
		case err != nil:
			return nil, nil, err
		}
		out[recipe] = planned
		found.Add(judged...)
	}
	return out, found, nil
}

func (s *stack) image(root, recipe string, p plan.Cluster) (amibuild.Image, diag.List, error) {
	folder := filepath.Join(root, filepath.Dir(recipe))
	if filepath.IsAbs(recipe) {
		folder = filepath.Dir(recipe)
	}
	files, err := amibuild.Load(os.DirFS(folder), filepath.Base(recipe), filepath.ToSlash(filepath.Dir(recipe)))
	if err != nil {
		return amibuild.Image{}, nil, fmt.Errorf("reading %s: %w", recipe, err)
	}
	maps.Copy(s.sources, files.Sources)
	planned, found := files.Plan(amibuild.TargetOf(p, recipe))
	_, refused, err := planned.ImageBuilder()
	if err != nil {
		return amibuild.Image{}, nil, fmt.Errorf("rendering the image of %s: %w", recipe, err)
	}
	files.Request.Recipe.Positions.Resolve(refused)
	found.Add(refused...)
	return planned, found, nil
}

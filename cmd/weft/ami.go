package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
	"github.com/weft-hpc/weft/fabric/plan/show"
)

func amiCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "ami",
		Short: "Plan, lock, render and check machine images",
		Long: "Machine images of a recipe: what they are built from, what is put on them, in which order and in which\n" +
			"versions. A lock file beside the recipe pins every address and SHA-256. An image belongs to one\n" +
			"ParallelCluster version: with the next one it is rendered and built anew.",
	}
	c.AddCommand(amiPlanCommand(), amiRenderCommand(), amiCheckCommand(), amiLockCommand(), amiExplainCommand(), amiSchemaCommand())
	return c
}

// recipeOptions name the files of a recipe.
type recipeOptions struct {
	report
	cluster string
}

func (o *recipeOptions) flags(c *cobra.Command, formats ...string) {
	o.report.flags(c, formats...)
	c.Flags().StringVar(&o.cluster, "cluster", "", "config of the cluster that boots the image: it gives version, system, Region and instance types")
}

// load reads a recipe with what lies beside it, and plans it for the cluster. Sources give the lines of findings.
func (o *recipeOptions) load(c *cobra.Command, recipe string) (amibuild.Files, amibuild.Target, error) {
	dir, name := filepath.Split(recipe)
	files, err := amibuild.Load(os.DirFS(filepath.Clean(dir)), name, filepath.ToSlash(filepath.Clean(dir)))
	if err != nil {
		return files, amibuild.Target{}, err
	}
	target, err := o.target(c, recipe)
	return files, target, err
}

// target is what the cluster asks of the image. A cluster with findings of its own is named by its own command.
func (o *recipeOptions) target(c *cobra.Command, recipe string) (amibuild.Target, error) {
	if o.cluster == "" {
		return amibuild.Target{}, nil
	}
	p, err := planFile(c, o.cluster)
	if err != nil {
		return amibuild.Target{}, err
	}
	if p.findings.Failed() && p.plan.Name == "" {
		return amibuild.Target{}, fmt.Errorf("%s can't be planned: run weft plan %s", o.cluster, o.cluster)
	}
	return amibuild.TargetOf(p.plan, o.named(recipe)), nil
}

// named is the recipe's path as the cluster's config names it: relative to the config.
func (o *recipeOptions) named(recipe string) string {
	relative, err := filepath.Rel(filepath.Dir(o.cluster), recipe)
	if err != nil {
		return recipe
	}
	return filepath.ToSlash(relative)
}

// finish shows findings, and ends the command where one stands at error level.
func (o *recipeOptions) finish(c *cobra.Command, findings diag.List, sources map[string][]byte) error {
	if len(findings) > 0 {
		if err := o.write(c.ErrOrStderr(), findings, sources); err != nil {
			return err
		}
	}
	if findings.Failed() {
		return errFindings
	}
	return nil
}

func amiPlanCommand() *cobra.Command {
	var o recipeOptions
	var parent string
	formats := []string{"text", "json"}
	c := &cobra.Command{
		Use:   "plan RECIPE",
		Short: "Show what an image will hold, and judge it before anything is built",
		Example: "  weft ami plan image.yaml --cluster cluster.yaml\n" +
			"  weft ami plan image.yaml --parent-image images.json   # aws ec2 describe-images of the parent",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(formats...); err != nil {
				return err
			}
			files, target, err := o.load(c, args[0])
			if err != nil {
				return err
			}
			image, findings := files.Plan(target)
			if err := addParent(c, parent, image, &findings); err != nil {
				return err
			}
			if o.format == "json" {
				err = writeJSON(c.OutOrStdout(), struct {
					Image amibuild.Image `json:"image"`
					render.Report
				}{image, render.NewReport(findings)})
				return errors.Join(err, failed(findings))
			}
			if err := showImage(c.OutOrStdout(), image); err != nil {
				return err
			}
			return o.finish(c, findings, files.Sources)
		},
	}
	o.flags(c, formats...)
	c.Flags().StringVar(&parent, "parent-image", "", "describe-images JSON of the parent, to judge it too")
	return c
}

func failed(findings diag.List) error {
	if findings.Failed() {
		return errFindings
	}
	return nil
}

// addParent judges the parent as AWS describes it.
func addParent(c *cobra.Command, name string, image amibuild.Image, findings *diag.List) error {
	if name == "" {
		return nil
	}
	data, err := readInput(c, name)
	if err != nil {
		return err
	}
	images, found := amibuild.ReadExisting(name, data)
	findings.Add(found...)
	for _, i := range images {
		findings.Add(i.CheckParent(image)...)
	}
	return nil
}

func showImage(w io.Writer, i amibuild.Image) error {
	parent := i.Parent.Kind + " " + i.Parent.AMI
	if i.Parent.AMI == "" {
		parent = i.Parent.Kind + " " + i.Parent.Pattern + i.Parent.Parameter
	}
	_, _ = fmt.Fprintf(w, "image %s: ParallelCluster %s, %s, %s\nparent %s\nbuilt on %s\n\n", i.Name, i.ParallelCluster, i.OS, i.Architecture, strings.TrimSpace(parent), i.Build.InstanceType)
	var steps []show.Row
	if i.NVIDIA {
		steps = append(steps, show.Row{"nvidia", "of ParallelCluster " + i.ParallelCluster, ""})
	}
	for _, s := range i.Steps {
		steps = append(steps, show.Row{s.Name, s.Version, fmt.Sprintf("%d min", s.Minutes)})
	}
	_, _ = fmt.Fprintln(w, "components in their order:")
	if err := show.Table(w, "  ", show.Row{"component", "version", "at most"}, steps...); err != nil {
		return err
	}
	for _, v := range i.Versions {
		var rows []show.Row
		for _, verdict := range v.Verdicts {
			rows = append(rows, show.Row{verdict.Component, orDash(verdict.Installed), orAny(verdict.Floor.Min), verdict.State})
		}
		_, _ = fmt.Fprintf(w, "\nfloors of %s:\n", v.InstanceType)
		if err := show.Table(w, "  ", show.Row{"component", "on the image", "floor", "verdict"}, rows...); err != nil {
			return err
		}
	}
	return nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func orAny(s string) string {
	if s == "" {
		return "any"
	}
	return s
}

// The renderers.
const (
	toBuildImage   = "build-image"
	toImageBuilder = "image-builder"
)

func amiRenderCommand() *cobra.Command {
	var o recipeOptions
	var to, dir string
	c := &cobra.Command{
		Use:   "render RECIPE",
		Short: "Render an image for pcluster build-image or for EC2 Image Builder",
		Long: "Render an image. For build-image the configuration goes to standard output, and with --dir into a folder\n" +
			"together with the scripts that it names; upload those to the recipe's build.scripts. For image-builder the\n" +
			"documents, recipe and configurations go to standard output as JSON. Without --to an image on an official\n" +
			"parent is rendered for image-builder, any other for build-image.",
		Example: "  weft ami render image.yaml --cluster cluster.yaml --to build-image --dir build\n" +
			"  aws s3 cp --recursive build/scripts s3://bucket/prefix && pcluster build-image -i training -c build/build-image.yaml",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			files, target, err := o.load(c, args[0])
			if err != nil {
				return err
			}
			image, findings := files.Plan(target)
			if to == "" {
				to = toBuildImage
				if image.Parent.Kind == amibuild.Official {
					to = toImageBuilder
				}
			}
			found, err := renderImage(c, image, to, dir, findings)
			if err != nil {
				return err
			}
			files.Request.Recipe.Positions.Resolve(found)
			found.Sort()
			return o.finish(c, found, files.Sources)
		},
	}
	o.flags(c, "text")
	c.Flags().StringVar(&to, "to", "", "what builds the image: build-image, image-builder")
	c.Flags().StringVar(&dir, "dir", "", "folder for a build-image configuration and its scripts")
	_ = c.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{toBuildImage, toImageBuilder}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// renderImage writes nothing where a finding stands at error level: what is not judged good is not built.
func renderImage(c *cobra.Command, image amibuild.Image, to, dir string, findings diag.List) (diag.List, error) {
	switch to {
	case toBuildImage:
		bundle, found, err := image.BuildImage()
		findings.Add(found...)
		if err != nil || findings.Failed() {
			return findings, err
		}
		return findings, writeBundle(c, bundle, dir)
	case toImageBuilder:
		documents, found, err := image.ImageBuilder()
		findings.Add(found...)
		if err != nil || findings.Failed() {
			return findings, err
		}
		return findings, writeJSON(c.OutOrStdout(), documents)
	default:
		return nil, fmt.Errorf("--to %q is not one of %s, %s", to, toBuildImage, toImageBuilder)
	}
}

func writeBundle(c *cobra.Command, b amibuild.Bundle, dir string) error {
	if dir == "" {
		_, _ = fmt.Fprintf(c.ErrOrStderr(), "weft: the configuration names %d scripts; --dir writes them\n", len(b.Scripts))
		_, err := c.OutOrStdout().Write(b.Config)
		return err
	}
	files := map[string][]byte{"build-image.yaml": b.Config}
	for key, text := range b.Scripts {
		files[filepath.Join("scripts", filepath.FromSlash(key))] = []byte(text)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return fmt.Errorf("making the folder of %s: %w", path, err)
		}
		if err := os.WriteFile(path, files[name], 0o600); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		_, _ = fmt.Fprintln(c.OutOrStdout(), filepath.ToSlash(path))
	}
	return nil
}

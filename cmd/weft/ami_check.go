package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/diag"
)

func amiCheckCommand() *cobra.Command {
	var o recipeOptions
	var recipe string
	formats := []string{"text", "json", "sarif", "junit"}
	c := &cobra.Command{
		Use:   "check IMAGES --cluster FILE",
		Short: "Say whether a cluster can use an image that exists, and what to rebuild if not",
		Long: "Say whether a cluster can use an image, by its tags. IMAGES is what `aws ec2 describe-images --image-ids …`\n" +
			"or `pcluster describe-image -i …` printed, or - for standard input.",
		Example: "  aws ec2 describe-images --image-ids ami-0123456789abcdef0 | weft ami check - --cluster cluster.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(formats...); err != nil {
				return err
			}
			data, err := readInput(c, args[0])
			if err != nil {
				return err
			}
			target, err := o.target(c, recipe)
			if err != nil {
				return err
			}
			images, findings := amibuild.ReadExisting(args[0], data)
			for _, i := range images {
				findings.Add(i.Check(target, amibuild.Rebuild(recipe, o.cluster))...)
			}
			if o.format != "text" {
				return joinFailed(o.write(c.OutOrStdout(), findings, nil), findings)
			}
			for _, i := range images {
				_, _ = fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", i.ID, verdict(i, target, findings))
			}
			return o.finish(c, findings, nil)
		},
	}
	o.flags(c, formats...)
	c.Flags().StringVar(&recipe, "recipe", "", "recipe of the image, for the command that rebuilds it")
	_ = c.MarkFlagRequired("cluster")
	return c
}

// joinFailed keeps a failure to write above findings.
func joinFailed(err error, findings diag.List) error {
	if err != nil {
		return err
	}
	return failed(findings)
}

func verdict(i amibuild.Existing, t amibuild.Target, findings diag.List) string {
	worst := diag.Unset
	for _, f := range findings {
		if f.Place.Resource == i.ID {
			worst = max(worst, f.Severity())
		}
	}
	switch worst {
	case diag.Error:
		return fmt.Sprintf("cluster %s can't use it", t.Name)
	case diag.Warn:
		return fmt.Sprintf("cluster %s can use it, if what its tags leave open holds", t.Name)
	default:
		return fmt.Sprintf("cluster %s can use it", t.Name)
	}
}

func amiLockCommand() *cobra.Command {
	var o recipeOptions
	var pins []string
	var parent string
	c := &cobra.Command{
		Use:   "lock RECIPE",
		Short: "Pin every version, address and SHA-256 of a recipe",
		Long: "Write " + amibuild.LockFile + " beside the recipe. What is pinned stays; what is new gets the address and the\n" +
			"checksum that weft knows. A checksum that it does not know must be given: nothing is downloaded here.",
		Example: "  weft ami lock image.yaml --cluster cluster.yaml --parent ami-0123456789abcdef0 \\\n" +
			"    --sha256 efa-installer=$(sha256sum aws-efa-installer-1.50.0.tar.gz | cut -d ' ' -f 1)",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			files, target, err := o.load(c, args[0])
			if err != nil {
				return err
			}
			image, _ := files.Plan(target)
			if image.ParallelCluster == "" || image.OS == "" {
				return fmt.Errorf("no ParallelCluster version or system to lock for: give --cluster, or write parallelcluster and os into %s", args[0])
			}
			if err := writeLock(&files, image, args[0], pins, parent); err != nil {
				return err
			}
			_, findings := files.Plan(target)
			_, _ = fmt.Fprintf(c.OutOrStdout(), "%s: %d artifacts\n", lockPath(args[0]), len(files.Request.Lock.Value.Artifacts))
			return o.finish(c, findings, files.Sources)
		},
	}
	o.flags(c, "text")
	c.Flags().StringArrayVar(&pins, "sha256", nil, "checksum of an artifact, NAME=HEX; may be repeated")
	c.Flags().StringVar(&parent, "parent", "", "id of the image that is built from, in the Region of the build")
	return c
}

func lockPath(recipe string) string { return filepath.Join(filepath.Dir(recipe), amibuild.LockFile) }

// writeLock writes the lock, and puts it into the files as if it had been read.
func writeLock(files *amibuild.Files, image amibuild.Image, recipe string, pins []string, parent string) error {
	lock := amibuild.Resolve(image, files.Request.Lock.Value)
	if parent != "" {
		lock.Parent = parent
	}
	for _, pin := range pins {
		name, sum, ok := strings.Cut(pin, "=")
		if !ok {
			return fmt.Errorf("--sha256 %q is not NAME=HEX", pin)
		}
		if err := lock.Pin(name, sum); err != nil {
			return err
		}
	}
	text, err := lock.Write()
	if err != nil {
		return err
	}
	if err := os.WriteFile(lockPath(recipe), text, 0o600); err != nil {
		return fmt.Errorf("writing the lock: %w", err)
	}
	again, err := amibuild.Load(os.DirFS(filepath.Clean(filepath.Dir(recipe))), filepath.Base(recipe), filepath.ToSlash(filepath.Clean(filepath.Dir(recipe))))
	if err != nil {
		return err
	}
	*files = again
	return nil
}

func amiExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "explain LOG",
		Short:   "Find the first cause in the log of an image build",
		Example: "  aws s3 cp s3://bucket/build.log - | weft ami explain -",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			data, err := readInput(c, args[0])
			if err != nil {
				return err
			}
			cause, known := amibuild.Explain(data)
			if !known {
				_, err = fmt.Fprintln(c.OutOrStdout(), "no cause that weft knows; read the log from its first error on, lines of a shell's trace left aside")
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "line %d: %s\n%s\nhint: %s\n", cause.Line, strings.TrimSpace(cause.Text), cause.Says, cause.Do)
			return err
		},
	}
}

func amiSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of a recipe",
		Example: "  weft ami schema > image.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := c.OutOrStdout().Write(amibuild.Schema())
			return err
		},
	}
}

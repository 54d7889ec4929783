package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/offline/account"
)

// oldImage gives the config an image that was built for the ParallelCluster of a year ago, as an upgrade that forgets its
// image would, and previews.
func (d *demo) oldImage(ctx context.Context) error {
	if d.plan.Config.Image != (config.Image{}) {
		d.say("  the example has an image of its own, which fits")
		return nil
	}
	old := "3.14.2"
	if strings.HasPrefix(d.plan.ParallelCluster, "3.14.") {
		old = "3.13.2"
	}
	image := account.CustomImage("training", old, d.plan.OS.Name, d.plan.Groups[0].Architecture)
	image.Tags["parallelcluster:nvidia_version"] = "580.105.08"
	world := d.world
	world.Images = append(slices.Clone(world.Images), image)

	file := filepath.Join(d.project(), "cluster.yaml")
	text, err := os.ReadFile(file) //nolint:gosec // the copy
	if err != nil {
		return fmt.Errorf("reading the config: %w", err)
	}
	line := fmt.Sprintf("image: {ami: %s}", image.ID)
	if err := os.WriteFile(file, fmt.Appendf(nil, "%s\n%s\n", text, line), 0o600); err != nil { //nolint:gosec // the copy
		return fmt.Errorf("writing the config: %w", err)
	}
	if err := d.account.Load(ctx, world); err != nil {
		return err
	}
	d.say("  cluster.yaml gets %s, built with ParallelCluster %s\n", line, old)
	err = d.want(1, string(diag.AMIParallelCluster))(d.pulumi.Preview(ctx))
	return errors.Join(err, os.WriteFile(file, text, 0o600), d.account.Load(ctx, d.world)) //nolint:gosec // the copy
}

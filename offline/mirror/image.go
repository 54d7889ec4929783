package mirror

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/offline/account"
)

// driver is what build-image writes into an image with NVIDIA software.
const driver = "580.105.08"

// images makes the official images of the plan's version, and those of the account that the config names.
func (m *maker) images() error {
	official, err := account.OfficialImages(m.plan.ParallelCluster)
	if err != nil {
		return fmt.Errorf("listing images: %w", err)
	}
	m.world.Images = append(m.world.Images, official...)
	architecture, known := catalog.Architecture(m.config.HeadNode.InstanceType)
	if !known {
		architecture = "x86_64"
	}
	m.custom(&m.config.Image, architecture)
	for i, g := range m.plan.Groups {
		m.custom(m.config.Groups[i].Image, g.Architecture)
	}
	return nil
}

// custom makes an image as `pcluster build-image` of the plan's version leaves it.
func (m *maker) custom(image *config.Image, architecture string) {
	if image == nil || image.AMI == "" || slices.ContainsFunc(m.world.Images, func(i account.Image) bool { return i.ID == image.AMI }) {
		return
	}
	made := account.CustomImage(image.AMI, m.plan.ParallelCluster, m.plan.OS.Name, architecture)
	made.ID = image.AMI
	made.Tags["parallelcluster:nvidia_version"] = driver
	m.world.Images = append(m.world.Images, made)
}

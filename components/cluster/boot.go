package cluster

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/components/bootscript"
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
)

// bootScripts registers what the plan's nodes run at boot, and gives the bucket; nil where they run nothing.
func (b *builder) bootScripts() (pulumi.StringInput, error) {
	scripts := bootstrap.Scripts(pcconfig.BootActions(b.plan))
	if len(scripts) == 0 {
		return nil, nil
	}
	made, err := bootscript.New(b.ctx, b.name, &bootscript.Args{
		Bucket: pcconfig.BootBucketName(b.plan.Name), Scripts: scripts, Tags: b.plan.Config.Tags,
	}, b.parent)
	if err != nil {
		return nil, err
	}
	return made.BucketName, nil
}

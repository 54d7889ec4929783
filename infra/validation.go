package main

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/components/cluster"
	"github.com/weft-hpc/weft/components/validation"
	"github.com/weft-hpc/weft/fabric/plan"
)

// validate registers the proof that the cluster works, where the config asks for one. It is run again when the config
// changes, or what ParallelCluster was told: images, launch templates, boot scripts and reservations stand in that.
func (s *stack) validate(ctx *pulumi.Context, p plan.Cluster, c *cluster.Cluster) error {
	if len(p.Steps) == 0 {
		return nil
	}
	v, err := validation.New(ctx, p.Name, &validation.Args{
		Cluster:  pulumi.String(s.text),
		Head:     validation.Head{InstanceID: c.HeadNodeID, Profile: s.profile},
		Triggers: pulumi.Map{"parallelClusterConfig": c.ParallelClusterConfig.ApplyT(digest)},
	}, pulumi.DependsOn([]pulumi.Resource{c}))
	if err != nil {
		return err
	}
	ctx.Export("validation", v.Outcome)
	ctx.Export("validationReport", v.ReportPath)
	return nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

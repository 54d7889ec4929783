package main

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

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
		Cluster:         pulumi.String(s.text),
		Head:            validation.Head{InstanceID: c.HeadNodeID, Profile: s.profile},
		Triggers:        pulumi.Map{"parallelClusterConfig": c.ParallelClusterConfig.ApplyT(digest)},
		ReportDirectory: reports(ctx.RootDirectory()),
	}, pulumi.DependsOn([]pulumi.Resource{c}))
	if err != nil {
		return err
	}
	ctx.Export("validation", v.Outcome)
	ctx.Export("validationReport", v.ReportPath)
	return nil
}

// reports is the folder of reports in a project. The plugin runs in the program's folder, and a way from there is the same
// on every machine.
func reports(project string) string {
	program, err := filepath.Abs(".")
	if err != nil || project == "" {
		return "" // the plugin's own choice
	}
	way, err := filepath.Rel(program, project)
	if err != nil {
		return ""
	}
	return filepath.Join(way, ".weft", "validation")
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

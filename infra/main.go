// Command infra is the Pulumi program of one EFA training cluster: it reads the stack's cluster config, plans,
// confirms the plan against the account, and registers the cluster and the proof that it works.
package main

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/components/cluster"
	"github.com/weft-hpc/weft/components/cluster/confirmation"
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

func main() {
	pulumi.Run(program{confirm: confirmation.Of}.run)
}

// program is the Pulumi program; what it asks of the account can be replaced in tests.
type program struct {
	confirm func(ctx context.Context, profile string, p plan.Cluster) (diag.List, error)
}

func (p program) run(ctx *pulumi.Context) error {
	stack, err := readStack(ctx)
	if err != nil {
		return err
	}
	planned, findings := plan.New(stack.Cluster)
	findings.Add(pcconfig.Check(planned)...)
	findings.Add(stack.checkRegion()...)
	images, judged, err := stack.images(ctx.RootDirectory(), planned)
	if err != nil {
		return err
	}
	findings.Add(judged...)
	if !findings.Failed() && !stack.found.Failed() {
		confirmed, err := p.confirm(ctx.Context(), stack.profile, planned)
		if err != nil {
			return err
		}
		findings.Add(confirmed...)
	}
	if err := stack.report(ctx, findings); err != nil {
		return err
	}
	c, err := cluster.New(ctx, planned.Name, &cluster.Args{Plan: planned, Images: images, Profile: stack.profile})
	if err != nil {
		return err
	}
	ctx.Export("connect", c.ConnectCommand)
	ctx.Export("headNode", c.HeadNodeID)
	ctx.Export("status", c.Status)
	ctx.Export("fileSystems", c.FileSystemIDs)
	ctx.Export("parallelClusterConfig", c.ParallelClusterConfig)
	return stack.validate(ctx, planned, c)
}

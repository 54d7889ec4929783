// Package confirmation compares the plan of a cluster with the AWS account that it goes to, before anything is
// registered.
package confirmation

import (
	"context"
	"fmt"
	"time"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Of reads the account with the user's credentials, those of a profile where one is named, and confirms or refuses the
// plan.
func Of(ctx context.Context, profile string, p plan.Cluster) (diag.List, error) {
	options := []func(*awsconfig.LoadOptions) error{awsconfig.WithRegion(p.Region)}
	if profile != "" {
		options = append(options, awsconfig.WithSharedConfigProfile(profile))
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("loading the AWS configuration: %w", err)
	}
	return With(ctx, preflight.NewClients(cfg), p)
}

// With confirms or refuses the plan by what clients read.
func With(ctx context.Context, clients preflight.Clients, p plan.Cluster) (diag.List, error) {
	findings, err := preflight.Run(ctx, clients, preflight.Request{
		Plan:          p,
		Stack:         pcconfig.StackName(p.Name),
		ProviderStack: pcconfig.ProviderStackName(p.Name),
		CompareConfig: func(running []byte, fleetRuns bool) diag.List { return compare(p, running, fleetRuns) },
	}, time.Now)
	if err != nil {
		return nil, fmt.Errorf("confirming the plan in the account: %w", err)
	}
	return findings, nil
}

// compare names the changes that ParallelCluster refuses while the compute fleet runs, or is stopped. Ids of resources that
// this stack makes are not known here; they compare equal.
func compare(p plan.Cluster, running []byte, fleetRuns bool) diag.List {
	var out diag.List
	planned, err := pcconfig.Preview(p).YAML()
	if err == nil {
		var changes []pcconfig.Change
		if changes, err = pcconfig.Update(p.ParallelCluster, running, planned); err == nil {
			return pcconfig.Refused(changes, fleetRuns)
		}
	}
	out.Add(diag.Finding{
		Rule: diag.FileUnreadable, Place: diag.Place{Resource: "stack " + pcconfig.StackName(p.Name)},
		Got: fmt.Sprintf("a running configuration that can't be compared: %v", err), Want: "the configuration of a ParallelCluster cluster",
		Hint: "look at the stack's template in CloudFormation; nothing was said about whether the update is taken",
	})
	return out
}

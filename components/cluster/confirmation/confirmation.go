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
		CompareConfig: func(running []byte) diag.List { return compare(p, running) },
	}, time.Now)
	if err != nil {
		return nil, fmt.Errorf("confirming the plan in the account: %w", err)
	}
	return findings, nil
}

// compare names the changes that ParallelCluster refuses while the cluster's nodes run. Ids of resources that this
// stack makes are not known here; they compare equal.
func compare(p plan.Cluster, running []byte) diag.List {
	var out diag.List
	planned, err := pcconfig.Preview(p).YAML()
	if err == nil {
		var changes []pcconfig.Change
		if changes, err = pcconfig.Update(p.ParallelCluster, running, planned); err == nil {
			return refused(changes)
		}
	}
	out.Add(diag.Finding{
		Rule: diag.FileUnreadable, Place: diag.Place{Resource: "stack " + pcconfig.StackName(p.Name)},
		Got: fmt.Sprintf("a running configuration that can't be compared: %v", err), Want: "the configuration of a ParallelCluster cluster",
		Hint: "look at the stack's template in CloudFormation; nothing was said about whether the update is taken",
	})
	return out
}

// refused names what a running fleet does not take. Whether the fleet runs stands in a table of ParallelCluster's own, which is not
// read: who has stopped it must get past this check.
func refused(changes []pcconfig.Change) diag.List {
	var out diag.List
	for _, c := range changes {
		for _, f := range pcconfig.Refused([]pcconfig.Change{c}, true) {
			if c.Allowed(false) {
				f.Hint += "; a stopped fleet is not seen from here: once it is, say so with preflight.skip: {pc/update: the fleet is stopped}"
			}
			out.Add(f)
		}
	}
	return out
}

// Package preflight reads an AWS account before anything is registered, and confirms or refuses a plan.
//
// Read gathers what the checks need, in few calls; Judge is pure and compares it with the plan. What AWS refuses
// to show becomes a finding, account/denied, and the checks that do not need it are judged all the same. Other
// failures of AWS are errors. Calls are retried by the SDK alone, in its adaptive mode.
package preflight

import (
	"context"
	"time"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Request is what is to be confirmed.
type Request struct {
	// Plan of the cluster. Its config names the checks that are left out.
	Plan plan.Cluster
	// Stack is the name of the CloudFormation stack that holds the cluster once it runs, with its resource of type
	// Custom::PclusterCluster. Empty: there can be none.
	Stack string
	// ProviderStack is the name of the stack that makes the provider of that resource: its template tells the version of
	// ParallelCluster that runs the cluster. Empty: nothing does.
	ProviderStack string
	// CompareConfig compares the configuration of the running cluster, as JSON, with the planned one, and gives
	// what an update would refuse while the compute fleet runs, or is stopped. Nil: they are not compared.
	CompareConfig func(running []byte, fleetRuns bool) diag.List
}

// Clock tells the time; time.Now is one.
type Clock func() time.Time

// Run reads the account and judges the plan.
func Run(ctx context.Context, clients Clients, request Request, clock Clock) (diag.List, error) {
	observed, err := Read(ctx, clients, request)
	if err != nil {
		return nil, err
	}
	return Judge(request, observed, clock()), nil
}

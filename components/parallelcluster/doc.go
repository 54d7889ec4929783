// Package parallelcluster is the Pulumi component that runs a planned cluster with AWS ParallelCluster.
//
// It registers two CloudFormation stacks: the official provider of Custom::PclusterCluster of exactly the planned release, and a
// stack whose one resource is the cluster (docs/adr/0003-deploy-through-cloudformation.md). Where the plan asks for it, two IAM
// policies come along: one for the provider, one for the login nodes.
//
// Updates. A change of the configuration updates the stack in place, and ParallelCluster judges it by its update
// policies; pcconfig.Update tells beforehand. A change of the ParallelCluster version replaces both stacks, the cluster first: a
// release updates only clusters of its own. A cluster's name is taken until it is gone, therefore it is deleted before it is made
// again. That is for the caller to protect (pulumi.Protect) or to allow.
//
// Timeouts. CloudFormation gives a custom resource one hour, and rolls back or deletes for as long again: the
// component waits two hours. A cluster does not wait for the nodes of a capacity block.
//
// A stack that could not be made is deleted by CloudFormation, so that nothing is paid for; the reason stands in the stack's
// events and in the log group of the provider's function, which stays. `pulumi up --refresh` then starts anew.
//
// Children carry fixed names below the component's, so that a component that is renamed or moved needs one alias, its own.
package parallelcluster

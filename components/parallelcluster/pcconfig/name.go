package pcconfig

import "fmt"

// computeResource is the name of the one compute resource of each queue. It is the same everywhere, since the queue tells
// the groups apart, and never changes: ParallelCluster would take a new name for another compute resource and
// remove all nodes of the old one.
const computeResource = "nodes"

// ComputeResourceName gives the name of a group's compute resource.
func ComputeResourceName(_ string) string { return computeResource }

// StaticNode gives the Slurm name and host name of a group's n-th static node, counted from 1. Nodes of a block are all static
// (AWS ParallelCluster User Guide, slurm-workload-manager-v3).
func StaticNode(group string, n int) string {
	return fmt.Sprintf("%s-st-%s-%d", group, computeResource, n)
}

// DynamicNode gives the Slurm name and host name of a group's n-th dynamic node, counted from 1.
func DynamicNode(group string, n int) string {
	return fmt.Sprintf("%s-dy-%s-%d", group, computeResource, n)
}

// StackName is the name of the CloudFormation stack whose resource is the cluster. ParallelCluster's own stack takes
// the cluster's name.
func StackName(cluster string) string { return cluster + "-weft" }

// ProviderStackName is the name of the stack that makes the provider of the cluster's resource.
func ProviderStackName(cluster string) string { return StackName(cluster) + "-provider" }

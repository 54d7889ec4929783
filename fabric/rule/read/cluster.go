package read

import (
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// ParallelCluster reads a cluster configuration.
func ParallelCluster(n tree.Node, in rule.Input) rule.ParallelCluster {
	head := n.Get("HeadNode")
	return rule.ParallelCluster{
		Input:   in,
		OS:      n.Get("Image", "Os").Text(),
		Image:   n.Get("Image", "CustomAmi").Text(),
		Region:  n.Get("Region").Text(),
		Version: rule.Absent[string](),
		Head: rule.HeadNode{
			Path:         head.Path,
			InstanceType: head.Get("InstanceType").Text(),
			Subnet:       head.Get("Networking", "SubnetId").Text(),
			Image:        head.Get("Image", "CustomAmi").Text(),
			Boot:         bootOf(head),
		},
		Logins: tree.Each(n.Get("LoginNodes", "Pools"), loginPool).Items,
		Queues: tree.Each(n.Get("Scheduling", "SlurmQueues"), queue),
	}
}

func loginPool(n tree.Node) rule.LoginPool {
	return rule.LoginPool{
		Path:         n.Path,
		Name:         n.Get("Name").Text(),
		InstanceType: n.Get("InstanceType").Text(),
		Subnets:      n.Get("Networking", "SubnetIds").Texts(),
		Image:        n.Get("Image", "CustomAmi").Text(),
		Boot:         bootOf(n),
	}
}

func queue(n tree.Node) rule.Queue {
	networking := n.Get("Networking")
	return rule.Queue{
		Path:           n.Path,
		Name:           n.Get("Name").Text(),
		CapacityType:   n.Get("CapacityType").Text(),
		Subnets:        networking.Get("SubnetIds").Texts(),
		SecurityGroups: networking.Get("SecurityGroups").Texts(),
		PublicIP:       networking.Get("AssignPublicIp").Bool(),
		Placement:      placementOf(networking.Get("PlacementGroup")),
		Image:          n.Get("Image", "CustomAmi").Text(),
		Boot:           bootOf(n),
		Target:         targetOf(n.Get("CapacityReservationTarget")),
		Resources:      tree.Each(n.Get("ComputeResources"), computeResource),
		ExclusiveJobs:  n.Get("JobExclusiveAllocation").Bool(),
	}
}

func computeResource(n tree.Node) rule.ComputeResource {
	return rule.ComputeResource{
		Path:         n.Path,
		Name:         n.Get("Name").Text(),
		InstanceType: n.Get("InstanceType").Text(),
		Instances: tree.Each(n.Get("Instances"), func(n tree.Node) rule.Value[string] {
			return n.Get("InstanceType").Text()
		}),
		Min:       n.Get("MinCount").Int(),
		Max:       n.Get("MaxCount").Int(),
		EFA:       n.Get("Efa", "Enabled").Bool(),
		Placement: placementOf(n.Get("Networking", "PlacementGroup")),
		Target:    targetOf(n.Get("CapacityReservationTarget")),
		Override:  n.Get("LaunchTemplateOverrides", "LaunchTemplateId").Text(),
	}
}

func placementOf(n tree.Node) rule.ClusterPlacement {
	return rule.ClusterPlacement{Path: n.Path, Given: n.Is(), Enabled: n.Get("Enabled").Bool(), Name: n.First("Name", "Id").Text()}
}

func targetOf(n tree.Node) rule.ReservationTarget {
	return rule.ReservationTarget{
		Path:  n.Path,
		ID:    n.Get("CapacityReservationId").Text(),
		Group: n.Get("CapacityReservationResourceGroupArn").Text(),
	}
}

func bootOf(n tree.Node) rule.Boot {
	iam := n.Get("Iam")
	return rule.Boot{
		Scripts: scripts(n.Get("CustomActions")),
		Access: tree.Each(iam.Get("S3Access"), func(n tree.Node) rule.S3Access {
			return rule.S3Access{Path: n.Path, Bucket: n.Get("BucketName").Text(), KeyName: n.Get("KeyName").Text()}
		}),
		Policies: tree.Each(iam.Get("AdditionalIamPolicies"), func(n tree.Node) rule.Value[string] {
			return n.Get("Policy").Text()
		}),
		Role: iam.First("InstanceRole", "InstanceProfile").Text(),
	}
}

// scripts reads custom actions: one, or a Sequence of them, at each of the three times.
func scripts(n tree.Node) rule.List[rule.Script] {
	if n.Kind == tree.Unknown {
		return rule.UnknownList[rule.Script]().At(n.Path)
	}
	out := rule.List[rule.Script]{Path: n.Path}
	for _, when := range []string{"OnNodeStart", "OnNodeConfigured", "OnNodeUpdated"} {
		action := n.Get(when)
		steps := []tree.Node{action}
		if sequence := action.Get("Sequence"); sequence.Is() {
			steps = sequence.Items()
		}
		for _, step := range steps {
			if url := step.Get("Script").Text(); !url.IsAbsent() {
				out.Items = append(out.Items, rule.Script{Path: step.Path, URL: url})
			}
		}
	}
	return out
}

package rule_test

import "testing"

func TestEKSSubnet(t *testing.T) {
	const nics = "template lt: {id: lt-1, networkInterfaces: [{deviceIndex: 0, deleteOnTermination: 'true', subnetId: subnet-1}, {networkCardIndex: 1, deviceIndex: 1, deleteOnTermination: 'true', subnetId: subnet-1}]}\n"
	runAll(t, []spec{
		{"for EKS", nics + "eks pool: {launchTemplate: {id: lt-1}, subnetIds: [subnet-1]}", []string{"error nic/subnet lt networkInterfaces[0].subnetId"}},
		{"for EKS, unknown", "template lt: {id: lt-1, networkInterfaces: [{deviceIndex: 0, subnetId: '?'}]}\neks pool: {launchTemplate: {id: lt-1}, subnetIds: [subnet-1]}", []string{"warn value/unknown lt networkInterfaces[0].subnetId"}},
		{"for an auto scaling group", nics + "asg pool: {launchTemplate: {id: lt-1}}", nil},
		{"none", "template lt: {id: lt-1, networkInterfaces: [{deviceIndex: 0}]}\neks pool: {launchTemplate: {id: lt-1}, subnetIds: [subnet-1]}", nil},
	})
}

func TestPlacementType(t *testing.T) {
	runAll(t, []spec{
		{"a burstable type in a cluster group", "placement pg: {id: pg, name: pg, strategy: cluster}\ntemplate lt: {instanceType: t3.large, placement: {groupName: pg}}", []string{"error placement/type lt placement.groupName"}},
		{"in one that is still to be made", "placement pg: {strategy: cluster}\ntemplate lt: {instanceType: t3.large, placement: {groupName: $pg}}", []string{"error placement/type lt placement.groupName"}},
		{"in a partition group", "placement pg: {id: pg, name: pg, strategy: partition}\ntemplate lt: {instanceType: t3.large, placement: {groupName: pg}}", nil},
		{"in a group that nobody knows", "template lt: {instanceType: t4g.large, placement: {groupName: pg}}", []string{"warn placement/type lt placement.groupName"}},
		{"in none", "template lt: {instanceType: t3.large}", nil},
		{"a type that takes it", "template lt: {instanceType: p5.48xlarge, placement: {groupName: pg}, nics: p5.48xlarge}", nil},
		{"a type that no list has", "template lt: {instanceType: x9.large, placement: {groupName: pg}}", nil},
		{"an instance", "instance i: {instanceType: t3a.large, placementGroup: pg}", []string{"warn placement/type i placementGroup"}},
		{"a queue", "cluster pc: {Scheduling: {SlurmQueues: [{Networking: {PlacementGroup: {Enabled: true}}, ComputeResources: [{InstanceType: t3.large}]}]}}", []string{"error placement/type pc Scheduling.SlurmQueues[0].Networking.PlacementGroup"}},
		{"a queue without a group", "cluster pc: {Scheduling: {SlurmQueues: [{Networking: {PlacementGroup: {Enabled: false}}, ComputeResources: [{InstanceType: t3.large}]}]}}", nil},
	})
}

package rule_test

import (
	"testing"

	"github.com/weft-hpc/weft/fabric/rule"
)

func TestPrimary(t *testing.T) {
	runAll(t, []spec{
		{"one interface that says little", `template lt: {networkInterfaces: [{subnetId: subnet-1}]}`, nil},
		{"no list of interfaces", `template lt: {instanceType: p5.48xlarge}`, nil},
		{
			"none on card 0 device 0", `template lt: {networkInterfaces: [{networkCardIndex: 1, deviceIndex: 0}]}`,
			[]string{"error nic/primary lt networkInterfaces"},
		},
		{
			"efa-only as primary", `template lt: {networkInterfaces: [{deviceIndex: 0, interfaceType: efa-only}]}`,
			[]string{"error nic/primary lt networkInterfaces[0].interfaceType"},
		},
		{"efa as primary", `template lt: {networkInterfaces: [{deviceIndex: 0, interfaceType: efa}]}`, nil},
		{"a list that nobody knows yet", `template lt: {networkInterfaces: "?"}`, []string{"warn value/unknown lt networkInterfaces"}},
		{"a card that nobody knows yet", `template lt: {networkInterfaces: [{deviceIndex: 0}, {deviceIndex: 1, networkCardIndex: "?", deleteOnTermination: true}]}`, []string{"warn value/unknown lt networkInterfaces[1].networkCardIndex"}},
	})
}

func TestEFACards(t *testing.T) {
	const more = ", {deviceIndex: 0, networkCardIndex: 2, interfaceType: efa-only, deleteOnTermination: true}"
	runAll(t, []spec{
		{"what the plan lays out", `template lt: {instanceType: p6-b300.48xlarge, nics: p6-b300.48xlarge most-bandwidth}`, nil},
		{"both styles of further cards", `template lt: {instanceType: p5.4xlarge, networkInterfaces: [{deviceIndex: 0}, {deviceIndex: 1, interfaceType: efa-only}]}`, nil},
		{
			"efa on card 0 of p6-b300", `template lt: {instanceType: p6-b300.48xlarge, networkInterfaces: [{deviceIndex: 0, interfaceType: efa}]}`,
			[]string{"error nic/efa-card lt networkInterfaces[0].interfaceType", "warn nic/efa-count lt networkInterfaces"},
		},
		{
			"two on one card", `template lt: {networkInterfaces: [{deviceIndex: 0, interfaceType: efa}, {deviceIndex: 1, interfaceType: efa-only}]}`,
			[]string{"error nic/efa-card lt networkInterfaces[1]"},
		},
		{
			"one EFA interface of four", `template lt: {instanceType: p4d.24xlarge, networkInterfaces: [{deviceIndex: 0, interfaceType: efa}]}`,
			[]string{"warn nic/efa-count lt networkInterfaces"},
		},
		{
			"one of four by the type of a group", `
template lt: {name: nodes, networkInterfaces: [{deviceIndex: 0, interfaceType: efa}]}
eks workers: {launchTemplate: {name: nodes}, instanceTypes: [p4d.24xlarge]}
`,
			[]string{"warn nic/efa-count lt networkInterfaces"},
		},
		{"the recommended subset of p6e-gb200", `template lt: {instanceType: p6e-gb200.36xlarge, nics: p6e-gb200.36xlarge}`, nil},
		{
			"a type that nobody knows yet", `template lt: {instanceType: "?", networkInterfaces: [{deviceIndex: 0}, {deviceIndex: 0, networkCardIndex: 1, interfaceType: efa-only, deleteOnTermination: true}` + more + `]}`,
			[]string{"warn value/unknown lt instanceType"},
		},
	})
}

func TestDeviceIndex(t *testing.T) {
	runAll(t, []spec{
		{
			"an index beyond its card", `template lt: {instanceType: p5.48xlarge, networkInterfaces: [{deviceIndex: 0}, {networkCardIndex: 2, deviceIndex: 2, deleteOnTermination: true}]}`,
			[]string{"error nic/device-index lt networkInterfaces[1].deviceIndex"},
		},
		{
			"an index that rises with the card, on cards that take many", `template lt: {instanceType: p4d.24xlarge, networkInterfaces: [{deviceIndex: 0}, {networkCardIndex: 1, deviceIndex: 1, deleteOnTermination: true}, {networkCardIndex: 2, deviceIndex: 2, deleteOnTermination: true}]}`,
			[]string{"error nic/device-index lt networkInterfaces[2].deviceIndex"},
		},
		{"several interfaces on one card", `template lt: {instanceType: p4d.24xlarge, networkInterfaces: [{deviceIndex: 0}, {deviceIndex: 1}, {deviceIndex: 2}]}`, nil},
		{
			"an index twice", `template lt: {networkInterfaces: [{deviceIndex: 0}, {networkCardIndex: 1, deviceIndex: 1, deleteOnTermination: true}, {networkCardIndex: 1, deviceIndex: 1, deleteOnTermination: true}]}`,
			[]string{"error nic/device-index lt networkInterfaces[2].deviceIndex"},
		},
		{
			"a card that the type does not have", `template lt: {instanceType: p4d.24xlarge, networkInterfaces: [{deviceIndex: 0}, {networkCardIndex: 4, deviceIndex: 0, deleteOnTermination: true}]}`,
			[]string{"error nic/device-index lt networkInterfaces[1].networkCardIndex"},
		},
	})
}

func TestAggregate(t *testing.T) {
	runAll(t, []spec{
		{
			"three interfaces on a card that takes two", `template lt: {instanceType: p5.48xlarge, networkInterfaces: [{deviceIndex: 0}, {networkCardIndex: 1, deviceIndex: 0, deleteOnTermination: true}, {networkCardIndex: 1, deviceIndex: 1, deleteOnTermination: true}, {networkCardIndex: 1, deviceIndex: 2, deleteOnTermination: true}]}`,
			[]string{"error nic/aggregate lt networkInterfaces", "error nic/device-index lt networkInterfaces[3].deviceIndex"},
		},
	})
}

func TestPublicIP(t *testing.T) {
	const two = "networkInterfaces: [{deviceIndex: 0, subnetId: $s}, {deviceIndex: 1}]"
	runAll(t, []spec{
		{"one interface", `template lt: {networkInterfaces: [{deviceIndex: 0, associatePublicIpAddress: true}]}`, nil},
		{
			"two interfaces", `template lt: {networkInterfaces: [{deviceIndex: 0, associatePublicIpAddress: "true"}, {deviceIndex: 1}]}`,
			[]string{"error nic/public-ip lt networkInterfaces[0].associatePublicIpAddress"},
		},
		{"off on both", `template lt: {networkInterfaces: [{deviceIndex: 0, associatePublicIpAddress: "false"}, {deviceIndex: 1, associatePublicIpAddress: false}]}`, nil},
		{"not known", `template lt: {networkInterfaces: [{deviceIndex: 0, associatePublicIpAddress: "?"}, {deviceIndex: 1}]}`, []string{"warn value/unknown lt networkInterfaces[0].associatePublicIpAddress"}},
		{"a public subnet", "template lt: {" + two + "}\nsubnet s: {mapPublicIpOnLaunch: true}", []string{"error nic/public-ip lt networkInterfaces[0].subnetId"}},
		{"a private subnet", "template lt: {" + two + "}\nsubnet s: {mapPublicIpOnLaunch: false}", nil},
		{"a public subnet and an explicit false", "template lt: {networkInterfaces: [{deviceIndex: 0, subnetId: $s, associatePublicIpAddress: false}, {deviceIndex: 1}]}\nsubnet s: {mapPublicIpOnLaunch: true}", nil},
		{"a public subnet of a group", `
template lt: {name: nodes, networkInterfaces: [{deviceIndex: 0}, {deviceIndex: 1}]}
subnet s: {mapPublicIpOnLaunch: true}
asg workers: {launchTemplate: {name: nodes}, vpcZoneIdentifiers: [$s]}
`, []string{"error nic/public-ip workers vpcZoneIdentifiers[0]"}},
		{
			"a queue of nodes with several cards", `cluster pc: {Scheduling: {SlurmQueues: [{Networking: {AssignPublicIp: true}, ComputeResources: [{InstanceType: p5.48xlarge, Efa: {Enabled: true}}]}]}}`,
			[]string{"error nic/public-ip pc Scheduling.SlurmQueues[0].Networking.AssignPublicIp"},
		},
		{
			"a queue in a subnet that gives public addresses", `
subnet s: {id: subnet-0, mapPublicIpOnLaunch: true}
cluster pc: {Scheduling: {SlurmQueues: [{Networking: {SubnetIds: [subnet-0]}, ComputeResources: [{InstanceType: p5.48xlarge, Efa: {Enabled: true}}]}]}}`,
			[]string{"error nic/public-ip pc Scheduling.SlurmQueues[0].Networking.SubnetIds[0]"},
		},
		{"a queue of nodes with one card", `cluster pc: {Scheduling: {SlurmQueues: [{Networking: {AssignPublicIp: true}, ComputeResources: [{InstanceType: m6i.large}]}]}}`, nil},
	})
}

func TestDeleteOnTermination(t *testing.T) {
	runAll(t, []spec{
		{"one interface may be kept", `template lt: {networkInterfaces: [{deviceIndex: 0, deleteOnTermination: false}]}`, nil},
		{
			"false among several", `template lt: {networkInterfaces: [{deviceIndex: 0, deleteOnTermination: true}, {deviceIndex: 1, deleteOnTermination: "false"}]}`,
			[]string{"error nic/delete-on-termination lt networkInterfaces[1].deleteOnTermination"},
		},
		{
			"left out on further cards: once a template", `template lt: {networkInterfaces: [{deviceIndex: 0}, {networkCardIndex: 1, deviceIndex: 1}, {networkCardIndex: 2, deviceIndex: 1}]}`,
			[]string{"note nic/delete-on-termination lt networkInterfaces[1]"},
		},
		{"left out by ParallelCluster", `template lt: {tagSpecifications: [{resourceType: instance, tags: {"parallelcluster:node-type": Compute}}], networkInterfaces: [{deviceIndex: 0}, {networkCardIndex: 1, deviceIndex: 1}]}`, nil},
		{"an interface that exists", `instance i: {networkInterfaces: [{deviceIndex: 0, deleteOnTermination: true}, {deviceIndex: 1, deleteOnTermination: false, networkInterfaceId: eni-1}]}`, nil},
	})
}

func TestCombinedType(t *testing.T) {
	const nics = "networkInterfaces: [{deviceIndex: 0, interfaceType: efa}, {networkCardIndex: 1, deviceIndex: 1, interfaceType: efa, deleteOnTermination: true}]"
	runAll(t, []spec{
		{"efa on a further card", `template lt: {` + nics + `}`, []string{"note nic/combined-type lt networkInterfaces[1].interfaceType"}},
		{"the primary interface alone", `template lt: {networkInterfaces: [{deviceIndex: 0, interfaceType: efa}]}`, nil},
		{"PCS takes nothing else", "template lt: {id: lt-1, " + nics + "}\npcs nodes: {customLaunchTemplate: {templateId: lt-1}}", nil},
		{"eksctl makes nothing else", `template lt: {tagSpecifications: [{resourceType: instance, tags: {"alpha.eksctl.io/nodegroup-name": x}}], ` + nics + `}`, nil},
	})
}

func TestNotSupported(t *testing.T) {
	const nics = "networkInterfaces: [{deviceIndex: 0, interfaceType: efa}]"
	runAll(t, []spec{
		{"no EFA asked for", `template lt: {instanceType: m6i.large, networkInterfaces: [{deviceIndex: 0}]}`, nil},
		{"a name that no list has is unknown, not unsupported", `template lt: {instanceType: p5em.48xlarge, ` + nics + `}`, []string{"warn nic/not-supported lt instanceType"}},
		{"a type with EFA whose cards are not known", `template lt: {instanceType: hpc7a.96xlarge, ` + nics + `}`, []string{"note nic/not-supported lt instanceType"}},
		{
			"a compute resource", `cluster pc: {Scheduling: {SlurmQueues: [{ComputeResources: [{InstanceType: p5em.48xlarge, Efa: {Enabled: true}}]}]}}`,
			[]string{"warn nic/not-supported pc Scheduling.SlurmQueues[0].ComputeResources[0].InstanceType"},
		},
	})
}

func TestEFAOff(t *testing.T) {
	runAll(t, []spec{
		{"several nodes", `
template lt: {name: nodes, instanceType: p5.48xlarge}
asg workers: {launchTemplate: {name: nodes}, maxSize: 4}
`, []string{"warn nic/efa-off lt networkInterfaces"}},
		{"one node", "template lt: {name: nodes, instanceType: p5.48xlarge}\nasg workers: {launchTemplate: {name: nodes}, maxSize: 1}", nil},
		{"a type for something else", "template lt: {name: nodes, instanceType: m5n.24xlarge}\nasg workers: {launchTemplate: {name: nodes}, maxSize: 4}", nil},
		{
			"a compute resource", `cluster pc: {Scheduling: {SlurmQueues: [{ComputeResources: [{InstanceType: p5.48xlarge}]}]}}`,
			[]string{"warn nic/efa-off pc Scheduling.SlurmQueues[0].ComputeResources[0].Efa.Enabled"},
		},
		{"a compute resource of one node", `cluster pc: {Scheduling: {SlurmQueues: [{ComputeResources: [{InstanceType: p5.48xlarge, MaxCount: 1}]}]}}`, nil},
	})
}

// A template without a type is judged by the types that the user names for the check.
func TestTypesOfTheCheck(t *testing.T) {
	spec{
		"one of 32", `template lt: {networkInterfaces: [{deviceIndex: 0, interfaceType: efa}]}`,
		[]string{"warn nic/efa-count lt networkInterfaces"},
	}.run(t, rule.Options{InstanceTypes: []string{"p5.48xlarge"}})
}

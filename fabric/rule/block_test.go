package rule_test

import "testing"

// A template on a block, as the rules want it, and what else tests put into it.
const onBlock = "instanceMarketOptions: {marketType: capacity-block}, capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: cr-0ccccccccccccccc1}}"

func TestBlockPairing(t *testing.T) {
	runAll(t, []spec{
		{"market type and target", `template lt: {` + onBlock + `}`, nil},
		{"market type and the ARN of a resource group", `template lt: {instanceMarketOptions: {marketType: capacity-block}, capacityReservationSpecification: {capacityReservationTarget: {capacityReservationResourceGroupArn: arn}}}`, nil},
		{
			"market type without target", `template lt: {instanceMarketOptions: {marketType: capacity-block}}`,
			[]string{"error block/pairing lt instanceMarketOptions.marketType"},
		},
		{
			"market type with an empty target", `template lt: {instanceMarketOptions: {marketType: capacity-block}, capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: ""}}}`,
			[]string{"error block/pairing lt instanceMarketOptions.marketType"},
		},
		{"a target that is not known yet is one", `template lt: {instanceMarketOptions: {marketType: capacity-block}, capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: "?"}}}`, nil},
		{"an id alone does not tell its kind", `template lt: {capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: cr-0ccccccccccccccc1}}}`, nil},
		{"a known block without market type", `
template lt: {capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: cr-0ccccccccccccccc1}}}
block b: {id: cr-0ccccccccccccccc1}
`, []string{"error block/pairing lt capacityReservationSpecification.capacityReservationTarget.capacityReservationId"}},
		{"a block of the same stack, whose id is not known yet", `
template lt: {capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: $b}}}
block b: {instanceType: p5.48xlarge}
`, []string{"error block/pairing lt capacityReservationSpecification.capacityReservationTarget.capacityReservationId"}},
		{"an on-demand reservation needs no market type", `
template lt: {capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: $r}}}
odcr r: {instanceType: p5.48xlarge}
`, nil},
		{"a group that asks for a block, and a template that does not", `
template lt: {instanceType: m6i.large}
eks workers: {capacityType: CAPACITY_BLOCK, launchTemplate: {id: $lt}}
`, []string{"error block/pairing lt instanceMarketOptions.marketType"}},
		{"a market type that is not known", `template lt: {instanceMarketOptions: {marketType: "?"}}`, []string{"warn value/unknown lt instanceMarketOptions.marketType"}},
		{
			"a queue on a block without a reservation", `cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4, Efa: {Enabled: true}}]}]}}`,
			[]string{"error block/pairing pc Scheduling.SlurmQueues[0].ComputeResources[0].CapacityReservationTarget.CapacityReservationId"},
		},
		{
			"a queue on a block by the ARN of a resource group", `cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, CapacityReservationTarget: {CapacityReservationResourceGroupArn: arn}, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4, Efa: {Enabled: true}}]}]}}`,
			[]string{"error block/pairing pc Scheduling.SlurmQueues[0].CapacityReservationTarget.CapacityReservationId"},
		},
	})
}

func TestBlockKind(t *testing.T) {
	runAll(t, []spec{
		{"an on-demand reservation asked for as a block", `
template lt: {` + onBlock + `}
odcr r: {id: cr-0ccccccccccccccc1}
`, []string{"error block/kind lt capacityReservationSpecification.capacityReservationTarget.capacityReservationId"}},
		{"a block asked for as one", `
template lt: {` + onBlock + `}
block b: {id: cr-0ccccccccccccccc1}
`, nil},
		{"ONDEMAND with a block's id", `
cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: ONDEMAND, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4, Efa: {Enabled: true}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}
block b: {id: cr-0b}
`, []string{"error block/kind pc Scheduling.SlurmQueues[0].ComputeResources[0].CapacityReservationTarget.CapacityReservationId"}},
		{"no CapacityType with a block's id", `
cluster pc: {Scheduling: {SlurmQueues: [{ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4, Efa: {Enabled: true}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}
block b: {id: cr-0b}
`, []string{"error block/kind pc Scheduling.SlurmQueues[0].ComputeResources[0].CapacityReservationTarget.CapacityReservationId"}},
		{"CAPACITY_BLOCK with an on-demand reservation's id", `
cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4, Efa: {Enabled: true}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}
odcr b: {id: cr-0b}
`, []string{"error block/kind pc Scheduling.SlurmQueues[0].ComputeResources[0].CapacityReservationTarget.CapacityReservationId"}},
	})
}

func TestBlockPlacementGroup(t *testing.T) {
	runAll(t, []spec{
		{"a placement group on a block", `template lt: {` + onBlock + `, placement: {groupName: pg}}`, []string{"error block/placement-group lt placement.groupName"}},
		{"a placement group by id", `template lt: {` + onBlock + `, placement: {groupId: pg-1}}`, []string{"error block/placement-group lt placement.groupId"}},
		{"an empty placement section", `template lt: {` + onBlock + `, placement: {}}`, nil},
		{"tenancy alone", `template lt: {` + onBlock + `, placement: {tenancy: default}}`, nil},
		{"a placement group on demand", `template lt: {placement: {groupName: pg}}`, nil},
		{"a placement group that is still to be made", `
template lt: {` + onBlock + `, placement: {groupName: $pg}}
placement pg: {strategy: cluster}
`, []string{"error block/placement-group lt placement.groupName"}},
		{"a name that nobody knows yet", `template lt: {` + onBlock + `, placement: {groupName: "?"}}`, []string{"warn value/unknown lt placement.groupName"}},
		{"a market that nobody knows yet", `template lt: {instanceMarketOptions: {marketType: "?"}, placement: {groupName: pg}}`, []string{"warn value/unknown lt instanceMarketOptions.marketType"}},
		{"a target that is known to be a block", `
template lt: {instanceMarketOptions: {marketType: "?"}, capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: $b}}, placement: {groupName: pg}}
block b: {instanceType: p5.48xlarge}
`, []string{"error block/placement-group lt placement.groupName", "warn value/unknown lt instanceMarketOptions.marketType"}},
		{"a node group that asks for a block, and a group forced by its tool", `
placement pg: {strategy: cluster}
template lt: {` + onBlock + `, placement: {groupName: $pg}}
eks workers: {capacityType: CAPACITY_BLOCK, launchTemplate: {id: $lt}, instanceTypes: [p5.48xlarge]}
`, []string{"error block/placement-group lt placement.groupName"}},
		{"an auto scaling group that adds the placement group", `
template lt: {name: nodes, ` + onBlock + `}
asg workers: {launchTemplate: {name: nodes}, placementGroup: pg}
`, []string{"error block/placement-group workers placementGroup"}},
		{"a Batch environment that adds the placement group", `
template lt: {name: nodes, ` + onBlock + `}
batch workers: {computeResources: {launchTemplate: {launchTemplateName: nodes}, placementGroup: pg}}
`, []string{"error block/placement-group workers computeResources.placementGroup"}},
		{"an auto scaling group on demand", `
template lt: {name: nodes, instanceType: p5.48xlarge}
asg workers: {launchTemplate: {name: nodes}, placementGroup: pg}
`, nil},
		{
			"a queue's placement group", `cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, Networking: {PlacementGroup: {Enabled: true}}, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 2, MaxCount: 2, Efa: {Enabled: true}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}`,
			[]string{"error block/placement-group pc Scheduling.SlurmQueues[0].Networking.PlacementGroup"},
		},
		{
			"a compute resource's placement group by name", `cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 2, MaxCount: 2, Efa: {Enabled: true}, Networking: {PlacementGroup: {Name: pg}}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}`,
			[]string{"error block/placement-group pc Scheduling.SlurmQueues[0].ComputeResources[0].Networking.PlacementGroup"},
		},
		{"a compute resource that turns its queue's placement group off", `cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, Networking: {PlacementGroup: {Enabled: true}}, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 2, MaxCount: 2, Efa: {Enabled: true}, Networking: {PlacementGroup: {Enabled: false}}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}`, nil},
		{"a queue that names a group and turns it off", `cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, Networking: {PlacementGroup: {Enabled: false, Name: pg}}, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 2, MaxCount: 2, Efa: {Enabled: true}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}`, nil},
		{
			"a queue's placement group that nobody knows yet", `cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, Networking: {PlacementGroup: {Name: "?"}}, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 2, MaxCount: 2, Efa: {Enabled: true}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}`,
			[]string{"warn value/unknown pc Scheduling.SlurmQueues[0].Networking.PlacementGroup"},
		},
	})
}

func TestBlockSize(t *testing.T) {
	const lt = "template lt: {name: nodes, " + onBlock + "}\nblock b: {id: cr-0ccccccccccccccc1, instanceCount: 6}\n"
	runAll(t, []spec{
		{"groups that fit", lt + "asg a: {launchTemplate: {name: nodes}, maxSize: 4}\neks b: {launchTemplate: {name: nodes}, scalingConfig: {maxSize: 2}}", nil},
		{
			"groups that do not fit together", lt + "asg a: {launchTemplate: {name: nodes}, maxSize: 4}\neks c: {launchTemplate: {name: nodes}, scalingConfig: {maxSize: 4}}",
			[]string{"error block/size a maxSize"},
		},
		{"a size that nobody knows yet", "template lt: {name: nodes, " + onBlock + "}\nblock b: {id: cr-0ccccccccccccccc1, instanceCount: '?'}\nasg a: {launchTemplate: {name: nodes}, maxSize: 4}", []string{"warn value/unknown b instanceCount"}},
		{"compute resources of one block", `
cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, CapacityReservationTarget: {CapacityReservationId: cr-0b}, ComputeResources: [{Name: x, InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4, Efa: {Enabled: true}}, {Name: y, InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4, Efa: {Enabled: true}}]}]}}
block b: {id: cr-0b, instanceCount: 6}
`, []string{"error block/size pc Scheduling.SlurmQueues[0].ComputeResources[0].MaxCount"}},
	})
}

func TestBlockIDForm(t *testing.T) {
	for id, want := range map[string][]string{
		"cr-0ccccccccccccccc1": nil, "cb-0123456789abcdef0": {"error"}, "cbo-0123456789abcdef0": {"error"}, "lr-1": {"error"},
	} {
		for i := range want {
			want[i] = "error block/id-form lt capacityReservationSpecification.capacityReservationTarget.capacityReservationId"
		}
		runAll(t, []spec{{id, `template lt: {instanceMarketOptions: {marketType: capacity-block}, capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: ` + id + `}}}`, want}})
	}
}

func TestBlockState(t *testing.T) {
	runAll(t, []spec{
		{"a block that is scheduled", "template lt: {" + onBlock + "}\nblock b: {id: cr-0ccccccccccccccc1, state: scheduled}", nil},
		{"a block that has expired", "template lt: {" + onBlock + "}\nblock b: {id: cr-0ccccccccccccccc1, state: expired}", []string{"error block/state lt capacityReservationSpecification.capacityReservationTarget.capacityReservationId"}},
		{"an expired block of a queue without InstanceType", `
cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, ComputeResources: [{MinCount: 4, MaxCount: 4, Efa: {Enabled: true}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}
block b: {id: cr-0b, state: expired}
`, []string{
			"error block/state pc Scheduling.SlurmQueues[0].ComputeResources[0].CapacityReservationTarget.CapacityReservationId",
			"warn block/count pc Scheduling.SlurmQueues[0].ComputeResources[0].InstanceType",
		}},
	})
}

func TestODCRPlacementGroup(t *testing.T) {
	const target = "capacityReservationSpecification: {capacityReservationTarget: {capacityReservationId: $r}}"
	runAll(t, []spec{
		{"made in none, launched in none", "template lt: {" + target + "}\nodcr r: {}", nil},
		{"made in none, launched in a group", "template lt: {" + target + ", placement: {groupName: pg}}\nodcr r: {}", []string{"error odcr/placement-group lt placement.groupName"}},
		{"made in a group, launched in none", "template lt: {" + target + "}\nodcr r: {placementGroupArn: 'arn:aws:ec2:us-east-2:1:placement-group/pg'}", []string{"error odcr/placement-group lt placement.groupName"}},
		{"made in a group, launched in it", "template lt: {" + target + ", placement: {groupName: pg}}\nodcr r: {placementGroupArn: 'arn:aws:ec2:us-east-2:1:placement-group/pg'}", nil},
		{"a group of the same stack", "placement pg: {}\ntemplate lt: {" + target + ", placement: {groupName: $pg}}\nodcr r: {placementGroupArn: $pg}", nil},
		{"a group that nobody knows yet", "template lt: {" + target + ", placement: {groupName: '?'}}\nodcr r: {}", []string{"warn value/unknown lt placement.groupName"}},
		{"a queue that makes a group", `
cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: ONDEMAND, Networking: {PlacementGroup: {Enabled: true}}, ComputeResources: [{InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4, Efa: {Enabled: true}, CapacityReservationTarget: {CapacityReservationId: cr-0b}}]}]}}
odcr r: {id: cr-0b}
`, []string{"error odcr/placement-group pc Scheduling.SlurmQueues[0].Networking.PlacementGroup"}},
	})
}

func TestBlockCount(t *testing.T) {
	queue := func(resource string) string {
		return `cluster pc: {Scheduling: {SlurmQueues: [{CapacityType: CAPACITY_BLOCK, CapacityReservationTarget: {CapacityReservationId: cr-0b}, ComputeResources: [{Efa: {Enabled: true}, ` + resource + `}]}]}}`
	}
	const path = "pc Scheduling.SlurmQueues[0].ComputeResources[0]."
	runAll(t, []spec{
		{"a fixed count", queue("InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4"), nil},
		{"one type in the list form", queue("Instances: [{InstanceType: p5.48xlarge}], MinCount: 4, MaxCount: 4"), nil},
		{"MinCount left out", queue("InstanceType: p5.48xlarge, MaxCount: 4"), []string{"error block/count " + path + "MinCount"}},
		{"MaxCount left out is 10", queue("InstanceType: p5.48xlarge, MinCount: 10"), nil},
		{"MinCount below MaxCount", queue("InstanceType: p5.48xlarge, MinCount: 0, MaxCount: 4"), []string{"error block/count " + path + "MinCount"}},
		{"no nodes", queue("InstanceType: p5.48xlarge, MinCount: 0, MaxCount: 0"), []string{"error block/count " + path + "MinCount"}},
		{"several types", queue("Instances: [{InstanceType: p5.48xlarge}, {InstanceType: p5e.48xlarge}], MinCount: 4, MaxCount: 4"), []string{"error block/count " + path + "Instances"}},
		{"no type", queue("MinCount: 4, MaxCount: 4"), []string{"warn block/count " + path + "InstanceType"}},
		{"a count that nobody knows", queue("InstanceType: p5.48xlarge, MinCount: '?', MaxCount: 4"), []string{"warn value/unknown " + path + "MinCount"}},
	})
}

package rule_test

import "testing"

func TestSelfRules(t *testing.T) {
	const (
		lt   = "template lt: {instanceType: p5.4xlarge, nics: p5.4xlarge save-addresses $sg}\n"
		both = "ingress: [{protocol: '-1', self: true}], egress: [{protocol: '-1', self: true}]"
		in   = "error sg/self-ingress sg ingress"
		out  = "error sg/self-egress sg egress"
	)
	runAll(t, []spec{
		{"both directions, by itself", lt + "group sg: {" + both + "}", nil},
		{"both directions, by its id", lt + "group sg: {id: sg-1, ingress: [{protocol: '-1', securityGroups: [sg-1]}], egress: [{protocol: all, securityGroups: [sg-1]}]}", nil},
		{"nothing", lt + "group sg: {}", []string{in, out}},
		{"a range does not count", lt + "group sg: {ingress: [{protocol: '-1', cidrBlocks: [0.0.0.0/0]}], egress: [{protocol: '-1', cidrBlocks: [0.0.0.0/0]}]}", []string{in, out}},
		{"a range beside itself counts", lt + "group sg: {ingress: [{protocol: '-1', cidrBlocks: [10.0.0.0/8], self: true}], egress: [{protocol: '-1', cidrBlocks: [0.0.0.0/0], self: true}]}", nil},
		{"one protocol does not count", lt + "group sg: {ingress: [{protocol: tcp, self: true}], egress: [{protocol: '-1', self: true}]}", []string{in}},
		{"another group does not count", lt + "group sg: {id: sg-1, ingress: [{protocol: '-1', securityGroups: [sg-2]}], egress: [{protocol: '-1', self: true}]}", []string{in}},
		{"entry by entry", lt + "group sg: {ingress: [{protocol: tcp, cidrBlocks: [0.0.0.0/0]}, {protocol: '-1', self: true}], egress: [{protocol: '-1', self: true}]}", nil},
		{"rules of their own", lt + "group sg: {}\nin a: {securityGroupId: $sg, referencedSecurityGroupId: $sg, ipProtocol: '-1'}\nout b: {securityGroupId: $sg, referencedSecurityGroupId: $sg, ipProtocol: '-1'}", nil},
		{"rules of their own, one by a range", lt + "group sg: {}\nin a: {securityGroupId: $sg, referencedSecurityGroupId: $sg, ipProtocol: '-1'}\nout b: {securityGroupId: $sg, cidrIpv4: 0.0.0.0/0, ipProtocol: '-1'}", []string{out}},
		{"rules of the older kind", lt + "group sg: {}\nrule a: {type: ingress, securityGroupId: $sg, sourceSecurityGroupId: $sg, protocol: '-1'}\nrule b: {type: egress, securityGroupId: $sg, self: true, protocol: '-1'}", nil},
		{"rules of another group", lt + "group sg: {}\ngroup other: {}\nin a: {securityGroupId: $other, referencedSecurityGroupId: $other, ipProtocol: '-1'}\nout b: {securityGroupId: $other, referencedSecurityGroupId: $other, ipProtocol: '-1'}", []string{in, out}},
		{"a rule whose group nobody knows yet", lt + "group sg: {egress: [{protocol: '-1', self: true}]}\nin a: {securityGroupId: '?', referencedSecurityGroupId: $sg, ipProtocol: '-1'}", []string{"warn value/unknown sg ingress"}},
		{"a rule list that nobody knows yet", lt + "group sg: {ingress: '?', egress: [{protocol: '-1', self: true}]}", []string{"warn value/unknown sg ingress"}},
		{"a group that does not exist here", "template lt: {instanceType: p5.4xlarge, nics: p5.4xlarge save-addresses sg-1}", nil},
		{"a group that nobody knows yet", "template lt: {instanceType: p5.4xlarge, networkInterfaces: [{deviceIndex: 0}, {deviceIndex: 1, interfaceType: efa-only, securityGroups: ['?']}]}", []string{"warn value/unknown lt networkInterfaces[1].securityGroups[0]"}},
		{"one of two groups is enough", "template lt: {networkInterfaces: [{deviceIndex: 0, interfaceType: efa, securityGroups: [sg-1, sg-2]}]}\ngroup a: {id: sg-1, " + both + "}\ngroup b: {id: sg-2}", nil},
		{"which of two groups nobody knows yet", "template lt: {networkInterfaces: [{deviceIndex: 0, interfaceType: efa, securityGroups: ['$a,b', '$a,b']}]}\ngroup a: {" + both + "}\ngroup b: {}", nil},
		{"each direction in a group of its own is not enough", "template lt: {networkInterfaces: [{deviceIndex: 0, interfaceType: efa, securityGroups: [sg-1, sg-2]}]}\ngroup a: {id: sg-1, ingress: [{protocol: '-1', self: true}]}\ngroup b: {id: sg-2, egress: [{protocol: '-1', self: true}]}", []string{"error sg/self-egress a egress"}},
		{"a second group that does not exist here may be the one", "template lt: {networkInterfaces: [{deviceIndex: 0, interfaceType: efa, securityGroups: [sg-1, sg-2]}]}\ngroup a: {id: sg-1, ingress: [{protocol: '-1', self: true}]}", []string{"warn sg/self-egress a egress"}},
		{"no EFA interface", "template lt: {networkInterfaces: [{deviceIndex: 0, securityGroups: [sg-1]}]}\ngroup a: {id: sg-1}", nil},
		{"a group alone", "group sg: {ingress: [{protocol: '-1', self: true}]}", []string{out}},
		{"groups alone: only the one that is half open", "group a: {}\ngroup sg: {ingress: [{protocol: '-1', self: true}]}", []string{out}},
		{"a queue's own groups", "cluster pc: {Scheduling: {SlurmQueues: [{Networking: {SecurityGroups: [sg-1]}, ComputeResources: [{InstanceType: p5.48xlarge, Efa: {Enabled: true}}]}]}}\ngroup sg: {id: sg-1, ingress: [{protocol: '-1', self: true}]}", []string{out}},
		{"groups beside ParallelCluster's own", "cluster pc: {Scheduling: {SlurmQueues: [{Networking: {AdditionalSecurityGroups: [sg-1]}, ComputeResources: [{InstanceType: p5.48xlarge, Efa: {Enabled: true}}]}]}}\ngroup sg: {id: sg-1}", nil},
	})
}

func TestOneZone(t *testing.T) {
	const (
		lt    = "template lt: {name: nodes, instanceType: p5.4xlarge, nics: p5.4xlarge}\n"
		zones = "subnet a: {id: subnet-a, availabilityZone: us-east-2a, vpcId: vpc-1}\nsubnet b: {id: subnet-b, availabilityZone: us-east-2b, vpcId: vpc-1}\n"
		asg   = "asg workers: {launchTemplate: {name: nodes}, vpcZoneIdentifiers: [subnet-a, subnet-b]}"
		queue = "cluster pc: {HeadNode: {Networking: {SubnetId: subnet-a}}, Scheduling: {SlurmQueues: [{Networking: {SubnetIds: [subnet-a, subnet-b]}, ComputeResources: [{InstanceType: p5.48xlarge, Efa: {Enabled: true}}]}]}}\n"
	)
	runAll(t, []spec{
		{"a group over two zones", lt + zones + asg, []string{"warn efa/one-zone workers vpcZoneIdentifiers"}},
		{"a group over two subnets of one zone", lt + "subnet a: {id: subnet-a, availabilityZone: us-east-2a}\nsubnet b: {id: subnet-b, availabilityZone: us-east-2a}\n" + asg, nil},
		{"a group over two subnets that are not known here", lt + asg, []string{"warn efa/one-zone workers vpcZoneIdentifiers"}},
		{"pinned by a block", "template lt: {name: nodes, instanceType: p5.4xlarge, nics: p5.4xlarge, " + onBlock + "}\n" + zones + asg, nil},
		{"pinned by a placement group", "template lt: {name: nodes, instanceType: p5.4xlarge, nics: p5.4xlarge, placement: {groupName: pg}}\n" + zones + asg, nil},
		{"a group without EFA", "template lt: {name: nodes, instanceType: m6i.large}\n" + zones + asg, nil},
		{"an EFA queue over two zones", queue + zones, []string{"error efa/one-zone pc Scheduling.SlurmQueues[0].Networking.SubnetIds"}},
		{"an EFA queue over subnets that are not known here", queue, []string{"warn efa/one-zone pc Scheduling.SlurmQueues[0].Networking.SubnetIds"}},
		{"a queue in another VPC", "cluster pc: {HeadNode: {Networking: {SubnetId: subnet-a}}, Scheduling: {SlurmQueues: [{Networking: {SubnetIds: [subnet-b]}, ComputeResources: [{InstanceType: m6i.large}]}]}}\nsubnet a: {id: subnet-a, vpcId: vpc-1}\nsubnet b: {id: subnet-b, vpcId: vpc-2}", []string{"error efa/one-zone pc Scheduling.SlurmQueues[0].Networking.SubnetIds[0]"}},
	})
}

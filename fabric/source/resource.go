package source

import (
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// adapter reads a resource in the spelling of its source.
type adapter func(tree.Node, read.Spelling, rule.Input) rule.Set

// adapters by the types of CloudFormation; those of Terraform are translated to them.
var adapters = map[string]adapter{
	"AWS::EC2::LaunchTemplate":           templateResource,
	"AWS::EC2::Instance":                 instanceResource,
	"AWS::EC2::SecurityGroup":            groupResource,
	"AWS::EC2::SecurityGroupIngress":     groupRule(rule.Known(false)),
	"AWS::EC2::SecurityGroupEgress":      groupRule(rule.Known(true)),
	"aws_security_group_rule":            groupRule(rule.Absent[bool]()),
	"AWS::EC2::Subnet":                   subnetResource,
	"AWS::EC2::PlacementGroup":           placementResource,
	"AWS::EC2::CapacityReservation":      reservation(rule.KindODCR),
	"aws_ec2_capacity_block_reservation": reservation(rule.KindBlock),
	"AWS::EC2::EC2Fleet":                 nodeGroup(rule.Fleet),
	"AWS::AutoScaling::AutoScalingGroup": nodeGroup(rule.AutoScalingGroup),
	"AWS::EKS::Nodegroup":                nodeGroup(rule.EKSNodeGroup),
	"AWS::PCS::ComputeNodeGroup":         nodeGroup(rule.PCSComputeNodeGroup),
	"AWS::Batch::ComputeEnvironment":     nodeGroup(rule.BatchComputeEnvironment),
}

var terraformTypes = map[string]string{
	"aws_launch_template":                  "AWS::EC2::LaunchTemplate",
	"aws_instance":                         "AWS::EC2::Instance",
	"aws_security_group":                   "AWS::EC2::SecurityGroup",
	"aws_default_security_group":           "AWS::EC2::SecurityGroup",
	"aws_security_group_rule":              "aws_security_group_rule",
	"aws_vpc_security_group_ingress_rule":  "AWS::EC2::SecurityGroupIngress",
	"aws_vpc_security_group_egress_rule":   "AWS::EC2::SecurityGroupEgress",
	"aws_subnet":                           "AWS::EC2::Subnet",
	"aws_default_subnet":                   "AWS::EC2::Subnet",
	"aws_placement_group":                  "AWS::EC2::PlacementGroup",
	"aws_ec2_capacity_reservation":         "AWS::EC2::CapacityReservation",
	"aws_ec2_capacity_block_reservation":   "aws_ec2_capacity_block_reservation",
	"aws_ec2_fleet":                        "AWS::EC2::EC2Fleet",
	"aws_autoscaling_group":                "AWS::AutoScaling::AutoScalingGroup",
	"aws_eks_node_group":                   "AWS::EKS::Nodegroup",
	"aws_batch_compute_environment":        "AWS::Batch::ComputeEnvironment",
	"awscc_ec2_launch_template":            "AWS::EC2::LaunchTemplate",
	"awscc_ec2_capacity_reservation":       "AWS::EC2::CapacityReservation",
	"awscc_autoscaling_auto_scaling_group": "AWS::AutoScaling::AutoScalingGroup",
	"awscc_eks_nodegroup":                  "AWS::EKS::Nodegroup",
	"awscc_pcs_compute_node_group":         "AWS::PCS::ComputeNodeGroup",
}

func templateResource(n tree.Node, spell read.Spelling, in rule.Input) rule.Set {
	data := n.Get(spell("launchTemplateData"))
	if !data.Is() {
		data = n // Terraform's classic provider has no such section
	}
	launch := read.Launch(data, spell)
	in.Alias = n.First(spell("launchTemplateName"), spell("name")).Text()
	return rule.Set{Templates: []rule.LaunchTemplate{{Input: in, Launch: launch, Maker: read.MakerOf(launch.Tags)}}}
}

func instanceResource(n tree.Node, spell read.Spelling, in rule.Input) rule.Set {
	template := n.Get(spell("launchTemplate"))
	ref := template.First(spell("launchTemplateId"), spell("id"), spell("launchTemplateName"), spell("name"))
	return rule.Set{Instances: []rule.Instance{{Input: in, Launch: read.Launch(n, spell), Template: ref.Text()}}}
}

func groupResource(n tree.Node, spell read.Spelling, in rule.Input) rule.Set {
	in.Alias = n.First(spell("groupName"), spell("name")).Text()
	g := read.SecurityGroup(n, spell, in)
	if spell("ingress") == "Ingress" { // CloudFormation, whose sections have longer names
		for name, list := range map[string]*rule.List[rule.Permission]{"SecurityGroupIngress": &g.Ingress, "SecurityGroupEgress": &g.Egress} {
			if list.IsAbsent() {
				*list = list.At(tree.Join(n.Path, name))
			}
		}
	}
	return rule.Set{SecurityGroups: []rule.SecurityGroup{g}}
}

func groupRule(egress rule.Value[bool]) adapter {
	return func(n tree.Node, spell read.Spelling, in rule.Input) rule.Set {
		return rule.Set{SecurityGroupRules: []rule.SecurityGroupRule{read.SecurityGroupRule(n, spell, egress, in)}}
	}
}

func subnetResource(n tree.Node, spell read.Spelling, in rule.Input) rule.Set {
	return rule.Set{Subnets: []rule.Subnet{read.Subnet(n, spell, in)}}
}

func placementResource(n tree.Node, spell read.Spelling, in rule.Input) rule.Set {
	in.Alias = n.First(spell("groupName"), spell("name")).Text()
	return rule.Set{PlacementGroups: []rule.PlacementGroup{{Input: in, Strategy: n.Get(spell("strategy")).Text()}}}
}

func reservation(kind string) adapter {
	return func(n tree.Node, spell read.Spelling, in rule.Input) rule.Set {
		return rule.Set{Reservations: []rule.Reservation{read.Reservation(n, spell, kind, in)}}
	}
}

func nodeGroup(kind rule.GroupKind) adapter {
	return func(n tree.Node, spell read.Spelling, in rule.Input) rule.Set {
		in.Alias = n.First(spell("autoScalingGroupName"), spell("nodegroupName"), spell("nodeGroupName"), spell("computeEnvironmentName"), spell("name")).Text()
		return rule.Set{Groups: []rule.NodeGroup{read.NodeGroup(kind, n, spell, in)}}
	}
}

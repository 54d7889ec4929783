package standin

import (
	"strings"
)

const (
	lustreType      = "aws:fsx/lustreFileSystem:LustreFileSystem"
	efsType         = "aws:efs/fileSystem:FileSystem"
	mountTargetType = "aws:efs/mountTarget:MountTarget"
	bucketType      = "aws:s3/bucketV2:BucketV2"
	objectType      = "aws:s3/bucketObjectv2:BucketObjectv2"
	instanceType    = "aws:ec2/instance:Instance"
)

// hold is a kind of resource that keeps another from being deleted, because a property of it names the other.
type hold struct {
	typ, property string
}

// dependencies says, of each type, what keeps it from being deleted, and in which words.
var dependencies = []struct {
	typ, code, message string
	holds              []hold
	source             string
}{
	{
		vpcType, "DependencyViolation", "The vpc '%s' has dependencies and cannot be deleted.",
		[]hold{
			{subnetType, "vpcId"}, {gatewayType, "vpcId"}, {tableType, "vpcId"}, {groupType, "vpcId"}, {endpointType, "vpcId"},
		},
		"VPC User Guide, \"Delete your VPC\"; code and text are EC2's own",
	},
	{
		subnetType, "DependencyViolation", "The subnet '%s' has dependencies and cannot be deleted.",
		[]hold{
			{natType, "subnetId"},
			{endpointType, "subnetIds"},
			{lustreType, "subnetIds"},
			{mountTargetType, "subnetId"},
			{instanceType, "subnetId"},
		},
		"VPC User Guide, \"Delete a subnet\": network interfaces in it; code and text are EC2's own",
	},
	{
		groupType, "DependencyViolation", "resource %s has a dependent object",
		[]hold{
			{endpointType, "securityGroupIds"},
			{lustreType, "securityGroupIds"},
			{mountTargetType, "securityGroups"},
			{instanceType, "vpcSecurityGroupIds"},
		},
		"VPC User Guide, \"Delete a security group\": interfaces that have it; code and text are EC2's own",
	},
	{
		tableType, "DependencyViolation", "The routeTable '%s' has dependencies and cannot be deleted.",
		[]hold{{associationType, "routeTableId"}},
		"VPC User Guide, \"Delete a route table\"; code and text are EC2's own",
	},
	{
		addressType, "InvalidIPAddress.InUse", "Address %s is in use.",
		[]hold{{natType, "allocationId"}},
		"EC2 API Reference, ReleaseAddress; the code is EC2's own",
	},
	{
		efsType, "FileSystemInUse", "The file system '%s' has mount targets and cannot be deleted.",
		[]hold{{mountTargetType, "fileSystemId"}},
		"EFS API Reference, DeleteFileSystem; the code is EFS's own",
	},
	{
		documentType, "AssociatedInstances", "You must disassociate the document %s from all managed nodes before you can delete it.",
		[]hold{{docAssociationType, "name"}},
		"Systems Manager API Reference, DeleteDocument; the code is its own",
	},
	{
		ruleType, "ValidationException", "Rule %s can't be deleted since it has targets.",
		[]hold{{targetType, "rule"}},
		"EventBridge API Reference, DeleteRule: targets go first; the code is EventBridge's own",
	},
	{
		roleType, "DeleteConflict", "Cannot delete entity %s, must delete policies first.",
		[]hold{{rolePolicyType, "role"}, {attachmentType, "role"}},
		"IAM API Reference, DeleteRole: policies go first; the code is IAM's own",
	},
}

var deleteRefusals = append(dependencyRefusals(), []refusal{
	{
		id: "group-referenced", ops: []string{opDelete}, types: []string{groupType},
		source: "VPC User Guide, \"Delete a security group\": rules of other groups that name it; code and text are EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			for _, typ := range []string{ingressType, egressType} {
				for _, id := range having(r.World, typ, "referencedSecurityGroupId", r.ID) {
					if rule, _ := r.World.Get(typ, id); rule.Inputs.Text("securityGroupId") != r.ID {
						return complain("DependencyViolation", "resource %s has a dependent object", r.ID)
					}
				}
			}
			return nil
		},
	},
	{
		id: "cluster-inside", ops: []string{opDelete}, types: []string{subnetType, groupType},
		source: "the instances of a ParallelCluster stack keep the subnets and groups that its template names; the code is EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			for _, id := range r.World.IDs(stackType) {
				stack, _ := r.World.Get(stackType, id)
				inside := strings.Contains(stack.Inputs.Text("templateBody"), r.ID) || stack.Inputs.Object("parameters").Mentions(r.ID)
				if inside {
					return complain("DependencyViolation", "resource %s has a dependent object: instances of the stack %s", r.ID, stack.Inputs.Text("name"))
				}
			}
			return nil
		},
	},
	{
		id: "gateway-addresses", ops: []string{opDelete}, types: []string{gatewayType},
		source: "VPC User Guide, \"Delete an internet gateway\": not while public addresses go through it; code and text are EC2's own",
		judge: func(r Request, _ *StandIn) *complaint {
			gateway, _ := r.World.Get(gatewayType, r.ID)
			vpc := gateway.Inputs.Text("vpcId")
			for _, subnet := range having(r.World, subnetType, "vpcId", vpc) {
				for _, id := range having(r.World, natType, "subnetId", subnet) {
					if nat, _ := r.World.Get(natType, id); nat.Inputs.Text("connectivityType") != "private" {
						return complain("DependencyViolation", "Network %s has some mapped public address(es). Please unmap those public "+
							"address(es) before detaching the gateway.", vpc)
					}
				}
			}
			return nil
		},
	},
	{
		id: "bucket-not-empty", ops: []string{opDelete}, types: []string{bucketType},
		source: "S3 API Reference, DeleteBucket; code and text are S3's own. forceDestroy empties the bucket first",
		judge: func(r Request, _ *StandIn) *complaint {
			if r.Inputs.True("forceDestroy") || len(having(r.World, objectType, "bucket", r.ID)) == 0 {
				return nil
			}
			return complain("BucketNotEmpty", "The bucket you tried to delete is not empty")
		},
	},
}...)

func dependencyRefusals() []refusal {
	var list []refusal
	for _, d := range dependencies {
		list = append(list, refusal{
			id: "in-use", ops: []string{opDelete}, types: []string{d.typ}, source: d.source,
			judge: func(r Request, _ *StandIn) *complaint {
				for _, h := range d.holds {
					if len(having(r.World, h.typ, h.property, r.ID)) > 0 {
						return complain(d.code, d.message, r.ID)
					}
				}
				return nil
			},
		})
	}
	return list
}

package permission

import "github.com/weft-hpc/weft/fabric/plan"

// parts of a stack, in the order of the policy.
func parts() []part {
	return []part{network(), securityGroup(), storage(), scripts(), stacks(), template(), image(), guard()}
}

// tags of EC2 are made with the resource and changed after.
func tagged(actions ...string) []string { return append(actions, "ec2:CreateTags", "ec2:DeleteTags") }

func network() part {
	return part{
		name: "Network", wanted: func(p plan.Cluster) bool { return p.Network.Create }, on: map[string][]string{"ec2": {"ec2:*"}},
		types: map[string][]string{
			"aws:ec2/vpc:Vpc": tagged(
				"ec2:CreateVpc", "ec2:DeleteVpc", "ec2:DescribeNetworkAcls", "ec2:DescribeRouteTables", "ec2:DescribeSecurityGroups",
				"ec2:DescribeVpcAttribute", "ec2:DescribeVpcs", "ec2:ModifyVpcAttribute",
			),
			"aws:ec2/subnet:Subnet": tagged(
				"ec2:CreateSubnet", "ec2:DeleteSubnet", "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:ModifySubnetAttribute",
			),
			"aws:ec2/internetGateway:InternetGateway": tagged(
				"ec2:AttachInternetGateway", "ec2:CreateInternetGateway", "ec2:DeleteInternetGateway", "ec2:DescribeInternetGateways", "ec2:DetachInternetGateway",
			),
			"aws:ec2/eip:Eip": tagged(
				"ec2:AllocateAddress", "ec2:DescribeAddresses", "ec2:DescribeAddressesAttribute", "ec2:DisassociateAddress", "ec2:ReleaseAddress",
			),
			"aws:ec2/natGateway:NatGateway": tagged("ec2:CreateNatGateway", "ec2:DeleteNatGateway", "ec2:DescribeNatGateways"),
			"aws:ec2/routeTable:RouteTable": tagged(
				"ec2:CreateRoute", "ec2:CreateRouteTable", "ec2:DeleteRoute", "ec2:DeleteRouteTable", "ec2:DescribeRouteTables",
				"ec2:DisassociateRouteTable", "ec2:ReplaceRoute",
			),
			"aws:ec2/routeTableAssociation:RouteTableAssociation": {
				"ec2:AssociateRouteTable", "ec2:DescribeRouteTables", "ec2:DisassociateRouteTable", "ec2:ReplaceRouteTableAssociation",
			},
			"aws:ec2/vpcEndpoint:VpcEndpoint": tagged(
				"ec2:CreateVpcEndpoint", "ec2:DeleteVpcEndpoints", "ec2:DescribePrefixLists", "ec2:DescribeVpcEndpoints", "ec2:ModifyVpcEndpoint",
			),
		},
	}
}

// securityGroup is made where the config names none, in a network of the user's too.
func securityGroup() part {
	return part{
		name: "SecurityGroup", wanted: func(p plan.Cluster) bool { return len(p.Network.SecurityGroups) == 0 }, on: map[string][]string{"ec2": {"ec2:*"}},
		types: map[string][]string{
			"aws:ec2/securityGroup:SecurityGroup": tagged(
				"ec2:CreateSecurityGroup", "ec2:DeleteSecurityGroup", "ec2:DescribeNetworkInterfaces", "ec2:DescribeSecurityGroups",
				"ec2:RevokeSecurityGroupEgress", "ec2:RevokeSecurityGroupIngress",
			),
			"aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": tagged(
				"ec2:AuthorizeSecurityGroupEgress", "ec2:DescribeSecurityGroupRules", "ec2:ModifySecurityGroupRules", "ec2:RevokeSecurityGroupEgress",
			),
			"aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": tagged(
				"ec2:AuthorizeSecurityGroupIngress", "ec2:DescribeSecurityGroupRules", "ec2:ModifySecurityGroupRules", "ec2:RevokeSecurityGroupIngress",
			),
		},
	}
}

func storage() part {
	linked := "iam:CreateServiceLinkedRole"
	return part{
		name: "Storage", wanted: hasStorage,
		on: map[string][]string{
			"ec2": {"ec2:*"}, "elasticfilesystem": {"elasticfilesystem:file-system/*"},
			"fsx": {"fsx:association/*", "fsx:file-system/*"},
			"iam": {"iam:role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/*"},
		},
		when: map[string]Condition{linked: {"StringEquals": {"iam:AWSServiceName": {
			"elasticfilesystem.amazonaws.com", "fsx.amazonaws.com", "s3.data-source.lustre.fsx.amazonaws.com",
		}}}},
		types: map[string][]string{
			"aws:efs/fileSystem:FileSystem": {
				"elasticfilesystem:CreateFileSystem", "elasticfilesystem:DeleteFileSystem", "elasticfilesystem:DescribeFileSystems",
				"elasticfilesystem:DescribeLifecycleConfiguration", "elasticfilesystem:TagResource", "elasticfilesystem:UntagResource",
				"elasticfilesystem:UpdateFileSystem", linked,
			},
			"aws:efs/mountTarget:MountTarget": {
				"ec2:CreateNetworkInterface", "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "elasticfilesystem:CreateMountTarget",
				"elasticfilesystem:DeleteMountTarget", "elasticfilesystem:DescribeMountTargetSecurityGroups",
				"elasticfilesystem:DescribeMountTargets", "elasticfilesystem:ModifyMountTargetSecurityGroups",
			},
			"aws:fsx/lustreFileSystem:LustreFileSystem": {
				"fsx:CreateFileSystem", "fsx:DeleteFileSystem", "fsx:DescribeFileSystems", "fsx:ListTagsForResource", "fsx:TagResource",
				"fsx:UntagResource", "fsx:UpdateFileSystem", linked,
			},
			"aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": {
				"fsx:CreateDataRepositoryAssociation", "fsx:DeleteDataRepositoryAssociation", "fsx:DescribeDataRepositoryAssociations",
				"fsx:ListTagsForResource", "fsx:TagResource", "fsx:UntagResource", "fsx:UpdateDataRepositoryAssociation",
				"iam:AttachRolePolicy", "iam:PutRolePolicy", linked,
			},
		},
	}
}

func scripts() part {
	return part{
		name: "Scripts", wanted: hasScripts, on: map[string][]string{"s3": {"s3:{bucket}-*", "s3:{bucket}-*/*"}},
		types: map[string][]string{
			"aws:s3/bucketV2:BucketV2": {
				"s3:CreateBucket", "s3:DeleteBucket", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetAccelerateConfiguration", "s3:GetBucketAcl",
				"s3:GetBucketCORS", "s3:GetBucketLogging", "s3:GetBucketObjectLockConfiguration", "s3:GetBucketPolicy", "s3:GetBucketRequestPayment",
				"s3:GetBucketTagging", "s3:GetBucketVersioning", "s3:GetBucketWebsite", "s3:GetEncryptionConfiguration",
				"s3:GetLifecycleConfiguration", "s3:GetReplicationConfiguration", "s3:ListBucket", "s3:ListBucketVersions", "s3:PutBucketTagging",
			},
			"aws:s3/bucketVersioningV2:BucketVersioningV2": {"s3:GetBucketVersioning", "s3:PutBucketVersioning"},
			"aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2": {
				"s3:GetEncryptionConfiguration", "s3:PutEncryptionConfiguration",
			},
			"aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": {"s3:GetBucketPublicAccessBlock", "s3:PutBucketPublicAccessBlock"},
			"aws:s3/bucketPolicy:BucketPolicy":                       {"s3:DeleteBucketPolicy", "s3:GetBucketPolicy", "s3:PutBucketPolicy"},
			"aws:s3/bucketObjectv2:BucketObjectv2": {
				"s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject", "s3:GetObjectTagging", "s3:ListBucket", "s3:ListBucketVersions", "s3:PutObject",
			},
		},
	}
}

func stacks() part {
	return part{
		name: "Stack", wanted: anyPlan,
		on: map[string][]string{
			"cloudformation": {"cloudformation:stack/{stack}/*", "cloudformation:stack/{stack}-provider/*"},
			"iam":            {"iam:policy/parallelcluster/{cluster}-*"},
		},
		types: map[string][]string{
			"aws:cloudformation/stack:Stack": {
				"cloudformation:CreateStack", "cloudformation:DeleteStack", "cloudformation:DescribeStackEvents", "cloudformation:DescribeStacks",
				"cloudformation:GetTemplate", "cloudformation:TagResource", "cloudformation:UntagResource", "cloudformation:UpdateStack",
			},
			"aws:iam/policy:Policy": {
				"iam:CreatePolicy", "iam:CreatePolicyVersion", "iam:DeletePolicy", "iam:DeletePolicyVersion", "iam:GetPolicy", "iam:GetPolicyVersion",
				"iam:ListPolicyVersions", "iam:TagPolicy", "iam:UntagPolicy",
			},
		},
	}
}

func template() part {
	return part{
		name: "Template", wanted: hasTemplate, on: map[string][]string{"ec2": {"ec2:launch-template/*"}},
		types: map[string][]string{
			"aws:ec2/launchTemplate:LaunchTemplate": tagged(
				"ec2:CreateLaunchTemplate", "ec2:CreateLaunchTemplateVersion", "ec2:DeleteLaunchTemplate", "ec2:DescribeLaunchTemplateVersions",
				"ec2:DescribeLaunchTemplates", "ec2:ModifyLaunchTemplate",
			),
		},
	}
}

func image() part {
	const linked, profile = "iam:CreateServiceLinkedRole", "iam:instance-profile/{cluster}-*"
	build := Condition{"ArnEquals": {"iam:PolicyARN": {
		"arn:{partition}:iam::aws:policy/AmazonSSMManagedInstanceCore", "arn:{partition}:iam::aws:policy/EC2InstanceProfileForImageBuilder",
	}}}
	made := func(kind string, more ...string) []string {
		return append(more, "imagebuilder:Create"+kind, "imagebuilder:Delete"+kind, "imagebuilder:Get"+kind, "imagebuilder:TagResource", "imagebuilder:UntagResource")
	}
	return part{
		name: "Image", wanted: hasImage,
		on: map[string][]string{"iam": {"iam:role/{cluster}-*", profile}, "imagebuilder": {"imagebuilder:*"}},
		when: map[string]Condition{
			"iam:AttachRolePolicy": build, "iam:DetachRolePolicy": build, "iam:PassRole": passes("ec2.{suffix}"),
			linked: {"StringEquals": {"iam:AWSServiceName": {"imagebuilder.amazonaws.com"}}},
		},
		types: map[string][]string{
			"aws:imagebuilder/component:Component": made("Component"),
			"aws:imagebuilder/distributionConfiguration:DistributionConfiguration": made(
				"DistributionConfiguration", "imagebuilder:UpdateDistributionConfiguration", linked,
			),
			"aws:imagebuilder/image:Image": made(
				"Image", "imagebuilder:CancelImageCreation", "imagebuilder:GetDistributionConfiguration", "imagebuilder:GetImageRecipe",
				"imagebuilder:GetInfrastructureConfiguration", linked,
			),
			"aws:imagebuilder/imagePipeline:ImagePipeline": made("ImagePipeline", "imagebuilder:GetImageRecipe", "imagebuilder:UpdateImagePipeline", linked),
			"aws:imagebuilder/imageRecipe:ImageRecipe":     made("ImageRecipe", "ec2:DescribeImages", "imagebuilder:GetComponent", "imagebuilder:GetImage", linked),
			"aws:imagebuilder/infrastructureConfiguration:InfrastructureConfiguration": made(
				"InfrastructureConfiguration", "iam:PassRole", "imagebuilder:UpdateInfrastructureConfiguration",
			),
			"aws:iam/instanceProfile:InstanceProfile": {
				"iam:AddRoleToInstanceProfile", "iam:CreateInstanceProfile", "iam:DeleteInstanceProfile", "iam:GetInstanceProfile", "iam:GetRole",
				"iam:PassRole", "iam:RemoveRoleFromInstanceProfile", "iam:TagInstanceProfile", "iam:UntagInstanceProfile",
			},
			"aws:iam/role:Role": {
				"iam:CreateRole", "iam:DeleteRole", "iam:GetRole", "iam:ListAttachedRolePolicies", "iam:ListInstanceProfilesForRole",
				"iam:ListRolePolicies", "iam:TagRole", "iam:UntagRole", "iam:UpdateAssumeRolePolicy",
			},
			"aws:iam/rolePolicy:RolePolicy":                     {"iam:DeleteRolePolicy", "iam:GetRolePolicy", "iam:PutRolePolicy"},
			"aws:iam/rolePolicyAttachment:RolePolicyAttachment": {"iam:AttachRolePolicy", "iam:DetachRolePolicy", "iam:ListAttachedRolePolicies"},
		},
	}
}

// guard's actions are the guard's to list.
func guard() part {
	role := of("the role that the rules use")
	return part{
		name: "Guard", wanted: hasGuard,
		on: map[string][]string{
			"events": {"events:rule/{guard}-*"}, "iam": {"iam:role/{guard}-guard-*"},
			"ssm": {"ec2:instance/*", "ssm:association/*", "ssm:document/{document}-*"},
		},
		when: map[string]Condition{"iam:PassRole": passes("events.amazonaws.com")},
		types: map[string][]string{
			"aws:ssm/document:Document":              of("the document"),
			"aws:ssm/association:Association":        of("its run on the head node"),
			"aws:cloudwatch/eventRule:EventRule":     of("the rules"),
			"aws:cloudwatch/eventTarget:EventTarget": of("the rules"),
			"aws:iam/role:Role":                      role,
			"aws:iam/rolePolicy:RolePolicy":          role,
		},
	}
}

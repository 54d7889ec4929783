package read_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

func parse(t *testing.T, text string) tree.Node {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return tree.New("", value)
}

func registered(t *testing.T, token, properties string) rule.Set {
	t.Helper()
	require.True(t, read.Reads(token), token)
	return read.Registered(read.Resource{Type: token, URN: "urn", Properties: parse(t, properties)})
}

func TestSpelling(t *testing.T) {
	for _, name := range []string{"networkInterfaces", "associatePublicIpAddress"} {
		require.Equal(t, name, read.Camel(name))
	}
	require.Equal(t, "NetworkInterfaces", read.Pascal("networkInterfaces"))
	require.Equal(t, "associate_public_ip_address", read.Snake("associatePublicIpAddress"))
	require.Empty(t, read.Pascal(""))
}

// One template in the words of each source says the same.
func TestOneTemplateInEverySpelling(t *testing.T) {
	for _, tt := range []struct {
		spell read.Spelling
		text  string
	}{
		{read.Camel, `{"instanceType": "p5.48xlarge", "imageId": "ami-1", "placement": {"groupName": "pg"}, "instanceMarketOptions": {"marketType": "capacity-block"},
			"networkInterfaces": [{"networkCardIndex": 1, "deviceIndex": 1, "interfaceType": "efa", "securityGroups": ["sg-1"], "deleteOnTermination": "true"}]}`},
		{read.Pascal, `{"InstanceType": "p5.48xlarge", "ImageId": "ami-1", "Placement": {"GroupName": "pg"}, "InstanceMarketOptions": {"MarketType": "capacity-block"},
			"NetworkInterfaces": [{"NetworkCardIndex": 1, "DeviceIndex": 1, "InterfaceType": "efa", "Groups": ["sg-1"], "DeleteOnTermination": true}]}`},
		{read.Snake, `{"instance_type": "p5.48xlarge", "image_id": "ami-1", "placement": [{"group_name": "pg"}], "instance_market_options": [{"market_type": "capacity-block"}],
			"network_interfaces": [{"network_card_index": 1, "device_index": 1, "interface_type": "efa", "security_groups": ["sg-1"], "delete_on_termination": "true"}]}`},
	} {
		l := read.Launch(parse(t, tt.text), tt.spell)
		require.Equal(t, "p5.48xlarge", l.InstanceType.Or(""))
		require.Equal(t, "ami-1", l.Image.Or(""))
		require.Equal(t, "pg", l.PlacementGroup.Or(""))
		require.Equal(t, rule.MarketBlock, l.Market.Or(""))
		i := l.Interfaces.Items[0]
		require.Equal(t, 1, i.Card.Or(0))
		require.Equal(t, 1, i.Device.Or(0))
		require.Equal(t, "efa", i.Type.Or(""))
		require.Equal(t, "sg-1", i.SecurityGroups.Items[0].Or(""))
		require.True(t, rule.IsTrue(i.DeleteOnTermination))
		require.Equal(t, tt.spell("networkInterfaces")+"[0]."+tt.spell("deviceIndex"), i.Device.Path)
	}
}

func TestLaunchTemplates(t *testing.T) {
	classic := registered(t, "aws:ec2/launchTemplate:LaunchTemplate", `{"id": "lt-1", "name": "nodes", "instanceType": "p5.48xlarge",
		"tagSpecifications": [{"resourceType": "volume", "tags": {}}, {"resourceType": "instance", "tags": {"alpha.eksctl.io/cluster-name": "c"}}]}`).Templates[0]
	require.Equal(t, "lt-1", classic.ID.Or(""))
	require.Equal(t, "nodes", classic.Alias.Or(""))
	require.Equal(t, rule.MakerEKSCTL, classic.Maker.Tool)

	native := registered(t, "aws-native:ec2:LaunchTemplate", `{"launchTemplateId": "lt-1", "launchTemplateName": "nodes", "launchTemplateData": {"instanceType": "p5.48xlarge",
		"networkInterfaces": [{"groups": ["sg-1"]}], "tagSpecifications": [{"resourceType": "instance", "tags": [{"key": "parallelcluster:attributes", "value": "ubuntu2204, slurm, 3.15.1, x86_64"}]}]}}`).Templates[0]
	require.Equal(t, "lt-1", native.ID.Or(""))
	require.Equal(t, "p5.48xlarge", native.InstanceType.Or(""))
	require.Equal(t, "launchTemplateData.networkInterfaces[0].groups[0]", native.Interfaces.Items[0].SecurityGroups.Items[0].Path)
	require.Equal(t, rule.Maker{Tool: rule.MakerParallelCluster, Version: "3.15.1"}, native.Maker)
}

func TestNodeGroups(t *testing.T) {
	for token, tt := range map[string]struct {
		text string
		kind rule.GroupKind
	}{
		"aws:autoscaling/group:Group":                     {`{"launchTemplate": {"id": "lt-1"}, "vpcZoneIdentifiers": ["subnet-1"], "maxSize": 4}`, rule.AutoScalingGroup},
		"aws-native:autoscaling:AutoScalingGroup":         {`{"mixedInstancesPolicy": {"launchTemplate": {"launchTemplateSpecification": {"launchTemplateId": "lt-1"}, "overrides": [{"instanceType": "p5.48xlarge"}]}}, "vpcZoneIdentifier": ["subnet-1"], "maxSize": "4"}`, rule.AutoScalingGroup},
		"aws:eks/nodeGroup:NodeGroup":                     {`{"launchTemplate": {"id": "lt-1", "version": "1"}, "instanceTypes": ["p5.48xlarge"], "subnetIds": ["subnet-1"], "scalingConfig": {"maxSize": 4}, "capacityType": "CAPACITY_BLOCK"}`, rule.EKSNodeGroup},
		"aws-native:eks:Nodegroup":                        {`{"launchTemplate": {"id": "lt-1"}, "subnets": ["subnet-1"], "scalingConfig": {"maxSize": 4}}`, rule.EKSNodeGroup},
		"aws-native:pcs:ComputeNodeGroup":                 {`{"customLaunchTemplate": {"templateId": "lt-1", "version": "1"}, "instanceConfigs": [{"instanceType": "p5.48xlarge"}], "subnetIds": ["subnet-1"], "scalingConfiguration": {"maxInstanceCount": 4}}`, rule.PCSComputeNodeGroup},
		"aws:ec2/fleet:Fleet":                             {`{"launchTemplateConfigs": [{"launchTemplateSpecification": {"launchTemplateId": "lt-1", "version": "1"}, "overrides": [{"instanceType": "p5.48xlarge", "subnetId": "subnet-1"}]}], "targetCapacitySpecification": {"totalTargetCapacity": 4, "defaultTargetCapacityType": "capacity-block"}}`, rule.Fleet},
		"aws:batch/computeEnvironment:ComputeEnvironment": {`{"computeResources": {"launchTemplate": {"launchTemplateId": "lt-1"}, "instanceTypes": ["p5.48xlarge"], "subnets": ["subnet-1"], "placementGroup": "pg"}}`, rule.BatchComputeEnvironment},
	} {
		g := registered(t, token, tt.text).Groups[0]
		require.Equal(t, tt.kind, g.Kind, token)
		require.Equal(t, "lt-1", g.Template.Or(""), token)
		require.Equal(t, "subnet-1", g.Subnets.Items[0].Or(""), token)
		if tt.kind != rule.BatchComputeEnvironment {
			require.Equal(t, 4, g.Max.Or(0), token)
		}
		if g.InstanceTypes.Len() > 0 {
			require.Equal(t, "p5.48xlarge", g.InstanceTypes.Items[0].Or(""), token)
		}
		require.Equal(t, tt.kind == rule.Fleet || token == "aws:eks/nodeGroup:NodeGroup", g.AsksForBlock(), token)
	}
	require.Equal(t, rule.GroupKind("pool"), read.NodeGroup("pool", tree.Node{}, read.Camel, rule.Input{}).Kind)
}

func TestSecurityGroups(t *testing.T) {
	for token, text := range map[string]string{
		"aws:ec2/securityGroup:SecurityGroup": `{"id": "sg-1", "vpcId": "vpc-1", "ingress": [{"protocol": "-1", "securityGroups": ["sg-1"], "cidrBlocks": ["10.0.0.0/8"], "ipv6CidrBlocks": ["::/0"]}], "egress": [{"protocol": "-1", "self": true}]}`,
		"aws-native:ec2:SecurityGroup":        `{"groupId": "sg-1", "vpcId": "vpc-1", "securityGroupIngress": [{"ipProtocol": "-1", "sourceSecurityGroupId": "sg-1", "cidrIp": "10.0.0.0/8", "cidrIpv6": "::/0"}], "securityGroupEgress": [{"ipProtocol": "-1", "destinationSecurityGroupId": "sg-1"}]}`,
	} {
		g := registered(t, token, text).SecurityGroups[0]
		require.Equal(t, "sg-1", g.ID.Or(""))
		require.Equal(t, "sg-1", g.Ingress.Items[0].Groups.Items[0].Or(""))
		require.Equal(t, 2, g.Ingress.Items[0].CIDRs.Len())
		require.Equal(t, 1, g.Egress.Len())
	}
	for token, tt := range map[string]struct {
		text   string
		egress bool
	}{
		"aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {`{"securityGroupId": "sg-1", "referencedSecurityGroupId": "sg-1", "ipProtocol": "-1"}`, false},
		"aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule":   {`{"securityGroupId": "sg-1", "referencedSecurityGroupId": "sg-1", "ipProtocol": "-1"}`, true},
		"aws:ec2/securityGroupRule:SecurityGroupRule":               {`{"type": "egress", "securityGroupId": "sg-1", "sourceSecurityGroupId": "sg-1", "protocol": "-1"}`, true},
		"aws-native:ec2:SecurityGroupIngress":                       {`{"groupId": "sg-1", "sourceSecurityGroupId": "sg-1", "ipProtocol": "-1"}`, false},
		"aws-native:ec2:SecurityGroupEgress":                        {`{"groupId": "sg-1", "destinationSecurityGroupId": "sg-1", "ipProtocol": "-1"}`, true},
	} {
		r := registered(t, token, tt.text).SecurityGroupRules[0]
		require.Equal(t, tt.egress, rule.IsTrue(r.Egress), token)
		require.Equal(t, "sg-1", r.Group.Or(""), token)
		require.Equal(t, "sg-1", r.Groups.Items[0].Or(""), token)
		require.Equal(t, "-1", r.Protocol.Or(""), token)
	}
}

func TestOtherResources(t *testing.T) {
	instance := registered(t, "aws:ec2/instance:Instance", `{"ami": "ami-1", "instanceType": "p5.48xlarge", "placementGroup": "pg", "vpcSecurityGroupIds": ["sg-1"], "launchTemplate": {"id": "lt-1"}}`).Instances[0]
	require.Equal(t, "ami-1", instance.Image.Or(""))
	require.Equal(t, "pg", instance.PlacementGroup.Or(""))
	require.Equal(t, "lt-1", instance.Template.Or(""))
	require.Equal(t, 1, instance.SecurityGroups.Len())

	subnet := registered(t, "aws:ec2/subnet:Subnet", `{"id": "subnet-1", "vpcId": "vpc-1", "availabilityZone": "us-east-2a", "mapPublicIpOnLaunch": true}`).Subnets[0]
	require.True(t, rule.IsTrue(subnet.MapPublicIP))
	block := registered(t, "aws:ec2/capacityBlockReservation:CapacityBlockReservation", `{"id": "cr-1", "instanceCount": 4}`).Reservations[0]
	require.Equal(t, rule.KindBlock, block.Kind.Or(""))
	require.Equal(t, 4, block.Count.Or(0))
	require.Equal(t, rule.KindODCR, registered(t, "aws:ec2/capacityReservation:CapacityReservation", `{}`).Reservations[0].Kind.Or(""))
	require.Equal(t, "cluster", registered(t, "aws:ec2/placementGroup:PlacementGroup", `{"strategy": "cluster"}`).PlacementGroups[0].Strategy.Or(""))
	require.Equal(t, "3.16.1", registered(t, "aws:ec2/ami:Ami", `{"tags": {"parallelcluster:version": "3.16.1"}}`).Images[0].Tags["parallelcluster:version"].Or(""))
	require.Equal(t, "image component efa", registered(t, "aws:imagebuilder/component:Component", `{"name": "efa", "data": "x"}`).NodeScripts[0].What)
	require.Empty(t, registered(t, "aws:imagebuilder/component:Component", `{"uri": "s3://x"}`).NodeScripts)
	require.False(t, read.Reads("aws:s3/bucket:Bucket"))
	require.False(t, read.Reads("nothing"))
	require.Equal(t, rule.Set{}, read.Registered(read.Resource{Type: "aws:s3/bucket:Bucket"}))
}

func TestStacksOfParallelCluster(t *testing.T) {
	body := func(configuration string) string {
		return `{"Resources": {"Other": {"Type": "AWS::SNS::Topic"}, "C": {"Type": "Custom::PclusterCluster", "Properties": {"ClusterConfiguration": ` + configuration + `}}}}`
	}
	stack := func(text string) rule.Set {
		return read.Stack([]read.Resource{
			{Type: "aws:cloudformation/stack:Stack", URN: "cluster", Properties: tree.New("", map[string]any{"templateBody": text, "parameters": tree.Hidden("", "provider")})},
			{Type: "aws:cloudformation/stack:Stack", URN: "provider", Properties: tree.New("", map[string]any{
				"templateUrl": "https://us-east-2-aws-parallelcluster.s3.us-east-2.amazonaws.com/parallelcluster/3.16.1/templates/custom_resource/cluster.yaml",
			})},
		})
	}
	set := stack(body(`{"Image": {"Os": "ubuntu2204"}, "HeadNode": {"Networking": {"SubnetId": {"Ref": "Subnet"}}}}`))
	require.Equal(t, "ubuntu2204", set.Clusters[0].OS.Or(""))
	require.Equal(t, "templateBody.Resources.C.Properties.ClusterConfiguration.Image.Os", set.Clusters[0].OS.Path)
	require.True(t, set.Clusters[0].Head.Subnet.IsUnknown(), "an intrinsic that nobody resolves")
	require.Equal(t, "3.16.1", set.Clusters[0].Version.Or(""))

	set = stack("Resources:\n  C:\n    Type: Custom::PclusterCluster\n    Properties:\n      ClusterConfiguration:\n        Image: {Os: rhel9}\n")
	require.Equal(t, "rhel9", set.Clusters[0].OS.Or(""))
	set = stack(body(`"Image:\n  Os: rhel8\n"`))
	require.Equal(t, "rhel8", set.Clusters[0].OS.Or(""))

	require.Empty(t, stack(`{"Resources": {}}`).Clusters)
	require.Len(t, stack("Custom::PclusterCluster: {").Unread, 1, "no template")
	unknown := read.Stack([]read.Resource{{Type: "aws:cloudformation/stack:Stack", URN: "cluster", Properties: tree.New("", map[string]any{"templateBody": tree.Hidden("")})}})
	require.Len(t, unknown.Unread, 1)
	require.Len(t, rule.Judge(unknown, rule.Options{}), 1)
}

func FuzzTemplate(f *testing.F) {
	f.Add(`{"Resources": {"C": {"Type": "Custom::PclusterCluster", "Properties": {"ClusterConfiguration": {"Scheduling": {"SlurmQueues": [{"ComputeResources": [{}]}]}}}}}}`)
	f.Add("Resources:\n  C:\n    Type: Custom::PclusterCluster\n    Properties: {ClusterConfiguration: !Sub x}\n")
	f.Fuzz(func(_ *testing.T, text string) {
		var set rule.Set
		read.Template(&set, text, tree.Text("templateBody", text), rule.Input{})
		rule.Judge(set, rule.Options{})
	})
}

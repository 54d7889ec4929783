package mirror_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/mirror"
	"github.com/weft-hpc/weft/offline/standin"
)

const (
	vpcType      = "aws:ec2/vpc:Vpc"
	subnetType   = "aws:ec2/subnet:Subnet"
	groupType    = "aws:ec2/securityGroup:SecurityGroup"
	ingressType  = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	egressType   = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
	templateType = "aws:ec2/launchTemplate:LaunchTemplate"
	efsType      = "aws:efs/fileSystem:FileSystem"
	targetType   = "aws:efs/mountTarget:MountTarget"
)

// resource is one that was made; its outputs are its inputs and more.
type resource struct {
	typ, id string
	inputs  standin.Document
	outputs standin.Document
}

func made(resources ...resource) *standin.World {
	w := &standin.World{}
	for _, r := range resources {
		outputs := standin.Document{}
		for _, d := range []standin.Document{r.inputs, r.outputs} {
			for name, value := range d {
				outputs[name] = value
			}
		}
		w.Put(r.typ, r.id, standin.Resource{Inputs: r.inputs, Outputs: outputs})
	}
	return w
}

func TestAdd(t *testing.T) {
	group := resource{typ: groupType, id: "sg-1", inputs: standin.Document{"vpcId": "vpc-1"}, outputs: standin.Document{"name": "cluster-0a1b2c3"}}
	nic := map[string]any{
		"networkCardIndex": 1.0, "deviceIndex": 0.0, "interfaceType": "efa-only", "subnetId": "subnet-1",
		"securityGroups": []any{"sg-1"}, "deleteOnTermination": "true", "associatePublicIpAddress": "false",
	}
	nicOfAPI := map[string]any{
		"NetworkCardIndex": 1.0, "DeviceIndex": 0.0, "InterfaceType": "efa-only", "SubnetId": "subnet-1",
		"Groups": []any{"sg-1"}, "DeleteOnTermination": true, "AssociatePublicIpAddress": false,
	}
	for name, row := range map[string]struct {
		made []resource
		want account.World
	}{
		"a VPC with names": {
			[]resource{{typ: vpcType, id: "vpc-1", inputs: standin.Document{"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": true}, outputs: standin.Document{"enableDnsSupport": true}}},
			account.World{VPCs: []account.VPC{{ID: "vpc-1", CIDR: "10.0.0.0/16", DNSSupport: true, DNSHostnames: true}}},
		},
		"subnets by name and by id of their zone": {
			[]resource{
				{typ: subnetType, id: "subnet-1", inputs: standin.Document{"vpcId": "vpc-1", "cidrBlock": "10.0.0.0/19", "availabilityZone": "us-east-2b", "mapPublicIpOnLaunch": true}},
				{typ: subnetType, id: "subnet-2", inputs: standin.Document{"vpcId": "vpc-1", "cidrBlock": "10.0.32.0/19", "availabilityZoneId": "use2-az3"}},
			},
			account.World{Subnets: []account.Subnet{
				{ID: "subnet-1", VPC: "vpc-1", Zone: "us-east-2b", ZoneID: "use2-az2", CIDR: "10.0.0.0/19", MapPublicIP: true},
				{ID: "subnet-2", VPC: "vpc-1", Zone: "us-east-2c", ZoneID: "use2-az3", CIDR: "10.0.32.0/19"},
			}},
		},
		"a security group has its separate rules and no other": {
			[]resource{
				group,
				{typ: ingressType, id: "sgr-1", inputs: standin.Document{"securityGroupId": "sg-1", "ipProtocol": "-1", "referencedSecurityGroupId": "sg-1"}},
				{typ: egressType, id: "sgr-2", inputs: standin.Document{"securityGroupId": "sg-1", "ipProtocol": "tcp", "fromPort": 443.0, "toPort": 443.0, "cidrIpv4": "0.0.0.0/0"}},
			},
			account.World{SecurityGroups: []account.SecurityGroup{{
				ID: "sg-1", VPC: "vpc-1", Name: "cluster-0a1b2c3",
				Ingress: []account.Rule{{Protocol: "-1", Groups: []string{"sg-1"}}},
				Egress:  []account.Rule{{Protocol: "tcp", FromPort: 443, ToPort: 443, CIDRs: []string{"0.0.0.0/0"}}},
			}}},
		},
		"the newest version of a launch template, in EC2's words": {
			[]resource{{
				typ: templateType, id: "lt-1", outputs: standin.Document{"latestVersion": 2.0},
				inputs: standin.Document{"name": "train", "description": "d", "updateDefaultVersion": true, "tags": map[string]any{"a": "b"}, "networkInterfaces": []any{nic}},
			}},
			account.World{LaunchTemplates: []account.LaunchTemplate{{ID: "lt-1", Name: "train", Versions: []map[string]any{
				{"NetworkInterfaces": []any{nicOfAPI}}, {"NetworkInterfaces": []any{nicOfAPI}},
			}}}},
		},
		"EFS with its mount targets": {
			[]resource{
				{typ: efsType, id: "fs-1"},
				{typ: targetType, id: "fsmt-1", inputs: standin.Document{"fileSystemId": "fs-1", "subnetId": "subnet-1", "securityGroups": []any{"sg-1"}}},
				{typ: targetType, id: "fsmt-2", inputs: standin.Document{"fileSystemId": "fs-1", "subnetId": "subnet-2", "securityGroups": []any{"sg-1"}}},
			},
			account.World{FileSystems: []account.FileSystem{{
				ID: "fs-1", Kind: account.EFS, Subnets: []string{"subnet-1", "subnet-2"}, SecurityGroups: []string{"sg-1"},
			}}},
		},
		"FSx for Lustre": {
			[]resource{{
				typ: "aws:fsx/lustreFileSystem:LustreFileSystem", id: "fs-2", outputs: standin.Document{"mountName": "abcd"},
				inputs: standin.Document{"subnetIds": "subnet-1", "securityGroupIds": []any{"sg-1"}, "storageCapacity": 4800.0, "deploymentType": "PERSISTENT_2"},
			}},
			account.World{FileSystems: []account.FileSystem{{
				ID: "fs-2", Kind: account.Lustre, Subnets: []string{"subnet-1"}, SecurityGroups: []string{"sg-1"}, Capacity: 4800, Deployment: "PERSISTENT_2", MountName: "abcd",
			}}},
		},
		"a bucket with versions and an object": {
			[]resource{
				{typ: "aws:s3/bucketV2:BucketV2", id: "b"},
				{typ: "aws:s3/bucketVersioningV2:BucketVersioningV2", id: "b"},
				{typ: "aws:s3/bucketObjectv2:BucketObjectv2", id: "k", inputs: standin.Document{"bucket": "b", "key": "k", "content": "text"}},
			},
			account.World{Buckets: []account.Bucket{{Name: "b", Versioning: true, Objects: map[string]string{"k": "text"}}}},
		},
		"policies, roles and placement groups": {
			[]resource{
				{typ: "aws:iam/policy:Policy", id: "a", inputs: standin.Document{"policy": "{}"}, outputs: standin.Document{"arn": "arn:aws:iam::123456789012:policy/p"}},
				{typ: "aws:iam/role:Role", id: "r", outputs: standin.Document{"arn": "arn:aws:iam::123456789012:role/r"}},
				{typ: "aws:ec2/placementGroup:PlacementGroup", id: "close", inputs: standin.Document{"strategy": "cluster"}, outputs: standin.Document{"placementGroupId": "pg-1"}},
			},
			account.World{
				Policies:        []account.Policy{{ARN: "arn:aws:iam::123456789012:policy/p", Document: "{}"}},
				Roles:           []account.Role{{ARN: "arn:aws:iam::123456789012:role/r"}},
				PlacementGroups: []account.PlacementGroup{{ID: "pg-1", Name: "close", Strategy: "cluster"}},
			},
		},
		"what leaves no trace": {
			[]resource{{typ: "aws:ec2/natGateway:NatGateway", id: "nat-1"}, {typ: "aws:cloudformation/stack:Stack", id: "s"}}, account.World{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			row.want.Region = "us-east-2"
			world := account.World{Region: "us-east-2"}
			require.NoError(t, mirror.Add(&world, made(row.made...)))
			require.Equal(t, row.want, world)
			require.NoError(t, mirror.Add(&world, made(row.made...)))
			require.Equal(t, row.want, world, "adding the same again changes nothing")
		})
	}
}

func TestVersionsThatWereAddedInTheirTimeStay(t *testing.T) {
	var world account.World
	for version, kind := range []string{"p5.48xlarge", "p5en.48xlarge"} {
		require.NoError(t, mirror.Add(&world, made(resource{
			typ: templateType, id: "lt-1", inputs: standin.Document{"instanceType": kind}, outputs: standin.Document{"latestVersion": float64(version + 1)},
		})))
	}
	require.Equal(t, []map[string]any{{"InstanceType": "p5.48xlarge"}, {"InstanceType": "p5en.48xlarge"}}, world.LaunchTemplates[0].Versions)
}

func TestAddNamesWhatItCannotCarry(t *testing.T) {
	target := func(id, group string) resource {
		return resource{typ: targetType, id: id, inputs: standin.Document{"fileSystemId": "fs-1", "subnetId": "subnet-1", "securityGroups": []any{group}}}
	}
	for name, row := range map[string]struct {
		made []resource
		says string
	}{
		"an unknown type":           {[]resource{{typ: "aws:ec2/instance:Instance", id: "i-1"}}, "nothing is known of the type aws:ec2/instance:Instance"},
		"rules inside a group":      {[]resource{{typ: groupType, id: "sg-1", inputs: standin.Document{"ingress": []any{}}}}, "sg-1: ingress is not carried over"},
		"a rule without its group":  {[]resource{{typ: ingressType, id: "sgr-1", inputs: standin.Document{"securityGroupId": "sg-9"}}}, "its group sg-9 is not there"},
		"a target without its EFS":  {[]resource{target("fsmt-1", "sg-1")}, "its file system fs-1 is not there"},
		"targets of several groups": {[]resource{{typ: efsType, id: "fs-1"}, target("fsmt-1", "sg-1"), target("fsmt-2", "sg-2")}, "it has the groups [sg-2], another target of fs-1 has [sg-1]"},
		"an object without bucket":  {[]resource{{typ: "aws:s3/bucketObjectv2:BucketObjectv2", id: "k", inputs: standin.Document{"bucket": "b"}}}, "its bucket b is not there"},
		"a template of no version":  {[]resource{{typ: templateType, id: "lt-1"}}, "its latest version is <nil>"},
		"a zone that there is not":  {[]resource{{typ: subnetType, id: "subnet-1", inputs: standin.Document{"availabilityZoneId": "use2-az0"}}}, "zone use2-az0"},
	} {
		world := account.World{Region: "us-east-2"}
		require.ErrorContains(t, mirror.Add(&world, made(row.made...)), row.says, name)
	}
}

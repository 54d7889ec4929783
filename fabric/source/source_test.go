package source_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/source"
)

// judge reads a text and gives "level rule line:column path" for every finding from a warning up.
func judge(t *testing.T, text string, o source.Options) (*source.Document, []string) {
	t.Helper()
	d := source.Read("f", []byte(text), o)
	list := append(append(diag.List{}, d.Findings...), rule.Judge(d.Set, rule.Options{})...).AtLeast(diag.Warn)
	d.Locate(list)
	list.Sort()
	var out []string
	for _, f := range list {
		require.Equal(t, "f", f.Place.File, "%s", f.Got)
		require.Positive(t, f.Place.Line, "%s at %s has no line", f.Rule, f.Place.Path)
		require.NotEmpty(t, f.Want)
		require.NotEmpty(t, f.Hint)
		where := fmt.Sprintf("%d:%d %s", f.Place.Line, f.Place.Column, f.Place.Path)
		if f.Place.Resource != "" {
			where += " " + f.Place.Resource
		}
		out = append(out, fmt.Sprintf("%s %s %s", f.Level, f.Rule, strings.TrimSpace(where)))
	}
	return d, out
}

type spec struct {
	name, text string
	kind       source.Kind
	want       []string
}

func runAll(t *testing.T, o source.Options, specs []spec) {
	t.Helper()
	for _, s := range specs {
		t.Run(s.name, func(t *testing.T) {
			d, got := judge(t, strings.TrimLeft(s.text, "\n"), o)
			require.Equal(t, s.kind, d.Kind, "%v", d.Findings)
			require.Equal(t, s.want, got)
		})
	}
}

// A block's template with a placement group, which every source writes in its own way.
func TestTheSameFaultInTheWordsOfEachSource(t *testing.T) {
	runAll(t, source.Options{}, []spec{
		{
			"launch template data", `
{"InstanceType": "p5.48xlarge",
 "InstanceMarketOptions": {"MarketType": "capacity-block"},
 "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": "cr-0ccccccccccccccc1"}},
 "Placement": {"GroupName": "train"}}`, source.EC2,
			[]string{"error block/placement-group 4:16 Placement.GroupName"},
		},
		{
			"describe-launch-template-versions", `
{"LaunchTemplateVersions": [{"LaunchTemplateId": "lt-0", "LaunchTemplateName": "gpu", "LaunchTemplateData": {"InstanceType": "p5.48xlarge",
  "InstanceMarketOptions": {"MarketType": "capacity-block"},
  "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": "cr-0ccccccccccccccc1"}},
  "Placement": {"GroupName": "train"}}}]}`, source.EC2,
			[]string{"error block/placement-group 4:17 LaunchTemplateVersions[0].LaunchTemplateData.Placement.GroupName"},
		},
		{
			"the same as YAML", `
LaunchTemplateVersions:
  - LaunchTemplateId: lt-0
    LaunchTemplateData:
      InstanceType: p5.48xlarge
      InstanceMarketOptions: {MarketType: capacity-block}
      CapacityReservationSpecification:
        CapacityReservationTarget: {CapacityReservationId: cr-0ccccccccccccccc1}
      Placement:
        GroupName: train`, source.EC2,
			[]string{"error block/placement-group 9:9 LaunchTemplateVersions[0].LaunchTemplateData.Placement.GroupName"},
		},
		{
			"CloudFormation", `
Resources:
  Gpu:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: p5.48xlarge
        InstanceMarketOptions: {MarketType: capacity-block}
        CapacityReservationSpecification:
          CapacityReservationTarget: {CapacityReservationId: !Ref Reservation}
        Placement:
          GroupName: !Sub "${AWS::StackName}-train"
  Pool:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: p5.48xlarge
        InstanceMarketOptions: {MarketType: capacity-block}
        CapacityReservationSpecification:
          CapacityReservationTarget: {CapacityReservationId: !Ref Reservation}
        Placement:
          GroupName: train
Parameters:
  Reservation: {Type: String}`, source.CloudFormation,
			[]string{
				"warn value/unknown 11:11 LaunchTemplateData.Placement.GroupName Gpu",
				"error block/placement-group 21:11 LaunchTemplateData.Placement.GroupName Pool",
			},
		},
		{
			"Pulumi preview, classic provider", `
{"steps": [{"op": "create", "newState": {"urn": "urn:pulumi:dev::p::aws:ec2/launchTemplate:LaunchTemplate::gpu", "type": "aws:ec2/launchTemplate:LaunchTemplate", "inputs": {
  "__defaults": [], "instanceType": "p5.48xlarge",
  "instanceMarketOptions": {"marketType": "capacity-block"},
  "capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "04da6b54-80e4-46f7-96ec-b56ff0331ba9"}},
  "placement": {"groupName": "train"}}}}]}`, source.Pulumi,
			[]string{"error block/placement-group 5:17 placement.groupName urn:pulumi:dev::p::aws:ec2/launchTemplate:LaunchTemplate::gpu"},
		},
		{
			"Pulumi state, native provider", `
{"version": 3, "deployment": {"resources": [{"urn": "urn:gpu", "type": "aws-native:ec2:LaunchTemplate", "id": "lt-0", "inputs": {"launchTemplateData": {
  "instanceType": "p5.48xlarge", "instanceMarketOptions": {"marketType": "capacity-block"},
  "capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-0ccccccccccccccc1"}},
  "placement": {"groupName": "train"}}}}]}}`, source.Pulumi,
			[]string{"error block/placement-group 4:17 launchTemplateData.placement.groupName urn:gpu"},
		},
		{
			"Terraform plan", `
{"format_version": "1.2", "resource_changes": [{"address": "module.gpu.aws_launch_template.this[0]", "type": "aws_launch_template", "mode": "managed", "change": {
  "actions": ["create"],
  "after": {"instance_type": "p5.48xlarge", "instance_market_options": [{"market_type": "capacity-block"}],
    "capacity_reservation_specification": [{"capacity_reservation_target": [{"capacity_reservation_id": "cr-0ccccccccccccccc1"}]}],
    "placement": [{"group_name": "train", "tenancy": ""}]},
  "after_unknown": {"id": true, "arn": true}}}]}`, source.Terraform,
			[]string{"error block/placement-group 5:20 placement[0].group_name module.gpu.aws_launch_template.this[0]"},
		},
		{
			"Terraform state", `
{"format_version": "1.0", "values": {"root_module": {"child_modules": [{"resources": [{"address": "module.gpu.aws_launch_template.this", "type": "aws_launch_template", "values": {
  "id": "lt-0", "instance_type": "p5.48xlarge", "instance_market_options": [{"market_type": "capacity-block"}],
  "capacity_reservation_specification": [{"capacity_reservation_target": [{"capacity_reservation_id": "cr-0ccccccccccccccc1"}]}],
  "placement": [{"group_name": "train"}]}}]}]}}}`, source.Terraform,
			[]string{"error block/placement-group 4:18 placement[0].group_name module.gpu.aws_launch_template.this"},
		},
		{
			"ParallelCluster", `
Scheduling:
  SlurmQueues:
    - Name: train
      CapacityType: CAPACITY_BLOCK
      Networking:
        PlacementGroup:
          Enabled: true
      ComputeResources:
        - Name: gpu
          InstanceType: p5.48xlarge
          MinCount: 4
          MaxCount: 4.0
          Efa: {Enabled: true}
          CapacityReservationTarget: {CapacityReservationId: cr-0ccccccccccccccc1}`, source.ParallelCluster,
			[]string{"error block/placement-group 6:9 Scheduling.SlurmQueues[0].Networking.PlacementGroup"},
		},
		{
			"ParallelCluster within CloudFormation", `
Resources:
  Cluster:
    Type: Custom::PclusterCluster
    Properties:
      ClusterConfiguration:
        Scheduling:
          SlurmQueues:
            - Name: train
              CapacityType: CAPACITY_BLOCK
              Networking: {PlacementGroup: {Enabled: true}, SubnetIds: !If [Two, [a, b], [a]]}
              ComputeResources:
                - {Name: gpu, InstanceType: p5.48xlarge, MinCount: 4, MaxCount: 4, Efa: {Enabled: true}, CapacityReservationTarget: {CapacityReservationId: cr-0ccccccccccccccc1}}`, source.CloudFormation,
			[]string{"error block/placement-group 10:28 ClusterConfiguration.Scheduling.SlurmQueues[0].Networking.PlacementGroup Cluster"},
		},
	})
}

func TestConditionsOfCloudFormation(t *testing.T) {
	text := `
Parameters:
  Cards: {Type: String, Default: "4"}
  Block: {Type: String, Default: ""}
  Open: {Type: String}
Conditions:
  Four: !Equals [!Ref Cards, "4"]
  OnDemand: !Equals [!Ref Block, ""]
  OnBlock: !Not [!Condition OnDemand]
  Both: !And [!Condition Four, !Condition OnDemand]
  Either: !Or [!Condition OnBlock, !Condition Unsettled]
  Unsettled: !Equals [!Ref Open, "x"]
  Round: !Not [!Condition Round]
Resources:
  Never:
    Type: AWS::EC2::LaunchTemplate
    Condition: OnBlock
    Properties: {LaunchTemplateData: {InstanceMarketOptions: {MarketType: capacity-block}}}
  Gpu:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: %s
        NetworkInterfaces:
          - {DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa}
          - !If [Both, {DeviceIndex: 7, NetworkCardIndex: 1, InterfaceType: efa}, !Ref AWS::NoValue]
          - !If [OnBlock, {DeviceIndex: 7, NetworkCardIndex: 2, InterfaceType: efa}, !Ref AWS::NoValue]`
	_, got := judge(t, strings.TrimLeft(fmt.Sprintf(text, "p4d.24xlarge"), "\n"), source.Options{})
	require.Equal(t, []string{
		"warn nic/efa-count 23:9 LaunchTemplateData.NetworkInterfaces Gpu",
		"error nic/device-index 25:13 LaunchTemplateData.NetworkInterfaces[1].DeviceIndex Gpu",
	}, got)
	for _, open := range []string{"!If [Unsettled, a, b]", "!If [Round, a, b]", "!If [Either, a, b]", "!If [None, a, b]", "'{{resolve:ssm:type}}'"} {
		_, got = judge(t, strings.TrimLeft(fmt.Sprintf(text, open), "\n"), source.Options{})
		require.Contains(t, strings.Join(got, "\n"), "warn value/unknown 22:9 LaunchTemplateData.InstanceType Gpu", open)
	}
}

func TestReferencesWithinAFile(t *testing.T) {
	runAll(t, source.Options{}, []spec{
		{
			"a group of CloudFormation that launches by a template of the same file", `
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceMarketOptions: {MarketType: capacity-block}, CapacityReservationSpecification: {CapacityReservationTarget: {CapacityReservationId: cr-0ccccccccccccccc1}}}}
  Workers:
    Type: AWS::EKS::Nodegroup
    Properties:
      CapacityType: CAPACITY_BLOCK
      InstanceTypes: [p5.48xlarge]
      LaunchTemplate: {Id: !Ref Template}
  Efa:
    Type: AWS::EC2::SecurityGroup
    Properties:
      SecurityGroupIngress: [{IpProtocol: "-1", CidrIp: 0.0.0.0/0}]
  Other:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: p4d.24xlarge
        NetworkInterfaces:
          - {DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa, Groups: [!GetAtt Efa.GroupId]}
          - {DeviceIndex: 1, NetworkCardIndex: 1, InterfaceType: efa, Groups: [!GetAtt Efa.GroupId]}
          - {DeviceIndex: 1, NetworkCardIndex: 2, InterfaceType: efa, Groups: [!GetAtt Efa.GroupId]}
          - {DeviceIndex: 1, NetworkCardIndex: 3, InterfaceType: efa, Groups: [!GetAtt Efa.GroupId]}`, source.CloudFormation,
			[]string{"error sg/self-egress 13:5 SecurityGroupEgress Efa", "error sg/self-ingress 14:7 SecurityGroupIngress Efa"},
		},
		{
			"rules of Terraform that are resources of their own", `
{"format_version": "1.2", "resource_changes": [
 {"address": "aws_security_group.efa", "type": "aws_security_group", "change": {"after": {"name": "efa"}, "after_unknown": {"id": true, "ingress": true, "egress": true}}},
 {"address": "aws_vpc_security_group_ingress_rule.self", "type": "aws_vpc_security_group_ingress_rule", "change": {
   "after": {"ip_protocol": "-1", "cidr_ipv4": null}, "after_unknown": {"id": true, "security_group_id": true, "referenced_security_group_id": true}}},
 {"address": "aws_launch_template.gpu", "type": "aws_launch_template", "change": {"after": {"instance_type": "p5.4xlarge", "network_interfaces": [
   {"device_index": 0, "interface_type": "efa", "associate_public_ip_address": "", "security_groups": null}]}, "after_unknown": {"network_interfaces": [{"security_groups": true}]}}}],
 "configuration": {"root_module": {"resources": [
  {"address": "aws_vpc_security_group_ingress_rule.self", "expressions": {"security_group_id": {"references": ["aws_security_group.efa.id", "aws_security_group.efa"]},
    "referenced_security_group_id": {"references": ["aws_security_group.efa.id", "aws_security_group.efa"]}}},
  {"address": "aws_launch_template.gpu", "expressions": {"network_interfaces": [{"security_groups": {"references": ["aws_security_group.efa.id", "aws_security_group.efa"]}}]}}]}}}`, source.Terraform,
			[]string{"warn value/unknown 2:81 egress aws_security_group.efa"},
		},
	})
}

func TestWhatCannotBeRead(t *testing.T) {
	deep := strings.Repeat("[", 5000)
	runAll(t, source.Options{}, []spec{
		{"nothing", "", source.Unreadable, []string{"error file/unreadable 1:1"}},
		{"prose", "the quick brown fox", source.Unreadable, []string{"error file/unreadable 1:1"}},
		{"JSON of another kind", `{"a": 1}`, source.Unrecognised, []string{"error file/unreadable 1:1"}},
		{"cut off", "{\"LaunchTemplateData\": {\n\"InstanceType\": \"p5", source.Unreadable, []string{"error file/unreadable 2:20"}},
		{"deep JSON", deep, source.Unreadable, []string{"error file/unreadable 1:202"}},
		{"two answers in one file", "{\"Subnets\": []}\n{\"Images\": []}", source.EC2, []string{"error file/unreadable 2:1"}},
		{"a key twice", "{\"Subnets\": [],\n \"Subnets\": []}", source.EC2, []string{"error file/unreadable 2:2"}},
		{"a key twice in YAML", "Scheduling: {}\nRegion: a\nRegion: b", source.ParallelCluster, []string{"error file/unreadable 3:1"}},
		{"two documents", "Scheduling: {}\n---\nScheduling: {}", source.ParallelCluster, []string{"error file/unreadable 2:1"}},
		{"an alias around itself", "Scheduling: &a\n  SlurmQueues: *a", source.ParallelCluster, []string{"error pc/key 2:3 Scheduling.SlurmQueues.SlurmQueues", "error file/unreadable 2:16"}},
		{"a template", "Scheduling:\n  {% if x %}\n  SlurmQueues: {{ queues }}\n  {% endif %}", source.ParallelCluster, []string{
			"error file/unreadable 2:3", "warn value/unknown 3:3 Scheduling.SlurmQueues",
		}},
		{"shell variables", "Scheduling:\n  SlurmQueues:\n    - CapacityType: ${TYPE}\n      Networking: {SubnetIds: [$SUBNET]}\n      ComputeResources: [{InstanceType: p5.48xlarge, Efa: {Enabled: true}}]", source.ParallelCluster, []string{
			"warn file/unreadable 3:7 Scheduling.SlurmQueues[0].CapacityType",
		}},
		{"a state file of Terraform", `{"version": 4, "terraform_version": "1.9.0", "lineage": "a", "resources": []}`, source.Terraform, []string{"error file/unreadable 1:1"}},
	})
}

func TestKeysOfParallelCluster(t *testing.T) {
	runAll(t, source.Options{ParallelCluster: "3.14.2"}, []spec{
		{"a slip", "Scheduling: {SlurmQueue: []}", source.ParallelCluster, []string{"error pc/key 1:14 Scheduling.SlurmQueue"}},
		{"of a later release", "Scheduling: {}\nDevSettings: {EfaInterfaceType: efa}", source.ParallelCluster, []string{"error pc/key 2:15 DevSettings.EfaInterfaceType"}},
		{"in the wrong place", "Scheduling:\n  SlurmQueues:\n    - MinCount: 4", source.ParallelCluster, []string{"error pc/key 3:7 Scheduling.SlurmQueues[0].MinCount"}},
		{"free settings", "Scheduling: {SlurmSettings: {CustomSlurmSettings: [{Anything: 1}]}}\nTags: [{Key: a, Value: b}]", source.ParallelCluster, nil},
		{"a system of no release", "Scheduling: {}\nImage: {Os: windows}", source.ParallelCluster, []string{"error pc/os 2:9 Image.Os"}},
	})
	for text, hint := range map[string]string{
		"Scheduling: {SlurmQueue: []}":                                          "write SlurmQueues",
		"Scheduling: {}\nDevSettings: {EfaInterfaceType: efa}":                  "remove it, or use a release that has it: 3.15.1, 3.16.1",
		"Scheduling:\n  SlurmQueues:\n    - MinCount: 4":                        "move it to Scheduling/SlurmQueues/ComputeResources/MinCount",
		"Scheduling:\n  SlurmQueues:\n    - ComputeResources: [{SubnetIds: a}]": "move it to Scheduling/SlurmQueues/Networking/SubnetIds",
	} {
		d := source.Read("f", []byte(text), source.Options{ParallelCluster: "3.14.2"})
		require.Len(t, d.Findings, 1, text)
		require.Equal(t, hint, d.Findings[0].Hint)
	}
}

// Every answer of the API that is read, each with what a rule needs of it.
func TestAnswersOfTheAPI(t *testing.T) {
	text := `{
  "DescribeLaunchTemplateVersions": {"LaunchTemplateVersions": [{"LaunchTemplateId": "lt-0", "LaunchTemplateData": {"InstanceType": "p5.48xlarge"}}]},
  "DescribeSecurityGroups": {"SecurityGroups": [{"GroupId": "sg-0", "IpPermissions": [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-0"}]}], "IpPermissionsEgress": []}]},
  "DescribeSecurityGroupRules": {"SecurityGroupRules": [{"SecurityGroupRuleId": "sgr-0", "GroupId": "sg-0", "IsEgress": true, "IpProtocol": "-1", "ReferencedGroupInfo": {"GroupId": "sg-0"}}]},
  "DescribeSubnets": {"Subnets": [{"SubnetId": "subnet-0", "AvailabilityZone": "us-east-2a", "MapPublicIpOnLaunch": true, "AvailableIpAddressCount": 7}]},
  "DescribeCapacityReservations": {"CapacityReservations": [{"CapacityReservationId": "cr-0", "State": "scheduled", "TotalInstanceCount": 0,
    "Tags": [{"Key": "aws:ec2capacityreservation:capacityReservationType", "Value": "capacity-block"}, {"Key": "aws:ec2capacityreservation:incrementalRequestedQuantity", "Value": "4"}]}]},
  "DescribeImages": {"Images": [{"ImageId": "ami-0", "Name": "n", "Architecture": "arm64", "ImageOwnerAlias": "amazon"}]},
  "DescribePlacementGroups": {"PlacementGroups": [{"GroupName": "pg", "Strategy": "cluster"}]},
  "DescribeAutoScalingGroups": {"AutoScalingGroups": [{"AutoScalingGroupName": "asg", "VPCZoneIdentifier": "subnet-0,subnet-1", "MaxSize": 3, "LaunchTemplate": {"LaunchTemplateId": "lt-0"}}]},
  "DescribeInstances": {"Reservations": [{"Instances": [
    {"InstanceId": "i-0", "InstanceType": "p5.48xlarge", "CapacityReservationId": "cr-0", "InstanceLifecycle": "capacity-block", "State": {"Name": "running"},
     "NetworkInterfaces": [{"NetworkInterfaceId": "eni-0", "InterfaceType": "efa", "Groups": [{"GroupId": "sg-0"}], "Attachment": {"DeviceIndex": 1, "NetworkCardIndex": 2, "DeleteOnTermination": true}}]},
    {"InstanceId": "i-1", "State": {"Name": "terminated"}}]}]}
}`
	d := source.Read("account.json", []byte(text), source.Options{})
	require.Equal(t, source.Account, d.Kind)
	require.Empty(t, d.Findings)
	s := d.Set
	require.True(t, s.WholeAccount)
	require.Equal(t, "; judged: 1 launch template, 1 instance, 1 node group, 1 security group, 1 security group rule, 1 subnet, 1 placement group, 1 reservation, 1 image", d.Contents())
	require.Equal(t, "lt-0", s.Templates[0].ID.Or(""))
	require.True(t, s.SecurityGroups[0].Whole)
	require.Equal(t, "sg-0", s.SecurityGroups[0].Ingress.Items[0].Groups.Items[0].Or(""))
	require.True(t, rule.IsTrue(s.SecurityGroupRules[0].Egress))
	require.Equal(t, "sg-0", s.SecurityGroupRules[0].Groups.Items[0].Or(""))
	require.Equal(t, 7, s.Subnets[0].Free.Or(0))
	require.Equal(t, 4, s.Reservations[0].Count.Or(0), "a block that has not started counts what was bought")
	require.Equal(t, rule.KindBlock, s.Reservations[0].Kind.Or(""))
	require.True(t, s.Images[0].Public)
	require.Equal(t, "pg", s.PlacementGroups[0].ID.Or(""))
	require.Equal(t, 2, s.Groups[0].Subnets.Len())
	require.Equal(t, "lt-0", s.Groups[0].Template.Or(""))
	i := s.Instances[0]
	require.Equal(t, rule.MarketBlock, i.Market.Or(""))
	require.Equal(t, 2, i.Interfaces.Items[0].Card.Or(0))
	require.Equal(t, "DescribeInstances.Reservations[0].Instances[0].NetworkInterfaces[0].Attachment.DeviceIndex", i.Interfaces.Items[0].Device.Path)
}

func TestLinesEndInEveryWay(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		_, got := judge(t, "Region: a"+end+"Scheduling:"+end+"  Slurm: 2", source.Options{})
		require.Equal(t, []string{"error pc/key 3:3 Scheduling.Slurm"}, got, "%q", end)
	}
}

func TestWhatIsAConfiguration(t *testing.T) {
	for text, want := range map[string]source.Kind{
		"name: a\ngroups: [{}]":                         source.Config,
		"name: a\nregio: b\nheadNode: {}\nworkload: {}": source.Config,
		"name: ci\non: push\njobs: {}":                  source.Unrecognised,
		"apiVersion: v1\nkind: Pod\nmetadata: {}":       source.Unrecognised,
		"services: {a: {image: b}}":                     source.Unrecognised,
	} {
		require.Equal(t, want, source.Read("f", []byte(text), source.Options{}).Kind, text)
	}
	var keys []string
	for i := range reflect.TypeFor[config.Cluster]().NumField() {
		keys = append(keys, reflect.TypeFor[config.Cluster]().Field(i).Tag.Get("yaml")+": {}")
	}
	for i := range len(keys) - 2 {
		d := source.Read("f", []byte(strings.Join(keys[i:i+3], "\n")), source.Options{})
		require.Equal(t, source.Config, d.Kind, "three keys of the configuration: %v", keys[i:i+3])
	}
}

func TestColumnsCountCharacters(t *testing.T) {
	for _, mark := range []string{"", "\ufeff"} {
		_, got := judge(t, mark+"Region: \"äöü\"\nScheduling: {\"ß\": 1, Slurm: 2}", source.Options{})
		require.Equal(t, []string{"error pc/key 2:14 Scheduling.ß", "error pc/key 2:22 Scheduling.Slurm"}, got)
		_, got = judge(t, mark+`{"Scheduling": {"ß": 1, "Slurm": 2}}`, source.Options{})
		require.Equal(t, []string{"error pc/key 1:17 Scheduling.ß", "error pc/key 1:25 Scheduling.Slurm"}, got)
	}
}

// Whatever the text, reading ends, locates only lines that are there, and says something about a text that it does not judge.
func fuzz(f *testing.F, seeds ...string) {
	f.Helper()
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := source.Read("f", []byte(text), source.Options{})
		list := append(append(diag.List{}, d.Findings...), rule.Judge(d.Set, rule.Options{})...)
		d.Locate(list)
		for _, finding := range list {
			require.LessOrEqual(t, finding.Place.Line, strings.Count(text, "\n")+strings.Count(text, "\r")+1)
		}
		if d.Kind == source.Unreadable || d.Kind == source.Unrecognised {
			require.True(t, d.Findings.Failed())
		}
	})
}

func FuzzEC2(f *testing.F) {
	fuzz(f, `{"LaunchTemplateData": {"InstanceType": "p5.48xlarge", "NetworkInterfaces": [{"DeviceIndex": 0}]}}`, `{"SecurityGroups": [{"GroupId": 1}]}`, `[{"SubnetId": {}}]`,
		`{"DescribeSubnets": {"Subnets": 1}, "DescribeInstances": []}`)
}

func FuzzParallelCluster(f *testing.F) {
	fuzz(f, "Scheduling:\n  SlurmQueues:\n    - {Name: a, ComputeResources: [1, {Name: b}]}", "HeadNode: *x", "Scheduling: {{ a }}\n{% b %}", "a: &a [*a]\nScheduling: {<<: *a}")
}

func FuzzPulumi(f *testing.F) {
	fuzz(f, `{"steps": [{"newState": {"urn": "u", "type": "aws:ec2/launchTemplate:LaunchTemplate", "inputs": {"placement": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}}}}]}`,
		`{"deployment": {"resources": [{"urn": "u", "type": "aws:ec2/securityGroup:SecurityGroup", "inputs": {"ingress": [1]}}]}}`)
}

func FuzzTerraform(f *testing.F) {
	fuzz(f, `{"format_version": "1", "resource_changes": [{"address": "a[0]", "type": "aws_launch_template", "change": {"after": {"placement": [1]}, "after_unknown": {"placement": [true, {"a": true}]}}}]}`,
		`{"format_version": "1", "values": {"root_module": {"child_modules": [{"resources": [1]}]}}}`)
}

func FuzzCloudFormation(f *testing.F) {
	fuzz(f, "Resources:\n  A:\n    Type: AWS::EC2::LaunchTemplate\n    Properties: !If [x, !Ref A, !Sub '${A.b}${!c}${d']", `{"Resources": {"A": {"Type": "Custom::PclusterCluster", "Properties": {"ClusterConfiguration": {"Fn::Join": ["", [1]]}}}}}`)
}

func TestFunctionsOfCloudFormation(t *testing.T) {
	for text, want := range map[string]string{
		`!Sub "${Type}.48xlarge"`:                   "p5.48xlarge",
		`!Sub ["${A}.${B}", {A: p5, B: !Ref Size}]`: "p5.48xlarge",
		`!Sub "${!Type}"`:                           "${Type}",
		`!Sub "${Open}.48xlarge"`:                   "",
		`!Join [".", [!Ref Type, !Ref Size]]`:       "p5.48xlarge",
		`!Join [".", [!Ref Type, !Ref Open]]`:       "",
		`!Join [".", !Ref Open]`:                    "",
		`!If [None, p5.48xlarge, p5.48xlarge]`:      "p5.48xlarge",
		`!FindInMap [Map, a, b]`:                    "",
		`{"Fn::Select": [0, [a]]}`:                  "",
		`!Select [2, [!Ref "AWS::NoValue", a]]`:     "",
	} {
		d := source.Read("f", []byte(`
Parameters: {Type: {Default: p5}, Size: {Default: 48xlarge}, Open: {Type: String}}
Resources:
  A:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: `+text+`}}`), source.Options{})
		require.Empty(t, d.Findings, text)
		got := d.Set.Templates[0].InstanceType
		require.Equal(t, want, got.Or(""), text)
		require.Equal(t, want == "", got.IsUnknown(), text)
	}
}

func TestFoldJoinsWhatIsUnknownOnly(t *testing.T) {
	at := func(path string) diag.Place { return diag.Place{File: "f", Path: path} }
	got := source.Fold(diag.List{
		{Rule: diag.ValueUnknown, Place: at("nics[0].type"), Got: "nics[0].type is not known"},
		{Rule: diag.NICEFACard, Place: at("nics[0].type"), Got: "efa"},
		{Rule: diag.ValueUnknown, Place: at("nics[1].type"), Got: "nics[1].type is not known"},
		{Rule: diag.ValueUnknown, Place: at("nics[12].type"), Got: "nics[12].type is not known"},
		{Rule: diag.NICEFACard, Place: at("nics[1].type"), Got: "efa"},
		{Rule: diag.ValueUnknown, Place: at("type"), Got: "type is not known"},
	})
	require.Len(t, got, 4)
	require.Equal(t, "nics[0].type is not known; the same goes for 2 more items of the list", got[0].Got)
	require.Equal(t, "type is not known", got[3].Got)
}

// Of an account only what the files refer to is judged.
func TestReferred(t *testing.T) {
	named := func(id, name string) rule.LaunchTemplate {
		return rule.LaunchTemplate{Input: rule.Input{ID: rule.Known(id), Alias: rule.Known(name)}}
	}
	account := rule.Set{
		Templates:    []rule.LaunchTemplate{named("lt-0", "a"), named("lt-1", "b"), named("lt-2", "c"), named("lt-3", "d"), {}},
		Instances:    []rule.Instance{{}},
		Groups:       []rule.NodeGroup{{}},
		Reservations: []rule.Reservation{{}},
		WholeAccount: true,
	}
	files := rule.Set{
		Groups:    []rule.NodeGroup{{Template: rule.Known("lt-0")}, {}},
		Instances: []rule.Instance{{Template: rule.Known("b")}},
		Clusters: []rule.ParallelCluster{{Queues: rule.ListOf(rule.Queue{
			Resources: rule.ListOf(rule.ComputeResource{Override: rule.Known("lt-2")}, rule.ComputeResource{Override: rule.Unknown[string]()}),
		})}},
	}
	got := source.Referred(account, files)
	require.Equal(t, account.Templates[:3], got.Templates)
	require.Empty(t, got.Instances)
	require.Empty(t, got.Groups)
	require.Len(t, got.Reservations, 1)
	require.True(t, got.WholeAccount)
	require.Len(t, account.Templates, 5, "the account itself stays as it is")
}

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

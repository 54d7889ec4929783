package source_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/source"
)

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

package preflight_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	cfntypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	tables "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

const template = `{"Resources": {
  "Other": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "b"}},
  "Cluster": {"Type": "Custom::PclusterCluster", "Properties": {"ClusterName": "weft", "ClusterConfiguration": {"Region": "us-east-2", "MaxCount": 4}}}
}}`

func TestStack(t *testing.T) {
	tests := map[string]struct {
		template string
		config   string // empty: none
	}{
		"JSON":            {template, `{"MaxCount":4,"Region":"us-east-2"}`},
		"YAML":            {"Resources:\n  Cluster:\n    Type: Custom::PclusterCluster\n    Properties:\n      ServiceToken: !GetAtt P.Outputs.ServiceToken\n      ClusterConfiguration: {Region: us-east-2, MaxCount: 4}\n", `{"MaxCount":4,"Region":"us-east-2"}`},
		"no cluster":      {`{"Resources": {"Other": {"Type": "AWS::S3::Bucket"}}}`, ""},
		"no config":       {`{"Resources": {"Cluster": {"Type": "Custom::PclusterCluster"}}}`, ""},
		"not a template":  {"{", ""},
		"nothing":         {"", ""},
		"not YAML either": {"a: [", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := account(healthy())
			f.Stack, f.Template = &cfntypes.Stack{StackName: aws.String("weft-cluster"), StackStatus: cfntypes.StackStatusUpdateComplete}, tt.template
			r := request(t)
			r.Stack = "weft-cluster"
			got, err := preflight.Read(t.Context(), f.clients(), r)
			require.NoError(t, err)
			require.Equal(t, &preflight.Stack{Name: "weft-cluster", Status: "UPDATE_COMPLETE", Config: tt.config}, got.Stack)
		})
	}
}

// provider is the beginning of the official template that makes the provider of a cluster.
const provider = `AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Parameters:
  CustomBucket:
    Type: String
    Default: ''
Mappings:
  ParallelCluster:
    Constants:
      Version: 3.15.1  # major.minor.patch+alpha/beta_identifier
Conditions:
  UsePCPolicies: !Not [!Equals [!Ref CustomBucket, '']]
Resources:
  PclusterLayer:
    Type: AWS::Lambda::LayerVersion
    Properties:
      LayerName: !Sub
        - PCLayer-${StackIdSuffix}
        - { StackIdSuffix: !Select [2, !Split ['/', !Ref 'AWS::StackId']] }
      Content:
        S3Bucket: !If [ UsePCPolicies, !Ref CustomBucket, !Sub "${AWS::Region}-aws-parallelcluster" ]
`

// The release of a cluster that runs stands in the template of its provider.
func TestRunningVersion(t *testing.T) {
	for name, tt := range map[string]struct{ template, want string }{
		"official": {provider, "3.15.1"}, "JSON": {`{"Mappings": {"ParallelCluster": {"Constants": {"Version": "3.16.1"}}}}`, "3.16.1"},
		"gone": {"", ""}, "another": {`{"Resources": {}}`, ""}, "not a template": {"{", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := account(healthy())
			f.Stack, f.Template = &cfntypes.Stack{StackName: aws.String("weft-cluster"), StackStatus: cfntypes.StackStatusUpdateComplete}, template
			f.Provider = tt.template
			r := request(t)
			r.Stack, r.ProviderStack = "weft-cluster", "weft-cluster-provider"
			got, err := preflight.Read(t.Context(), f.clients(), r)
			require.NoError(t, err)
			require.Equal(t, tt.want, got.Stack.Version)
		})
	}
}

// running is the template of a cluster whose head node stands in a subnet.
func running(subnet string) string {
	return `{"Resources": {"Cluster": {"Type": "Custom::PclusterCluster", "Properties": {"ClusterConfiguration": {"HeadNode": {"Networking": {"SubnetId": "` + subnet + `"}}}}}}}`
}

// Where the network is made, the head node's subnet says in which zone a cluster stands; it is looked for only then.
func TestHome(t *testing.T) {
	made := func(c *config.Cluster) {
		c.Network = config.Network{Create: &config.NetworkCreate{CIDR: "10.0.0.0/16"}}
		c.Groups[0].Zone = "us-east-2c"
	}
	for name, tt := range map[string]struct {
		template string
		config   func(*config.Cluster)
		want     string // id of the subnet; empty: none
	}{
		"a made network":      {running(head), made, head},
		"an existing network": {running(head), nil, ""},
		"a subnet that went":  {running("subnet-0dead000000000000"), made, ""},
		"no subnet":           {`{"Resources": {"Cluster": {"Type": "Custom::PclusterCluster", "Properties": {"ClusterConfiguration": {"HeadNode": []}}}}}`, made, ""},
		"no cluster":          {"", made, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := account(healthy())
			f.Stack, f.Template = &cfntypes.Stack{StackName: aws.String("weft-cluster"), StackStatus: cfntypes.StackStatusUpdateComplete}, tt.template
			r := request(t, tt.config)
			r.Stack = "weft-cluster"
			got, err := preflight.Read(t.Context(), f.clients(), r)
			require.NoError(t, err)
			if tt.want == "" {
				require.Nil(t, got.Home)
				return
			}
			require.NotNil(t, got.Home)
			require.Equal(t, tt.want, got.Home.ID)
			found := preflight.Judge(r, got, now)
			require.Contains(t, lines(found), "error pc/update network.create.zone: head node, NAT gateway and FSx for Lustre in us-east-2c | us-east-2a, where they stand: none of them can move")
		})
	}
}

// The compute fleet is stopped only where ParallelCluster's table says so.
func TestFleet(t *testing.T) {
	status := func(of tables.AttributeValue) map[string]tables.AttributeValue {
		return map[string]tables.AttributeValue{"Data": &tables.AttributeValueMemberM{Value: map[string]tables.AttributeValue{"status": of}}}
	}
	for name, tt := range map[string]struct {
		item map[string]tables.AttributeValue
		want string
		runs bool
	}{
		"stopped":      {status(&tables.AttributeValueMemberS{Value: "STOPPED"}), "STOPPED", false},
		"stopping":     {status(&tables.AttributeValueMemberS{Value: "STOPPING"}), "STOPPING", true},
		"running":      {status(&tables.AttributeValueMemberS{Value: "RUNNING"}), "RUNNING", true},
		"no table":     {nil, "", true},
		"no item":      {map[string]tables.AttributeValue{}, "", true},
		"another form": {map[string]tables.AttributeValue{"Data": &tables.AttributeValueMemberS{Value: "STOPPED"}}, "", true},
		"a number":     {status(&tables.AttributeValueMemberN{Value: "1"}), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := account(healthy())
			f.Stack, f.Template = &cfntypes.Stack{StackName: aws.String("weft-cluster"), StackStatus: cfntypes.StackStatusUpdateComplete}, template
			f.Fleet = tt.item
			r := request(t)
			r.Stack = "weft-cluster"
			asked := false
			r.CompareConfig = func(_ []byte, fleetRuns bool) diag.List {
				asked = true
				require.Equal(t, tt.runs, fleetRuns)
				return nil
			}
			got, err := preflight.Read(t.Context(), f.clients(), r)
			require.NoError(t, err)
			require.Equal(t, tt.want, got.Fleet)
			preflight.Judge(r, got, now)
			require.True(t, asked)
		})
	}
}

func TestNoStack(t *testing.T) {
	f := account(healthy())
	r := request(t)
	r.Stack = "weft-cluster"
	got, err := preflight.Read(t.Context(), f.clients(), r)
	require.NoError(t, err)
	require.Nil(t, got.Stack)
	require.Zero(t, f.count("cloudformation:GetTemplate"))

	r.Stack = ""
	before := f.count("cloudformation:DescribeStacks")
	_, err = preflight.Read(t.Context(), f.clients(), r)
	require.NoError(t, err)
	require.Equal(t, before, f.count("cloudformation:DescribeStacks"), "no stack is looked for where there can be none")
}

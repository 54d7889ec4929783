package standin_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/standin"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// withSchema is a stand-in that checks inputs.
func withSchema(t *testing.T, data standin.Data) *standin.StandIn {
	t.Helper()
	s, err := standin.New(standin.Options{Schema: toolchain.AWSSchema(t), Data: data})
	require.NoError(t, err)
	return s
}

func TestIDsLookReal(t *testing.T) {
	tests := []struct{ typ, inputs, id string }{
		{vpc, `{}`, `^vpc-0[0-9a-f]{16}$`},
		{subnet, `{"vpcId": "vpc-1"}`, `^subnet-0[0-9a-f]{16}$`},
		{gateway, `{}`, `^igw-0[0-9a-f]{16}$`},
		{nat, `{"subnetId": "subnet-1"}`, `^nat-0[0-9a-f]{16}$`},
		{eip, `{}`, `^eipalloc-0[0-9a-f]{16}$`},
		{table, `{"vpcId": "vpc-1"}`, `^rtb-0[0-9a-f]{16}$`},
		{route, `{"routeTableId": "rtb-1"}`, `^r-rtb-1[0-9a-f]{10}$`},
		{association, `{"routeTableId": "rtb-1"}`, `^rtbassoc-0[0-9a-f]{16}$`},
		{endpoint, `{"vpcId": "vpc-1"}`, `^vpce-0[0-9a-f]{16}$`},
		{group, `{"name": "efa"}`, `^sg-0[0-9a-f]{16}$`},
		{ingress, `{"securityGroupId": "sg-1", "ipProtocol": "-1", "cidrIpv4": "0.0.0.0/0"}`, `^sgr-0[0-9a-f]{16}$`},
		{template, `{"name": "nodes"}`, `^lt-0[0-9a-f]{16}$`},
		{"aws:ec2/placementGroup:PlacementGroup", `{"name": "near", "strategy": "cluster"}`, `^near$`},
		{lustre, `{"subnetIds": "subnet-1"}`, `^fs-0[0-9a-f]{16}$`},
		{"aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation", `{"fileSystemId": "fs-1"}`, `^dra-0[0-9a-f]{16}$`},
		{efs, `{}`, `^fs-0[0-9a-f]{16}$`},
		{mountTarget, `{"fileSystemId": "fs-1", "subnetId": "subnet-1"}`, `^fsmt-0[0-9a-f]{16}$`},
		{bucket, `{"bucket": "data"}`, `^data$`},
		{"aws:s3/bucketVersioningV2:BucketVersioningV2", `{"bucket": "data"}`, `^data$`},
		{role, `{"name": "node"}`, `^node$`},
		{"aws:iam/policy:Policy", `{"name": "read"}`, `^arn:aws:iam::123456789012:policy/read$`},
		{stack, `{"name": "c", "templateUrl": "https://b/t"}`, `^arn:aws:cloudformation:us-west-2:123456789012:stack/c/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$`},
		{"aws:kms/key:Key", `{}`, `^key-0[0-9a-f]{16}$`}, // a type that types.yaml does not have
	}
	s := withSchema(t, standin.Data{})
	for _, tt := range tests {
		t.Run(tt.typ, func(t *testing.T) {
			id, outputs, err := s.Create(t.Context(), urnOf(tt.typ, "x"), props(t, tt.inputs))
			require.NoError(t, err)
			require.Regexp(t, tt.id, id)
			if arn := outputs.Get("arn"); arn.IsString() {
				require.Regexp(t, `^arn:aws:[a-z0-9]+:[a-z0-9-]*:[0-9]*:.+`, arn.AsString())
			}
		})
	}
}

// Everything that types.yaml says of a type is in the SDK.
func TestTypesAreTheSDKs(t *testing.T) {
	schema := toolchain.AWSSchema(t)
	for token, typ := range standin.Types() {
		object, ok := schema.Resources[token]
		require.True(t, ok, "the SDK has no resource %s", token)
		for _, input := range append(slices.Clone(typ.Replace), strings.Fields(typ.Name)...) {
			require.Contains(t, object.Inputs, input, token)
		}
		for _, outputs := range []map[string]any{typ.Outputs, typ.Changes} {
			for output := range outputs {
				require.Contains(t, object.Outputs, output, token)
			}
		}
		require.NotEmpty(t, typ.ID, token)
		require.NotEmpty(t, typ.Refuse.Noun, token)
		require.NotEmpty(t, typ.Refuse.Action, token)
		require.NotEmpty(t, typ.Refuse.Missing, token)
	}
}

// What a resource puts out has the types that the SDK reads.
func TestOutputsFitTheSchema(t *testing.T) {
	schema := toolchain.AWSSchema(t)
	s := withSchema(t, standin.Data{})
	for token := range standin.Types() {
		_, outputs, err := s.Create(t.Context(), urnOf(token, "x"), property.Map{})
		var refusal *standin.Refusal
		if err != nil {
			require.ErrorAs(t, err, &refusal, token) // nothing goes without inputs: a rule needs a peer
			continue
		}
		for name, p := range schema.Resources[token].Outputs {
			v, ok := outputs.GetOk(name)
			if p.Type == "string" && p.Required {
				require.True(t, ok && v.IsString(), "%s %s: %v", token, name, v)
			}
			if p.Type == "int" && ok {
				require.True(t, v.IsNumber(), "%s %s: %v", token, name, v)
			}
		}
	}
}

func TestPreviewShowsNothingMadeUp(t *testing.T) {
	s := withSchema(t, standin.Data{})
	outputs := plainOf(s.PreviewCreate(urnOf(template, "nodes"), props(t, `{"name": "nodes", "instanceType": "p5en.48xlarge"}`)))
	require.Equal(t, "nodes", outputs["name"])
	require.Equal(t, "p5en.48xlarge", outputs["instanceType"])
	for _, unknown := range []string{"arn", "latestVersion"} {
		require.Equal(t, "<unknown>", outputs[unknown], unknown)
	}
	require.NotContains(t, outputs, "imageId", "what is optional and was not given has no value")
}

func TestUpdateCountsUpAndKeepsTheRest(t *testing.T) {
	s := withSchema(t, standin.Data{})
	u := urnOf(template, "nodes")
	oldInputs := props(t, `{"name": "nodes", "instanceType": "p5en.48xlarge", "keyName": "me"}`)
	id, old, err := s.Create(t.Context(), u, oldInputs)
	require.NoError(t, err)
	c := standin.Change{
		URN: u, ID: id, OldInputs: oldInputs, OldOutputs: old, NewInputs: props(t, `{"name": "nodes", "instanceType": "p4d.24xlarge"}`), Preview: true,
	}
	preview, err := s.Update(t.Context(), c)
	require.NoError(t, err)
	require.True(t, preview.Get("latestVersion").IsComputed())
	c.Preview = false
	updated, err := s.Update(t.Context(), c)
	require.NoError(t, err)
	outputs := plainOf(updated)
	require.InDelta(t, 2, outputs["latestVersion"], 0)
	require.Equal(t, "p4d.24xlarge", outputs["instanceType"])
	require.Equal(t, old.Get("arn").AsString(), outputs["arn"])
	require.NotContains(t, outputs, "keyName", "an input that was taken back is gone")

	inputs, outputsRead, found, err := s.Read(t.Context(), u, id)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, plainOf(c.NewInputs), plainOf(inputs))
	require.Equal(t, outputs, plainOf(outputsRead))
}

func TestReadOfWhatIsNotThere(t *testing.T) {
	s := withSchema(t, standin.Data{})
	id, _, err := s.Create(t.Context(), urnOf(vpc, "vpc"), property.Map{})
	require.NoError(t, err)
	for _, at := range []struct{ typ, id string }{{vpc, "vpc-1"}, {subnet, id}} {
		_, _, found, err := s.Read(t.Context(), urnOf(at.typ, "x"), at.id)
		require.NoError(t, err)
		require.False(t, found)
	}
}

func TestProviderConfiguration(t *testing.T) {
	tests := map[string]string{
		"as the engine gives it": `{"region": "eu-north-1", "defaultTags": "{\"tags\": {\"project\": \"weft\"}}"}`,
		"as an object":           `{"region": "eu-north-1", "defaultTags": {"tags": {"project": "weft"}}}`,
	}
	for name, config := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := withSchema(t, standin.Data{}).Configured(props(t, config))
			require.NoError(t, err)
			_, outputs, err := s.Create(t.Context(), urnOf(subnet, "s"), props(t, `{"vpcId": "vpc-1", "tags": {"size": "2"}}`))
			require.NoError(t, err)
			got := plainOf(outputs)
			require.Equal(t, map[string]any{"project": "weft", "size": "2"}, got["tagsAll"])
			require.Equal(t, map[string]any{"size": "2"}, got["tags"])
			require.Equal(t, "eu-north-1a", got["availabilityZone"])
			require.Equal(t, "eun1-az1", got["availabilityZoneId"])
		})
	}
	_, err := withSchema(t, standin.Data{}).Configured(props(t, `{"defaultTags": "{"}`))
	require.ErrorContains(t, err, "defaultTags")
}

func TestZoneIDs(t *testing.T) {
	data := standin.Data{Zones: map[string]string{"us-east-2b": "use2-az3"}}
	tests := []struct{ inputs, want string }{
		{`{"vpcId": "vpc-1", "availabilityZone": "us-east-2b"}`, "use2-az3"},
		{`{"vpcId": "vpc-1", "availabilityZone": "us-east-2c"}`, "use2-az3"},
		{`{"vpcId": "vpc-1", "availabilityZone": "us-gov-west-1a"}`, "usgw1-az1"},
		{`{"vpcId": "vpc-1", "availabilityZone": "ap-southeast-2b"}`, "apse2-az2"},
		{`{"vpcId": "vpc-1", "availabilityZoneId": "usw2-az4"}`, "usw2-az4"},
	}
	s := withSchema(t, data)
	for _, tt := range tests {
		_, outputs, err := s.Create(t.Context(), urnOf(subnet, tt.want), props(t, tt.inputs))
		require.NoError(t, err)
		require.Equal(t, tt.want, outputs.Get("availabilityZoneId").AsString(), tt.inputs)
	}
}

func TestStackOutputs(t *testing.T) {
	body := `
Resources: {Cluster: {Type: "Custom::PclusterCluster"}}
Outputs:
  HeadNodeInstanceId: {Value: !GetAtt Cluster.headNode.instanceId}
  HeadNodePrivateIp: {Value: x}
  HeadNodePublicIp: {Value: x}
  ClusterStatus: {Value: x}
  ServiceToken: {Value: x}
  Note: {Value: x}
`
	want := map[string]string{
		"HeadNodeInstanceId": `^i-0[0-9a-f]{16}$`,
		"HeadNodePrivateIp":  `^10\.0\.\d+\.\d+$`,
		"HeadNodePublicIp":   `^203\.0\.113\.\d+$`,
		"ClusterStatus":      `^CREATE_COMPLETE$`,
		"ServiceToken":       `^arn:aws:lambda:us-west-2:123456789012:function:cluster-[0-9a-f]{12}$`,
		"Note":               `^Note-[0-9a-f]{8}$`,
	}
	s := withSchema(t, standin.Data{})
	inputs := property.NewMap(map[string]property.Value{"name": property.New("cluster"), "templateBody": property.New(body)})
	_, created, err := s.Create(t.Context(), urnOf(stack, "cluster"), inputs)
	require.NoError(t, err)
	outputs, ok := plainOf(created)["outputs"].(map[string]any)
	require.True(t, ok)
	require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(outputs)))
	for key, pattern := range want {
		require.Regexp(t, pattern, outputs[key], key)
	}
	require.True(t, s.PreviewCreate(urnOf(stack, "other"), inputs).Get("outputs").IsComputed())
}

// Whatever runs on a cluster's head node is reached in the emulated account under the id that the stack puts out.
func TestHeadNodeIsThatOfTheEmulatedAccount(t *testing.T) {
	body := `{"Resources": {"Cluster": {"Type": "Custom::PclusterCluster", "Properties": {"ClusterName": "llama"}}},
		"Outputs": {"HeadNodeInstanceId": {"Value": {"Fn::GetAtt": ["Cluster", "headNode.instanceId"]}}}}`
	inputs := property.NewMap(map[string]property.Value{"name": property.New("llama-weft"), "templateBody": property.New(body)})
	_, created, err := withSchema(t, standin.Data{}).Create(t.Context(), urnOf(stack, "cluster"), inputs)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"HeadNodeInstanceId": account.HeadNodeID("llama")}, plainOf(created)["outputs"])
}

func TestAnswersOfOneResource(t *testing.T) {
	data, err := standin.ParseData([]byte(`
answers:
  - type: aws:cloudformation/stack:Stack
    when: {templateUrl: "*/custom_resource/cluster.yaml"}
    outputs: {outputs: {ServiceToken: "arn:{partition}:lambda:{region}:{account}:function:pcluster-{hex:4}"}}
  - type: aws:cloudformation/stack:Stack
    name: other
    outputs: {outputs: {}}
`))
	require.NoError(t, err)
	s := withSchema(t, data)
	inputs := props(t, `{"name": "p", "templateUrl": "https://us-west-2-aws-parallelcluster.s3/3.16.1/templates/custom_resource/cluster.yaml"}`)
	_, outputs, err := s.Create(t.Context(), urnOf(stack, "provider"), inputs)
	require.NoError(t, err)
	token := outputs.Get("outputs").AsMap().Get("ServiceToken").AsString()
	require.Regexp(t, `^arn:aws:lambda:us-west-2:123456789012:function:pcluster-[0-9a-f]{4}$`, token)
}

func TestCallsAreLogged(t *testing.T) {
	var calls []standin.Call
	s, err := standin.New(standin.Options{Log: func(c standin.Call) { calls = append(calls, c) }})
	require.NoError(t, err)
	ids := run(t, s, []step{aVPC, aSubnet})
	require.Error(t, do(t, s, ids, remove(vpc, "vpc")))
	require.Equal(t, []string{"create vpc", "create subnet", "delete vpc"}, lines(calls))
	require.Equal(t, ids["vpc"], calls[2].ID)
	require.Contains(t, calls[2].Error, "DependencyViolation")
	text, err := json.Marshal(calls[0])
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(`^\{"op":"create","type":"aws:ec2/vpc:Vpc","name":"vpc","id":"vpc-0[0-9a-f]{16}"\}$`), string(text))
}

func lines(calls []standin.Call) []string {
	var list []string
	for _, c := range calls {
		list = append(list, c.Op+" "+c.Name)
	}
	return list
}

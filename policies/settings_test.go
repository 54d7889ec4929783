package main

import (
	"context"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/policyx"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/components/componenttest"
)

// misplaced is a launch template on a block with a placement group, with further properties.
func misplaced(more map[string]any) policyx.AnalyzerResource {
	inputs := map[string]any{
		"instanceType":                     "p5.4xlarge",
		"instanceMarketOptions":            map[string]any{"marketType": "capacity-block"},
		"capacityReservationSpecification": map[string]any{"capacityReservationTarget": map[string]any{"capacityReservationId": "cr-0123456789abcdef0"}},
		"placement":                        map[string]any{"groupName": "pg", "tenancy": "default"},
	}
	for key, v := range more {
		inputs[key] = v
	}
	return policyx.AnalyzerResource{Type: templateType, URN: "urn:pulumi:dev::p::" + templateType + "::lt", Name: "lt", Properties: property.NewMap(properties(inputs))}
}

func judgeWith(t *testing.T, config map[string]any, r policyx.AnalyzerResource) map[string][]string {
	t.Helper()
	return run(t, config, []policyx.AnalyzerResource{r}, []policyx.AnalyzerResource{r})
}

func TestSettings(t *testing.T) {
	const id = "block/placement-group"
	fault := []string{id + " lt placement.groupName"}
	for name, tt := range map[string]struct {
		config map[string]any
		want   map[string][]string
	}{
		"none":      {nil, map[string][]string{"weft": fault}},
		"lowered":   {map[string]any{"rules": map[string]any{id: map[string]any{"level": "warn", "reason": "moving"}}}, map[string][]string{"weft-advice": fault}},
		"to a note": {map[string]any{"rules": map[string]any{id: map[string]any{"level": "note", "reason": "moving"}}}, map[string][]string{}},
		"notes are told on request": {
			map[string]any{"notes": true, "rules": map[string]any{id: map[string]any{"level": "note", "reason": "moving"}}},
			map[string][]string{"weft-advice": fault},
		},
		"an exception":  {map[string]any{"exceptions": []any{map[string]any{"rule": id, "resource": "*::lt", "reason": "a test stack"}}}, map[string][]string{}},
		"another's":     {map[string]any{"exceptions": []any{map[string]any{"rule": id, "resource": "*::other", "reason": "a test stack"}}}, map[string][]string{"weft": fault}},
		"no reason":     {map[string]any{"rules": map[string]any{id: map[string]any{"level": "note"}}}, map[string][]string{"weft": {"config/required  rules." + id, fault[0]}}},
		"no such rule":  {map[string]any{"rules": map[string]any{"block/x": map[string]any{"level": "note", "reason": "r"}}}, map[string][]string{"weft": {"config/value  rules.block/x", fault[0]}}},
		"no such key":   {map[string]any{"rule": map[string]any{}}, map[string][]string{"weft": {"config/key  rule", fault[0]}}},
		"no such level": {map[string]any{"rules": map[string]any{id: map[string]any{"level": "loud", "reason": "r"}}}, map[string][]string{"weft": {"config/value", fault[0]}}},
		"an exception without a reason": {
			map[string]any{"exceptions": []any{map[string]any{"rule": id, "resource": "*"}}},
			map[string][]string{"weft": {"config/required  exceptions", fault[0]}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, judgeWith(t, tt.config, misplaced(nil)))
		})
	}
}

func TestMessageTellsBothSidesAndTheWayOut(t *testing.T) {
	pack, err := newPack()
	require.NoError(t, err)
	var r recorder
	require.NoError(t, pack.Policies()[0].(policyx.ResourceValidationPolicy).Validate(context.Background(), policyx.ResourceValidationArgs{Manager: &r, Resource: misplaced(nil)}))
	require.Equal(t, `block/placement-group at placement.groupName: placement group pg, with market type capacity-block
want: no placement group
do: remove the placement group: the block's instances already sit close together
see: EC2 User Guide, ec2-capacity-blocks; terraform-aws-modules/terraform-aws-eks#3730`, r.violations[0].message)
}

func TestEveryPolicyHasALevelAndASchemaThatPulumiTakes(t *testing.T) {
	pack, err := newPack()
	require.NoError(t, err)
	levels := map[string]policyx.EnforcementLevel{}
	for _, p := range pack.Policies() {
		levels[p.Name()] = p.EnforcementLevel()
		require.NotEmpty(t, p.Description())
		if schema := p.ConfigSchema(); schema != nil {
			plain := map[string]any{}
			for key, value := range schema.Properties {
				plain[key] = value
			}
			_, err := structpb.NewStruct(plain)
			require.NoError(t, err, p.Name())
		}
	}
	require.Equal(t, map[string]policyx.EnforcementLevel{
		"weft": policyx.EnforcementLevelMandatory, "weft-stack": policyx.EnforcementLevelMandatory, "weft-advice": policyx.EnforcementLevelAdvisory,
		"weft-remove-placement-group": policyx.EnforcementLevelRemediate, "weft-delete-interfaces": policyx.EnforcementLevelRemediate,
	}, levels)
}

func TestRemediations(t *testing.T) {
	pack, err := newPack()
	require.NoError(t, err)
	repair := func(apply bool, r policyx.AnalyzerResource) policyx.AnalyzerResource {
		for _, p := range pack.Policies() {
			p, ok := p.(policyx.ResourceRemediationPolicy)
			if !ok {
				continue
			}
			changed, err := p.Remediate(context.Background(), policyx.ResourceRemediationArgs{Resource: r, Config: map[string]any{"apply": apply}})
			require.NoError(t, err)
			if changed != nil {
				r.Properties = *changed
			}
		}
		return r
	}
	nics := map[string]any{"networkInterfaces": []any{
		map[string]any{"deviceIndex": 0.0, "deleteOnTermination": "false"},
		map[string]any{"deviceIndex": 1.0},
		map[string]any{"deviceIndex": 2.0, "deleteOnTermination": componenttest.Unknown},
	}}
	bad := misplaced(nics)
	require.Equal(t, bad, repair(false, bad), "off unless the configuration says apply")

	good := repair(true, bad)
	require.Equal(t, "default", good.Properties.Get("placement").AsMap().Get("tenancy").AsString())
	require.True(t, good.Properties.Get("placement").AsMap().Get("groupName").IsNull())
	items := good.Properties.Get("networkInterfaces").AsArray()
	require.Equal(t, "true", items.Get(0).AsMap().Get("deleteOnTermination").AsString())
	require.Equal(t, "true", items.Get(1).AsMap().Get("deleteOnTermination").AsString())
	require.True(t, items.Get(2).AsMap().Get("deleteOnTermination").IsComputed(), "who knows it later decides")
	require.Equal(t, "false", bad.Properties.Get("networkInterfaces").AsArray().Get(0).AsMap().Get("deleteOnTermination").AsString(), "the resource itself stays")
	require.Equal(t, good, repair(true, good), "what is right stays")
	require.NotContains(t, judgeWith(t, nil, good), "weft")

	onDemand := misplaced(map[string]any{"instanceMarketOptions": nil})
	require.Equal(t, onDemand, repair(true, onDemand), "on demand a placement group is right")
	subnet := policyx.AnalyzerResource{Type: "aws:ec2/subnet:Subnet", Properties: bad.Properties}
	require.Equal(t, subnet, repair(true, subnet))
}

// A secret is judged like any value, and never printed.
func TestSecretIsJudgedAndNotPrinted(t *testing.T) {
	pack, err := newPack()
	require.NoError(t, err)
	var r recorder
	secret := misplaced(map[string]any{"placement": map[string]any{"groupName": map[string]any{"<secret>": "hidden-name"}}})
	require.NoError(t, pack.Policies()[0].(policyx.ResourceValidationPolicy).Validate(context.Background(), policyx.ResourceValidationArgs{Manager: &r, Resource: secret}))
	require.Equal(t, []string{"block/placement-group lt placement.groupName"}, r.told())
	require.NotContains(t, r.violations[0].message, "hidden-name")
}

// anything draws properties of every kind, also where a resource has another one.
func anything(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Just[any](componenttest.Unknown), rapid.Just[any](true), rapid.Just[any](3.0),
		rapid.SampledFrom([]any{"efa", "capacity-block", "p5.48xlarge", "-1", "true", "{}", "Custom::PclusterCluster", ""}),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	keys := rapid.SampledFrom([]string{
		"networkInterfaces", "placement", "groupName", "instanceMarketOptions", "marketType", "instanceType", "capacityReservationSpecification",
		"capacityReservationTarget", "capacityReservationId", "securityGroups", "deviceIndex", "networkCardIndex", "interfaceType", "ingress", "protocol", "self",
		"launchTemplate", "id", "name", "templateBody", "Resources", "data", "tags", "launchTemplateData", "scalingConfig", "maxSize", "deleteOnTermination",
	})
	list := rapid.Map(rapid.SliceOfN(anything(depth-1), 0, 3), func(items []any) any { return items })
	object := rapid.Map(rapid.MapOfN(keys, anything(depth-1), 0, 5), func(m map[string]any) any { return m })
	return rapid.OneOf(append(leaves, list, object, object)...)
}

// No value of any kind in any place ends the pack: Pulumi would show a goroutine dump instead of findings.
func TestNoPropertyPanics(t *testing.T) {
	types := []string{
		templateType, "aws:ec2/instance:Instance", "aws:ec2/securityGroup:SecurityGroup", "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
		"aws:eks/nodeGroup:NodeGroup", "aws:autoscaling/group:Group", "aws:cloudformation/stack:Stack", "aws:imagebuilder/component:Component",
		"aws-native:ec2:LaunchTemplate", "aws:ec2/fleet:Fleet", "aws:batch/computeEnvironment:ComputeEnvironment", "aws:ec2/ami:Ami",
	}
	rapid.Check(t, func(rt *rapid.T) {
		var resources []policyx.AnalyzerResource
		for range rapid.IntRange(1, 3).Draw(rt, "resources") {
			r := policyx.AnalyzerResource{Type: rapid.SampledFrom(types).Draw(rt, "type"), URN: "urn:" + rapid.StringN(1, 3, 3).Draw(rt, "urn")}
			if m, ok := anything(3).Draw(rt, "properties").(map[string]any); ok {
				r.Properties = property.NewMap(properties(m))
			}
			resources = append(resources, r)
		}
		run(t, map[string]any{"instanceTypes": []any{"p5.48xlarge"}}, resources, resources)
	})
}

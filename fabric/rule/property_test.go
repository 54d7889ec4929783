package rule_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
	"github.com/weft-hpc/weft/fabric/rule/tree"
	"github.com/weft-hpc/weft/fabric/version"
)

// planned writes interfaces of a plan as a template that launches into a block.
func planned(t catalog.InstanceType, interfaces []plan.Interface) map[string]any {
	var nics []any
	for _, i := range interfaces {
		nics = append(nics, map[string]any{
			"networkCardIndex": i.Card, "deviceIndex": i.Device, "interfaceType": i.Type,
			"deleteOnTermination": "true", "associatePublicIpAddress": "false", "securityGroups": []any{"sg-1"},
		})
	}
	return map[string]any{
		"id": "lt-1", "instanceType": t.Name, "networkInterfaces": nics,
		"instanceMarketOptions":            map[string]any{"marketType": "capacity-block"},
		"capacityReservationSpecification": map[string]any{"capacityReservationTarget": map[string]any{"capacityReservationId": "cr-0123456789abcdef0"}},
		"placement":                        map[string]any{"tenancy": "default"},
	}
}

func self() []any { return []any{map[string]any{"protocol": "-1", "self": true}} }

func registered(template map[string]any) rule.Set {
	resource := func(token, name string, properties map[string]any) read.Resource {
		return read.Resource{Type: tokens[token], URN: name, Properties: tree.New("", properties)}
	}
	return read.Stack([]read.Resource{
		resource("template", "lt", template),
		resource("group", "sg", map[string]any{"id": "sg-1", "ingress": self(), "egress": self()}),
		resource("subnet", "subnet", map[string]any{"id": "subnet-1", "mapPublicIpOnLaunch": false}),
		resource("block", "block", map[string]any{"id": "cr-0123456789abcdef0", "instanceCount": 4, "state": "active"}),
		resource("eks", "workers", map[string]any{"launchTemplate": map[string]any{"id": "lt-1"}, "capacityType": "CAPACITY_BLOCK", "scalingConfig": map[string]any{"maxSize": 4}, "subnetIds": []any{"subnet-1"}}),
	})
}

// For every row of the catalogue, layout and version the rules find nothing in what the plan makes: plan and rules
// cannot drift apart.
func TestRulesFindNothingInWhatThePlanMakes(t *testing.T) {
	types := catalog.Instances()
	rapid.Check(t, func(t *rapid.T) {
		instance := rapid.SampledFrom(types).Draw(t, "type")
		layout := rapid.SampledFrom([]string{plan.SaveAddresses, plan.MostBandwidth}).Draw(t, "layout")
		requireNothing(t, rule.Judge(registered(planned(instance, plan.Interfaces(instance, layout, len(instance.EFACards()) > 0))), rule.Options{}))

		release := rapid.SampledFrom([]string{"3.15.1", "3.16.1"}).Draw(t, "release")
		if len(instance.EFACards()) > 0 && instance.Verified("Cards.MaxInterfaces") {
			requireNothing(t, rule.Judge(registered(planned(instance, plan.Generated(version.MustParse(release), instance, true))), rule.Options{}))
		}
	})
}

func requireNothing(t require.TestingT, findings diag.List) {
	require.Empty(t, told(findings), "%v", findings)
}

// hide makes one scalar, list or map of a tree unknown, and counts them.
func hide(value any, target int, count *int) any {
	*count++
	if *count == target {
		return tree.Hidden("")
	}
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range tree.New("", v).Keys() {
			out[key] = hide(v[key], target, count)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = hide(v[i], target, count)
		}
		return out
	}
	return value
}

// A value that is hidden never panics, never becomes a fault of its own, and never takes one away in silence: where the
// whole template has a finding, the template with the hidden value has it too, or says what it waits for.
func TestAnUnknownValueNeverPassesInSilence(t *testing.T) {
	types := catalog.Instances()
	rapid.Check(t, func(t *rapid.T) {
		instance := rapid.SampledFrom(types).Draw(t, "type")
		template := planned(instance, plan.Interfaces(instance, plan.SaveAddresses, true))
		fault := rapid.SampledFrom([]string{"none", "placement", "target", "public", "efa", "primary", "keep"}).Draw(t, "fault")
		nics := template["networkInterfaces"].([]any)
		first := nics[0].(map[string]any)
		switch fault {
		case "placement":
			template["placement"] = map[string]any{"groupName": "pg"}
		case "target":
			delete(template, "capacityReservationSpecification")
		case "public":
			first["associatePublicIpAddress"] = "true"
		case "efa":
			first["interfaceType"] = "efa-only"
		case "primary":
			first["deviceIndex"] = 3
		case "keep":
			first["deleteOnTermination"] = "false"
		}
		whole := rule.Judge(registered(template), rule.Options{})

		count := 0
		hide(template, 0, &count)
		target := rapid.IntRange(2, count).Draw(t, "hidden")
		count = 0
		hidden := rule.Judge(registered(hide(template, target, &count).(map[string]any)), rule.Options{})

		if len(whole) == 0 {
			for _, f := range hidden {
				require.Equal(t, diag.ValueUnknown, f.Rule, "%v", f)
			}
			return
		}
		require.NotEmpty(t, hidden, "%v went away with a hidden value", whole)
	})
}

func TestUnknownFindingTellsWhatWaits(t *testing.T) {
	findings := rule.Judge(world(t, `template lt: {instanceType: "?", networkInterfaces: [{deviceIndex: 0, interfaceType: efa}]}`), rule.Options{})
	diagtest.Complete(t, findings)
	require.Len(t, findings, 1)
	require.Contains(t, findings[0].Got, "instanceType is not known, so these were not judged: nic/aggregate, nic/device-index, nic/efa-card, nic/efa-count, nic/not-supported")
}

func TestLevelsAndExceptions(t *testing.T) {
	const lt = `template urn:lt: {` + onBlock + `, placement: {groupName: pg}}`
	judge := func(o rule.Options) diag.Finding {
		findings := rule.Judge(world(t, lt), o)
		require.Len(t, findings, 1)
		return findings[0]
	}
	require.Equal(t, diag.Error, judge(rule.Options{}).Level)

	lowered := judge(rule.Options{Levels: map[diag.ID]diag.Override{diag.BlockPlacementGroup: {Level: diag.Warn, Reason: "moving"}}})
	require.Equal(t, diag.Warn, lowered.Level)
	require.Equal(t, "moving", lowered.Reason)

	for pattern, want := range map[string]diag.Level{"urn:lt": diag.Note, "urn:*": diag.Note, "*": diag.Note, "lt": diag.Error, "urn:l": diag.Error, "urn.lt": diag.Error} {
		f := judge(rule.Options{Exceptions: []rule.Exception{{Rule: diag.BlockPlacementGroup, Pattern: pattern, Reason: "a test stack"}}})
		require.Equal(t, want, f.Level, pattern)
		if want == diag.Note {
			require.Equal(t, "a test stack", f.Reason)
		}
	}
	other := judge(rule.Options{Exceptions: []rule.Exception{{Rule: diag.BlockSize, Pattern: "*", Reason: "another rule"}}})
	require.Equal(t, diag.Error, other.Level)
}

func TestScopesTogetherSeeWhatEverythingSees(t *testing.T) {
	set := world(t, `
placement pg: {strategy: cluster}
group sg: {}
template lt: {instanceType: p5.48xlarge, `+onBlock+`, placement: {groupName: $pg}, networkInterfaces: [{deviceIndex: 0, associatePublicIpAddress: true, interfaceType: efa, securityGroups: [$sg]}, {deviceIndex: 1}]}
`)
	rules := func(scope rule.Scope) map[string]bool {
		out := map[string]bool{}
		for _, f := range rule.Judge(set, rule.Options{Scope: scope}).AtLeast(diag.Error) {
			out[fmt.Sprint(f.Rule, f.Place)] = true
		}
		return out
	}
	alone, together, everything := rules(rule.Alone), rules(rule.Together), rules(rule.Everything)
	for key := range everything {
		require.True(t, alone[key] || together[key], key)
	}
	for key := range alone {
		require.True(t, everything[key], key)
	}
	for key := range together {
		require.True(t, everything[key], key)
	}
}

func TestRulesAreRegisteredAndTold(t *testing.T) {
	for _, r := range rule.Rules() {
		registered, ok := diag.Lookup(r.ID)
		require.True(t, ok, r.ID)
		require.NotZero(t, registered.Where&diag.Policy, r.ID)
		require.Equal(t, registered.Level, r.Level())
		require.NotEmpty(t, r.Doc, r.ID)
		require.NotZero(t, r.Scope&rule.Everything, r.ID)
	}
}

package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/source"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// dump is what the recorded account answers, as weft check --account takes it.
func dump(t *testing.T, r judgetest.Record) []byte {
	t.Helper()
	subnet := func(id, vpc, zone string, public bool) map[string]any {
		return map[string]any{"SubnetId": id, "VpcId": vpc, "AvailabilityZone": zone, "MapPublicIpOnLaunch": public, "AvailableIpAddressCount": 4000}
	}
	all := []any{map[string]any{"IpProtocol": "-1", "IpRanges": []any{map[string]any{"CidrIp": "0.0.0.0/0"}}}}
	self := []any{map[string]any{"IpProtocol": "-1", "UserIdGroupPairs": []any{map[string]any{"GroupId": "sg-self0000000000000"}}}}
	var images []any
	for _, id := range slices.Sorted(maps.Keys(r.World.Images)) {
		i := r.World.Images[id]
		var tags []any
		for _, key := range slices.Sorted(maps.Keys(i.Tags)) {
			tags = append(tags, map[string]any{"Key": key, "Value": i.Tags[key]})
		}
		images = append(images, map[string]any{"ImageId": id, "Name": i.Name, "Architecture": i.Architecture, "State": "available", "Tags": tags})
	}
	data, err := json.Marshal(map[string]any{
		"DescribeCapacityReservations": map[string]any{"CapacityReservations": r.World.Reservations},
		"DescribeSubnets": map[string]any{"Subnets": []any{
			subnet("subnet-public00000000000", "vpc-main", "us-east-2a", true),
			subnet("subnet-privatea000000000", "vpc-main", "us-east-2a", false),
			subnet("subnet-privateb000000000", "vpc-main", "us-east-2b", false),
			subnet("subnet-othervpc000000000", "vpc-other", "us-east-2a", false),
			subnet("subnet-nodnsnames0000000", "vpc-bare", "us-east-2a", false),
		}},
		"DescribeSecurityGroups": map[string]any{"SecurityGroups": []any{
			map[string]any{"GroupId": "sg-self0000000000000", "VpcId": "vpc-main", "IpPermissions": self, "IpPermissionsEgress": append(slices.Clone(all), self...)},
			map[string]any{"GroupId": "sg-plain000000000000", "VpcId": "vpc-main", "IpPermissions": []any{}, "IpPermissionsEgress": all},
		}},
		"DescribeImages":          map[string]any{"Images": images},
		"DescribePlacementGroups": map[string]any{"PlacementGroups": []any{map[string]any{"GroupName": "pg", "Strategy": "cluster"}}},
	})
	require.NoError(t, err)
	return data
}

// shared pairs a finding of the real validators with the rules by which weft judges the same.
type shared struct {
	validator, message string // part of the message; empty: any
	rules              []diag.ID
}

var sharedRules = []shared{
	{"ConfigSchemaValidator", "Unknown field.", []diag.ID{diag.PCKey}},
	{"ConfigSchemaValidator", "'Os': ['Must be one of", []diag.ID{diag.PCOS}},
	{"InstanceTypeOSCompatibleValidator", "supported with OS", []diag.ID{diag.PCOS}},
	{"CapacityTypeValidator", "Capacity Reservation id is required", []diag.ID{diag.BlockPairing}},
	{"ComputeResourceSizeValidator", "", []diag.ID{diag.BlockCount}},
	{"CapacityReservationSizeValidator", "", []diag.ID{diag.BlockSize, diag.BlockState}},
	{"PlacementGroupCapacityTypeValidator", "", []diag.ID{diag.BlockPlacementGroup}},
	{"MultiNetworkInterfacesInstancesValidator", "", []diag.ID{diag.NICPublicIP}},
	{"EfaSecurityGroupValidator", "", []diag.ID{diag.SGSelfIngress, diag.SGSelfEgress}},
	{"EfaValidator", "does not support EFA", []diag.ID{diag.NICNotSupported}},
	{"EfaValidator", "supports enhanced networking capabilities using Elastic Fabric Adapter", []diag.ID{diag.NICEFAOff}},
	{"CustomAmiTagValidator", "", []diag.ID{diag.AMIParallelCluster, diag.AMIBuildStatus}},
	{"AmiOsCompatibleValidator", "not compatible", []diag.ID{diag.AMIOS}},
	{"InstanceTypeBaseAMICompatibleValidator", "", []diag.ID{diag.AMIArchitecture}},
	{"InstanceArchitectureCompatibilityValidator", "", []diag.ID{diag.AMIArchitecture}},
	{"AsyncTimedUrlValidator", "is not a valid URL", []diag.ID{diag.BootURL}},
}

// silent are the cases in which ParallelCluster finds what weft does not look for, each with the reason.
var silent = map[string]string{
	"sg-unknown": "a group that the account lacks has no rules to judge",
}

// passed are the rules whose errors ParallelCluster lets pass: what weft is asked for beside it.
var passed = map[string][]diag.ID{
	"block-id-malformed":                  {diag.BlockState},
	"block-expired":                       {diag.BlockState},
	"block-payment-failed":                {diag.BlockState},
	"capacity-type-omitted-with-block-id": {diag.BlockKind},
	"gb200-rhel9":                         {diag.PCOS},        // 3.13 looks for it as little as it has a driver for the type
	"public-subnet-efa-single-card":       {diag.NICPublicIP}, // 3.15 gives this type two interfaces; 3.16 looks for it
}

func TestAgreesWithParallelCluster(t *testing.T) {
	r := judgetest.ReadRecord(t)
	require.Len(t, r.Cases, 121)
	account := source.Read("account.json", dump(t, r), source.Options{})
	require.Empty(t, account.Findings)
	for _, c := range r.Cases {
		for _, v := range c.Verdicts {
			for _, version := range v.Versions {
				t.Run(c.Name+"/"+version, func(t *testing.T) {
					compare(t, v, judged(account.Set, r.Text(t, c.Config, version), version), silent[c.Name] != "", passed[c.Name])
				})
			}
		}
	}
}

// judged gives weft's warnings and errors.
func judged(account rule.Set, text, version string) diag.List {
	d := source.Read("cluster.yaml", []byte(text), source.Options{ParallelCluster: version})
	var set rule.Set
	set.Add(account)
	set.Add(d.Set)
	return append(slices.Clone(d.Findings), rule.Judge(set, rule.Options{})...).AtLeast(diag.Warn)
}

// compare wants what both judge to be found by both.
func compare(t *testing.T, v judgetest.Ruling, mine diag.List, excused bool, passed []diag.ID) {
	t.Helper()
	theirs := map[diag.ID]bool{}
	for _, f := range v.Findings {
		s, ok := sharedWith(f)
		for _, id := range s.rules {
			theirs[id] = true
		}
		if ok && !excused {
			require.True(t, slices.ContainsFunc(mine, func(m diag.Finding) bool { return slices.Contains(s.rules, m.Rule) }),
				"%s says: %s; weft says: %v", f.Type, f.Message, mine)
		}
	}
	for _, m := range mine.AtLeast(diag.Error) {
		if !isShared(m.Rule) || before(v, m.Rule) {
			continue
		}
		require.True(t, theirs[m.Rule] || slices.Contains(passed, m.Rule), "weft says %s at %s (%s); ParallelCluster: %v", m.Rule, m.Place, m.Got, v.Findings)
	}
}

// before reports that ParallelCluster refused the configuration before it would have come to a rule.
func before(v judgetest.Ruling, id diag.ID) bool {
	refused := len(v.Findings) == 0 && !strings.HasPrefix(v.Message, "Request would have succeeded")
	schema := slices.ContainsFunc(v.Findings, func(f judge.Finding) bool { return f.Type == "ConfigSchemaValidator" })
	return refused || schema && id != diag.PCKey
}

func sharedWith(f judge.Finding) (shared, bool) {
	i := slices.IndexFunc(sharedRules, func(s shared) bool { return f.Type == s.validator && strings.Contains(f.Message, s.message) })
	if i < 0 {
		return shared{}, false
	}
	return sharedRules[i], true
}

func isShared(id diag.ID) bool {
	return slices.ContainsFunc(sharedRules, func(s shared) bool { return slices.Contains(s.rules, id) })
}

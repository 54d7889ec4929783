package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/source"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// mutants is how many configurations are made and judged.
const mutants = 320

// mutation puts one of some values where a path leads; nil takes the key away.
type mutation struct {
	path   string // steps separated by dots; a number is an index
	values []any
}

const (
	headNode = "HeadNode"
	queue    = "Scheduling.SlurmQueues.0"
	resource = queue + ".ComputeResources.0"
)

func mutations(r judgetest.Record) []mutation {
	var reservations, images []any
	for _, b := range r.World.Reservations {
		reservations = append(reservations, b.ID)
	}
	for id, i := range r.World.Images {
		if strings.HasPrefix(i.Name, "custom-") {
			images = append(images, id)
		}
	}
	slices.SortFunc(images, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	reservations = append(reservations, "cr-0unknown", "cb-00000000000000001", nil)
	subnets := []any{"subnet-public00000000000", "subnet-privatea000000000", "subnet-privateb000000000", "subnet-othervpc000000000"}
	group := []any{map[string]any{"Enabled": true}, map[string]any{"Enabled": false}, map[string]any{"Id": "pg"}, map[string]any{"Name": "pg"}, map[string]any{}}
	scripts := []any{"s3://scripts/v1/gdrcopy.sh", "http://127.0.0.1/MUTANT.sh", "/opt/MUTANT.sh", "file:///opt/MUTANT.sh", "s3://scripts/v2/MUTANT.sh"}
	types := []any{"p5en.48xlarge", "p5.48xlarge", "p4d.24xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge", "trn1.32xlarge", "g6e.48xlarge", "c5.xlarge", "hpc7g.16xlarge"}
	return []mutation{
		{queue + ".CapacityType", []any{"ONDEMAND", "SPOT", "CAPACITY_BLOCK", nil}},
		{resource + ".CapacityReservationTarget.CapacityReservationId", reservations},
		{queue + ".CapacityReservationTarget.CapacityReservationId", reservations},
		{resource + ".InstanceType", types},
		{resource + ".MinCount", []any{0, 1, 2, 3, 5, 8, nil}},
		{resource + ".MaxCount", []any{1, 2, 3, 5, 8, nil}},
		{resource + ".Efa.Enabled", []any{true, false}},
		{resource + ".Efa", []any{nil}},
		{resource + ".Networking.PlacementGroup", group},
		{queue + ".Networking.PlacementGroup", group},
		{queue + ".Networking.SubnetIds.0", subnets},
		{queue + ".Networking.AssignPublicIp", []any{true, false}},
		{queue + ".Networking.SecurityGroups", []any{[]any{"sg-self0000000000000"}, []any{"sg-plain000000000000"}, []any{"sg-plain000000000000", "sg-self0000000000000"}}},
		{queue + ".Networking.AdditionalSecurityGroups", []any{[]any{"sg-self0000000000000"}, []any{"sg-plain000000000000"}}},
		{headNode + ".Networking.SubnetId", subnets},
		{headNode + ".InstanceType", []any{"m6i.2xlarge", "c6g.2xlarge", "m7g.xlarge"}},
		{"Image.Os", []any{"ubuntu2204", "ubuntu2404", "alinux2", "alinux2023", "rhel8", "rhel9", "rocky8", "rocky9", "ubuntu2004", "centos7", "windows"}},
		{"Image.CustomAmi", images},
		{queue + ".Image.CustomAmi", images},
		{queue + ".CustomActions.OnNodeStart.Script", scripts},
		{headNode + ".CustomActions.OnNodeConfigured.Script", scripts},
		{queue + ".Iam.S3Access", []any{nil, []any{map[string]any{"BucketName": "scripts"}}, []any{map[string]any{"BucketName": "other"}}}},
		{"Scheduling.SlurmSetings", []any{map[string]any{}}},
		{queue + ".MinCount", []any{1}},
		{resource + ".CapacityType", []any{"CAPACITY_BLOCK"}},
		{resource + ".EfaEnabled", []any{true}},
		{headNode + ".Efa", []any{map[string]any{"Enabled": true}}},
		{"Tagz", []any{[]any{}}},
	}
}

// letThrough are rules whose errors ParallelCluster lets pass, or judges by the account alone.
var letThrough = []diag.ID{
	diag.BlockState, // expired, failed, unknown blocks
	diag.BlockKind,  // a block's id under ONDEMAND
}

func TestAgreesWithParallelClusterOnMutants(t *testing.T) {
	t.Parallel()
	r := judgetest.ReadRecord(t)
	account := source.Read("account.json", dump(t, r), source.Options{})
	emulated := judgetest.Account(t)
	require.NoError(t, emulated.Load(t.Context(), r.World.Account(t)))
	judges := []*judge.Judge{judgetest.Judge(t, "3.16.1", emulated), judgetest.Judge(t, "3.15.1", emulated)}
	made := mutated(t, r, mutants)
	refused := 0
	for i, m := range made {
		j := judges[i%len(judges)]
		text := r.Text(t, m.config, j.Version())
		v, err := j.Create(t.Context(), "weft", text)
		require.NoError(t, err)
		if !v.Accepted {
			refused++
		}
		t.Run(strconv.Itoa(i)+"/"+m.name, func(t *testing.T) {
			compare(t, judgetest.Ruling{Message: v.Message, Findings: v.Findings}, judged(account.Set, text, j.Version()), false, letThrough)
		})
	}
	require.Greater(t, refused, mutants/4, "mutations that change nothing try nothing")
	require.Less(t, refused, mutants*9/10)
}

type mutant struct {
	name   string
	config json.RawMessage
}

// mutated makes configurations of one or two mutations of good ones, each once, always the same.
func mutated(t *testing.T, r judgetest.Record, n int) []mutant {
	t.Helper()
	all := mutations(r)
	var good []judgetest.Case
	for _, c := range r.Cases {
		if slices.Contains([]string{"good", "ami-good", "os-ubuntu2404", "ami-queue-custom", "additional-sg-only", "fsx-existing", "custom-actions-empty", "health-checks", "os-alinux2023"}, c.Name) {
			good = append(good, c)
		}
	}
	require.Len(t, good, 9)
	var out []mutant
	seen := map[string]bool{}
	rng := rand.New(rand.NewPCG(20261130, 1))
	for len(out) < n {
		base := good[rng.IntN(len(good))]
		var config any
		require.NoError(t, json.Unmarshal(base.Config, &config))
		name := base.Name
		for range 1 + rng.IntN(2) {
			m := all[rng.IntN(len(all))]
			value := m.values[rng.IntN(len(m.values))]
			config = put(config, strings.Split(m.path, "."), value)
			name += fmt.Sprintf(" %s=%v", m.path, value)
		}
		text, err := json.Marshal(config)
		require.NoError(t, err)
		if !seen[string(text)] {
			seen[string(text)] = true
			// ParallelCluster judges a URL once in ten seconds, so each has its own.
			out = append(out, mutant{name, bytes.ReplaceAll(text, []byte("MUTANT"), strconv.AppendInt(nil, int64(len(out)), 10))})
		}
	}
	return out
}

// put sets what a path leads to, and makes what lies on the way; nil takes the key away.
func put(node any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	if list, ok := node.([]any); ok {
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(list) {
			list[i] = put(list[i], path[1:], value)
		}
		return list
	}
	section, ok := node.(map[string]any)
	if !ok {
		section = map[string]any{}
	}
	if v := put(section[path[0]], path[1:], value); v != nil {
		section[path[0]] = v
	} else {
		delete(section, path[0])
	}
	return section
}

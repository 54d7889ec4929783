package judge_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge"
)

// inUse is the configuration of a cluster that runs: a queue on a block and one on demand.
const inUse = `
Region: us-east-2
Image: {Os: ubuntu2204}
HeadNode:
  InstanceType: m6i.2xlarge
  Networking: {SubnetId: subnet-privatea000000000}
  Ssh: {KeyName: ed}
Scheduling:
  Scheduler: slurm
  SlurmSettings: {ScaledownIdletime: 10}
  SlurmQueues:
    - Name: train
      CapacityType: CAPACITY_BLOCK
      Networking: {SubnetIds: [subnet-privatea000000000]}
      CustomActions: {OnNodeStart: {Script: "s3://scripts/v1/gdrcopy.sh", Args: ["2.6"]}}
      Iam: {S3Access: [{BucketName: scripts, KeyName: "v1/*"}]}
      ComputeResources:
        - Name: cr1
          InstanceType: p5en.48xlarge
          MinCount: 4
          MaxCount: 4
          Efa: {Enabled: true}
          CapacityReservationTarget: {CapacityReservationId: cr-00000000000000001}
          LaunchTemplateOverrides: {LaunchTemplateId: lt-p5en48xlarge00000, Version: 1}
    - Name: cpu
      Networking: {SubnetIds: [subnet-privatea000000000]}
      ComputeResources: [{Name: c5, InstanceType: c5.2xlarge, MinCount: 2, MaxCount: 8}]
Tags: [{Key: team, Value: research}]
`

const (
	train = "Scheduling.SlurmQueues.0."
	cpu   = "Scheduling.SlurmQueues.1."
)

// states are the four states that a change is tried in: the fleet, and QueueUpdateStrategy in the new configuration.
var states = []struct {
	fleet    account.Fleet
	strategy string
}{{account.Running, ""}, {account.Running, "DRAIN"}, {account.Running, "TERMINATE"}, {account.Stopped, ""}}

const (
	yes = true
	no  = false
)

// updates tries changes in all four states. What is expected was recorded with 3.16.1.
func updates(t *testing.T, j *judge.Judge) {
	t.Helper()
	for _, c := range []struct {
		change string
		edits  map[string]any // path to value; nil takes the key away
		taken  [4]bool        // by state
		at     string         // parameter that is refused first, where one is
	}{
		{"on-demand queue: more nodes", map[string]any{cpu + "ComputeResources.0.MaxCount": 16}, [4]bool{yes, yes, yes, yes}, ""},
		{
			"on-demand queue: fewer nodes",
			map[string]any{cpu + "ComputeResources.0.MaxCount": 4},
			[4]bool{no, no, yes, yes},
			"Scheduling.SlurmQueues[cpu].ComputeResources[c5].MaxCount",
		},
		{
			"on-demand queue: instance type",
			map[string]any{cpu + "ComputeResources.0.InstanceType": "c5.4xlarge"},
			[4]bool{no, no, no, yes},
			"Scheduling.SlurmQueues[cpu].ComputeResources[c5].InstanceType",
		},
		{"block queue: another block", map[string]any{
			train + "ComputeResources.0.CapacityReservationTarget.CapacityReservationId": "cr-00000000000000002",
		}, [4]bool{no, yes, yes, yes}, "Scheduling.SlurmQueues[train].ComputeResources[cr1].CapacityReservationTarget.CapacityReservationId"},
		{"block queue: fewer nodes", map[string]any{
			train + "ComputeResources.0.MinCount": 3, train + "ComputeResources.0.MaxCount": 3,
		}, [4]bool{no, no, yes, yes}, "Scheduling.SlurmQueues[train].ComputeResources[cr1].MaxCount"},
		{
			"launch template: next version",
			map[string]any{train + "ComputeResources.0.LaunchTemplateOverrides.Version": 2},
			[4]bool{no, yes, yes, yes},
			"Scheduling.SlurmQueues[train].ComputeResources[cr1].LaunchTemplateOverrides.Version",
		},
		{
			"EFA off",
			map[string]any{train + "ComputeResources.0.Efa.Enabled": false},
			[4]bool{no, yes, yes, yes},
			"Scheduling.SlurmQueues[train].ComputeResources[cr1].Efa.Enabled",
		},
		{
			"custom action: new argument",
			map[string]any{train + "CustomActions.OnNodeStart.Args.0": "2.7"},
			[4]bool{no, yes, yes, yes},
			"Scheduling.SlurmQueues[train].CustomActions.OnNodeStart.Args",
		},
		{"S3 access: another key", map[string]any{train + "Iam.S3Access.0.KeyName": "v2/*"}, [4]bool{yes, yes, yes, yes}, ""},
		{"image", map[string]any{"Image.CustomAmi": "ami-0c4b122d96a502c53"}, [4]bool{no, no, no, no}, "Image.CustomAmi"},
		{"head node type", map[string]any{"HeadNode.InstanceType": "m6i.4xlarge"}, [4]bool{no, no, no, no}, "HeadNode.InstanceType"},
		{
			"idle time",
			map[string]any{"Scheduling.SlurmSettings.ScaledownIdletime": 20},
			[4]bool{no, no, no, yes},
			"Scheduling.SlurmSettings.ScaledownIdletime",
		},
		{"tag value", map[string]any{"Tags.0.Value": "production"}, [4]bool{yes, yes, yes, yes}, ""},
		{"queue removed", map[string]any{"Scheduling.SlurmQueues.1": nil}, [4]bool{no, no, yes, yes}, "Scheduling.SlurmQueues"},
	} {
		t.Run(c.change, func(t *testing.T) {
			for i, state := range states {
				edits := map[string]any{}
				for path, value := range c.edits {
					edits[path] = value
				}
				if state.strategy != "" {
					edits["Scheduling.SlurmSettings.QueueUpdateStrategy"] = state.strategy
				}
				got, err := j.Update(t.Context(), "running", inUse, edited(t, edits), state.fleet)
				require.NoError(t, err)
				require.Equal(t, c.taken[i], got.Accepted, "fleet %s, strategy %q: %+v", state.fleet, state.strategy, got)
				require.NotEmpty(t, got.Changes)
				require.Equal(t, got.Accepted, len(got.Refused) == 0)
				if !got.Accepted {
					require.Equal(t, c.at, got.Refused[0].Parameter)
					require.NotEmpty(t, got.Refused[0].Message)
				}
			}
		})
	}
}

func noUpdate(t *testing.T, j *judge.Judge) {
	t.Helper()
	config := inUse
	if j.Version() == "3.14.2" { // which does not know the key
		config = strings.Replace(inUse, "          LaunchTemplateOverrides: {LaunchTemplateId: lt-p5en48xlarge00000, Version: 1}\n", "", 1)
	}
	got, err := j.Update(t.Context(), "unchanged-"+strings.ReplaceAll(j.Version(), ".", "-"), config, config, account.Running)
	require.NoError(t, err)
	require.Equal(t, "Bad Request: No changes found in your cluster configuration.", got.Message)
}

// edited is the configuration in use with values set at paths.
func edited(t *testing.T, edits map[string]any) string {
	t.Helper()
	var root any
	require.NoError(t, yaml.Unmarshal([]byte(inUse), &root))
	for path, value := range edits {
		root = edit(t, root, strings.Split(path, "."), value)
	}
	text, err := yaml.Marshal(root)
	require.NoError(t, err)
	return string(text)
}

// edit gives the node with a value set below it.
func edit(t *testing.T, node any, path []string, value any) any {
	t.Helper()
	if len(path) == 0 {
		return value
	}
	switch node := node.(type) {
	case map[string]any:
		node[path[0]] = edit(t, node[path[0]], path[1:], value)
		return node
	case []any:
		i, err := strconv.Atoi(path[0])
		require.NoError(t, err)
		if len(path) == 1 && value == nil {
			return slices.Delete(node, i, i+1)
		}
		node[i] = edit(t, node[i], path[1:], value)
		return node
	default:
		require.Failf(t, "no such path", "%v is below %v", path, node)
		return nil
	}
}

package pcconfig

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
)

// running is the configuration that the recorded changes start from.
const running = `
Region: us-east-2
Image: {Os: ubuntu2204}
HeadNode:
  InstanceType: m6i.2xlarge
  Networking: {SubnetId: subnet-0000000000000000a}
  Iam: {AdditionalIamPolicies: [{Policy: "arn:aws:iam::123456789012:policy/extra"}]}
Scheduling:
  Scheduler: slurm
  SlurmSettings: {ScaledownIdletime: 10}
  SlurmQueues:
    - Name: train
      CapacityType: CAPACITY_BLOCK
      Networking: {SubnetIds: [subnet-0000000000000000b]}
      CustomActions: {OnNodeStart: {Script: s3://scripts/v1/start.sh, Args: ["2.6"]}}
      Iam: {S3Access: [{BucketName: scripts, KeyName: v1/*}]}
      ComputeResources:
        - Name: cr1
          InstanceType: p5en.48xlarge
          MinCount: 4
          MaxCount: 4
          Efa: {Enabled: true}
          CapacityReservationTarget: {CapacityReservationId: cr-00000000000000001}
          LaunchTemplateOverrides: {LaunchTemplateId: lt-0000000000000000a, Version: 1}
    - Name: cpu
      CapacityType: ONDEMAND
      Networking: {SubnetIds: [subnet-0000000000000000b]}
      ComputeResources: [{Name: c5, InstanceType: c5.large, MinCount: 2, MaxCount: 8}]
Tags: [{Key: team, Value: research}]
`

type tree = map[string]any

// The parts of a configuration that the changes reach for.
func queue(c tree, name string) tree       { return named(sectionOf(c["Scheduling"])["SlurmQueues"], name) }
func resource(c tree, q, name string) tree { return named(queue(c, q)["ComputeResources"], name) }
func settings(c tree) tree                 { return sectionOf(sectionOf(c["Scheduling"])["SlurmSettings"]) }
func head(c tree) tree                     { return sectionOf(c["HeadNode"]) }
func queues(c tree) []any                  { return sectionOf(c["Scheduling"])["SlurmQueues"].([]any) }
func setQueues(c tree, list []any)         { sectionOf(c["Scheduling"])["SlurmQueues"] = list }

const (
	cpuPath   = "Scheduling.SlurmQueues[cpu]"
	trainPath = "Scheduling.SlurmQueues[train]"
)

// Every row is an answer of `pcluster update-cluster --dryrun true`, version 3.16.1: with a running compute fleet, the same with
// QueueUpdateStrategy DRAIN and TERMINATE in the new configuration, and with a stopped fleet. The key is the parameter that the
// refusal names first.
var recorded = []struct {
	name                               string
	edit                               func(c tree)
	running, drain, terminate, stopped bool
	key                                string
	needs                              Need
}{
	{"on-demand MaxCount up", func(c tree) { resource(c, "cpu", "c5")["MaxCount"] = 16 }, true, true, true, true, "", Live},
	{"on-demand MaxCount down", func(c tree) { resource(c, "cpu", "c5")["MaxCount"] = 4 }, false, false, true, true, cpuPath + ".ComputeResources[c5].MaxCount", Terminate},
	{"on-demand MinCount up", func(c tree) { resource(c, "cpu", "c5")["MinCount"] = 4 }, false, false, true, true, cpuPath + ".ComputeResources[c5].MinCount", Terminate},
	{"on-demand MinCount and MaxCount up", func(c tree) { resource(c, "cpu", "c5")["MinCount"], resource(c, "cpu", "c5")["MaxCount"] = 4, 10 }, true, true, true, true, "", Live},
	{"on-demand instance type", func(c tree) { resource(c, "cpu", "c5")["InstanceType"] = "c5.xlarge" }, false, false, false, true, cpuPath + ".ComputeResources[c5].InstanceType", Stopped},
	{"on-demand to spot", func(c tree) { queue(c, "cpu")["CapacityType"] = "SPOT" }, false, true, true, true, cpuPath + ".CapacityType", Drain},
	{"block from 4 to 3 nodes", func(c tree) { resource(c, "train", "cr1")["MinCount"], resource(c, "train", "cr1")["MaxCount"] = 3, 3 }, false, false, true, true, trainPath + ".ComputeResources[cr1].MaxCount", Terminate},
	{"block with another reservation", func(c tree) {
		resource(c, "train", "cr1")["CapacityReservationTarget"] = tree{"CapacityReservationId": "cr-00000000000000002"}
	}, false, true, true, true, trainPath + ".ComputeResources[cr1].CapacityReservationTarget.CapacityReservationId", Drain},
	{"block to on demand", func(c tree) { queue(c, "train")["CapacityType"] = "ONDEMAND" }, false, true, true, true, trainPath + ".CapacityType", Drain},
	{"overrides version", func(c tree) { sectionOf(resource(c, "train", "cr1")["LaunchTemplateOverrides"])["Version"] = 2 }, false, true, true, true, trainPath + ".ComputeResources[cr1].LaunchTemplateOverrides.Version", Drain},
	{"overrides removed", func(c tree) { delete(resource(c, "train", "cr1"), "LaunchTemplateOverrides") }, false, true, true, true, trainPath + ".ComputeResources[cr1].LaunchTemplateOverrides", Drain},
	{"EFA off", func(c tree) { resource(c, "train", "cr1")["Efa"] = tree{"Enabled": false} }, false, true, true, true, trainPath + ".ComputeResources[cr1].Efa.Enabled", Drain},
	{"EfaInterfaceType", func(c tree) { c["DevSettings"] = tree{"EfaInterfaceType": "efa"} }, true, true, true, true, "", Live},
	{"custom action argument", func(c tree) {
		sectionOf(sectionOf(queue(c, "train")["CustomActions"])["OnNodeStart"])["Args"] = []any{"2.7"}
	}, false, true, true, true, trainPath + ".CustomActions.OnNodeStart.Args", Drain},
	{"queue S3Access", func(c tree) {
		queue(c, "train")["Iam"] = tree{"S3Access": []any{tree{"BucketName": "scripts", "KeyName": "v2/*"}}}
	}, true, true, true, true, "", Live},
	{"queue policy", func(c tree) {
		sectionOf(queue(c, "train")["Iam"])["AdditionalIamPolicies"] = []any{tree{"Policy": "arn:aws:iam::123456789012:policy/extra"}}
	}, true, true, true, true, "", Live},
	{"queue subnet", func(c tree) { queue(c, "cpu")["Networking"] = tree{"SubnetIds": []any{"subnet-0000000000000000c"}} }, false, true, true, true, cpuPath + ".Networking.SubnetIds", Drain},
	{"queue security groups", func(c tree) {
		sectionOf(queue(c, "train")["Networking"])["SecurityGroups"] = []any{"sg-0000000000000000a"}
	}, true, true, true, true, "", Live},
	{"managed placement group added", func(c tree) { sectionOf(queue(c, "cpu")["Networking"])["PlacementGroup"] = tree{"Enabled": true} }, false, true, true, true, cpuPath + ".Networking.PlacementGroup", Drain},
	{"queue image", func(c tree) { queue(c, "train")["Image"] = tree{"CustomAmi": "ami-0000000000000000a"} }, false, true, true, true, trainPath + ".Image", Drain},
	{"image", func(c tree) { sectionOf(c["Image"])["CustomAmi"] = "ami-0000000000000000a" }, false, false, false, false, "Image.CustomAmi", Never},
	{"queue root volume", func(c tree) {
		queue(c, "train")["ComputeSettings"] = tree{"LocalStorage": tree{"RootVolume": tree{"Size": 100}}}
	}, false, true, true, true, trainPath + ".ComputeSettings", Drain},
	{"queue added", func(c tree) { setQueues(c, append(queues(c), tree{"Name": "more", "ComputeResources": []any{}})) }, true, true, true, true, "", Live},
	{"queue removed", func(c tree) { setQueues(c, queues(c)[:1]) }, false, false, true, true, "Scheduling.SlurmQueues", Terminate},
	{"queue renamed", func(c tree) { queue(c, "cpu")["Name"] = "other" }, false, false, true, true, "Scheduling.SlurmQueues", Terminate},
	{"compute resource added", func(c tree) {
		queue(c, "cpu")["ComputeResources"] = append(queue(c, "cpu")["ComputeResources"].([]any), tree{"Name": "c6", "InstanceType": "c6i.large"})
	}, true, true, true, true, "", Live},
	{"ScaledownIdletime", func(c tree) { settings(c)["ScaledownIdletime"] = 20 }, false, false, false, true, "Scheduling.SlurmSettings.ScaledownIdletime", Stopped},
	{"CustomSlurmSettings", func(c tree) { settings(c)["CustomSlurmSettings"] = []any{tree{"MaxJobCount": "20000"}} }, true, true, true, true, "", Live},
	{"existing FSx added", func(c tree) { c["SharedStorage"] = []any{fsx(tree{"FileSystemId": "fs-0000000000000000a"})} }, true, true, true, true, "", Live},
	{"new FSx added", func(c tree) { c["SharedStorage"] = []any{fsx(tree{"StorageCapacity": 1200})} }, false, true, true, true, "SharedStorage", Drain},
	{"tag value", func(c tree) { c["Tags"] = []any{tree{"Key": "team", "Value": "other"}} }, true, true, true, true, "", Live},
	{"tag added", func(c tree) { c["Tags"] = append(c["Tags"].([]any), tree{"Key": "a", "Value": "b"}) }, true, true, true, true, "", Live},
	{"head instance type", func(c tree) { head(c)["InstanceType"] = "m6i.4xlarge" }, false, false, false, false, "HeadNode.InstanceType", Never},
	{"head policies removed", func(c tree) { delete(head(c), "Iam") }, true, true, true, true, "", Live},
	{"OnNodeUpdated added", func(c tree) { head(c)["CustomActions"] = tree{"OnNodeUpdated": tree{"Script": "s3://scripts/v1/u.sh"}} }, true, true, true, true, "", Live},
	{"compute timeout", func(c tree) { c["DevSettings"] = tree{"Timeouts": tree{"ComputeNodeBootstrapTimeout": 3000}} }, true, true, true, true, "", Live},
	{"head timeout", func(c tree) { c["DevSettings"] = tree{"Timeouts": tree{"HeadNodeBootstrapTimeout": 3000}} }, true, true, true, true, "", Live},
	{"detailed monitoring", func(c tree) { c["Monitoring"] = tree{"DetailedMonitoring": true} }, false, false, false, true, "Monitoring.DetailedMonitoring", Stopped},
	{"IMDS", func(c tree) { c["Imds"] = tree{"ImdsSupport": "v2.0"} }, false, false, false, false, "Imds", Never},
}

func fsx(settings tree) tree {
	return tree{"Name": "fsx", "MountDir": "/fsx", "StorageType": "FsxLustre", "FsxLustreSettings": settings}
}

func parsed(t testing.TB, text string) tree {
	t.Helper()
	c, err := readObject([]byte(text))
	require.NoError(t, err)
	return c
}

func changesOf(t testing.TB, before, after tree) []Change {
	t.Helper()
	old, err := json.Marshal(before)
	require.NoError(t, err)
	desired, err := json.Marshal(after)
	require.NoError(t, err)
	changes, err := Update("3.16.1", old, desired)
	require.NoError(t, err)
	return changes
}

func TestUpdateAgreesWithParallelCluster(t *testing.T) {
	for _, row := range recorded {
		t.Run(row.name, func(t *testing.T) {
			for _, state := range []struct {
				strategy     string
				fleetRunning bool
				taken        bool
			}{{"", true, row.running}, {"DRAIN", true, row.drain}, {"TERMINATE", true, row.terminate}, {"", false, row.stopped}} {
				after := parsed(t, running)
				row.edit(after)
				if state.strategy != "" {
					settings(after)["QueueUpdateStrategy"] = state.strategy
				}
				changes := changesOf(t, parsed(t, running), after)
				require.NotEmpty(t, changes)
				refused := Refused(changes, state.fleetRunning)
				require.Equal(t, state.taken, len(refused) == 0, "strategy %q, running %t: %v", state.strategy, state.fleetRunning, refused)
				require.Equal(t, row.needs, worst(changes))
				for _, f := range refused {
					require.Equal(t, diag.PCUpdate, f.Rule)
					require.NotEmpty(t, f.Got)
					require.NotEmpty(t, f.Want)
					require.NotEmpty(t, f.Hint)
				}
				if !state.taken {
					require.Equal(t, row.key, refused[0].Place.Path)
				}
			}
		})
	}
}

func worst(changes []Change) Need {
	out := Live
	for _, c := range changes {
		out = max(out, c.Needs)
	}
	return out
}

// A section that is there already is judged by the policies of its keys.
func TestKeysOfASectionThatStandsAlready(t *testing.T) {
	before := strings.Replace(running, "Tags:", "DevSettings: {Timeouts: {HeadNodeBootstrapTimeout: 2100, ComputeNodeBootstrapTimeout: 2100}}\nTags:", 1)
	timeouts := func(c tree) tree { return sectionOf(sectionOf(c["DevSettings"])["Timeouts"]) }
	for name, row := range map[string]struct {
		edit  func(c tree)
		needs Need
		key   string
	}{
		"EfaInterfaceType": {func(c tree) { sectionOf(c["DevSettings"])["EfaInterfaceType"] = "efa" }, Stopped, "DevSettings.EfaInterfaceType"},
		"head timeout":     {func(c tree) { timeouts(c)["HeadNodeBootstrapTimeout"] = 3000 }, Never, "DevSettings.Timeouts.HeadNodeBootstrapTimeout"},
		"compute timeout":  {func(c tree) { timeouts(c)["ComputeNodeBootstrapTimeout"] = 3000 }, Live, "DevSettings.Timeouts.ComputeNodeBootstrapTimeout"},
	} {
		after := parsed(t, before)
		row.edit(after)
		changes := changesOf(t, parsed(t, before), after)
		require.Len(t, changes, 1, name)
		require.Equal(t, row.needs, changes[0].Needs, name)
		require.Equal(t, row.key, changes[0].Key, name)
	}
}

func TestWhatIsNoChange(t *testing.T) {
	for name, edit := range map[string]func(c tree){
		"nothing":             func(tree) {},
		"QueueUpdateStrategy": func(c tree) { settings(c)["QueueUpdateStrategy"] = "DRAIN" },
		"numbers as text":     func(c tree) { resource(c, "cpu", "c5")["MaxCount"] = "8" },
		"an empty section":    func(c tree) { c["Monitoring"] = tree{} },
		"a tag of ParallelCluster's own": func(c tree) {
			c["Tags"] = append(c["Tags"].([]any), tree{"Key": "parallelcluster:custom_resource", "Value": "cluster"})
		},
		"a subnet that is not known yet": func(c tree) { queue(c, "cpu")["Networking"] = tree{"SubnetIds": []any{placeholder("subnet", "cpu")}} },
		"a template that is not known yet": func(c tree) {
			resource(c, "train", "cr1")["LaunchTemplateOverrides"] = tree{"LaunchTemplateId": placeholder("lt", "train"), "Version": 7}
		},
		"queues in another order": func(c tree) { setQueues(c, []any{queues(c)[1], queues(c)[0]}) },
	} {
		after := parsed(t, running)
		edit(after)
		require.Empty(t, changesOf(t, parsed(t, running), after), name)
	}
}

func TestManagedPlacementGroupGoesOnlyWithAStoppedFleet(t *testing.T) {
	before := parsed(t, running)
	sectionOf(queue(before, "cpu")["Networking"])["PlacementGroup"] = tree{"Enabled": true}
	for name, group := range map[string]any{"switched off": tree{"Enabled": false}, "removed": nil, "a named one instead": tree{"Enabled": true, "Name": "mine"}} {
		after := parsed(t, running)
		if group != nil {
			sectionOf(queue(after, "cpu")["Networking"])["PlacementGroup"] = group
		}
		changes := changesOf(t, before, after)
		require.Equal(t, Stopped, worst(changes), name)
	}
	named := parsed(t, running)
	sectionOf(queue(named, "cpu")["Networking"])["PlacementGroup"] = tree{"Name": "mine"}
	other := parsed(t, running)
	sectionOf(queue(other, "cpu")["Networking"])["PlacementGroup"] = tree{"Name": "yours"}
	require.Equal(t, Drain, worst(changesOf(t, named, other)))
}

func TestManagedFSxHoldsQueueSubnets(t *testing.T) {
	managed := []any{fsx(tree{"StorageCapacity": 1200})}
	move := func(c tree, ids ...any) tree { queue(c, "cpu")["Networking"] = tree{"SubnetIds": ids}; return c }
	before := parsed(t, running)
	before["SharedStorage"] = managed

	kept := move(parsed(t, running), "subnet-0000000000000000c")
	kept["SharedStorage"] = managed
	require.Equal(t, Never, worst(changesOf(t, before, kept)))

	added := move(parsed(t, running), "subnet-0000000000000000b", "subnet-0000000000000000c")
	require.Equal(t, Live, worst(changesOf(t, parsed(t, running), added)), "a subnet more is live")
}

func TestSharedStorage(t *testing.T) {
	home := tree{"Name": "home", "MountDir": "/home", "StorageType": "Efs", "EfsSettings": tree{"FileSystemId": "fs-0000000000000000a"}}
	ebs := tree{"Name": "work", "MountDir": "/work", "StorageType": "Ebs", "EbsSettings": tree{"VolumeId": "vol-0000000000000000a"}}
	login := tree{"Pools": []any{tree{"Name": "users", "InstanceType": "m6i.large", "Count": 1}}}
	for name, row := range map[string]struct {
		storage tree
		login   bool
		needs   Need
		stopped bool
	}{
		"/home":                           {home, false, Never, false},
		"an existing volume":              {ebs, false, Drain, false},
		"an existing volume, login nodes": {ebs, true, Drain, true},
		"an existing FSx, login nodes":    {fsx(tree{"FileSystemId": "fs-0000000000000000a"}), true, Live, false},
	} {
		before, after := parsed(t, running), parsed(t, running)
		if row.login {
			before["LoginNodes"], after["LoginNodes"] = login, login
		}
		after["SharedStorage"] = []any{row.storage}
		for _, pair := range [][2]tree{{before, after}, {after, before}} {
			changes := changesOf(t, pair[0], pair[1])
			require.Len(t, changes, 1, name)
			require.Equal(t, row.needs, changes[0].Needs, name)
			require.Equal(t, row.stopped, changes[0].LoginStopped, name)
			require.Equal(t, !row.stopped && row.needs != Never, changes[0].Allowed(false), name)
		}
	}
}

func TestLoginNodes(t *testing.T) {
	pool := func(name string, count int, instanceType string) tree {
		return tree{"Name": name, "InstanceType": instanceType, "Count": count, "Networking": tree{"SubnetIds": []any{"subnet-0000000000000000a"}}}
	}
	for name, row := range map[string]struct {
		before, after []any
		stopped       bool
	}{
		"section added":                   {nil, []any{pool("a", 1, "m6i.large")}, false},
		"section removed":                 {[]any{pool("a", 1, "m6i.large")}, nil, true},
		"section of no nodes removed":     {[]any{pool("a", 0, "m6i.large")}, nil, false},
		"pool added":                      {[]any{pool("a", 1, "m6i.large")}, []any{pool("a", 1, "m6i.large"), pool("b", 1, "m6i.large")}, false},
		"pool removed":                    {[]any{pool("a", 1, "m6i.large"), pool("b", 0, "m6i.large")}, []any{pool("a", 1, "m6i.large")}, true},
		"count":                           {[]any{pool("a", 1, "m6i.large")}, []any{pool("a", 3, "m6i.large")}, false},
		"type of a pool that runs":        {[]any{pool("a", 1, "m6i.large")}, []any{pool("a", 1, "m6i.xlarge")}, true},
		"type of a pool that has no node": {[]any{pool("a", 0, "m6i.large"), pool("b", 1, "m6i.large")}, []any{pool("a", 0, "m6i.xlarge"), pool("b", 1, "m6i.large")}, false},
	} {
		before, after := parsed(t, running), parsed(t, running)
		if row.before != nil {
			before["LoginNodes"] = tree{"Pools": row.before}
		}
		if row.after != nil {
			after["LoginNodes"] = tree{"Pools": row.after}
		}
		changes := changesOf(t, before, after)
		require.Len(t, changes, 1, name)
		require.Equal(t, row.stopped, changes[0].LoginStopped, name)
		require.Equal(t, row.stopped, len(Refused(changes, true)) > 0, name)
	}
}

func TestFormOfACustomActionIsOneChange(t *testing.T) {
	after := parsed(t, running)
	sectionOf(queue(after, "train")["CustomActions"])["OnNodeStart"] = tree{"Sequence": []any{tree{"Script": "s3://scripts/v1/start.sh"}}}
	changes := changesOf(t, parsed(t, running), after)
	require.Len(t, changes, 1)
	require.Equal(t, trainPath+".CustomActions.OnNodeStart", changes[0].Key)
	require.Equal(t, Drain, changes[0].Needs)
}

func TestUnknownKeyIsNeverTaken(t *testing.T) {
	after := parsed(t, running)
	after["Sheduling"] = tree{"Scheduler": "slurm"}
	changes := changesOf(t, parsed(t, running), after)
	require.Len(t, changes, 1)
	require.Equal(t, "UNKNOWN", changes[0].Policy)
	require.Len(t, Refused(changes, false), 1)
}

func TestTagsOfOlderReleasesAndIsolatedRegionsStay(t *testing.T) {
	after := strings.Replace(running, "Value: research", "Value: other", 1)
	for version, needs := range map[string]Need{"3.14.2": Never, "3.15.1": Live, "3.16.3": Live} {
		changes, err := Update(version, []byte(running), []byte(after))
		require.NoError(t, err)
		require.Equal(t, needs, worst(changes), version)
	}
	isolated := strings.ReplaceAll(after, "us-east-2", "us-iso-east-1")
	changes, err := Update("3.16.1", []byte(strings.ReplaceAll(running, "us-east-2", "us-iso-east-1")), []byte(isolated))
	require.NoError(t, err)
	require.Equal(t, Never, worst(changes))
}

func TestUpdateNeedsAKnownVersionAndReadableText(t *testing.T) {
	_, err := Update("2.11.0", []byte(running), []byte(running))
	require.ErrorContains(t, err, "2.11.0")
	_, err = Update("3.16.1", []byte("a: [1"), []byte(running))
	require.ErrorContains(t, err, "the cluster's configuration")
	_, err = Update("3.16.1", []byte(running), []byte("- a\n"))
	require.ErrorContains(t, err, "the new configuration")
}

package pcconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// policies says what a change needs under each of ParallelCluster's update policies
// (pcluster/config/update_policy.py). A policy that is not listed, EXTRA_CHEF_ATTRIBUTES for one, is one whose keys weft does not
// write: Never.
var policies = map[string]func(*comparison, edit) (needs Need, login bool){
	"SUPPORTED":            always(Live),
	"COMPUTE_FLEET_STOP":   always(Stopped),
	"SUPPORTED_UNLESS_ADC": (*comparison).unlessIsolated,

	"QUEUE_UPDATE_STRATEGY":            (*comparison).queueStrategy,
	"COMPUTE_FLEET_STOP_ON_REMOVE":     (*comparison).stopOnRemove,
	"RESIZE_UPDATE_STRATEGY_ON_REMOVE": (*comparison).resize,
	"MANAGED_PLACEMENT_GROUP":          (*comparison).managedPlacementGroup,
	"MANAGED_FSX":                      (*comparison).managedFSx,
	"SHARED_STORAGE_UPDATE_POLICY":     (*comparison).sharedStorage,

	"LOGIN_NODES_STOP":                (*comparison).loginStop,
	"LOGIN_NODES_POOLS_UPDATE_POLICY": (*comparison).loginPools,
	"LOGIN_NODES_POOL_STOP":           (*comparison).loginStop,
	"COMPUTE_AND_LOGIN_NODES_STOP":    (*comparison).allStop,
}

func (c *comparison) judge(policy string, e edit) (Need, bool) {
	if judge, ok := policies[policy]; ok {
		return judge(c, e)
	}
	return Never, false
}

func always(n Need) func(*comparison, edit) (Need, bool) {
	return func(*comparison, edit) (Need, bool) { return n, false }
}

// unlessIsolated: in isolated Regions CloudFormation leaves the head node out of an update of tags.
func (c *comparison) unlessIsolated(edit) (Need, bool) {
	if region, _ := c.after["Region"].(string); strings.HasPrefix(region, "us-iso") {
		return Never, false
	}
	return Live, false
}

// queueStrategy: QueueUpdateStrategy helps below SlurmQueues only.
func (c *comparison) queueStrategy(e edit) (Need, bool) {
	if e.queue != "" {
		return Drain, false
	}
	return Stopped, false
}

func (c *comparison) stopOnRemove(e edit) (Need, bool) {
	if e.isItem && e.old == nil && (e.queue != "" || e.name == "SlurmQueues") {
		return Live, false
	}
	return Stopped, false
}

// What counts as MinCount and MaxCount where they are left out.
const (
	defaultMinCount = 0
	defaultMaxCount = 10
)

// resize: adding a queue or compute resource is live, and so is growing: MaxCount by any number, MinCount by no more than
// MaxCount grows in the same update, so that no running dynamic node becomes a static one that is not there.
func (c *comparison) resize(e edit) (Need, bool) {
	switch {
	case e.isItem && e.old == nil,
		e.name == "MaxCount" && grown(e, "MaxCount", defaultMaxCount) >= 0,
		e.name == "MinCount" && grown(e, "MaxCount", defaultMaxCount) != 0 &&
			grown(e, "MaxCount", defaultMaxCount) >= grown(e, "MinCount", defaultMinCount):
		return Live, false
	default:
		return Terminate, false
	}
}

func grown(e edit, key string, absent int) int {
	return number(e.after[key], absent) - number(e.before[key], absent)
}

func number(v any, absent int) int {
	n, err := strconv.Atoi(fmt.Sprint(v))
	if err != nil {
		return absent
	}
	return n
}

// managedPlacementGroup: a group that ParallelCluster made can be deleted only when no instance is in it.
func (c *comparison) managedPlacementGroup(e edit) (Need, bool) {
	if hasManagedGroup(c.before, e.place) && !hasManagedGroup(c.after, e.place) {
		return Stopped, false
	}
	return c.queueStrategy(e)
}

func hasManagedGroup(configuration map[string]any, at place) bool {
	queue := named(sectionOf(configuration["Scheduling"])["SlurmQueues"], at.queue)
	resource := named(queue["ComputeResources"], at.resource)
	group := sectionOf(sectionOf(resource["Networking"])["PlacementGroup"])
	if len(group) == 0 {
		group = sectionOf(sectionOf(queue["Networking"])["PlacementGroup"])
	}
	return fmt.Sprint(group["Enabled"]) == "true" && group["Name"] == nil && group["Id"] == nil
}

func named(list any, name string) map[string]any {
	for _, item := range items(list) {
		if item["Name"] == name {
			return item
		}
	}
	return nil
}

// managedFSx: queue subnets can't change while an FSx for Lustre file system of ParallelCluster's own is kept: its network would
// follow, and the file system with it be replaced. Else subnets may be added live.
func (c *comparison) managedFSx(e edit) (Need, bool) {
	after := managedFileSystems(c.after)
	for _, name := range managedFileSystems(c.before) {
		if slices.Contains(after, name) {
			return Never, false
		}
	}
	if e.queue != "" && contains(e.new, e.old) {
		return Live, false
	}
	return c.queueStrategy(e)
}

func contains(list, all any) bool {
	have, _ := list.([]any)
	want, ok := all.([]any)
	return ok && !slices.ContainsFunc(want, func(v any) bool {
		return !slices.ContainsFunc(have, func(other any) bool { return same(v, other) })
	})
}

func managedFileSystems(configuration map[string]any) []string {
	var out []string
	for _, storage := range items(configuration["SharedStorage"]) {
		if storage["StorageType"] == "FsxLustre" && sectionOf(storage["FsxLustreSettings"])["FileSystemId"] == nil {
			out = append(out, fmt.Sprint(storage["Name"]))
		}
	}
	return out
}

// The keys that say that a file system exists, and the types whose existing file systems are mounted and unmounted live.
var (
	existingKeys = []string{"FileSystemId", "VolumeId", "FileCacheId"}
	liveStorage  = []string{"Efs", "FsxLustre", "FsxOntap", "FsxOpenZfs", "FileCache"}
)

// sharedStorage: what exists is mounted and unmounted live. Else no node may run, unless a QueueUpdateStrategy is set; login nodes
// have none. /home never moves.
func (c *comparison) sharedStorage(e edit) (Need, bool) {
	storage := sectionOf(e.new)
	if storage == nil {
		storage = sectionOf(e.old)
	}
	switch {
	case isHome(e.old) || isHome(e.new):
		return Never, false
	case isExisting(storage):
		return Live, false
	default:
		return Drain, c.loginRuns("")
	}
}

func isHome(storage any) bool {
	dir := sectionOf(storage)["MountDir"]
	return dir == "home" || dir == "/home"
}

func isExisting(storage map[string]any) bool {
	kind, _ := storage["StorageType"].(string)
	settings := sectionOf(storage[kind+"Settings"])
	return slices.Contains(liveStorage, kind) && slices.ContainsFunc(existingKeys, func(key string) bool { return settings[key] != nil })
}

func (c *comparison) loginStop(e edit) (Need, bool) { return Live, c.loginRuns(e.pool) }

func (c *comparison) loginPools(e edit) (Need, bool) {
	return Live, (!e.isItem || e.old != nil) && c.loginRuns("")
}

func (c *comparison) allStop(edit) (Need, bool) { return Stopped, c.loginRuns("") }

// loginRuns reports whether login nodes of a pool, or of any, run: as many as the cluster's configuration says.
func (c *comparison) loginRuns(pool string) bool {
	return slices.ContainsFunc(items(sectionOf(c.before["LoginNodes"])["Pools"]), func(p map[string]any) bool {
		return (pool == "" || p["Name"] == pool) && number(p["Count"], 0) > 0
	})
}

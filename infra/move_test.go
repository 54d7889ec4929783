package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// elsewhere is a cluster's next block, in another zone than the first one.
var elsewhere = []string{
	"cr-05e0000000000000a", "cr-05e0000000000000b", "count: 4\n    zone: us-east-2a", "count: 4\n    zone: us-east-2c",
	"COMPUTE_FLEET_STOP", "DRAIN",
}

// The nodes go where the next block lies. What can't move does not: head node, NAT gateway and FSx for Lustre stay in the home
// zone.
func TestTheNextBlockInAnotherZone(t *testing.T) {
	t.Parallel()
	d := deploy(t, strings.Replace(mixed, "{create: {}}", "{create: {zone: us-east-2a}}", 1), nil)
	require.NoError(t, d.Up().Err)

	d.configure(strings.NewReplacer(elsewhere...).Replace(d.text))
	up := d.Up()
	require.NoError(t, up.Err, steps(up))
	done := map[string][]string{}
	for _, s := range up.Steps {
		if s.Op != "same" {
			done[s.Op] = append(done[s.Op], s.Name)
		}
	}
	require.Equal(t, []string{"mixed-guard"}, done["replace"], "the guard runs anew for the new end:\n%s", steps(up))
	require.ElementsMatch(t, []string{"mixed-cr-05e0000000000000b", "mixed-private-us-east-2c", "mixed-private-us-east-2c"}, done["create"], "a block, a subnet, its route")
	require.Equal(t, []string{"mixed-cr-05e0000000000000a"}, done["delete"])

	require.True(t, d.Up().Unchanged(), "a second time")
}

// All groups in another order, and all but one gone: the file system and the subnets are the same.
func TestGroupsInAnotherOrder(t *testing.T) {
	t.Parallel()
	apart := strings.NewReplacer("count: 8\n    zone: us-east-2a", "count: 8\n    zone: us-east-2b", "{create: {}}", "{create: {zone: us-east-2a}}").Replace(mixed)
	d := deploy(t, apart, nil)
	require.NoError(t, d.Up().Err)

	train, prepare := group("train"), group("prepare")
	train = strings.TrimSuffix(train, prepare)
	prepareInB := strings.Replace(prepare, "us-east-2a", "us-east-2b", 1)
	d.configure(strings.Replace(apart, train+prepareInB, prepareInB+train, 1))
	up := d.Up()
	require.NoError(t, up.Err, steps(up))
	for _, s := range up.Steps {
		require.Contains(t, []string{"same", "update"}, s.Op, "%s", steps(up))
	}
	before := count(d.made())

	d.configure(strings.Replace(apart, train, "", 1))
	up = d.Up()
	require.NoError(t, up.Err, steps(up))
	require.Equal(t, before["aws:fsx/lustreFileSystem:LustreFileSystem"], count(d.made())["aws:fsx/lustreFileSystem:LustreFileSystem"])
	for _, s := range up.Steps {
		require.NotContains(t, []string{"replace", "create-replacement", "delete-replaced"}, s.Op, "%s", steps(up))
	}
}

package topology_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/topology"
	"github.com/weft-hpc/weft/fabric/diag"
	fabric "github.com/weft-hpc/weft/fabric/topology"
)

// cloud is an account that answers as EC2 does: in pages, and with its bounds.
type cloud struct {
	instances    []types.Instance
	paths        map[string][]string
	reservations []types.CapacityReservationTopology
	page         int
	fail         string // the call that fails
	calls        []string
}

var errDown = errors.New("down")

func (c *cloud) call(name string, ids int) error {
	c.calls = append(c.calls, fmt.Sprint(name, " ", ids))
	if c.fail == name {
		return errDown
	}
	return nil
}

// part is a page of a list.
func part[T any](list []T, size int, token *string) ([]T, *string) {
	from, _ := strconv.Atoi(aws.ToString(token))
	if to := from + size; to < len(list) {
		return list[from:to], aws.String(strconv.Itoa(to))
	}
	return list[from:], nil
}

func (c *cloud) DescribeInstances(_ context.Context, in *ec2.DescribeInstancesInput, _ ...func(*ec2.Options)) (*ec2.DescribeInstancesOutput, error) {
	if err := c.call("DescribeInstances", len(in.Filters)); err != nil {
		return nil, err
	}
	var found []types.Reservation
	for _, i := range c.instances {
		if matches(i, in.Filters) {
			found = append(found, types.Reservation{OwnerId: aws.String("111122223333"), Instances: []types.Instance{i}})
		}
	}
	page, next := part(found, c.page, in.NextToken)
	return &ec2.DescribeInstancesOutput{Reservations: page, NextToken: next}, nil
}

func matches(i types.Instance, filters []types.Filter) bool {
	for _, f := range filters {
		have := map[string]string{
			"instance-state-name": string(i.State.Name), "capacity-reservation-id": aws.ToString(i.CapacityReservationId),
		}
		for _, t := range i.Tags {
			have["tag:"+aws.ToString(t.Key)] = aws.ToString(t.Value)
		}
		if !slices.Contains(f.Values, have[aws.ToString(f.Name)]) {
			return false
		}
	}
	return true
}

func (c *cloud) DescribeInstanceTopology(_ context.Context, in *ec2.DescribeInstanceTopologyInput, _ ...func(*ec2.Options)) (*ec2.DescribeInstanceTopologyOutput, error) {
	if err := c.call("DescribeInstanceTopology", len(in.InstanceIds)); err != nil {
		return nil, err
	}
	switch {
	case len(in.InstanceIds) > 100:
		return nil, errors.New("InvalidParameterValue: instance-ids cannot contain over 100 values")
	case len(in.InstanceIds) > 0 && in.MaxResults != nil:
		return nil, errors.New("InvalidParameterCombination: MaxResults together with ids")
	}
	var found []types.InstanceTopology
	for _, i := range c.instances {
		id := aws.ToString(i.InstanceId)
		if path, ok := c.paths[id]; ok && slices.Contains(in.InstanceIds, id) {
			found = append(found, types.InstanceTopology{InstanceId: i.InstanceId, InstanceType: aws.String(string(i.InstanceType)), ZoneId: aws.String("use2-az1"), NetworkNodes: path})
		}
	}
	page, next := part(found, c.page, in.NextToken)
	return &ec2.DescribeInstanceTopologyOutput{Instances: page, NextToken: next}, nil
}

func (c *cloud) DescribeCapacityReservationTopology(
	_ context.Context, in *ec2.DescribeCapacityReservationTopologyInput, _ ...func(*ec2.Options),
) (*ec2.DescribeCapacityReservationTopologyOutput, error) {
	if err := c.call("DescribeCapacityReservationTopology", len(in.CapacityReservationIds)); err != nil {
		return nil, err
	}
	if len(in.CapacityReservationIds) > 10 {
		return nil, errors.New("InvalidParameterValue: more than 10 ids")
	}
	var found []types.CapacityReservationTopology
	for _, r := range c.reservations {
		if slices.Contains(in.CapacityReservationIds, aws.ToString(r.CapacityReservationId)) {
			found = append(found, r)
		}
	}
	page, next := part(found, c.page, in.NextToken)
	return &ec2.DescribeCapacityReservationTopologyOutput{CapacityReservations: page, NextToken: next}, nil
}

// cluster is an account with a cluster of n nodes, its head node and a neighbour.
func cluster(n int) *cloud {
	c := &cloud{paths: map[string][]string{}, page: 7}
	for i := range n {
		id := fmt.Sprintf("i-%03d", i)
		c.instances = append(c.instances, node(id, "Compute", "train", fmt.Sprintf("cr-%d", i%2)))
		c.paths[id] = []string{"nn-1", fmt.Sprintf("nn-2%d", i%2), fmt.Sprintf("nn-3%d", i%4)}
	}
	c.instances = append(c.instances, node("i-head", "HeadNode", "train", ""), node("i-other", "Compute", "other", ""), node("i-ended", "Compute", "train", "cr-0"))
	c.instances[len(c.instances)-1].State.Name = types.InstanceStateNameTerminated
	for i := range 12 {
		c.reservations = append(c.reservations, types.CapacityReservationTopology{
			CapacityReservationId: aws.String(fmt.Sprintf("cr-%d", i)), State: aws.String("active"), NetworkNodes: []string{"nn-1", fmt.Sprintf("nn-2%d", i%2)},
		})
	}
	return c
}

func node(id, kind, name, reservation string) types.Instance {
	out := types.Instance{
		InstanceId: aws.String(id), InstanceType: types.InstanceTypeP5en48xlarge, PrivateDnsName: aws.String("ip-" + id + ".ec2.internal"),
		PrivateIpAddress: aws.String("10.0.0.1"), State: &types.InstanceState{Name: types.InstanceStateNameRunning},
		Placement: &types.Placement{AvailabilityZone: aws.String("us-east-2a")},
		Tags: []types.Tag{
			{Key: aws.String("parallelcluster:cluster-name"), Value: aws.String(name)}, {Key: aws.String("parallelcluster:node-type"), Value: aws.String(kind)},
		},
	}
	if reservation != "" {
		out.CapacityReservationId, out.InstanceLifecycle = aws.String(reservation), types.InstanceLifecycleTypeCapacityBlock
	}
	return out
}

// TestCaseTOPO01Batches: 180 instances are asked for in calls of 100 ids at most.
func TestCaseTOPO01Batches(t *testing.T) {
	c := cluster(180)
	c.page = 1000
	a, err := topology.Read(t.Context(), c, topology.Ask{Cluster: "train"})
	require.NoError(t, err)
	require.Len(t, a.Positions, 180)
	require.Equal(t, []string{"DescribeInstances 2", "DescribeInstanceTopology 100", "DescribeInstanceTopology 80"}, c.calls)
}

// TestCaseTOPO04OwnCall: no tool that makes infrastructure has a data source for the topology; weft asks itself, in every page.
func TestCaseTOPO04OwnCall(t *testing.T) {
	a, err := topology.Read(t.Context(), cluster(20), topology.Ask{Cluster: "train"})
	require.NoError(t, err)
	top, found := fabric.New(a)
	require.Len(t, top.Places, 20)
	require.Equal(t, []string{"cr-0", "cr-1"}, top.Blocks())
	require.Equal(t, []diag.ID{diag.TopoHost, diag.BlockSeveral}, []diag.ID{found[0].Rule, found[1].Rule})
	require.Equal(t, diag.Note, found[0].Severity(), "ParallelCluster's names for Slurm are not known")
	p := top.Places[0]
	require.Equal(t, []string{"i-000", "ip-i-000.ec2.internal", "p5en.48xlarge", "use2-az1", "cr-0"}, []string{p.Instance, p.Host, p.Type, p.Zone, p.Reservation})
	require.Equal(t, []string{"nn-1", "nn-20", "nn-30"}, p.Path)
	require.True(t, p.Block)
}

// TestReservations: more than 10 are asked for in several calls, one that EC2 tells nothing of is a finding, and instances in them come along.
func TestReservations(t *testing.T) {
	c := cluster(4)
	ask := topology.Ask{Cluster: "train"}
	for i := range 13 {
		ask.Reservations = append(ask.Reservations, fmt.Sprintf("cr-%d", i))
	}
	a, err := topology.Read(t.Context(), c, ask)
	require.NoError(t, err)
	require.Len(t, a.Reservations, 12)
	require.Len(t, a.Instances, 5, "those of the cluster, each once")
	require.Contains(t, c.calls, "DescribeCapacityReservationTopology 10")
	require.Contains(t, c.calls, "DescribeCapacityReservationTopology 3")
	_, found := fabric.New(a)
	require.True(t, slices.ContainsFunc(found, func(f diag.Finding) bool { return f.Rule == diag.TopoUnknown && f.Place.Resource == "cr-12" }))
}

// TestJustLaunched: what EC2 does not know yet is a finding, not one leaf.
func TestJustLaunched(t *testing.T) {
	c := cluster(3)
	c.paths["i-001"] = nil
	delete(c.paths, "i-002")
	a, err := topology.Read(t.Context(), c, topology.Ask{Reservations: []string{"cr-0", "cr-1"}})
	require.NoError(t, err)
	top, found := fabric.New(a)
	require.Len(t, top.Unplaced(), 2)
	var unknown int
	for _, f := range found {
		if f.Rule == diag.TopoUnknown {
			unknown++
		}
	}
	require.Equal(t, 2, unknown)
}

// TestFailures: each call that fails is named.
func TestFailures(t *testing.T) {
	for call, want := range map[string]string{
		"DescribeInstances": "describing instances: down", "DescribeInstanceTopology": "describing the topology of instances: down",
		"DescribeCapacityReservationTopology": "describing the topology of capacity reservations: down",
	} {
		c := cluster(1)
		c.fail = call
		a, err := topology.Read(t.Context(), c, topology.Ask{Cluster: "train", Reservations: []string{"cr-0"}})
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, errDown)
		require.Empty(t, a)
	}
	_, err := topology.Read(t.Context(), cluster(1), topology.Ask{})
	require.Error(t, err)
}

// TestActions holds the listed IAM actions equal to the calls that are made.
func TestActions(t *testing.T) {
	c := cluster(2)
	_, err := topology.Read(t.Context(), c, topology.Ask{Cluster: "train", Reservations: []string{"cr-0"}})
	require.NoError(t, err)
	var called []string
	for _, call := range c.calls {
		name, _, _ := strings.Cut(call, " ")
		called = append(called, "ec2:"+name)
	}
	slices.Sort(called)
	require.Equal(t, topology.Actions(), slices.Compact(called))
}

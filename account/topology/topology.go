// Package topology reads from EC2 where instances sit in its network, and where those of capacity reservations will.
//
// Every call reads. What the answers mean, and what is wrong with them, is fabric/topology's to say.
package topology

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	fabric "github.com/weft-hpc/weft/fabric/topology"
)

// EC2 is what is called of EC2.
type EC2 interface {
	ec2.DescribeInstancesAPIClient
	ec2.DescribeInstanceTopologyAPIClient
	DescribeCapacityReservationTopology(
		context.Context, *ec2.DescribeCapacityReservationTopologyInput, ...func(*ec2.Options),
	) (*ec2.DescribeCapacityReservationTopologyOutput, error)
}

// How many ids a call takes (EC2 API Reference). A call with more is refused as a whole, and one with ids takes no MaxResults.
const (
	mostInstances    = 100
	mostReservations = 10
)

// clusterTag names the cluster that ParallelCluster launched an instance for.
const clusterTag = "parallelcluster:cluster-name"

// Ask is what to read. One of its fields at least is set.
type Ask struct {
	// Cluster is the name of a ParallelCluster cluster; its instances are read.
	Cluster string
	// Reservations are ids, cr-…; they are read, before their launch as well, and the instances that run in them.
	Reservations []string
}

// actions, one for each call.
var actions = []string{"ec2:DescribeCapacityReservationTopology", "ec2:DescribeInstanceTopology", "ec2:DescribeInstances"}

// Actions lists the IAM actions that reading needs, sorted. None of them can be narrowed to a resource.
func Actions() []string { return slices.Clone(actions) }

// Read asks EC2. An error names the call that failed: a part would be taken for the whole.
func Read(ctx context.Context, api EC2, ask Ask) (fabric.Answers, error) {
	if ask.Cluster == "" && len(ask.Reservations) == 0 {
		return fabric.Answers{}, errors.New("reading a topology: neither a cluster nor a reservation is asked for")
	}
	out := fabric.Answers{Asked: slices.Clone(ask.Reservations)}
	steps := []func(context.Context, EC2, Ask, *fabric.Answers) error{reservations, instances, positions}
	for _, step := range steps {
		if err := step(ctx, api, ask, &out); err != nil {
			return fabric.Answers{}, err
		}
	}
	return out, nil
}

func reservations(ctx context.Context, api EC2, ask Ask, out *fabric.Answers) error {
	for ids := range slices.Chunk(ask.Reservations, mostReservations) {
		in := ec2.DescribeCapacityReservationTopologyInput{CapacityReservationIds: ids}
		for more := true; more; more = aws.ToString(in.NextToken) != "" { // the SDK has no paginator for this call
			page, err := api.DescribeCapacityReservationTopology(ctx, &in)
			if err != nil {
				return fmt.Errorf("describing the topology of capacity reservations: %w", err)
			}
			in.NextToken = page.NextToken
			for _, r := range page.CapacityReservations {
				out.Reservations = append(out.Reservations, fabric.Reservation{
					ID: aws.ToString(r.CapacityReservationId), Type: aws.ToString(r.InstanceType), State: aws.ToString(r.State),
					Zone: fabric.Zone{Name: aws.ToString(r.AvailabilityZone), ID: aws.ToString(r.AvailabilityZoneId)}, Path: r.NetworkNodes,
				})
			}
		}
	}
	return nil
}

func instances(ctx context.Context, api EC2, ask Ask, out *fabric.Answers) error {
	for _, filter := range ask.filters() {
		p := ec2.NewDescribeInstancesPaginator(api, &ec2.DescribeInstancesInput{Filters: []types.Filter{
			filter, {Name: aws.String("instance-state-name"), Values: []string{"pending", "running"}},
		}})
		for p.HasMorePages() {
			page, err := p.NextPage(ctx)
			if err != nil {
				return fmt.Errorf("describing instances: %w", err)
			}
			for i := range page.Reservations {
				launch(&page.Reservations[i], out)
			}
		}
	}
	return nil
}

// filters of DescribeInstances: each finds a part of what is asked for. A filter takes 200 values.
func (a Ask) filters() []types.Filter {
	const mostValues = 200
	var out []types.Filter
	if a.Cluster != "" {
		out = append(out, types.Filter{Name: aws.String("tag:" + clusterTag), Values: []string{a.Cluster}})
	}
	for ids := range slices.Chunk(a.Reservations, mostValues) {
		out = append(out, types.Filter{Name: aws.String("capacity-reservation-id"), Values: ids})
	}
	return out
}

func launch(r *types.Reservation, out *fabric.Answers) {
	for i := range r.Instances {
		one := &r.Instances[i]
		if slices.ContainsFunc(out.Instances, func(known fabric.Instance) bool { return known.ID == aws.ToString(one.InstanceId) }) {
			continue
		}
		out.Instances = append(out.Instances, instance(one, aws.ToString(r.OwnerId)))
	}
}

func instance(i *types.Instance, owner string) fabric.Instance {
	out := fabric.Instance{
		ID: aws.ToString(i.InstanceId), Owner: owner, Type: string(i.InstanceType), Host: aws.ToString(i.PrivateDnsName),
		Address: aws.ToString(i.PrivateIpAddress), Reservation: aws.ToString(i.CapacityReservationId),
		Block: i.InstanceLifecycle == types.InstanceLifecycleTypeCapacityBlock,
	}
	if i.State != nil {
		out.State = string(i.State.Name)
	}
	if i.Placement != nil {
		out.Zone = fabric.Zone{Name: aws.ToString(i.Placement.AvailabilityZone), ID: aws.ToString(i.Placement.AvailabilityZoneId)}
	}
	for _, t := range i.Tags {
		out.Tag(aws.ToString(t.Key), aws.ToString(t.Value))
	}
	return out
}

// positions asks for the topology of the instances that were found. Types of which EC2 tells none are asked for too: the answer decides, no list.
func positions(ctx context.Context, api EC2, _ Ask, out *fabric.Answers) error {
	var ids []string
	for _, i := range out.Instances {
		if !i.Head {
			ids = append(ids, i.ID)
		}
	}
	for some := range slices.Chunk(ids, mostInstances) {
		p := ec2.NewDescribeInstanceTopologyPaginator(api, &ec2.DescribeInstanceTopologyInput{InstanceIds: some})
		for p.HasMorePages() {
			page, err := p.NextPage(ctx)
			if err != nil {
				return fmt.Errorf("describing the topology of instances: %w", err)
			}
			for _, i := range page.Instances {
				out.Positions = append(out.Positions, fabric.Position{
					Instance: aws.ToString(i.InstanceId), Type: aws.ToString(i.InstanceType),
					Zone: fabric.Zone{Name: aws.ToString(i.AvailabilityZone), ID: aws.ToString(i.ZoneId)}, Path: i.NetworkNodes,
					UltraServer: aws.ToString(i.CapacityBlockId),
				})
			}
		}
	}
	return nil
}

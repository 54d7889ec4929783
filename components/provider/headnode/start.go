package headnode

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/weft-hpc/weft/fabric/plan"
)

// reservations is what of EC2's client is used.
type reservations interface {
	DescribeCapacityReservations(
		ctx context.Context, in *ec2.DescribeCapacityReservationsInput, options ...func(*ec2.Options),
	) (*ec2.DescribeCapacityReservationsOutput, error)
}

// starts gives the moment at which the last of a cluster's reservations starts; the zero time for none. A validation
// that waits for a block has all its nodes then.
func starts(ctx context.Context, api reservations, p plan.Cluster) (time.Time, error) {
	var ids []string
	for _, g := range p.Groups {
		if id := g.Capacity.Reservation; id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	var last time.Time
	if len(ids) == 0 {
		return last, nil
	}
	out, err := api.DescribeCapacityReservations(ctx, &ec2.DescribeCapacityReservationsInput{CapacityReservationIds: ids})
	if err != nil {
		return last, fmt.Errorf("describing the capacity reservations: %w", err)
	}
	for _, r := range out.CapacityReservations {
		if r.StartDate != nil && r.StartDate.After(last) {
			last = *r.StartDate
		}
	}
	return last.UTC(), nil
}

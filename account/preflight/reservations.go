package preflight

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/fabric/plan"
)

const actReservations = "ec2:DescribeCapacityReservations"

// Before a block starts EC2 shows it with no instances; what was bought stands in this tag only.
const requestedTag = "aws:ec2capacityreservation:incrementalRequestedQuantity"

// reservationIDs lists the reservations that a plan targets, each once.
func reservationIDs(p plan.Cluster) []string {
	var out []string
	for _, g := range p.Groups {
		if id := g.Capacity.Reservation; id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// loadReservations asks for the named reservations. EC2 answers nothing at all where one id of them is unknown, and has
// no filter by id; then everything is listed, which also shows what a mistyped id may have meant.
func loadReservations(ctx context.Context, c Clients, r Request, o *Observed) error {
	ids := reservationIDs(r.Plan)
	found, err := describeReservations(ctx, c, ids)
	if awserror.IsNotFound(err) || awserror.IsMalformed(err) {
		found, err = describeReservations(ctx, c, nil)
	}
	if err != nil {
		return err
	}
	for _, f := range found {
		if slices.Contains(ids, f.ID) {
			o.Reservations = append(o.Reservations, f)
		} else {
			o.Neighbours = append(o.Neighbours, f)
		}
	}
	return nil
}

func describeReservations(ctx context.Context, c Clients, ids []string) ([]Reservation, error) {
	p := ec2.NewDescribeCapacityReservationsPaginator(c.EC2, &ec2.DescribeCapacityReservationsInput{CapacityReservationIds: ids})
	return pages(ctx, actReservations, p, func(page *ec2.DescribeCapacityReservationsOutput) []Reservation {
		var out []Reservation
		for i := range page.CapacityReservations {
			out = append(out, reservation(&page.CapacityReservations[i]))
		}
		return out
	})
}

func reservation(r *types.CapacityReservation) Reservation {
	return Reservation{
		ID: aws.ToString(r.CapacityReservationId), Kind: string(r.ReservationType), Type: aws.ToString(r.InstanceType),
		Zone: aws.ToString(r.AvailabilityZone), ZoneID: aws.ToString(r.AvailabilityZoneId),
		Platform: string(r.InstancePlatform), Tenancy: string(r.Tenancy), State: string(r.State),
		Total: int(aws.ToInt32(r.TotalInstanceCount)), Requested: tags(r.Tags)[requestedTag],
		Start: moment(r.StartDate), End: moment(r.EndDate),
		PlacementGroup: lastPart(aws.ToString(r.PlacementGroupArn)),
	}
}

func moment(t *time.Time) time.Time { return aws.ToTime(t).UTC() }

// lastPart is what stands after the last slash of an ARN: the name, without the account that owns it.
func lastPart(arn string) string { return arn[strings.LastIndex(arn, "/")+1:] }

func tags(list []types.Tag) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := make(map[string]string, len(list))
	for _, t := range list {
		out[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return out
}

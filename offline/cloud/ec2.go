package cloud

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/weft-hpc/weft/fabric/market"
)

// Answers that leave the caller without knowledge of what was done.
var (
	ErrLost    = fmt.Errorf("https response error: %w", io.ErrUnexpectedEOF)
	ErrTimeout = fmt.Errorf("operation error: %w", context.DeadlineExceeded)
)

// Refusal is an answer of AWS that says no.
func Refusal(code string) error { return answer(http.StatusBadRequest, code) }

// Failure is an answer of AWS's servers after which the deed may have been done.
func Failure(code string) error { return answer(http.StatusInternalServerError, code) }

func answer(status int, code string) error {
	return &smithy.OperationError{ServiceID: "EC2", OperationName: "Simulated", Err: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      &smithy.GenericAPIError{Code: code, Message: "simulated"},
	}}
}

// DescribeAvailabilityZones lists all zones.
func (c *Cloud) DescribeAvailabilityZones(context.Context, *ec2.DescribeAvailabilityZonesInput, ...func(*ec2.Options)) (*ec2.DescribeAvailabilityZonesOutput, error) {
	if err := c.enter("ec2:DescribeAvailabilityZones"); err != nil {
		return nil, err
	}
	out := &ec2.DescribeAvailabilityZonesOutput{}
	for _, z := range c.Zones {
		out.AvailabilityZones = append(out.AvailabilityZones, types.AvailabilityZone{ZoneName: aws.String(z.Name), ZoneId: aws.String(z.ID)})
	}
	return out, nil
}

// DescribeCapacityBlockOfferings gives the offerings that fit.
func (c *Cloud) DescribeCapacityBlockOfferings(_ context.Context, in *ec2.DescribeCapacityBlockOfferingsInput, _ ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockOfferingsOutput, error) {
	if err := c.enter("ec2:DescribeCapacityBlockOfferings"); err != nil {
		return nil, err
	}
	out := &ec2.DescribeCapacityBlockOfferingsOutput{}
	for _, o := range c.Offerings {
		if o.InstanceType == aws.ToString(in.InstanceType) && o.Count == int(aws.ToInt32(in.InstanceCount)) && o.AskedHours == int(aws.ToInt32(in.CapacityDurationHours)) &&
			!o.Start.Before(aws.ToTime(in.StartDateRange)) && !o.End.After(aws.ToTime(in.EndDateRange)) {
			out.CapacityBlockOfferings = append(out.CapacityBlockOfferings, types.CapacityBlockOffering{
				CapacityBlockOfferingId: aws.String(o.ID), AvailabilityZone: aws.String(o.Zone), InstanceType: aws.String(o.InstanceType),
				InstanceCount: aws.Int32(int32(o.Count)), StartDate: aws.Time(o.Start), EndDate: aws.Time(o.End), //nolint:gosec // at most 64
				UpfrontFee: aws.String(o.Fee.Decimal()), CurrencyCode: aws.String(o.Fee.Currency()),
			})
		}
	}
	return out, nil
}

// DescribeCapacityReservations shows what was bought long enough ago.
func (c *Cloud) DescribeCapacityReservations(context.Context, *ec2.DescribeCapacityReservationsInput, ...func(*ec2.Options)) (*ec2.DescribeCapacityReservationsOutput, error) {
	if err := c.enter("ec2:DescribeCapacityReservations"); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &ec2.DescribeCapacityReservationsOutput{}
	for _, h := range c.held {
		if !c.Clock.Now().Before(h.visible) {
			out.CapacityReservations = append(out.CapacityReservations, h.now(c))
		}
	}
	return out, nil
}

// late is how old the signature of a request may be.
const late = 15 * time.Minute

// PurchaseCapacityBlock buys, as often as it is asked to.
func (c *Cloud) PurchaseCapacityBlock(_ context.Context, in *ec2.PurchaseCapacityBlockInput, options ...func(*ec2.Options)) (*ec2.PurchaseCapacityBlockOutput, error) {
	signed := c.Clock.Now()
	if err := c.enter("ec2:PurchaseCapacityBlock"); err != nil {
		return nil, err
	}
	if aws.ToBool(in.DryRun) {
		return nil, answer(http.StatusPreconditionFailed, "DryRunOperation")
	}
	o := ec2.Options{RetryMaxAttempts: 3}
	for _, set := range options {
		set(&o)
	}
	if o.RetryMaxAttempts != 1 {
		return nil, fmt.Errorf("the SDK would send the purchase %d times", o.RetryMaxAttempts)
	}
	if c.Clock.Now().After(signed.Add(late)) {
		return nil, Refusal("RequestExpired")
	}
	what := fate(c.Purchase)
	out := &ec2.PurchaseCapacityBlockOutput{}
	if what.Done {
		bought := c.buy(in)
		if bought == nil {
			return nil, Refusal("InvalidCapacityBlockOfferingIdNotFound")
		}
		out.CapacityReservation = bought
	}
	c.step("answer")
	if what.Answer != nil {
		return nil, what.Answer
	}
	return out, nil
}

func (c *Cloud) buy(in *ec2.PurchaseCapacityBlockInput) *types.CapacityReservation {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.Offerings, func(o market.Offering) bool { return o.ID == aws.ToString(in.CapacityBlockOfferingId) })
	if i < 0 {
		return nil
	}
	o, now := c.Offerings[i], c.Clock.Now()
	h := &held{visible: now.Add(c.Lag), failed: c.FailPayment, CapacityReservation: types.CapacityReservation{
		CapacityReservationId: aws.String(fmt.Sprintf("cr-%017x", len(c.held)+1)), ReservationType: types.CapacityReservationTypeCapacityBlock,
		InstanceType: aws.String(o.InstanceType), InstancePlatform: in.InstancePlatform, AvailabilityZone: aws.String(o.Zone), AvailabilityZoneId: aws.String(o.ZoneID),
		StartDate: aws.Time(o.Start), EndDate: aws.Time(o.End), CreateDate: aws.Time(now), TotalInstanceCount: aws.Int32(0),
		Tags: []types.Tag{{Key: aws.String("aws:ec2capacityreservation:incrementalRequestedQuantity"), Value: aws.String(strconv.Itoa(o.Count))}},
	}}
	for _, s := range in.TagSpecifications {
		h.Tags = append(h.Tags, s.Tags...)
	}
	c.held = append(c.held, h)
	out := h.now(c)
	return &out
}

// now is a block as it is at the cloud's time.
func (h *held) now(c *Cloud) types.CapacityReservation {
	out, now := h.CapacityReservation, c.Clock.Now()
	out.Tags = slices.Clone(h.Tags)
	paid := h.CreateDate.Add(c.Payment)
	switch {
	case now.Before(paid):
		out.State = types.CapacityReservationStatePaymentPending
	case h.failed:
		out.State = types.CapacityReservationStatePaymentFailed
	case now.Before(*h.StartDate):
		out.State = types.CapacityReservationStateScheduled
	case now.Before(*h.EndDate):
		out.State = types.CapacityReservationStateActive
	default:
		out.State = types.CapacityReservationStateExpired
	}
	return out
}

// CreateTags puts tags on what was bought.
func (c *Cloud) CreateTags(_ context.Context, in *ec2.CreateTagsInput, _ ...func(*ec2.Options)) (*ec2.CreateTagsOutput, error) {
	return &ec2.CreateTagsOutput{}, c.tag("ec2:CreateTags", in.Resources, in.Tags, func(h *held, t types.Tag) { h.Tags = append(h.Tags, t) })
}

// DeleteTags takes tags off.
func (c *Cloud) DeleteTags(_ context.Context, in *ec2.DeleteTagsInput, _ ...func(*ec2.Options)) (*ec2.DeleteTagsOutput, error) {
	return &ec2.DeleteTagsOutput{}, c.tag("ec2:DeleteTags", in.Resources, in.Tags, func(*held, types.Tag) {})
}

func (c *Cloud) tag(action string, ids []string, tags []types.Tag, put func(*held, types.Tag)) error {
	if err := c.enter(action); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		i := slices.IndexFunc(c.held, func(h *held) bool { return *h.CapacityReservationId == id })
		if i < 0 {
			return Refusal("InvalidCapacityReservationId.NotFound")
		}
		for _, t := range tags {
			c.held[i].Tags = slices.DeleteFunc(c.held[i].Tags, func(old types.Tag) bool { return *old.Key == *t.Key })
			put(c.held[i], t)
		}
	}
	return nil
}

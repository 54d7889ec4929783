package capacity

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/weft-hpc/weft/fabric/market"
)

type offeringsAPI interface {
	DescribeCapacityBlockOfferings(context.Context, *ec2.DescribeCapacityBlockOfferingsInput, ...func(*ec2.Options)) (*ec2.DescribeCapacityBlockOfferingsOutput, error)
}

// query is one question to the market of a Region.
type query struct {
	region string
	kind   string // of instance
	count  int
	hours  int       // one of market.SoldHours
	from   time.Time // earliest start
	until  time.Time // latest end
}

// describeOfferings asks the market, in all zones, whether the account has opted in to them or not. EC2 answers with few
// offerings, the ones it recommends (capacity-blocks-purchase): narrower windows show more.
func describeOfferings(ctx context.Context, api offeringsAPI, q query) ([]market.Offering, error) {
	var out []market.Offering
	p := ec2.NewDescribeCapacityBlockOfferingsPaginator(api, &ec2.DescribeCapacityBlockOfferingsInput{
		InstanceType: aws.String(q.kind), InstanceCount: aws.Int32(int32(q.count)), CapacityDurationHours: aws.Int32(int32(q.hours)), //nolint:gosec // at most 64, and 4368
		StartDateRange: aws.Time(q.from), EndDateRange: aws.Time(q.until), AllAvailabilityZones: aws.Bool(true),
	})
	for p.HasMorePages() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("describing offerings of %d × %s for %d hours in %s: %w", q.count, q.kind, q.hours, q.region, err)
		}
		for i := range page.CapacityBlockOfferings {
			out = append(out, offering(&page.CapacityBlockOfferings[i], q))
		}
	}
	return out, nil
}

func offering(o *types.CapacityBlockOffering, q query) market.Offering {
	fee, err := market.ParseMoney(aws.ToString(o.UpfrontFee), aws.ToString(o.CurrencyCode))
	if err != nil {
		fee = market.Money{} // an offering without a price is still one
	}
	out := market.Offering{
		ID: aws.ToString(o.CapacityBlockOfferingId), Region: q.region, Zone: aws.ToString(o.AvailabilityZone),
		InstanceType: aws.ToString(o.InstanceType), Count: int(aws.ToInt32(o.InstanceCount)), AskedHours: q.hours,
		Start: moment(o.StartDate), End: moment(o.EndDate), Fee: fee,
	}
	if o.EndDate == nil { // the duration, hours and minutes apart, says as much
		out.End = out.Start.Add(time.Duration(aws.ToInt32(o.CapacityBlockDurationHours))*time.Hour +
			time.Duration(aws.ToInt32(o.CapacityBlockDurationMinutes))*time.Minute)
	}
	return out
}

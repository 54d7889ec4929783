// Package capacity finds, buys, extends and shows capacity blocks.
//
// A block costs tens of thousands, can't be cancelled and ends on the minute. So money moves in one function
// (guard.spend), for one pinned offering, up to one confirmed price; a journal is written before, and EC2 is searched for what
// was bought already. Everything else here reads. What is wrong with what a user asks for is a finding; an error is for
// calls that failed.
package capacity

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/weft-hpc/weft/fabric/market"
)

// Clock tells the time and waits. A test moves it.
type Clock interface {
	Now() time.Time
	// Wait ends after d, or with the error of ctx.
	Wait(ctx context.Context, d time.Duration) error
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now is the time, in UTC.
func (SystemClock) Now() time.Time { return time.Now().UTC() }

// Wait waits.
func (SystemClock) Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Nonce makes the name of an attempt: 8 random hex digits.
func Nonce() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}

// The tags of a block that weft bought, written by the purchase itself. The first three name the resource, the fourth what
// was bought for it; the last two let others work out what was paid.
const (
	TagProject  = "weft:project"
	TagStack    = "weft:stack"
	TagName     = "weft:name"
	TagOffering = "weft:offering"
	TagFee      = "weft:fee"
	TagCurrency = "weft:currency"
)

// Before a block starts EC2 shows it with no instances; what was bought stands in this tag only.
const tagRequested = "aws:ec2capacityreservation:incrementalRequestedQuantity"

// Owner is the resource that a block is bought for.
type Owner struct {
	Project string `json:"project"`
	Stack   string `json:"stack"`
	Name    string `json:"name"`
}

// String is project/stack/name: the key of the owner's journal. A slash within a part is escaped.
func (o Owner) String() string {
	return strings.Join([]string{url.PathEscape(o.Project), url.PathEscape(o.Stack), url.PathEscape(o.Name)}, "/")
}

func ownerOf(tags map[string]string) Owner {
	return Owner{tags[TagProject], tags[TagStack], tags[TagName]}
}

// none reports that nobody of weft owns it.
func (o Owner) none() bool { return o == Owner{} }

// Reservation is a block as EC2 shows it.
type Reservation struct {
	market.Block
	// CapacityBlock is the block's id, cb-…; empty where EC2 shows none.
	CapacityBlock string            `json:"capacityBlock,omitempty"`
	Platform      string            `json:"platform"`
	Owner         Owner             `json:"owner"`    // by its tags; empty for what weft did not buy
	Offering      string            `json:"offering"` // by its tags
	Tags          map[string]string `json:"tags,omitempty"`
}

func (r Reservation) what() string {
	return fmt.Sprintf("%s (%d × %s in %s, %s to %s, %s)", r.Reservation, r.Count, r.InstanceType, r.Zone, minute(r.Start), minute(r.End), r.State)
}

type reservationsAPI interface {
	DescribeCapacityReservations(context.Context, *ec2.DescribeCapacityReservationsInput, ...func(*ec2.Options)) (*ec2.DescribeCapacityReservationsOutput, error)
}

// reservations lists the capacity blocks of a Region, in every state. EC2 has no filter by tag for them.
func reservations(ctx context.Context, api reservationsAPI, region string) ([]Reservation, error) {
	var out []Reservation
	p := ec2.NewDescribeCapacityReservationsPaginator(api, &ec2.DescribeCapacityReservationsInput{})
	for p.HasMorePages() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("describing capacity reservations in %s: %w", region, err)
		}
		for i := range page.CapacityReservations {
			if r := &page.CapacityReservations[i]; r.ReservationType == types.CapacityReservationTypeCapacityBlock {
				out = append(out, reservation(r, region))
			}
		}
	}
	return out, nil
}

func reservation(r *types.CapacityReservation, region string) Reservation {
	tags := tagMap(r.Tags)
	fee, err := market.ParseMoney(tags[TagFee], tags[TagCurrency])
	if err != nil {
		fee = market.Money{} // not bought by weft: nobody noted it
	}
	return Reservation{
		Block: market.Block{
			Reservation: aws.ToString(r.CapacityReservationId), Region: region,
			Zone: aws.ToString(r.AvailabilityZone), ZoneID: aws.ToString(r.AvailabilityZoneId),
			InstanceType: aws.ToString(r.InstanceType), Count: count(r, tags), Free: int(aws.ToInt32(r.AvailableInstanceCount)),
			State: string(r.State), Created: moment(r.CreateDate), Start: moment(r.StartDate), End: moment(r.EndDate), Fee: fee,
		},
		CapacityBlock: aws.ToString(r.CapacityBlockId), Platform: string(r.InstancePlatform),
		Owner: ownerOf(tags), Offering: tags[TagOffering], Tags: tags,
	}
}

// count is what was bought: EC2 shows 0 before the start.
func count(r *types.CapacityReservation, tags map[string]string) int {
	var requested int
	if _, err := fmt.Sscan(tags[tagRequested], &requested); err != nil {
		requested = 0
	}
	return max(int(aws.ToInt32(r.TotalInstanceCount)), requested)
}

func tagMap(list []types.Tag) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := make(map[string]string, len(list))
	for _, t := range list {
		out[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return out
}

func moment(t *time.Time) time.Time { return aws.ToTime(t).UTC() }

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

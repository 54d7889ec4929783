package account_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
)

// bought buys an offering and gives the id of the reservation.
func bought(t *testing.T, c *ec2.Client, id string) string {
	t.Helper()
	out, err := c.PurchaseCapacityBlock(t.Context(), buy(id))
	require.NoError(t, err)
	require.Equal(t, types.CapacityReservationStatePaymentPending, out.CapacityReservation.State)
	return *out.CapacityReservation.CapacityReservationId
}

func described(t *testing.T, c *ec2.Client, id string) types.CapacityReservation {
	t.Helper()
	out, err := c.DescribeCapacityReservations(t.Context(), &ec2.DescribeCapacityReservationsInput{CapacityReservationIds: []string{id}})
	require.NoError(t, err)
	require.Len(t, out.CapacityReservations, 1)
	return out.CapacityReservations[0]
}

func at(t *testing.T, a *account.Account, now time.Time) {
	t.Helper()
	require.NoError(t, a.SetTime(t.Context(), now))
}

// A block from the purchase to its end, by the account's clock.
func lifeOfABlock(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	loaded(t, a, trade(offer("cb-00000000a", func(o *account.Offering) { o.PaysAfter = 2 * time.Hour })))
	id := bought(t, c, "cb-00000000a")

	r := described(t, c, id)
	require.Equal(t, types.CapacityReservationStatePaymentPending, r.State)
	require.Equal(t, types.CapacityReservationTypeCapacityBlock, r.ReservationType)
	require.Equal(t, types.EndDateTypeLimited, r.EndDateType)
	require.Equal(t, now, r.CreateDate.UTC())
	require.Zero(t, *r.TotalInstanceCount)
	require.Equal(t, map[string]string{
		"aws:ec2capacityreservation:incrementalRequestedQuantity": "8",
		"aws:ec2capacityreservation:capacityReservationType":      "capacity-block", "weft:stack": "dev",
	}, tagsOf(r.Tags))

	time2, err := a.Advance(t.Context(), 2*time.Hour)
	require.NoError(t, err)
	require.Equal(t, now.Add(2*time.Hour), time2)
	require.Equal(t, types.CapacityReservationStateScheduled, described(t, c, id).State)

	at(t, a, monday)
	r = described(t, c, id)
	require.Equal(t, types.CapacityReservationStateActive, r.State)
	require.EqualValues(t, 8, *r.TotalInstanceCount)
	require.EqualValues(t, 8, *r.AvailableInstanceCount)

	launched := launch(t, c, id, 3)
	require.EqualValues(t, 5, *described(t, c, id).AvailableInstanceCount)

	at(t, a, last.Add(-30*time.Minute-time.Second))
	require.Equal(t, "running", state(t, c, launched[0]))
	at(t, a, last.Add(-30*time.Minute))
	for _, instance := range launched {
		require.Equal(t, "terminated", state(t, c, instance))
	}
	r = described(t, c, id)
	require.Equal(t, types.CapacityReservationStateActive, r.State)
	require.Equal(t, last, r.EndDate.UTC())

	at(t, a, last)
	r = described(t, c, id)
	require.Equal(t, types.CapacityReservationStateExpired, r.State)
	require.Zero(t, *r.TotalInstanceCount)
	clock, err := a.Time(t.Context())
	require.NoError(t, err)
	require.Equal(t, last, clock)
}

func tagsOf(list []types.Tag) map[string]string {
	out := map[string]string{}
	for _, tag := range list {
		out[*tag.Key] = *tag.Value
	}
	return out
}

func state(t *testing.T, c *ec2.Client, instance string) string {
	t.Helper()
	out, err := c.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{instance}})
	require.NoError(t, err)
	return string(out.Reservations[0].Instances[0].State.Name)
}

func paymentThatNeverComes(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	w := trade(offer("cb-00000000a", func(o *account.Offering) { o.PaymentFails = true }))
	w.Reservations = []account.Reservation{
		{ID: "cr-unpaid", Kind: account.Block, Type: p6, Zone: "us-east-2a", Count: 1, State: "payment-pending", Created: now, Start: monday, End: last},
		{ID: "cr-paid", Kind: account.Block, Type: p6, Zone: "us-east-2a", Count: 1, State: "payment-pending", Created: now, PaidAt: now.Add(time.Hour), Start: monday, End: last},
		{ID: "cr-lost", Kind: account.Block, Type: p6, Zone: "us-east-2a", Count: 1, State: "unavailable", Start: now, End: last},
	}
	loaded(t, a, w)
	id := bought(t, c, "cb-00000000a")
	states := func() [4]types.CapacityReservationState {
		return [4]types.CapacityReservationState{
			described(t, c, id).State, described(t, c, "cr-unpaid").State, described(t, c, "cr-paid").State, described(t, c, "cr-lost").State,
		}
	}
	const pending, failed = types.CapacityReservationStatePaymentPending, types.CapacityReservationStatePaymentFailed
	require.Equal(t, [4]types.CapacityReservationState{pending, pending, pending, "unavailable"}, states())
	at(t, a, now.Add(12*time.Hour-time.Second))
	require.Equal(t, [4]types.CapacityReservationState{pending, pending, "scheduled", "unavailable"}, states())
	at(t, a, now.Add(12*time.Hour))
	require.Equal(t, [4]types.CapacityReservationState{failed, failed, "scheduled", "unavailable"}, states())
	at(t, a, monday)
	require.Equal(t, [4]types.CapacityReservationState{failed, failed, "active", "unavailable"}, states(), "a block that was not paid never starts")
}

// Without a clock of its own the account takes a world's states as they are given.
func statesWithoutAClock(t *testing.T, a *account.Account) {
	t.Helper()
	loaded(t, a, world())
	c := client(a)
	require.Equal(t, types.CapacityReservationStateScheduled, described(t, c, "cr-soon").State)
	at(t, a, start)
	require.Equal(t, types.CapacityReservationStateActive, described(t, c, "cr-soon").State)
	require.Equal(t, types.CapacityReservationStateActive, described(t, c, "cr-odcr").State)
}

func blocks(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	w := trade(offer("cb-0000ultra", func(o *account.Offering) {
		o.Type, o.UltraServer, o.UltraServerCount, o.Count = "p6e-gb200.36xlarge", "u-p6e-gb200x72", 1, 18
	}))
	w.Reservations = []account.Reservation{
		{ID: "cr-a", BlockID: "cb-a", Kind: account.Block, Type: p6, Zone: "us-east-2a", Count: 4, State: "active", Start: now, End: last},
		{ID: "cr-b", BlockID: "cb-b", Kind: account.Block, Type: p6, Zone: "us-east-2b", Count: 4, State: "scheduled", Start: monday, End: last},
		{ID: "cr-u", BlockID: "cb-u", Kind: account.Block, Type: "p6e-gb200.36xlarge", Zone: "us-east-2a", Count: 9, Unavailable: 2, Interconnect: "impaired", State: "active", Start: now, End: last},
	}
	loaded(t, a, w)
	ultra := bought(t, c, "cb-0000ultra")

	ids := func(in *ec2.DescribeCapacityBlocksInput) []string {
		var out []string
		p := ec2.NewDescribeCapacityBlocksPaginator(c, in)
		for p.HasMorePages() {
			page, err := p.NextPage(t.Context())
			require.NoError(t, err)
			for _, b := range page.CapacityBlocks {
				out = append(out, b.CapacityReservationIds...)
			}
		}
		return out
	}
	require.Equal(t, []string{"cr-a", "cr-b", "cr-u", ultra}, ids(&ec2.DescribeCapacityBlocksInput{MaxResults: aws.Int32(3)}))
	require.Equal(t, []string{"cr-b"}, ids(&ec2.DescribeCapacityBlocksInput{CapacityBlockIds: []string{"cb-b"}}))
	require.Equal(t, []string{"cr-a", "cr-u"}, ids(&ec2.DescribeCapacityBlocksInput{
		Filters: []types.Filter{{Name: aws.String("state"), Values: []string{"active"}}},
	}))
	_, err := c.DescribeCapacityBlocks(t.Context(), &ec2.DescribeCapacityBlocksInput{CapacityBlockIds: []string{"cb-none"}})
	refused(t, err, "InvalidCapacityBlockId.NotFound")

	status, err := c.DescribeCapacityBlockStatus(t.Context(), &ec2.DescribeCapacityBlockStatusInput{})
	require.NoError(t, err)
	require.Len(t, status.CapacityBlockStatuses, 2, "blocks of UltraServers only")
	broken := status.CapacityBlockStatuses[0]
	require.Equal(t, types.CapacityBlockInterconnectStatusImpaired, broken.InterconnectStatus)
	require.EqualValues(t, 7, *broken.TotalAvailableCapacity)
	require.EqualValues(t, 2, *broken.TotalUnavailableCapacity)
}

func reservationsByPageFilterAndTag(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	w := trade()
	for _, id := range []string{"cr-1", "cr-2", "cr-3"} {
		w.Reservations = append(w.Reservations, account.Reservation{
			ID: id, Kind: account.Block, Type: p6, Zone: "us-east-2a", Count: 1, State: "active", Start: now, End: last, Owner: "210987654321", Tags: map[string]string{"team": "a"},
		})
	}
	loaded(t, a, w)
	var pages int
	p := ec2.NewDescribeCapacityReservationsPaginator(c, &ec2.DescribeCapacityReservationsInput{MaxResults: aws.Int32(2)})
	for p.HasMorePages() {
		page, err := p.NextPage(t.Context())
		require.NoError(t, err)
		pages++
		require.Equal(t, "210987654321", *page.CapacityReservations[0].OwnerId)
	}
	require.Equal(t, 2, pages)

	key := []types.Tag{{Key: aws.String("weft:name"), Value: aws.String("train")}}
	_, err := c.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{"cr-1", account.ImageID("mine")}, Tags: key})
	require.NoError(t, err)
	require.Equal(t, "train", tagsOf(described(t, c, "cr-1").Tags)["weft:name"])
	_, err = c.DeleteTags(t.Context(), &ec2.DeleteTagsInput{Resources: []string{"cr-1"}, Tags: []types.Tag{{Key: aws.String("weft:name")}}})
	require.NoError(t, err)
	require.NotContains(t, tagsOf(described(t, c, "cr-1").Tags), "weft:name")
	require.Equal(t, "a", tagsOf(described(t, c, "cr-1").Tags)["team"])
	_, err = c.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{"cr-none"}, Tags: key})
	refused(t, err, "InvalidCapacityReservationId.NotFound")

	for name, test := range map[string]struct {
		in   ec2.DescribeCapacityReservationsInput
		code string
	}{
		"no id":           {ec2.DescribeCapacityReservationsInput{CapacityReservationIds: []string{"block"}}, "InvalidCapacityReservationId.Malformed"},
		"ids and pages":   {ec2.DescribeCapacityReservationsInput{CapacityReservationIds: []string{"cr-1"}, MaxResults: aws.Int32(5)}, "InvalidParameterCombination"},
		"no filter of it": {ec2.DescribeCapacityReservationsInput{Filters: []types.Filter{{Name: aws.String("tag:team"), Values: []string{"a"}}}}, "InvalidParameterValue"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.DescribeCapacityReservations(t.Context(), &test.in)
			refused(t, err, test.code)
		})
	}
}

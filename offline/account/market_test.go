package account_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
)

const p6 = "p6-b200.48xlarge"

// Blocks of the tests last two weeks from Monday.
var (
	now    = time.Date(2026, 12, 2, 9, 0, 0, 0, time.UTC)
	monday = time.Date(2026, 12, 7, 11, 30, 0, 0, time.UTC)
	last   = monday.AddDate(0, 0, 14)
)

// offer is an offering of 8 instances for two weeks from Monday.
func offer(id string, change func(*account.Offering)) account.Offering {
	o := account.Offering{
		ID: id, Type: p6, Zone: "us-east-2a", Count: 8, Start: monday, End: last, Fee: "93050.88", Currency: "USD",
	}
	if change != nil {
		change(&o)
	}
	return o
}

func trade(offerings ...account.Offering) account.World {
	w := world()
	w.Now, w.Reservations, w.Market = now, nil, offerings
	return w
}

// find asks for what trade's offerings are.
func find(change func(*ec2.DescribeCapacityBlockOfferingsInput)) *ec2.DescribeCapacityBlockOfferingsInput {
	in := &ec2.DescribeCapacityBlockOfferingsInput{
		InstanceType: aws.String(p6), InstanceCount: aws.Int32(8), CapacityDurationHours: aws.Int32(14 * 24),
	}
	if change != nil {
		change(in)
	}
	return in
}

func buy(id string) *ec2.PurchaseCapacityBlockInput {
	return &ec2.PurchaseCapacityBlockInput{
		CapacityBlockOfferingId: aws.String(id), InstancePlatform: types.CapacityReservationInstancePlatformLinuxUnix,
		TagSpecifications: []types.TagSpecification{{
			ResourceType: types.ResourceTypeCapacityReservation, Tags: []types.Tag{{Key: aws.String("weft:stack"), Value: aws.String("dev")}},
		}},
	}
}

func loaded(t *testing.T, a *account.Account, w account.World) {
	t.Helper()
	require.NoError(t, a.Load(t.Context(), w))
}

// refused requires an error of EC2 with a code.
func refused(t *testing.T, err error, code string) {
	t.Helper()
	var api smithy.APIError
	require.ErrorAs(t, err, &api)
	require.Equal(t, code, api.ErrorCode(), err.Error())
}

func offeringsFound(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	early := monday.Add(-6*time.Hour - 35*time.Minute)
	loaded(t, a, trade(
		offer("cb-00000dear", func(o *account.Offering) { o.Fee = "200000.5" }),
		offer("cb-00000000b", func(o *account.Offering) { o.Zone, o.ZoneID = "us-east-2b", "use2-az2" }),
		offer("cb-00000odd1", func(o *account.Offering) { o.Start, o.Hours = early, 14*24 }),
		offer("cb-00000late", func(o *account.Offering) { o.Start, o.End = monday.AddDate(0, 0, 1), last.AddDate(0, 0, 1) }),
		offer("cb-00000week", func(o *account.Offering) { o.End = monday.AddDate(0, 0, 7) }),
		offer("cb-00000four", func(o *account.Offering) { o.Count = 4 }),
		offer("cb-0000local", func(o *account.Offering) { o.OptedOut, o.Zone, o.ZoneType = true, "us-east-2-dfw-2a", "local-zone" }),
		offer("cb-00000gone", func(o *account.Offering) { o.Until = now }),
		offer("cb-0000begun", func(o *account.Offering) { o.Start, o.Hours = now, 14*24 }),
		offer("cb-00000gb20", func(o *account.Offering) {
			o.Type, o.Count, o.UltraServer, o.UltraServerCount = "p6e-gb200.36xlarge", 18, "u-p6e-gb200x72", 1
		}),
	))
	ids := func(in *ec2.DescribeCapacityBlockOfferingsInput) []string {
		var out []string
		p := ec2.NewDescribeCapacityBlockOfferingsPaginator(c, in)
		for p.HasMorePages() {
			page, err := p.NextPage(t.Context())
			require.NoError(t, err)
			if in.MaxResults != nil {
				require.LessOrEqual(t, len(page.CapacityBlockOfferings), int(*in.MaxResults))
			}
			for _, o := range page.CapacityBlockOfferings {
				out = append(out, *o.CapacityBlockOfferingId)
			}
		}
		return out
	}
	for name, test := range map[string]struct {
		change func(*ec2.DescribeCapacityBlockOfferingsInput)
		want   []string
	}{
		"the earliest first, then the cheapest": {nil, []string{"cb-00000odd1", "cb-00000000b", "cb-00000dear", "cb-00000late"}},
		"pages of one": {
			func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.MaxResults = aws.Int32(1) },
			[]string{"cb-00000odd1", "cb-00000000b", "cb-00000dear", "cb-00000late"},
		},
		"zones that the account has not opted in to": {
			func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.AllAvailabilityZones = aws.Bool(true) },
			[]string{"cb-00000odd1", "cb-00000000b", "cb-0000local", "cb-00000dear", "cb-00000late"},
		},
		"not before": {
			func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.StartDateRange = aws.Time(monday) },
			[]string{"cb-00000000b", "cb-00000dear", "cb-00000late"},
		},
		"over by": {
			func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.EndDateRange = aws.Time(last) },
			[]string{"cb-00000odd1", "cb-00000000b", "cb-00000dear"},
		},
		"another duration": {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.CapacityDurationHours = aws.Int32(7 * 24) }, []string{"cb-00000week"}},
		"another count":    {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.InstanceCount = aws.Int32(4) }, []string{"cb-00000four"}},
		"nothing":          {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.InstanceCount = aws.Int32(64) }, nil},
		"UltraServers": {
			func(in *ec2.DescribeCapacityBlockOfferingsInput) {
				in.InstanceType, in.InstanceCount, in.UltraserverType, in.UltraserverCount = nil, nil, aws.String("u-p6e-gb200x72"), aws.Int32(1)
			},
			[]string{"cb-00000gb20"},
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, ids(find(test.change))) })
	}
	out, err := c.DescribeCapacityBlockOfferings(t.Context(), find(nil))
	require.NoError(t, err)
	odd := out.CapacityBlockOfferings[0]
	require.Equal(t, "93050.88", *odd.UpfrontFee)
	require.Equal(t, "USD", *odd.CurrencyCode)
	require.EqualValues(t, 14*24+6, *odd.CapacityBlockDurationHours)
	require.EqualValues(t, 35, *odd.CapacityBlockDurationMinutes)
	require.Equal(t, early, odd.StartDate.UTC())
	require.Equal(t, last, odd.EndDate.UTC())
}

func offeringsAreRecommended(t *testing.T, a *account.Account) {
	t.Helper()
	var many []account.Offering
	for i := range 9 {
		many = append(many, offer("cb-0000000"+strconv.Itoa(i), nil))
	}
	loaded(t, a, trade(many...))
	out, err := client(a).DescribeCapacityBlockOfferings(t.Context(), find(nil))
	require.NoError(t, err)
	require.Len(t, out.CapacityBlockOfferings, 6, "EC2 recommends some, it does not list all")
}

func offeringsRefused(t *testing.T, a *account.Account) {
	t.Helper()
	w := trade(offer("cb-00000000a", nil))
	w.BlockLimit = 16
	w.Reservations = []account.Reservation{{ID: "cr-held", Kind: account.Block, Type: p6, Zone: "us-east-2a", Count: 6, State: "active", Start: now, End: last}}
	loaded(t, a, w)
	for name, test := range map[string]struct {
		change func(*ec2.DescribeCapacityBlockOfferingsInput)
		code   string
	}{
		"no duration that is sold": {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.CapacityDurationHours = aws.Int32(15 * 24) }, "InvalidParameterValue"},
		"half a day":               {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.CapacityDurationHours = aws.Int32(12) }, "InvalidParameterValue"},
		"more than half a year":    {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.CapacityDurationHours = aws.Int32(27 * 168) }, "InvalidParameterValue"},
		"no type":                  {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.InstanceType = nil }, "MissingParameter"},
		"no count":                 {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.InstanceCount = nil }, "MissingParameter"},
		"too many instances":       {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.InstanceCount = aws.Int32(65) }, "InvalidParameterValue"},
		"a type without blocks":    {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.InstanceType = aws.String("g6e.48xlarge") }, "InvalidParameterValue"},
		"type and UltraServer": {
			func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.UltraserverType = aws.String("u-p6e-gb200x72") }, "InvalidParameterCombination",
		},
		"a window that ends first": {func(in *ec2.DescribeCapacityBlockOfferingsInput) {
			in.StartDateRange, in.EndDateRange = aws.Time(last), aws.Time(monday)
		}, "InvalidParameterValue"},
		"beyond the account's limit": {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.InstanceCount = aws.Int32(11) }, "CapacityBlockDescribeLimitExceeded"},
		"too large a page":           {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.MaxResults = aws.Int32(1001) }, "InvalidParameterValue"},
		"a made-up page":             {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.NextToken = aws.String("next") }, "InvalidNextToken"},
		"dry run":                    {func(in *ec2.DescribeCapacityBlockOfferingsInput) { in.DryRun = aws.Bool(true) }, "DryRunOperation"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client(a).DescribeCapacityBlockOfferings(t.Context(), find(test.change))
			refused(t, err, test.code)
		})
	}
}

func purchaseRefused(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	loaded(t, a, trade(
		offer("cb-00000000a", nil), offer("cb-00000sold", nil),
		offer("cb-00000gone", func(o *account.Offering) { o.Until = now }),
		offer("cb-0000begun", func(o *account.Offering) { o.Start = now.Add(-time.Minute) }),
	))
	_, err := c.PurchaseCapacityBlock(t.Context(), buy("cb-00000sold"))
	require.NoError(t, err)
	for name, test := range map[string]struct {
		id     string
		change func(*ec2.PurchaseCapacityBlockInput)
		code   string
	}{
		"no id of an offering":   {"offering-1", nil, "InvalidCapacityBlockOfferingIdMalformed"},
		"an unknown offering":    {"cb-0000none", nil, "InvalidCapacityBlockOfferingIdNotFound"},
		"an offering that began": {"cb-0000begun", nil, "InvalidCapacityBlockOfferingIdExpired"},
		"a withdrawn offering":   {"cb-00000gone", nil, "InvalidCapacityBlockOfferingIdExpired"},
		"a sold offering":        {"cb-00000sold", nil, "InvalidCapacityBlockOfferingIdExpired"},
		"tags of an instance": {"cb-00000000a", func(in *ec2.PurchaseCapacityBlockInput) {
			in.TagSpecifications[0].ResourceType = types.ResourceTypeInstance
		}, "InvalidParameterValue"},
		"a tag of AWS": {"cb-00000000a", func(in *ec2.PurchaseCapacityBlockInput) {
			in.TagSpecifications[0].Tags[0].Key = aws.String("aws:mine")
		}, "InvalidParameterValue"},
		"dry run": {"cb-00000000a", func(in *ec2.PurchaseCapacityBlockInput) { in.DryRun = aws.Bool(true) }, "DryRunOperation"},
	} {
		t.Run(name, func(t *testing.T) {
			in := buy(test.id)
			if test.change != nil {
				test.change(in)
			}
			_, err := c.PurchaseCapacityBlock(t.Context(), in)
			refused(t, err, test.code)
		})
	}
	purchases, err := a.Purchases(t.Context())
	require.NoError(t, err)
	require.Len(t, purchases, 1, "no money moved for what was refused")
}

// An offering that may be bought again is bought again by whoever asks: that is what the guard of a purchase is for.
func purchaseAgain(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	loaded(t, a, trade(offer("cb-0000again", func(o *account.Offering) { o.Again = true })))
	first, err := c.PurchaseCapacityBlock(t.Context(), buy("cb-0000again"))
	require.NoError(t, err)
	second, err := c.PurchaseCapacityBlock(t.Context(), buy("cb-0000again"))
	require.NoError(t, err)
	require.NotEqual(t, *first.CapacityReservation.CapacityReservationId, *second.CapacityReservation.CapacityReservationId)
	purchases, err := a.Purchases(t.Context())
	require.NoError(t, err)
	require.Len(t, purchases, 2)
	require.Equal(t, account.Purchase{
		Offering: "cb-0000again", Reservation: *first.CapacityReservation.CapacityReservationId, Fee: "93050.88", Currency: "USD",
		Tags: map[string]string{"weft:stack": "dev"}, At: now,
	}, purchases[0])
	count, err := a.Count(t.Context(), "PurchaseCapacityBlock")
	require.NoError(t, err)
	require.Equal(t, 2, count)
}

func marketMoves(t *testing.T, a *account.Account) {
	t.Helper()
	loaded(t, a, trade(offer("cb-00000000a", nil)))
	m, err := account.ReadMarket([]byte(`
market:
  - {id: cb-00000000a, type: p6-b200.48xlarge, zone: us-east-2a, count: 8, start: 2026-12-07T11:30:00Z, end: 2026-12-21T11:30:00Z, fee: "99999", currency: USD, paysAfter: 2h}
extensionMarket:
  - {id: cbe-00000000, hours: 24, fee: "1", currency: USD}
`))
	require.NoError(t, err)
	require.Equal(t, 2*time.Hour, m.Offerings[0].PaysAfter)
	require.NoError(t, a.Sell(t.Context(), m))
	out, err := client(a).DescribeCapacityBlockOfferings(t.Context(), find(nil))
	require.NoError(t, err)
	require.Equal(t, "99999", *out.CapacityBlockOfferings[0].UpfrontFee)

	_, err = account.ReadMarket([]byte("market: [{id: cb-00000000a, price: 1}]"))
	require.ErrorContains(t, err, "price")
	require.ErrorContains(t, a.Sell(t.Context(), account.Market{Offerings: []account.Offering{{ID: "cb-00000000x", Fee: "1"}}}), "market[0] cb-00000000x: ")
}

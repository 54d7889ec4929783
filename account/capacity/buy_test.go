package capacity_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/market/markettest"
)

func usd(t testing.TB, amount string) market.Money {
	t.Helper()
	m, err := market.ParseMoney(amount, "USD")
	require.NoError(t, err)
	return m
}

func buyer(c *cloud, j *memory) capacity.Buyer {
	return capacity.Buyer{EC2: c, Journal: j, Clock: c.clock, Nonce: nonces(), Timing: capacity.Timing{Late: late}}
}

func errors_(list diag.List) (out []string) {
	for _, f := range list.AtLeast(diag.Error) {
		out = append(out, string(f.Rule)+" "+f.Place.String()+": "+f.Got+" | "+f.Want)
	}
	return out
}

func TestBuy(t *testing.T) {
	c, j := newCloud(t), newMemory()
	c.lag = 3 * time.Minute
	p := purchase(t, c)
	p.Tags = map[string]string{"team": "llm"}
	r, err := buyer(c, j).Buy(t.Context(), p)
	require.NoError(t, err)
	require.Empty(t, errors_(r.Findings))
	require.True(t, r.Bought)
	require.Equal(t, 1, c.purchases)
	require.Equal(t, "cr-00000000000000001", r.Reservation.Reservation)
	require.Equal(t, "payment-pending", r.Reservation.State, "read until EC2 showed it")
	require.Equal(t, 16, r.Reservation.Count, "before the start EC2 tells the size in a tag only")
	require.Equal(t, owner, r.Reservation.Owner)
	require.Equal(t, "412196.27 USD", r.Reservation.Fee.String())
	require.Equal(t, "llm", r.Reservation.Tags["team"])
	require.Equal(t, diag.BlockState, r.Findings[0].Rule, "it waits for its payment")
	require.Equal(t, diag.Warn, r.Findings[0].Level)
	require.Equal(t, []capacity.EntryKind{capacity.Intended, capacity.Bought}, j.kinds(owner.String()))

	// Again, ten times, and with a journal that was lost: it is found.
	for range 10 {
		r, err = buyer(c, newMemory()).Buy(t.Context(), p)
		require.NoError(t, err)
		require.False(t, r.Bought)
		require.Equal(t, "cr-00000000000000001", r.Reservation.Reservation)
	}
	// After the confirmation, and after it was sold out: the block is there all the same.
	c.clock.move(48 * time.Hour)
	c.market.Offerings = nil
	r, err = buyer(c, j).Buy(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, "cr-00000000000000001", r.Reservation.Reservation)
	require.Equal(t, 1, c.purchases)
}

// Refused before money moves, each with both sides.
func TestBuyIsRefused(t *testing.T) {
	change := func(f func(*capacity.Purchase)) func(*testing.T, *cloud, *capacity.Purchase) {
		return func(_ *testing.T, _ *cloud, p *capacity.Purchase) { f(p) }
	}
	priced := func(fee string) func(*testing.T, *cloud, *capacity.Purchase) {
		return func(t *testing.T, c *cloud, _ *capacity.Purchase) {
			t.Helper()
			for i := range c.market.Offerings {
				if c.market.Offerings[i].ID == pinned {
					c.market.Offerings[i].Fee = market.Money{}
					if fee != "" {
						c.market.Offerings[i].Fee = usd(t, fee)
					}
				}
			}
		}
	}
	holds := func(state types.CapacityReservationState, tags map[string]string) func(*testing.T, *cloud, *capacity.Purchase) {
		return func(t *testing.T, c *cloud, _ *capacity.Purchase) {
			t.Helper()
			r := reservationOf(c.offering(t, pinned), "cr-0a", state, c.clock.Now())
			for k, v := range tags {
				r.Tags = append(r.Tags, types.Tag{Key: aws.String(k), Value: aws.String(v)})
			}
			c.held = append(c.held, held{CapacityReservation: r})
		}
	}
	own := func(project, stack, name, offering string) map[string]string {
		return map[string]string{"weft:project": project, "weft:stack": stack, "weft:name": name, "weft:offering": offering}
	}
	scheduled := types.CapacityReservationStateScheduled
	const at, where = "groups[0].capacity.block.offering", " " + pinned + ": "
	const block = "cr-0a (16 × p6-b200.48xlarge in us-east-2b, 2026-12-07 04:55 UTC to 2026-12-21 11:30 UTC, scheduled)"
	tests := map[string]struct {
		world func(*testing.T, *cloud, *capacity.Purchase)
		want  []string
	}{
		"the market moved": {priced("412196.28"), []string{"block/price " + at + ".maxFee" + where + "a fee of 412196.28 USD | at most 412196.27 USD, the confirmed price; it was 412196.27 USD when it was pinned"}},
		"no price any more": {priced(""), []string{
			"block/price " + at + ".fee" + where + "EC2 tells no price of " + pinned + " | at most 412196.27 USD, the confirmed price",
		}},
		"a budget below the fee": {change(func(p *capacity.Purchase) { p.Budget = usd(t, "412196.26") }), []string{
			"block/price " + at + ".fee" + where + "a fee of 412196.27 USD | at most 412196.26 USD, the budget",
		}},
		"a budget in another currency": {change(func(p *capacity.Purchase) { p.Budget, _ = market.ParseMoney("999999999", "JPY") }), []string{
			"block/price " + at + ".fee" + where + "a fee of 412196.27 USD | at most 999999999.00 JPY, the budget",
		}},
		"a fee above what was confirmed": {change(func(p *capacity.Purchase) { p.Offering.MaxFee = usd(t, "400000") }), []string{
			"block/price " + at + ".fee" + where + "a fee of 412196.27 USD | at most 400000.00 USD, the confirmed price",
		}},
		"a confirmation that has ended": {change(func(p *capacity.Purchase) { p.Offering.Until = markettest.Now }), []string{
			"block/offering " + at + ".confirmedUntil" + where + "a confirmation that ended at 2026-12-01 09:00 UTC, 1 min ago | a confirmation that still holds",
		}},
		"an offering that is gone": {change(func(p *capacity.Purchase) { p.Offering.ID = "cb-0" }), []string{
			"block/offering " + at + ".id cb-0: EC2 offers no cb-0 any more: 16 × p6-b200.48xlarge from 2026-12-07 04:55 UTC in us-east-2 | an offering that is for sale",
		}},
		"another length than pinned": {change(func(p *capacity.Purchase) { p.Offering.Hours = 400 }), []string{
			"block/duration " + at + ".durationHours" + where + "400 hours | 1 to 14 days, or a multiple of 7 days up to 182, give or take part of a day",
		}},
		"too many": {change(func(p *capacity.Purchase) { p.Offering.Count = 65 }), []string{"block/size " + at + ".count" + where + "65 instances | 1 to 64, the size of a block"}},
		"a minute off": {change(func(p *capacity.Purchase) { p.Offering.Start = p.Offering.Start.Add(-time.Minute) }), []string{
			"block/offering " + at + ".start" + where + "EC2 offers a start at 2026-12-07 04:55 UTC under " + pinned + " | a start at 2026-12-07 04:54 UTC, as it was pinned",
		}},
		"a second stack with the same offering": {holds(scheduled, own("train", "dev", "block", pinned)), []string{
			"block/purchase " + at + where + "offering " + pinned + " for train/prod/block, bought already for train/dev/block: " + block + " | an offering that nobody has bought from yet",
		}},
		"a changed offering": {holds(scheduled, own("train", "prod", "block", "cb-old")), []string{
			"block/purchase " + at + where + "offering " + pinned + " for train/prod/block, which has " + block + " from offering cb-old | the offering that was bought: a block can't be exchanged or cancelled",
		}},
		"CB-14 bought by hand": {holds(scheduled, nil), []string{
			"block/purchase " + at + where + "offering " + pinned + ", and " + block + " of the same size and window, without weft's tags: it may have been bought from it by hand | nothing that looks like what is to be bought",
		}},
		"its payment failed": {holds(types.CapacityReservationStatePaymentFailed, own("train", "prod", "block", pinned)), []string{
			"block/state " + at + where + "offering " + pinned + ", whose block cr-0a (16 × p6-b200.48xlarge in us-east-2b, 2026-12-07 04:55 UTC to 2026-12-21 11:30 UTC, payment-failed) has ended: it is payment-failed" +
				" | an offering that is still to be bought, or a block that is still to be used",
		}},
		"two of the same tags": {func(t *testing.T, c *cloud, p *capacity.Purchase) {
			t.Helper()
			holds(scheduled, own("train", "prod", "block", pinned))(t, c, p)
			holds(scheduled, own("train", "prod", "block", pinned))(t, c, p)
		}, []string{"block/purchase " + at + where + "2 blocks carry the tags of train/prod/block and offering " + pinned + ": " + block + "; " + block + " | one block"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, j := newCloud(t), newMemory()
			p := purchase(t, c)
			tt.world(t, c, &p)
			r, err := buyer(c, j).Buy(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, tt.want, errors_(r.Findings))
			require.Empty(t, r.Reservation.Reservation)
			require.Zero(t, c.purchases)
			require.Empty(t, j.entries, "nothing was asked for")
			for _, f := range r.Findings {
				require.NotEmpty(t, f.Hint)
				require.NotEmpty(t, f.Source)
			}

			preview, err := buyer(c, j).Preview(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, tt.want, errors_(preview.Findings), "a preview says the same")
			require.Zero(t, c.purchases)
		})
	}
}

// What looks like an obstacle and is none.
func TestBuyInSpite(t *testing.T) {
	for name, world := range map[string]func(*cloud, *capacity.Purchase, *types.CapacityReservation){
		"a cheaper price than pinned": func(c *cloud, _ *capacity.Purchase, r *types.CapacityReservation) {
			r.State = types.CapacityReservationStateExpired
			for i := range c.market.Offerings {
				if c.market.Offerings[i].ID == pinned {
					c.market.Offerings[i].Fee = usd(t, "400000")
				}
			}
		},
		"one that looks like it, and is wanted beside": func(_ *cloud, p *capacity.Purchase, _ *types.CapacityReservation) { p.Beside = []string{"cr-0a"} },
		"one of another window": func(_ *cloud, _ *capacity.Purchase, r *types.CapacityReservation) {
			r.EndDate = aws.Time(markettest.Now)
		},
		"an on-demand reservation": func(_ *cloud, _ *capacity.Purchase, r *types.CapacityReservation) { r.ReservationType = "default" },
		"this owner's earlier block, which has ended": func(_ *cloud, _ *capacity.Purchase, r *types.CapacityReservation) {
			r.State, r.Tags = types.CapacityReservationStateExpired, append(r.Tags,
				types.Tag{Key: aws.String("weft:project"), Value: aws.String("train")}, types.Tag{Key: aws.String("weft:stack"), Value: aws.String("prod")},
				types.Tag{Key: aws.String("weft:name"), Value: aws.String("block")}, types.Tag{Key: aws.String("weft:offering"), Value: aws.String("cb-old")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, j := newCloud(t), newMemory()
			p := purchase(t, c)
			r := reservationOf(c.offering(t, pinned), "cr-0a", types.CapacityReservationStateScheduled, c.clock.Now())
			world(c, &p, &r)
			c.held = append(c.held, held{CapacityReservation: r})
			got, err := buyer(c, j).Buy(t.Context(), p)
			require.NoError(t, err)
			require.Empty(t, errors_(got.Findings))
			require.True(t, got.Bought)
			require.Equal(t, 1, c.purchases)
		})
	}
}

func TestPreview(t *testing.T) {
	c, j := newCloud(t), newMemory()
	b, p := buyer(c, j), purchase(t, c)
	r, err := b.Preview(t.Context(), p)
	require.NoError(t, err)
	require.Empty(t, r.Findings, "it may be bought")
	require.Empty(t, r.Reservation.Reservation)
	require.Equal(t, markettest.Now, c.clock.Now(), "without waiting")

	c.fail["ec2:PurchaseCapacityBlock"] = answer(403, "UnauthorizedOperation")
	r, err = b.Preview(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []string{"account/denied groups[0].capacity.block.offering " + pinned + ": the purchase is refused (UnauthorizedOperation)" +
		" | an IAM identity that may call ec2:PurchaseCapacityBlock, and ec2:CreateTags with it"}, errors_(r.Findings))
	c.fail["ec2:PurchaseCapacityBlock"] = answer(400, "CapacityBlockOfferingSold")
	r, err = b.Preview(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, diag.BlockOffering, r.Findings[0].Rule)
	c.fail["ec2:PurchaseCapacityBlock"] = errLost
	_, err = b.Preview(t.Context(), p)
	require.ErrorIs(t, err, errLost)
	delete(c.fail, "ec2:PurchaseCapacityBlock")

	// An attempt is under way elsewhere.
	c.sent = func() fate { return fate{answer: errLost} }
	ctx, stop := context.WithCancel(t.Context())
	c.step = func(action string) {
		if action == "answer" {
			stop()
		}
	}
	_, err = b.Buy(ctx, p)
	require.ErrorIs(t, err, capacity.ErrUnsettled)
	r, err = b.Preview(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, diag.Warn, r.Findings[0].Level)
	require.Contains(t, r.Findings[0].Got, "attempt 00000001 to buy "+pinned)

	c.sent, c.step = nil, nil
	c.held = nil
	j.entries = map[string][]capacity.Entry{}
	_, err = b.Buy(t.Context(), p)
	require.NoError(t, err)
	r, err = b.Preview(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, "cr-00000000000000001", r.Reservation.Reservation, "it is there")
	require.False(t, r.Bought)
}

// What EC2 answers a purchase with, and what is made of it.
func TestAnswers(t *testing.T) {
	tests := map[string]struct {
		fate  fate
		want  diag.ID // of the refusal; empty: there is a block
		kinds []capacity.EntryKind
	}{
		"made, and the answer is lost":           {fate{true, errLost}, "", []capacity.EntryKind{capacity.Intended, capacity.Bought}},
		"made, and the answer times out":         {fate{true, errTimeout}, "", []capacity.EntryKind{capacity.Intended, capacity.Bought}},
		"made, and the server says it failed":    {fate{true, answer(500, "InternalError")}, "", []capacity.EntryKind{capacity.Intended, capacity.Bought}},
		"not made, and the answer is lost":       {fate{false, errLost}, diag.BlockPurchase, []capacity.EntryKind{capacity.Intended}},
		"not made, and the server says so":       {fate{false, answer(503, "Unavailable")}, diag.BlockPurchase, []capacity.EntryKind{capacity.Intended}},
		"not made, and answered as if it were":   {fate{false, nil}, diag.BlockPurchase, []capacity.EntryKind{capacity.Intended}},
		"refused: sold":                          {fate{false, answer(400, "CapacityBlockOfferingSold")}, diag.BlockOffering, []capacity.EntryKind{capacity.Intended, capacity.Refused}},
		"refused: not allowed":                   {fate{false, answer(403, "UnauthorizedOperation")}, diag.AccountDenied, []capacity.EntryKind{capacity.Intended, capacity.Refused}},
		"refused: too many calls":                {fate{false, answer(503, "RequestLimitExceeded")}, diag.BlockOffering, []capacity.EntryKind{capacity.Intended, capacity.Refused}},
		"made, and the answer is an unknown one": {fate{true, answer(200, "")}, "", []capacity.EntryKind{capacity.Intended, capacity.Bought}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, j := newCloud(t), newMemory()
			c.lag = 9 * time.Minute
			c.sent = func() fate { return tt.fate }
			p := purchase(t, c)
			r, err := buyer(c, j).Buy(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, tt.kinds, j.kinds(owner.String()))
			if tt.want == "" {
				require.NotEmpty(t, r.Reservation.Reservation)
				require.True(t, r.Bought)
				return
			}
			require.Empty(t, r.Reservation.Reservation)
			require.Equal(t, tt.want, r.Findings[0].Rule, "%v", r.Findings)
			require.Zero(t, c.purchases)

			// Refused is known: the next run may buy. Unknown is not: it refuses, until a person has written it off, and
			// not before a request that is still on its way must have been refused.
			c.sent = nil
			b := buyer(c, j)
			r, err = b.Buy(t.Context(), p)
			require.NoError(t, err)
			if tt.want != diag.BlockPurchase {
				require.True(t, r.Bought)
				return
			}
			require.Equal(t, []string{"block/purchase groups[0].capacity.block.offering " + pinned + ": attempt 00000001 to buy " + pinned +
				" for 412196.27 USD, asked for at 2026-12-01 09:00 UTC, has no outcome, and EC2 shows nothing bought for it | an attempt whose outcome is known: whether money has moved is not"}, errors_(r.Findings))
			require.Contains(t, r.Findings[0].Hint, `set purchase.resume: "00000001" after 2026-12-01 09:28 UTC`)
			p.Resume = "00000001"
			r, err = b.Buy(t.Context(), p)
			require.NoError(t, err)
			require.Contains(t, r.Findings[0].Want, "to wait until 2026-12-01 09:28 UTC")
			p.Resume = "ffffffff"
			c.clock.move(time.Hour)
			r, err = b.Buy(t.Context(), p)
			require.NoError(t, err)
			require.True(t, r.Findings.Failed(), "another attempt's nonce writes nothing off")
			require.Zero(t, c.purchases)
			p.Resume = "00000001"
			r, err = b.Buy(t.Context(), p)
			require.NoError(t, err)
			require.True(t, r.Bought)
			require.Equal(t, 1, c.purchases)
			require.Equal(t, "00000001", j.entries[owner.String()][1].Resumes)
		})
	}
}

// A purchase that the journal knows and EC2 has forgotten is not made again.
func TestHidden(t *testing.T) {
	c, j := newCloud(t), newMemory()
	p := purchase(t, c)
	b := buyer(c, j)
	_, err := b.Buy(t.Context(), p)
	require.NoError(t, err)
	c.held = nil
	r, err := b.Buy(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []string{"block/purchase groups[0].capacity.block.offering " + pinned + ": cr-00000000000000001 was bought from " + pinned +
		" at 2026-12-01 09:00 UTC, and EC2 does not show it | EC2 to show what was bought, in this account and Region"}, errors_(r.Findings))

	// The next block of the same owner: not while the forgotten one should still be there, and then it is bought.
	next := p
	next.Offering = pin(c.offering(t, "cb-a8ce3be0895d1ca59"))
	next.Region, next.Offering.Until = "us-east-1", markettest.Now.AddDate(1, 0, 0)
	r, err = b.Buy(t.Context(), next)
	require.NoError(t, err)
	require.True(t, r.Findings.Failed())
	c.clock.now = time.Date(2026, 12, 22, 0, 0, 0, 0, time.UTC)
	r, err = b.Buy(t.Context(), next)
	require.NoError(t, err)
	require.True(t, r.Bought)
	require.Equal(t, 2, c.purchases, "two blocks, one after the other")
}

// Bought, and never shown within the time: its id is not lost.
func TestUnseen(t *testing.T) {
	c, j := newCloud(t), newMemory()
	c.lag = 24 * time.Hour
	r, err := buyer(c, j).Buy(t.Context(), purchase(t, c))
	require.NoError(t, err)
	require.Equal(t, "cr-00000000000000001", r.Reservation.Reservation)
	require.True(t, r.Bought)
	require.False(t, r.Findings.Failed())
	require.Contains(t, r.Findings[0].Got, "is bought, and EC2 does not show it yet")
}

func TestErrors(t *testing.T) {
	for _, action := range []string{"ec2:DescribeCapacityReservations", "ec2:DescribeCapacityBlockOfferings"} {
		c := newCloud(t)
		c.fail[action] = errLost
		_, err := buyer(c, newMemory()).Buy(t.Context(), purchase(t, c))
		require.ErrorIs(t, err, errLost)
		require.ErrorContains(t, err, "buying "+pinned+" for train/prod/block: describing")
		require.Zero(t, c.purchases)
	}
	c := newCloud(t)
	p := purchase(t, c)
	p.Owner.Stack = ""
	_, err := buyer(c, newMemory()).Buy(t.Context(), p)
	require.ErrorContains(t, err, "needs project, stack, name")
	_, err = buyer(c, newMemory()).Preview(t.Context(), p)
	require.ErrorContains(t, err, "needs project, stack, name")

	j := newMemory()
	j.fault = func() (bool, error) { return false, errJournal }
	_, err = buyer(c, j).Buy(t.Context(), purchase(t, c))
	require.ErrorIs(t, err, errJournal)
	require.ErrorContains(t, err, "before anything was bought")
	require.Zero(t, c.purchases, "no purchase without a record of it")
}

func TestPin(t *testing.T) {
	o := config.Offering{
		ID: pinned, Count: 16, DurationHours: 342, Start: "2026-12-07T05:55:00+01:00", Fee: "412196.27", MaxFee: "412196.270", Currency: "USD",
		ConfirmedUntil: "2026-12-02T09:00:00Z",
	}
	p, err := capacity.Pin(o)
	require.NoError(t, err)
	require.Equal(t, pin(newCloud(t).offering(t, pinned)).Start, p.Start)
	require.Equal(t, "412196.27 USD", p.MaxFee.String())
	for field, broken := range map[string]func(*config.Offering){
		"the fee": func(o *config.Offering) { o.Fee = "1e9" }, "the highest fee": func(o *config.Offering) { o.MaxFee = "" },
		"the start": func(o *config.Offering) { o.Start = "tomorrow" }, "the end of the confirmation": func(o *config.Offering) { o.ConfirmedUntil = "" },
	} {
		o := o
		broken(&o)
		_, err := capacity.Pin(o)
		require.ErrorContains(t, err, "reading "+field+" of "+pinned)
	}
}

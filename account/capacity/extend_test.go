package capacity_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/fabric/diag"
)

var (
	_ capacity.ExtendAPI = (*ec2.Client)(nil)
	_ capacity.BuyAPI    = (*ec2.Client)(nil)
)

const key = "extensions/us-east-2/cr-0a"

// extendable is an account with a block that can be extended by a week, and the extension that somebody has confirmed.
func extendable(t testing.TB) (*cloud, capacity.Extension) {
	t.Helper()
	c := newCloud(t)
	b := bought(t, c, "cr-0a", active)
	c.clock.now = time.Date(2026, 12, 10, 12, 0, 0, 0, time.UTC)
	to := b.EndDate.AddDate(0, 0, 7)
	c.extend = []types.CapacityBlockExtensionOffering{{
		CapacityBlockExtensionOfferingId: aws.String("cbe-1"), CapacityBlockExtensionDurationHours: aws.Int32(168), InstanceType: b.InstanceType,
		InstanceCount: aws.Int32(16), AvailabilityZone: b.AvailabilityZone, CapacityBlockExtensionStartDate: b.EndDate, CapacityBlockExtensionEndDate: &to,
		UpfrontFee: aws.String("200000.50"), CurrencyCode: aws.String("USD"),
	}}
	return c, capacity.Extension{
		Region: "us-east-2", Reservation: "cr-0a", Offering: "cbe-1", Hours: 168, To: to, Fee: usd(t, "200000.50"), MaxFee: usd(t, "200000.50"),
		Until: c.clock.now.Add(time.Hour), Path: "extend",
	}
}

func extender(c *cloud, j *memory) capacity.Extender {
	return capacity.Extender{EC2: c, Journal: j, Clock: c.clock, Nonce: nonces(), Timing: capacity.Timing{Late: late}}
}

func TestExtend(t *testing.T) {
	c, x := extendable(t)
	j := newMemory()
	offers, findings, err := extender(c, j).Offers(t.Context(), "us-east-2", "cr-0a", 168)
	require.NoError(t, err)
	require.Empty(t, findings)
	require.Len(t, offers, 1)
	require.Equal(t, x.To, offers[0].To)
	require.Equal(t, "74.4049 USD", offers[0].PerInstanceHour().Rounded(4)) // 200000.50 ÷ (16 × 168)
	require.Equal(t, "9.3006 USD", offers[0].PerGPUHour().Rounded(4))

	c.lag = 4 * time.Minute
	done, err := extender(c, j).Extend(t.Context(), x)
	require.NoError(t, err)
	require.Empty(t, errors_(done.Findings))
	require.True(t, done.Bought)
	require.Equal(t, "payment-pending", done.Status)
	require.Equal(t, x.To, done.End)
	require.Equal(t, "the payment by 2026-12-11 00:00 UTC", done.Findings[0].Want, "12 hours; the end of the block is later")
	require.Equal(t, 1, c.purchases)

	c.clock.move(5 * time.Minute)
	for range 3 { // with a journal that was lost
		done, err = extender(c, newMemory()).Extend(t.Context(), x)
		require.NoError(t, err)
		require.False(t, done.Bought)
		require.Equal(t, "cbe-1", done.Offering)
	}
	c.history[0].CapacityBlockExtensionStatus = types.CapacityBlockExtensionStatusPaymentSucceeded
	c.held[0].EndDate = &x.To
	done, err = extender(c, j).Extend(t.Context(), x)
	require.NoError(t, err)
	require.False(t, done.Bought)
	require.Equal(t, "payment-succeeded", done.Status)
	require.Empty(t, done.Findings)

	// The next one, after it.
	next := x
	later := x.To.AddDate(0, 0, 7)
	next.Offering, next.To = "cbe-2", later
	c.extend[0].CapacityBlockExtensionOfferingId, c.extend[0].CapacityBlockExtensionEndDate = aws.String("cbe-2"), &later
	done, err = extender(c, j).Extend(t.Context(), next)
	require.NoError(t, err)
	require.True(t, done.Bought, "%v", done.Findings)
	require.Equal(t, 2, c.purchases)
}

func TestExtendIsRefused(t *testing.T) {
	record := func(id string, status types.CapacityBlockExtensionStatus) func(*cloud, *capacity.Extension) {
		return func(c *cloud, x *capacity.Extension) {
			c.history = append(c.history, types.CapacityBlockExtension{
				CapacityBlockExtensionOfferingId: aws.String(id), CapacityReservationId: aws.String("cr-0a"), CapacityBlockExtensionStatus: status, CapacityBlockExtensionEndDate: &x.To,
			})
		}
	}
	at := func(when time.Time) func(*cloud, *capacity.Extension) {
		return func(c *cloud, x *capacity.Extension) { c.clock.now, x.Until = when, when.Add(time.Hour) }
	}
	for name, tt := range map[string]struct {
		world func(*cloud, *capacity.Extension)
		want  string
	}{
		"the price moved": {
			func(c *cloud, _ *capacity.Extension) { c.extend[0].UpfrontFee = aws.String("200000.51") },
			"block/price extend cr-0a: a fee of 200000.51 USD | at most 200000.50 USD, the confirmed price",
		},
		"another end": {
			func(_ *cloud, x *capacity.Extension) { x.To = x.To.AddDate(0, 0, 7) },
			"block/offering extend cr-0a: EC2 offers an end at 2026-12-28 11:30 UTC under cbe-1 | an end at 2027-01-04 11:30 UTC, as it was confirmed",
		},
		"gone": {
			func(c *cloud, _ *capacity.Extension) { c.extend = nil },
			"block/offering extend cr-0a: EC2 offers no extension cbe-1 of cr-0a any more | an offering that is for sale",
		},
		"no longer confirmed": {
			func(_ *cloud, x *capacity.Extension) { x.Until = x.Until.Add(-time.Hour) },
			"block/offering extend cr-0a: a confirmation that ended at 2026-12-10 12:00 UTC | a confirmation that still holds",
		},
		"no such block": {
			func(c *cloud, _ *capacity.Extension) { c.held = nil },
			"account/missing extend cr-0a: no capacity block cr-0a in us-east-2 | a capacity block of this account",
		},
		"an ended block": {
			func(c *cloud, _ *capacity.Extension) { c.held[0].State = expired },
			"block/state extend cr-0a: cr-0a is expired: its time has ended, at 2026-12-21 11:30 UTC | an active or scheduled block",
		},
		"half an hour too late": {
			at(time.Date(2026, 12, 21, 11, 0, 0, 0, time.UTC)),
			"block/state extend cr-0a: cr-0a (16 × p6-b200.48xlarge in us-east-2b, 2026-12-07 04:55 UTC to 2026-12-21 11:30 UTC, active) ends at 2026-12-21 11:30 UTC, in 30 min | an hour at least before the end",
		},
		"57 days too early": {
			at(time.Date(2026, 10, 25, 11, 0, 0, 0, time.UTC)),
			"block/state extend cr-0a: cr-0a (16 × p6-b200.48xlarge in us-east-2b, 2026-12-07 04:55 UTC to 2026-12-21 11:30 UTC, active) ends at 2026-12-21 11:30 UTC, in 57 d 0 h | 56 days at most before the end",
		},
		"a length that is not sold": {
			func(_ *cloud, x *capacity.Extension) { x.Hours = 360 },
			"block/duration extend cr-0a: 360 hours | 1 to 14 days, or a multiple of 7 days",
		},
		"more than 182 days in all": {
			func(_ *cloud, x *capacity.Extension) { x.Hours = 182 * 24 },
			"block/duration extend cr-0a: 196 d 6 h in all, with this extension | 182 days in all at most",
		},
		"another one under way": {
			record("cbe-0", "payment-pending"),
			"block/purchase extend cr-0a: extension cbe-0 to 2026-12-28 11:30 UTC, whose payment is under way | no other extension under way",
		},
		"its payment failed": {
			record("cbe-1", "payment-failed"),
			"block/purchase extend cr-0a: extension cbe-1, whose payment failed | an extension that is still to be bought",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, x := extendable(t)
			tt.world(c, &x)
			done, err := extender(c, newMemory()).Extend(t.Context(), x)
			require.NoError(t, err)
			require.Equal(t, []string{tt.want}, errors_(done.Findings))
			require.Zero(t, c.purchases)
			require.Empty(t, done.Status)
			if done.Findings[0].Rule == diag.BlockState || done.Findings[0].Rule == diag.AccountMissing {
				_, findings, err := extender(c, newMemory()).Offers(t.Context(), "us-east-2", "cr-0a", x.Hours)
				require.NoError(t, err)
				require.True(t, findings.Failed(), "there is nothing to look for")
			}
		})
	}
}

// An earlier extension that came to nothing or is over stands in nobody's way.
func TestExtendInSpite(t *testing.T) {
	for _, status := range []types.CapacityBlockExtensionStatus{"payment-failed", "payment-succeeded"} {
		c, x := extendable(t)
		c.history = []types.CapacityBlockExtension{{
			CapacityBlockExtensionOfferingId: aws.String("cbe-0"), CapacityReservationId: aws.String("cr-0a"), CapacityBlockExtensionStatus: status,
		}}
		done, err := extender(c, newMemory()).Extend(t.Context(), x)
		require.NoError(t, err)
		require.True(t, done.Bought, "%v", done.Findings)
	}
}

// Where the block has its new end already nothing is bought, though the history does not show why.
func TestExtendedAlready(t *testing.T) {
	c, x := extendable(t)
	c.held[0].EndDate = &x.To
	done, err := extender(c, newMemory()).Extend(t.Context(), x)
	require.NoError(t, err)
	require.False(t, done.Bought)
	require.Equal(t, x.To, done.End)
	require.Zero(t, c.purchases)
}

func TestExtendErrors(t *testing.T) {
	for _, action := range []string{"DescribeCapacityReservations", "DescribeCapacityBlockExtensionHistory", "DescribeCapacityBlockExtensionOfferings"} {
		c, x := extendable(t)
		c.fail["ec2:"+action] = errLost
		_, err := extender(c, newMemory()).Extend(t.Context(), x)
		require.ErrorIs(t, err, errLost, action)
		require.Zero(t, c.purchases)
	}
	c, x := extendable(t)
	x.Offering = ""
	_, err := extender(c, newMemory()).Extend(t.Context(), x)
	require.ErrorContains(t, err, "needs a Region, a reservation and an offering")
}

// Extensions under fire: answers lost, runs stopped, history that lags. One purchase in each.
func TestExtendedOnce(t *testing.T) {
	checks(t, "300")
	base, x := extendable(t)
	x.Until = x.Until.AddDate(1, 0, 0)
	rapid.Check(t, func(t *rapid.T) {
		c := &cloud{clock: &clock{now: base.clock.now}, held: base.held, extend: base.extend, fail: map[string]error{}, pageSize: 3}
		c.lag = time.Duration(rapid.IntRange(0, 9).Draw(t, "lag")) * time.Minute
		j := newMemory()
		name := nonces()
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			ctx, stop := context.WithCancel(context.Background())
			f := rapid.SampledFrom(fates).Draw(t, "fate")
			c.sent = func() fate {
				if f.answer != nil && f.made {
					stop()
				}
				return f
			}
			e := extender(c, j)
			e.Nonce = name
			_, _ = e.Extend(ctx, x)
			stop()
			require.LessOrEqual(t, c.purchases, 1)
		}
		c.sent = nil
		for range 3 {
			done, err := extender(c, j).Extend(context.Background(), x)
			require.NoError(t, err)
			if done.Status != "" {
				break
			}
			x := &x
			c.clock.move(time.Hour)
			x.Resume = j.last(key).Nonce
		}
		require.Equal(t, 1, c.purchases)
	})
}

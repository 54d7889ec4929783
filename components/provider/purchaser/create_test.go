package purchaser_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/fabric/market/markettest"
	"github.com/weft-hpc/weft/offline/cloud"
)

func TestBuysWhatWasPinned(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	out, s, err := create(t, c, want(t, c, map[string]any{"tags": map[string]any{"team": "llm"}}))
	require.NoError(t, err)
	require.Equal(t, resource.ID(bought), out.ID)
	for name, value := range map[string]string{
		"reservationId": bought, "state": "scheduled", "zoneName": "us-east-2b", "startTime": "2026-12-07T04:55:00Z", "endTime": "2026-12-21T11:30:00Z",
		"feePaid": "412196.27 USD", "paymentDeadline": "",
	} {
		require.Equal(t, value, text(out.Properties, name), name)
	}
	require.InDelta(t, 16, out.Properties.Get("instanceCount").AsNumber(), 0)
	require.Contains(t, s.info[0], "bought cr-00000000000000001: 16 × p6-b200.48xlarge, 2026-12-07T04:55:00Z to 2026-12-21T11:30:00Z, for 412196.27 USD. It can't be cancelled")
	require.Contains(t, s.warn[0], "is bought, and starts at 2026-12-07 04:55 UTC")
	require.NotEmpty(t, s.status, "progress is shown")
	require.Equal(t, 1, c.Purchases())
	require.Len(t, c.Entries(), 2, "an intent and its outcome")

	tags := map[string]string{}
	for _, tag := range c.Bought()[0].Tags {
		tags[*tag.Key] = *tag.Value
	}
	require.Equal(t, map[string]string{
		"aws:ec2capacityreservation:incrementalRequestedQuantity": "16", "team": "llm", "weft:project": "train", "weft:stack": "prod", "weft:name": "block",
		"weft:offering": pinned, "weft:fee": "412196.27", "weft:currency": "USD",
	}, tags, "in the purchase itself")
}

func TestPreviewBuysNothing(t *testing.T) {
	t.Parallel()
	c, s := simulated(t), &screen{}
	out, err := serving(c, s).Create(t.Context(), plugin.CreateRequest{URN: urn, Properties: want(t, c, nil), Preview: true})
	require.NoError(t, err)
	require.Empty(t, out.ID)
	require.True(t, out.Properties.Get("reservationId").IsComputed())
	require.InDelta(t, 16, out.Properties.Get("instanceCount").AsNumber(), 0)
	require.Contains(t, s.info[0], "an update buys offering "+pinned+" for 412196.27 USD, at most 412196.27 USD: 16 × p6-b200.48xlarge")
	require.Zero(t, c.Purchases())
	require.Empty(t, c.Entries())
	require.Equal(t, 1, c.Calls()["ec2:PurchaseCapacityBlock"], "a dry run asks for the permission")
}

// What stands against a purchase is found by the preview and by the update, before money moves, and both sides are named.
func TestRefusedBeforeMoneyMoves(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change map[string]any
		world  func(*testing.T, *cloud.Cloud)
		says   []string
	}{
		"the market moved": {
			world: func(t *testing.T, c *cloud.Cloud) {
				t.Helper()
				t.Helper()
				c.Price(pinned, dollars(t, "412196.28"))
			},
			says: []string{"block/price", "a fee of 412196.28 USD", "at most 412196.27 USD, the confirmed price", "pin it anew", "nothing was bought"},
		},
		"a budget below the fee": {
			change: map[string]any{"purchase": map[string]any{"budget": "400000"}},
			says:   []string{"block/price", "a fee of 412196.27 USD", "at most 400000.00 USD, the budget"},
		},
		"the confirmation is over": {
			world: func(_ *testing.T, c *cloud.Cloud) { c.Clock.Move(25 * time.Hour) },
			says:  []string{"block/offering", "a confirmation that ended at 2026-12-02 09:00 UTC", "a confirmation that still holds"},
		},
		"sold": {
			world: func(_ *testing.T, c *cloud.Cloud) { c.Sell(pinned) },
			says:  []string{"block/offering", "EC2 offers no " + pinned + " any more", "an offering that is for sale"},
		},
		"another size": {
			change: map[string]any{"offering.count": 8},
			says:   []string{"block/offering", "EC2 offers no", "8 × p6-b200.48xlarge"},
		},
		"another zone": {
			change: map[string]any{"zone": "us-east-2a"},
			says:   []string{"lies in zone us-east-2b (use2-az2)", "its nodes are to be in us-east-2a", "nothing was bought"},
		},
		"another zone by id": {
			change: map[string]any{"zone": "use2-az1"},
			says:   []string{"lies in zone us-east-2b (use2-az2)", "its nodes are to be in use2-az1"},
		},
		"a second stack with the same offering": {
			world: func(t *testing.T, c *cloud.Cloud) {
				t.Helper()
				other := resource.NewURN("dev", "train", "", purchaser.Token, "block")
				_, err := serving(c, &screen{}).Create(t.Context(), plugin.CreateRequest{URN: other, Properties: want(t, c, nil)})
				require.NoError(t, err)
			},
			says: []string{"block/purchase", "offering " + pinned + " for train/prod/block", "bought already for train/dev/block: " + bought, "block: {reservation: " + bought + "}"},
		},
		"a state that was lost, and another offering since": {
			world: func(t *testing.T, c *cloud.Cloud) {
				t.Helper()
				o := offering(t, c, pinned)
				o.ID = "cb-00000000000000001"
				c.Offerings = append(c.Offerings, o)
				made(t, c, wanted(o, nil))
			},
			says: []string{"block/purchase", "which has " + bought, "weft capacity extend --block " + bought},
		},
	}
	for name, tt := range tests {
		for _, preview := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, preview %v", name, preview), func(t *testing.T) {
				t.Parallel()
				c := simulated(t)
				in := want(t, c, tt.change)
				if tt.world != nil {
					tt.world(t, c)
				}
				before, entries := c.Purchases(), c.Entries()
				_, err := serving(c, &screen{}).Create(t.Context(), plugin.CreateRequest{URN: urn, Properties: in, Preview: preview})
				for _, text := range tt.says {
					require.ErrorContains(t, err, text)
				}
				require.Equal(t, before, c.Purchases())
				require.Equal(t, entries, c.Entries(), "no attempt was begun")
			})
		}
	}
}

func TestZoneByItsID(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	made(t, c, want(t, c, map[string]any{"zone": "use2-az2"}))
}

func TestPreviewAsksForThePermission(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	c.Denied = []string{"ec2:PurchaseCapacityBlock"}
	_, err := serving(c, &screen{}).Create(t.Context(), plugin.CreateRequest{URN: urn, Properties: want(t, c, nil), Preview: true})
	require.ErrorContains(t, err, "account/denied")
	require.ErrorContains(t, err, "ec2:PurchaseCapacityBlock, and ec2:CreateTags with it")
	_, _, err = create(t, c, want(t, c, nil))
	require.ErrorContains(t, err, "account/denied")
	c.Denied = []string{"ssm:PutParameter"}
	_, _, err = create(t, c, want(t, c, nil))
	require.ErrorContains(t, err, "before anything was bought")
	require.Zero(t, c.Purchases())
}

// A resource that the state lost is taken over; the preview says so, and knows its outputs.
func TestTakesOver(t *testing.T) {
	t.Parallel()
	c, s := simulated(t), &screen{}
	in := want(t, c, nil)
	first := made(t, c, in)
	c.Sell(pinned) // as a real market does
	c.Clock.Move(48 * time.Hour)
	out, err := serving(c, s).Create(t.Context(), plugin.CreateRequest{URN: urn, Properties: in, Preview: true})
	require.NoError(t, err)
	require.Equal(t, first, out.Properties)
	require.Contains(t, s.info[0], "takes over what was bought for this resource already, and buys nothing: "+bought)
	out, s, err = create(t, c, in)
	require.NoError(t, err)
	require.Equal(t, first, out.Properties)
	require.Contains(t, s.info[0], "took over what was bought for this resource already")
	require.Equal(t, 1, c.Purchases())
}

// The journal was lost with the state: the tags are enough.
func TestTakesOverByTagsAlone(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	first := made(t, c, want(t, c, nil))
	c.Lose()
	require.Equal(t, first, made(t, c, want(t, c, nil)))
	require.Equal(t, 1, c.Purchases())
}

// A lost answer is no reason to ask again: what was bought shows itself after some minutes, and is taken.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	for _, lost := range []error{cloud.ErrLost, cloud.ErrTimeout, cloud.Failure("InternalError")} {
		c := simulated(t)
		c.Lag = 8 * time.Minute
		c.Purchase = func() cloud.Fate { return cloud.Fate{Done: true, Answer: lost} }
		made(t, c, want(t, c, nil))
		require.Equal(t, 1, c.Purchases())
		require.Equal(t, 1, c.Calls()["ec2:PurchaseCapacityBlock"])
	}
}

// A request that got lost may still have bought something. Nobody buys until a person has looked, and says so by name.
func TestLostRequest(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	c.Purchase = func() cloud.Fate { return cloud.Fate{Answer: cloud.ErrLost} }
	_, _, err := create(t, c, want(t, c, map[string]any{"purchase": map[string]any{"resume": "00000000"}}))
	require.ErrorContains(t, err, "has no outcome, and EC2 shows nothing bought for it")
	c.Purchase = nil
	for range 3 {
		_, _, err = create(t, c, want(t, c, nil))
		require.ErrorContains(t, err, "set purchase.resume")
		c.Clock.Move(time.Hour)
	}
	require.Zero(t, c.Purchases())
	nonce := nonceOf(t, c)
	made(t, c, want(t, c, map[string]any{"purchase": map[string]any{"resume": nonce}}))
	require.Equal(t, 1, c.Purchases())
}

func TestPayment(t *testing.T) {
	t.Parallel()
	t.Run("goes through while the update waits", func(t *testing.T) {
		t.Parallel()
		c := simulated(t)
		c.Payment = 10 * time.Minute
		out, s, err := create(t, c, want(t, c, nil))
		require.NoError(t, err)
		require.Equal(t, "scheduled", text(out.Properties, "state"))
		require.Contains(t, s.all(), "waits for its upfront payment: unpaid at 2026-12-01 21:00 UTC")
	})
	t.Run("takes longer than the update waits", func(t *testing.T) {
		t.Parallel()
		c := simulated(t)
		c.Payment = 6 * time.Hour
		out, s, err := create(t, c, want(t, c, map[string]any{"paymentTimeout": "1h"}))
		require.NoError(t, err)
		require.Equal(t, "payment-pending", text(out.Properties, "state"))
		require.Equal(t, "2026-12-01T21:00:30Z", text(out.Properties, "paymentDeadline"))
		require.Contains(t, s.warn[0], "waits for its upfront payment")
		require.WithinDuration(t, markettest.Now.Add(time.Hour), c.Clock.Now(), 2*time.Minute)
	})
	t.Run("is not waited for", func(t *testing.T) {
		t.Parallel()
		c := simulated(t)
		c.Payment = 6 * time.Hour
		out, _, err := create(t, c, want(t, c, map[string]any{"paymentTimeout": "0s"}))
		require.NoError(t, err)
		require.Equal(t, "payment-pending", text(out.Properties, "state"))
		require.WithinDuration(t, markettest.Now, c.Clock.Now(), time.Minute)
	})
	t.Run("fails", func(t *testing.T) {
		t.Parallel()
		c := simulated(t)
		c.Payment, c.FailPayment = 10*time.Minute, true
		_, _, err := create(t, c, want(t, c, nil))
		require.ErrorContains(t, err, bought+" is payment-failed: its upfront payment failed, and EC2 released it")
		require.ErrorContains(t, err, "mend the account's payment method, then look for another offering")
		_, _, err = create(t, c, want(t, c, nil))
		require.ErrorContains(t, err, "an offering that is still to be bought")
		require.Equal(t, 1, c.Purchases(), "the same offering is not tried again")
	})
	t.Run("stopped while it waits", func(t *testing.T) {
		t.Parallel()
		c := simulated(t)
		c.Payment = 6 * time.Hour
		ctx, stop := context.WithCancel(t.Context())
		c.Clock.Hook = func() {
			if c.Purchases() > 0 {
				stop()
			}
		}
		out, err := serving(c, &screen{}).Create(ctx, plugin.CreateRequest{URN: urn, Properties: want(t, c, nil)})
		require.NoError(t, err, "what is bought must get into the state")
		require.Equal(t, resource.ID(bought), out.ID)
	})
}

func TestStopped(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	ctx, stop := context.WithCancel(t.Context())
	c.Clock.Hook = stop
	_, err := serving(c, &screen{}).Create(ctx, plugin.CreateRequest{URN: urn, Properties: want(t, c, nil)})
	require.ErrorContains(t, err, "stopped before anything was bought")

	c = simulated(t)
	c.Lag = 5 * time.Minute
	ctx, stop = context.WithCancel(t.Context())
	c.Purchase = func() cloud.Fate { stop(); return cloud.Fate{Done: true, Answer: context.Canceled} }
	_, err = serving(c, &screen{}).Create(ctx, plugin.CreateRequest{URN: urn, Properties: want(t, c, nil)})
	require.ErrorContains(t, err, "run the update again: it looks for what was bought, and buys nothing until that is known")
	c.Purchase = nil
	made(t, c, want(t, c, nil))
	require.Equal(t, 1, c.Purchases())
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	p := purchaser.New(purchaser.Options{
		Clock: c.Clock,
		Connect: func(context.Context, string, string) (purchaser.Account, error) {
			return purchaser.Account{}, errors.New("no credentials")
		},
	}, &screen{})
	for _, preview := range []bool{true, false} {
		_, err := p.Create(t.Context(), plugin.CreateRequest{URN: urn, Properties: want(t, c, nil), Preview: preview})
		require.ErrorContains(t, err, "reaching the account in us-east-2: no credentials")
	}
	_, err := p.Create(t.Context(), plugin.CreateRequest{URN: urn, Properties: want(t, c, map[string]any{"colour": "red"})})
	require.ErrorContains(t, err, "input colour: there is no such input")
}

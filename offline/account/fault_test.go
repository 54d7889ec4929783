package account_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
)

const purchaseAction = "PurchaseCapacityBlock"

// once lets the SDK try a call once.
func once(o *ec2.Options) { o.Retryer = aws.NopRetryer{} }

// tried buys cb-0000again once. A caller of one that is never answered gives up as soon as the account has the call.
func tried(t *testing.T, a *account.Account, kind account.FaultKind) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if kind == account.Hang || kind == account.Mute {
		go func() {
			defer cancel()
			for ctx.Err() == nil {
				if calls, err := a.Calls(ctx); err != nil || len(calls) > 0 {
					return
				}
			}
		}()
	}
	_, err := client(a).PurchaseCapacityBlock(ctx, buy("cb-0000again"), once)
	return err
}

func faultsBefore(t *testing.T, a *account.Account) {
	t.Helper()
	faults(t, a, 0, map[account.FaultKind]account.Call{
		account.Refuse: {Status: http.StatusInternalServerError, Error: "InternalError"},
		account.Reset:  {},
		account.Hang:   {},
	})
}

func faultsAfter(t *testing.T, a *account.Account) {
	t.Helper()
	done := account.Call{Status: http.StatusOK}
	faults(t, a, 1, map[account.FaultKind]account.Call{account.Fail: done, account.Lose: done, account.Mute: done})
}

// faults checks that a call that is struck fails for its caller, and that the account has sold what it should have.
func faults(t *testing.T, a *account.Account, sold int, want map[account.FaultKind]account.Call) {
	t.Helper()
	for kind, call := range want {
		t.Run(string(kind), func(t *testing.T) {
			loaded(t, a, trade(offer("cb-0000again", func(o *account.Offering) { o.Again = true })))
			require.NoError(t, a.Faults(t.Context(), account.Fault{Action: purchaseAction, Kind: kind, Times: 1}))
			err := tried(t, a, kind)
			require.Error(t, err)
			var api smithy.APIError
			if answered := kind == account.Refuse || kind == account.Fail; answered {
				refused(t, err, "InternalError")
			} else {
				require.NotErrorAs(t, err, &api, "no answer of AWS")
			}
			purchases, err := a.Purchases(t.Context())
			require.NoError(t, err)
			require.Len(t, purchases, sold)
			count, err := a.Count(t.Context(), purchaseAction)
			require.NoError(t, err)
			require.Equal(t, sold, count)
			calls, err := a.Calls(t.Context())
			require.NoError(t, err)
			call.Service, call.Action, call.Fault = "ec2", purchaseAction, kind
			require.Equal(t, []account.Call{call}, calls)
			_, err = client(a).PurchaseCapacityBlock(t.Context(), buy("cb-0000again"), once)
			require.NoError(t, err, "the next call is not struck")
		})
	}
}

func faultsOfSomeCalls(t *testing.T, a *account.Account) {
	t.Helper()
	loaded(t, a, trade())
	c := client(a)
	vpcs := func(options ...func(*ec2.Options)) error {
		_, err := c.DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{}, options...)
		return err
	}
	throttle := account.Throttle("DescribeVpcs", 2)
	throttle.Skip = 1
	dry := account.Fault{Action: purchaseAction, Kind: account.Refuse, DryRun: true, Status: http.StatusForbidden, Error: &account.Error{Code: "UnauthorizedOperation", Message: "You may not."}}
	require.NoError(t, a.Faults(t.Context(), throttle, dry))
	require.NoError(t, vpcs(once))
	refused(t, vpcs(once), "RequestLimitExceeded")
	refused(t, vpcs(once), "RequestLimitExceeded")
	require.NoError(t, vpcs(once))

	in := buy("cb-0000none")
	_, err := c.PurchaseCapacityBlock(t.Context(), in, once)
	refused(t, err, "InvalidCapacityBlockOfferingIdNotFound")
	in.DryRun = aws.Bool(true)
	_, err = c.PurchaseCapacityBlock(t.Context(), in, once)
	refused(t, err, "UnauthorizedOperation")

	require.NoError(t, a.Faults(t.Context(), account.Throttle("DescribeVpcs", 1)))
	require.NoError(t, vpcs(), "the SDK tries a call again that was throttled")
	require.NoError(t, a.Faults(t.Context(), account.Throttle("DescribeVpcs", 0)))
	refused(t, vpcs(once), "RequestLimitExceeded")
	require.NoError(t, a.Faults(t.Context()))
	require.NoError(t, vpcs(once))
}

func answersBehind(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	w := trade(offer("cb-00000000a", nil))
	w.ExtensionMarket = []account.ExtensionOffering{{ID: "cbe-00000000a", Hours: 24, Fee: "1", Currency: "USD"}}
	loaded(t, a, w)
	require.NoError(t, a.Faults(t.Context(),
		account.Fault{Action: "DescribeCapacityReservations", Kind: account.Behind, Lag: 3 * time.Minute},
		account.Fault{Action: "DescribeCapacityBlocks", Kind: account.Behind, LagCalls: 2},
		account.Fault{Action: "DescribeCapacityBlockOfferings", Kind: account.Behind, LagCalls: 1},
		account.Fault{Action: "DescribeCapacityBlockExtensionHistory", Kind: account.Behind, Lag: time.Minute},
	))
	id := bought(t, c, "cb-00000000a")
	seen := func() int {
		out, err := c.DescribeCapacityReservations(t.Context(), &ec2.DescribeCapacityReservationsInput{})
		require.NoError(t, err)
		return len(out.CapacityReservations)
	}
	require.Zero(t, seen())
	_, err := c.DescribeCapacityReservations(t.Context(), &ec2.DescribeCapacityReservationsInput{CapacityReservationIds: []string{id}})
	refused(t, err, "InvalidCapacityReservationId.NotFound")

	var shown []int
	for range 3 {
		out, err := c.DescribeCapacityBlocks(t.Context(), &ec2.DescribeCapacityBlocksInput{})
		require.NoError(t, err)
		shown = append(shown, len(out.CapacityBlocks))
	}
	require.Equal(t, []int{0, 0, 1}, shown)

	forSale := func() int {
		out, err := c.DescribeCapacityBlockOfferings(t.Context(), find(nil))
		require.NoError(t, err)
		return len(out.CapacityBlockOfferings)
	}
	require.Equal(t, []int{1, 0}, []int{forSale(), forSale()}, "what is sold is shown for a while")

	_, err = a.Advance(t.Context(), 3*time.Minute)
	require.NoError(t, err)
	require.Equal(t, 1, seen())

	_, err = c.PurchaseCapacityBlockExtension(t.Context(), extend(id, "cbe-00000000a"))
	require.NoError(t, err)
	require.Equal(t, last, described(t, c, id).EndDate.UTC())
	_, err = c.DescribeCapacityBlockExtensionHistory(t.Context(), &ec2.DescribeCapacityBlockExtensionHistoryInput{})
	require.NoError(t, err)
	require.Empty(t, history(t, c, id))
	_, err = a.Advance(t.Context(), time.Minute)
	require.NoError(t, err)
	require.Len(t, history(t, c, id), 1)
	require.Equal(t, last, described(t, c, id).EndDate.UTC(), "each action has its own lag")
	_, err = a.Advance(t.Context(), 2*time.Minute)
	require.NoError(t, err)
	require.Equal(t, last.AddDate(0, 0, 1), described(t, c, id).EndDate.UTC())
	require.Equal(t, types.CapacityReservationStateScheduled, described(t, c, id).State)
}

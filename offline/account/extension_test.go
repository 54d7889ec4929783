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

// extensible has an active block, cr-now, and extensions for it.
func extensible(offerings ...account.ExtensionOffering) account.World {
	w := capacityWorld()
	w.ExtensionMarket = offerings
	return w
}

func week(id string) account.ExtensionOffering {
	return account.ExtensionOffering{ID: id, Type: p6, Hours: 168, Fee: "46000.25", Currency: "USD"}
}

func extend(reservation, id string) *ec2.PurchaseCapacityBlockExtensionInput {
	return &ec2.PurchaseCapacityBlockExtensionInput{CapacityReservationId: aws.String(reservation), CapacityBlockExtensionOfferingId: aws.String(id)}
}

func history(t *testing.T, c *ec2.Client, reservation string) []types.CapacityBlockExtension {
	t.Helper()
	out, err := c.DescribeCapacityBlockExtensionHistory(t.Context(), &ec2.DescribeCapacityBlockExtensionHistoryInput{CapacityReservationIds: []string{reservation}})
	require.NoError(t, err)
	return out.CapacityBlockExtensions
}

func extension(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	slow := week("cbe-00000000a")
	slow.PaysAfter = time.Hour
	loaded(t, a, extensible(slow, week("cbe-0000again"), account.ExtensionOffering{ID: "cbe-0000other", Reservation: "cr-full", Hours: 168, Fee: "1", Currency: "USD"}))
	ask := &ec2.DescribeCapacityBlockExtensionOfferingsInput{CapacityReservationId: aws.String("cr-now"), CapacityBlockExtensionDurationHours: aws.Int32(168)}
	out, err := c.DescribeCapacityBlockExtensionOfferings(t.Context(), ask)
	require.NoError(t, err)
	require.Len(t, out.CapacityBlockExtensionOfferings, 2)
	first := out.CapacityBlockExtensionOfferings[0]
	require.Equal(t, "46000.25", *first.UpfrontFee)
	require.Equal(t, last, first.CapacityBlockExtensionStartDate.UTC())
	require.Equal(t, last.AddDate(0, 0, 7), first.CapacityBlockExtensionEndDate.UTC())
	require.EqualValues(t, 4, *first.InstanceCount)

	sold, err := c.PurchaseCapacityBlockExtension(t.Context(), extend("cr-now", "cbe-00000000a"))
	require.NoError(t, err)
	require.Equal(t, types.CapacityBlockExtensionStatusPaymentPending, sold.CapacityBlockExtensions[0].CapacityBlockExtensionStatus)
	require.Equal(t, last, described(t, c, "cr-now").EndDate.UTC(), "the end moves when the extension is paid")
	_, err = c.PurchaseCapacityBlockExtension(t.Context(), extend("cr-now", "cbe-0000again"))
	refused(t, err, "InvalidCapacityReservationState")

	_, err = a.Advance(t.Context(), time.Hour)
	require.NoError(t, err)
	require.Equal(t, types.CapacityBlockExtensionStatusPaymentSucceeded, history(t, c, "cr-now")[0].CapacityBlockExtensionStatus)
	require.Equal(t, last.AddDate(0, 0, 7), described(t, c, "cr-now").EndDate.UTC())

	running := launch(t, c, "cr-now", 1)
	at(t, a, last)
	require.Equal(t, "running", state(t, c, running[0]), "the end has moved")
	require.Equal(t, types.CapacityReservationStateActive, described(t, c, "cr-now").State)
	_, err = c.PurchaseCapacityBlockExtension(t.Context(), extend("cr-now", "cbe-0000again"))
	require.NoError(t, err)
	require.Equal(t, last.AddDate(0, 0, 14), described(t, c, "cr-now").EndDate.UTC(), "from the new end, any number of times")
	purchases, err := a.Purchases(t.Context())
	require.NoError(t, err)
	require.Len(t, purchases, 2)

	at(t, a, last.AddDate(0, 0, 14).Add(-30*time.Minute))
	require.Equal(t, "terminated", state(t, c, running[0]))
}

func extensionRefused(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	w := extensible(week("cbe-00000000a"))
	far := w.Reservations[0]
	far.ID, far.BlockID, far.End = "cr-far", "cb-far", monday.AddDate(0, 0, 57)
	near := w.Reservations[0]
	near.ID, near.BlockID, near.Start, near.End = "cr-near", "cb-near", monday.AddDate(0, 0, -1), monday.Add(59*time.Minute)
	w.Reservations = append(w.Reservations, far, near)
	loaded(t, a, w)
	for name, test := range map[string]struct{ reservation, offering, code string }{
		"a reservation on demand": {"cr-odcr", "cbe-00000000a", "InvalidParameterValue"},
		"a block that is over":    {"cr-over", "cbe-00000000a", "InvalidCapacityReservationState"},
		"a block not paid":        {"cr-unpaid", "cbe-00000000a", "InvalidCapacityReservationState"},
		"too early":               {"cr-far", "cbe-00000000a", "InvalidParameterValue"},
		"too late":                {"cr-near", "cbe-00000000a", "InvalidParameterValue"},
		"an unknown block":        {"cr-none", "cbe-00000000a", "InvalidCapacityReservationId.NotFound"},
		"no id of an offering":    {"cr-now", "week", "InvalidCapacityBlockExtensionOfferingIdMalformed"},
		"an unknown offering":     {"cr-now", "cbe-0000none", "InvalidCapacityBlockExtensionOfferingIdNotFound"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.PurchaseCapacityBlockExtension(t.Context(), extend(test.reservation, test.offering))
			refused(t, err, test.code)
		})
	}
	_, err := c.DescribeCapacityBlockExtensionOfferings(t.Context(), &ec2.DescribeCapacityBlockExtensionOfferingsInput{
		CapacityReservationId: aws.String("cr-now"), CapacityBlockExtensionDurationHours: aws.Int32(36),
	})
	refused(t, err, "InvalidParameterValue")
	_, err = c.PurchaseCapacityBlockExtension(t.Context(), extend("cr-now", "cbe-00000000a"))
	require.NoError(t, err)
	_, err = a.Advance(t.Context(), time.Second)
	require.NoError(t, err)
	_, err = c.PurchaseCapacityBlockExtension(t.Context(), extend("cr-now", "cbe-00000000a"))
	refused(t, err, "InvalidCapacityBlockExtensionOfferingIdExpired")
	_, err = c.DescribeCapacityBlockExtensionHistory(t.Context(), &ec2.DescribeCapacityBlockExtensionHistoryInput{CapacityReservationIds: []string{"cr-none"}})
	refused(t, err, "InvalidCapacityReservationId.NotFound")
}

func extensionNotPaid(t *testing.T, a *account.Account) {
	t.Helper()
	c := client(a)
	unpaid := week("cbe-00000000a")
	unpaid.PaymentFails = true
	loaded(t, a, extensible(unpaid))
	at(t, a, last.Add(-6*time.Hour))
	_, err := c.PurchaseCapacityBlockExtension(t.Context(), extend("cr-now", "cbe-00000000a"))
	require.NoError(t, err)
	at(t, a, last.Add(-35*time.Minute-time.Second))
	require.Equal(t, types.CapacityBlockExtensionStatusPaymentPending, history(t, c, "cr-now")[0].CapacityBlockExtensionStatus)
	at(t, a, last.Add(-35*time.Minute))
	require.Equal(t, types.CapacityBlockExtensionStatusPaymentFailed, history(t, c, "cr-now")[0].CapacityBlockExtensionStatus)
	require.Equal(t, last, described(t, c, "cr-now").EndDate.UTC(), "the old end stands")
	failed := []types.Filter{{Name: aws.String("capacity-block-extension-status"), Values: []string{"payment-failed"}}}
	out, err := c.DescribeCapacityBlockExtensionHistory(t.Context(), &ec2.DescribeCapacityBlockExtensionHistoryInput{Filters: failed})
	require.NoError(t, err)
	require.Len(t, out.CapacityBlockExtensions, 1)
}

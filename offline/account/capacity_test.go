package account_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// All of a kind share one account, which starts slowly and loads a world quickly.
func TestCapacity(t *testing.T) {
	t.Parallel()
	a := judgetest.Account(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *account.Account)
	}{
		{"offerings", offeringsFound},
		{"offerings are recommended", offeringsAreRecommended},
		{"offerings refused", offeringsRefused},
		{"purchase refused", purchaseRefused},
		{"purchase again", purchaseAgain},
		{"market moves", marketMoves},
		{"life of a block", lifeOfABlock},
		{"payment that never comes", paymentThatNeverComes},
		{"states without a clock", statesWithoutAClock},
		{"blocks", blocks},
		{"reservations", reservationsByPageFilterAndTag},
		{"launch refused", launchRefused},
		{"launch", launches},
		{"topology", topology},
		{"extension", extension},
		{"extension refused", extensionRefused},
		{"extension not paid", extensionNotPaid},
		{"faults before a call", faultsBefore},
		{"faults after a call", faultsAfter},
		{"faults of some calls", faultsOfSomeCalls},
		{"answers behind", answersBehind},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.NoError(t, a.Load(t.Context(), account.World{Region: region}))
			test.run(t, a)
		})
	}
}

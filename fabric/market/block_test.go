package market_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/internal/golden"
)

func block(t testing.TB, state string) market.Block {
	t.Helper()
	return market.Block{
		Reservation: "cr-0123456789abcdef0", Region: "us-east-2", Zone: "us-east-2b", InstanceType: "p6-b200.48xlarge", Count: 16,
		State: state, Created: at(t, "2026-12-01 09:00"), Start: at(t, "2026-12-07 04:55"), End: at(t, "2026-12-21 11:30"), Fee: usd(t, "400000"),
	}
}

// What is said of a block in each phase.
func TestLife(t *testing.T) {
	tests := []struct {
		name, state, now string
		change           func(*market.Block)
		phase            market.Phase
	}{
		{"scheduled", "scheduled", "2026-12-03 12:00", nil, market.Waiting},
		{"scheduled, and late", "scheduled", "2026-12-07 05:10", nil, market.Waiting},
		{"scheduled, without start", "scheduled", "2026-12-03 12:00", func(b *market.Block) { b.Start = time.Time{} }, market.Waiting},
		{"payment pending", "payment-pending", "2026-12-01 09:30", nil, market.Waiting},
		{"payment pending, 12 hours on", "payment-pending", "2026-12-01 21:00", nil, market.Waiting},
		{"payment pending, of unknown age", "payment-pending", "2026-12-01 21:00", func(b *market.Block) { b.Created = time.Time{} }, market.Waiting},
		{"active", "active", "2026-12-08 00:00", nil, market.Active},
		{"active, without end", "active", "2026-12-08 00:00", func(b *market.Block) { b.End = time.Time{} }, market.Active},
		{"active, a minute before it is too late to extend", "active", "2026-12-21 10:19", nil, market.Active},
		{"an UltraServer expiring, half an hour earlier", "active", "2026-12-21 10:20", func(b *market.Block) { b.InstanceType = "p6e-gb200.36xlarge" }, market.Expiring},
		{"CB-08 expiring from the warning on", "active", "2026-12-21 10:50", nil, market.Expiring},
		{"active, too late to extend", "active", "2026-12-21 10:49", nil, market.Active},
		{"ending", "active", "2026-12-21 11:00", nil, market.Ending},
		{"expired", "expired", "2026-12-22 00:00", nil, market.Over},
		{"CB-04 expired, not mistyped, without end", "expired", "2026-12-22 00:00", func(b *market.Block) { b.End = time.Time{} }, market.Over},
		{"payment failed", "payment-failed", "2026-12-02 00:00", nil, market.Over},
		{"failed", "failed", "2026-12-02 00:00", nil, market.Over},
		{"cancelled", "cancelled", "2026-12-02 00:00", nil, market.Over},
		{"unavailable", "unavailable", "2026-12-10 00:00", nil, market.Unknown},
		{"a state of tomorrow", "paused", "2026-12-10 00:00", nil, market.Unknown},
	}
	var out strings.Builder
	for _, tt := range tests {
		b := block(t, tt.state)
		if tt.change != nil {
			tt.change(&b)
		}
		life := b.Life(at(t, tt.now))
		require.Equal(t, tt.phase, life.Phase, tt.name)
		require.NotEmpty(t, life.Next, tt.name)
		require.Equal(t, tt.phase == market.Over, b.Ended(), tt.name)
		fmt.Fprintf(&out, "%s\n  %s, %s: %s\n  %s\n", tt.name, life.Phase, life.Level, life.Says, life.Next)
	}
	golden.Check(t, "testdata/life.golden", []byte(out.String()))
}

// CB-07: what is paid for and not used, by hand: 16 instances for 10 hours, 12 of them since the 4th hour.
func TestUse(t *testing.T) {
	b := block(t, "active")
	b.Start, b.End, b.Fee = at(t, "2026-12-20 01:30"), at(t, "2026-12-21 11:30"), usd(t, "54400") // 34 hours: 1600 an hour, 100 each
	now := at(t, "2026-12-20 11:30")
	launched := make([]time.Time, 12)
	for i := range launched {
		launched[i] = at(t, "2026-12-20 05:30")
	}
	u := b.Use(now, launched)
	require.InDelta(t, 160, u.PaidHours, 1e-9)
	require.InDelta(t, 72, u.UsedHours, 1e-9)
	require.InDelta(t, 88, u.IdleHours, 1e-9)
	require.Equal(t, "16000.00 USD", u.SpentSoFar.String())
	require.Equal(t, "8800.00 USD", u.Idle.String())

	require.Zero(t, b.Use(at(t, "2026-12-19 00:00"), nil), "before the start nothing is paid by the hour")
	require.InDelta(t, 34*16, b.Use(at(t, "2027-01-01 00:00"), nil).IdleHours, 1e-9, "it ends at its end")
	require.InDelta(t, 0, b.Use(now, make([]time.Time, 20)).IdleHours, 1e-9, "never below nothing")
	b.Fee = market.Money{}
	require.False(t, b.Use(now, nil).SpentSoFar.Known())
	b.Count = 0
	require.Zero(t, b.Use(now, nil))
}

package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/journal"
	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/cloud"
)

// marketOf sells the offerings that a cluster pins, a day before the first confirmation ends.
func marketOf(t testing.TB, p plan.Cluster) *cloud.Cloud {
	t.Helper()
	var offerings []market.Offering
	now := time.Now()
	for _, g := range p.Groups {
		if g.Capacity.Offering == nil {
			continue
		}
		pin, err := capacity.Pin(*g.Capacity.Offering)
		require.NoError(t, err)
		now = pin.Until.AddDate(0, 0, -1)
		end := pin.Start.Add(time.Duration(pin.Hours) * time.Hour)
		offerings = append(offerings, market.Offering{
			ID: pin.ID, Region: p.Region, Zone: g.Zone, InstanceType: g.InstanceType, Count: pin.Count, Start: pin.Start, Fee: pin.Fee,
			AskedHours: market.AskedFor(time.Duration(pin.Hours) * time.Hour)[0],
			End:        time.Date(end.Year(), end.Month(), end.Day(), market.EndHour, market.EndMinute, 0, 0, time.UTC),
		})
	}
	return cloud.New(now, offerings, nil)
}

func purchases(c *cloud.Cloud) purchaser.Options {
	return purchaser.Options{Clock: c.Clock, Connect: func(_ context.Context, region, _ string) (purchaser.Account, error) {
		return purchaser.Account{Region: region, EC2: c, Journal: journal.Parameters{SSM: c}}, nil
	}}
}

// bought is the plan of a cluster whose blocks were bought: the groups have their reservations.
func bought(p plan.Cluster, c *cloud.Cloud) plan.Cluster {
	for i := range p.Groups {
		for _, r := range c.Bought() {
			if o := p.Groups[i].Capacity.Offering; o != nil && *r.InstanceType == p.Groups[i].InstanceType {
				p.Groups[i].Capacity.Reservation, p.Groups[i].Capacity.Offering = *r.CapacityReservationId, nil
				break
			}
		}
	}
	return p
}

// The whole life of a cluster buys one block, and its configuration names it.
func TestClusterBuysItsBlock(t *testing.T) {
	t.Parallel()
	text := example(t, "p6-b200-bought-block")
	d := deploy(t, text, nil)
	require.NoError(t, d.Preview().Err)
	require.Zero(t, d.market.Purchases())
	require.Contains(t, d.render(), "CapacityReservationId: cr-00000000000000001")
	require.True(t, d.Up().Unchanged())

	d.configure(tagged(text))
	require.NoError(t, d.Up().Err)
	require.NoError(t, d.Destroy().Err)
	require.Contains(t, d.render(), "CapacityReservationId: cr-00000000000000001")
	require.Equal(t, 1, d.market.Purchases())
}

// A price that moved fails the preview, before anything is registered that costs.
func TestClusterWhosePriceMoved(t *testing.T) {
	t.Parallel()
	d := deploy(t, example(t, "p6-b200-bought-block"), nil)
	dear, err := market.ParseMoney("415000.01", "USD")
	require.NoError(t, err)
	d.market.Price("cb-4747652274a1e5395", dear)
	preview := d.Preview()
	require.ErrorContains(t, preview.Err, "a fee of 415000.01 USD")
	require.ErrorContains(t, preview.Err, "at most 415000.00 USD, the confirmed price")
	require.Error(t, d.Up().Err)
	require.Zero(t, d.market.Purchases())
}

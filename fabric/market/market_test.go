package market_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/market/markettest"
)

func at(t testing.TB, text string) time.Time {
	t.Helper()
	when, err := time.Parse("2006-01-02 15:04", text)
	require.NoError(t, err)
	return when
}

func TestSoldHours(t *testing.T) {
	sold := market.SoldHours()
	require.Len(t, sold, 14+24)
	require.Equal(t, 24, sold[0])
	require.Equal(t, []int{336, 504}, sold[13:15])
	require.Equal(t, 182*24, sold[len(sold)-1])
}

func TestAskedFor(t *testing.T) {
	require.Equal(t, []int{336}, market.AskedFor(343*time.Hour))
	require.Equal(t, []int{48, 72}, market.AskedFor(55*time.Hour))
	require.Equal(t, []int{24}, market.AskedFor(6*time.Hour+35*time.Minute))
	require.Empty(t, market.AskedFor(400*time.Hour))
	require.Empty(t, market.AskedFor(0))
}

// The numbers of one offering, by hand: 14 days asked, 6:35 more in fact.
func TestOffering(t *testing.T) {
	o := market.Offering{
		InstanceType: "p6-b200.48xlarge", Count: 16, AskedHours: 336, Fee: usd(t, "400000.00"),
		Start: at(t, "2026-12-07 04:55"), End: at(t, "2026-12-21 11:30"),
	}
	require.Equal(t, 342*time.Hour+35*time.Minute, o.Real())
	require.Equal(t, 342*time.Hour+5*time.Minute, o.Usable())
	require.Equal(t, 30*time.Minute, o.Tail())
	require.Equal(t, at(t, "2026-12-21 11:00"), o.UsableEnd())
	require.Equal(t, 8, o.GPUs())
	require.Equal(t, "72.9749 USD", o.PerInstanceHour().Rounded(4)) // 400000 ÷ (16 × 342.58333)
	require.Equal(t, "9.1219 USD", o.PerGPUHour().Rounded(4))       // ÷ 8
	require.Equal(t, "9.1352 USD", o.PerUsableGPUHour().Rounded(4)) // 342.08333 hours
	o.InstanceType = "p6e-gb200.36xlarge"
	require.Equal(t, time.Hour, o.Tail(), "an UltraServer's instances are ended an hour before")
	o.InstanceType = "trn2u.48xlarge"
	require.Equal(t, time.Hour, o.Tail(), "so are those of an UltraServer whose own type is not known")
	o.InstanceType = "trn2.48xlarge"
	require.Equal(t, 30*time.Minute, o.Tail(), "a type that is sold by the instance as well")
	o.InstanceType = "p9.48xlarge"
	require.False(t, o.PerGPUHour().Known(), "nobody knows the GPUs of an unknown type")
}

// Better is a total order: no two offerings that differ in id are equal, and it does not depend on the order of the pool.
func TestBetterIsTotal(t *testing.T) {
	all := markettest.New(t).Offerings
	require.Len(t, all, 200)
	for i := range all {
		all[i].ZoneClosed = i == 6
	}
	all[7].Fee, all[8].Fee = market.Money{}, market.Money{}
	eur, err := market.ParseMoney("1", "EUR")
	require.NoError(t, err)
	all[9].Fee = eur
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Permutation(all).Draw(t, "a")
		b := slices.Clone(all)
		market.Sort(a)
		market.Sort(b)
		require.Equal(t, b, a)
		require.True(t, a[199].ZoneClosed)
		require.False(t, a[197].Fee.Known(), "CB-06: an offering without a price is kept, at the end")
		require.False(t, a[198].Fee.Known())
		require.Equal(t, "EUR", a[0].Fee.Currency(), "amounts of two currencies are not compared: by their codes")
	})
}

func ask() market.Ask {
	return market.Ask{
		Type: "p6-b200.48xlarge", Count: 16, Hours: 336,
		From: markettest.Now, Until: markettest.Now.AddDate(0, 0, 30),
	}
}

func TestAskCheck(t *testing.T) {
	type want struct {
		rule           diag.ID
		got, wanted, h string
	}
	tests := map[string]struct {
		ask  func(*market.Ask)
		held int
		want []want
	}{
		"as sold":                  {},
		"the largest":              {ask: func(a *market.Ask) { a.Count = 64 }, held: 192},
		"too large for one block":  {ask: func(a *market.Ask) { a.Count = 65 }, want: []want{{diag.BlockSize, "65 instances in one block", "at most 64", "look for 2 blocks of 33"}}},
		"none":                     {ask: func(a *market.Ask) { a.Count = 0 }, want: []want{{diag.BlockSize, "0 instances", "1 instance at least", ""}}},
		"too many in all":          {held: 241, want: []want{{diag.BlockSize, "16 instances, beside 241", "at most 256 over all blocks", "take 15 at most"}}},
		"more held than there are": {held: 300, want: []want{{diag.BlockSize, "beside 300", "at most 256", "take 0 at most"}}},
		"15 days":                  {ask: func(a *market.Ask) { a.Hours = 360 }, want: []want{{diag.BlockDuration, "15 days", "1 to 14 days", "14 days or 21 days"}}},
		"no days":                  {ask: func(a *market.Ask) { a.Hours = 0 }, want: []want{{diag.BlockDuration, "0 days", "1 to 14 days", "1 day"}}},
		"half a year and more":     {ask: func(a *market.Ask) { a.Hours = 183 * 24 }, want: []want{{diag.BlockDuration, "183 days", "up to 182", "182 days"}}},
		"hours":                    {ask: func(a *market.Ask) { a.Hours = 30 }, want: []want{{diag.BlockDuration, "30 hours", "1 to 14 days", "1 day or 2 days"}}},
		"a type that is not sold":  {ask: func(a *market.Ask) { a.Type = "g6e.48xlarge" }, want: []want{{diag.ConfigValue, `"g6e.48xlarge"`, "sold in capacity blocks", "p6-b200.48xlarge"}}},
		"a mistyped type":          {ask: func(a *market.Ask) { a.Type = "p6-b20.48xlarge" }, want: []want{{diag.ConfigValue, `"p6-b20.48xlarge"`, "sold in capacity blocks", "did you mean p6-b200.48xlarge?"}}},
		"an UltraServer":           {ask: func(a *market.Ask) { a.Type = "p6e-gb200.36xlarge" }, want: []want{{diag.ConfigValue, `"p6e-gb200.36xlarge"`, "sold in capacity blocks", "u-p6e-gb200x36"}}},
		"an UltraServer unnamed":   {ask: func(a *market.Ask) { a.Type = "trn2u.48xlarge" }, want: []want{{diag.ConfigValue, `"trn2u.48xlarge"`, "sold in capacity blocks", "whole UltraServers: buy one"}}},
		"a window that is empty":   {ask: func(a *market.Ask) { a.Until = a.From }, want: []want{{diag.ConfigValue, "a start between", "a window with an end", ""}}},
		"everything": {
			ask: func(a *market.Ask) { a.Type, a.Count, a.Hours, a.Until = "x", -1, 1, a.From },
			want: []want{
				{diag.ConfigValue, `"x"`, "", ""}, {diag.BlockSize, "-1 instances", "", ""}, {diag.BlockDuration, "1 hours", "", ""}, {diag.ConfigValue, "a start", "", ""},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := ask()
			if tt.ask != nil {
				tt.ask(&a)
			}
			found := a.Check(tt.held)
			require.Len(t, found, len(tt.want), "%v", found)
			for i, w := range tt.want {
				require.Equal(t, w.rule, found[i].Rule)
				require.Equal(t, diag.Error, found[i].Severity())
				require.Contains(t, found[i].Got, w.got)
				require.Contains(t, found[i].Want, w.wanted)
				require.Contains(t, found[i].Hint, w.h)
				require.NotEmpty(t, found[i].Source)
			}
		})
	}
}

func TestOtherTypes(t *testing.T) {
	require.Equal(t, []string{"p5e.48xlarge"}, market.Ask{Type: "p5en.48xlarge"}.OtherTypes(), "H200 for H200")
	require.Equal(t, []string{"p4de.24xlarge"}, market.Ask{Type: "p5.48xlarge"}.OtherTypes(), "80 GiB for 80 GiB; not one GPU for eight")
	require.Empty(t, market.Ask{Type: "p6-b300.48xlarge"}.OtherTypes())
	require.Empty(t, market.Ask{Type: "unknown"}.OtherTypes())
}

// What pin writes is what the config reads, without a finding about the offering.
func TestPinIsRead(t *testing.T) {
	all := markettest.New(t).Offerings
	rapid.Check(t, func(rt *rapid.T) {
		o := rapid.SampledFrom(all).Draw(rt, "offering")
		text, err := o.Pin(markettest.Now.Add(24 * time.Hour))
		require.NoError(rt, err)
		indented := "groups:\n  - name: train\n    instanceType: " + o.InstanceType + "\n    count: 1\n"
		for line := range splitLines(text) {
			indented += "    " + line + "\n"
		}
		doc, found := config.Decode("cluster.yaml", []byte(indented))
		for _, f := range found {
			require.NotContains(rt, f.Place.Path, "offering", "%v", f)
		}
		read := doc.Cluster.Groups[0].Capacity.Block.Offering
		require.Equal(rt, o.ID, read.ID)
		require.Equal(rt, o.Count, read.Count)
		require.Equal(rt, o.Fee.Decimal(), read.Fee)
		require.Contains(rt, market.AskedFor(time.Duration(read.DurationHours)*time.Hour), o.AskedHours)
	})
	_, err := market.Offering{ID: "cb-1"}.Pin(markettest.Now)
	require.ErrorIs(t, err, market.ErrNoPrice)
}

package market_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/market/markettest"
	"github.com/weft-hpc/weft/internal/golden"
)

func splitLines(text string) iter.Seq[string] {
	return slices.Values(strings.Split(strings.TrimRight(text, "\n"), "\n"))
}

// Each situation is an ask of the made-up market; its golden holds what is told.
func TestCompare(t *testing.T) {
	golden.NoneUnused(t, "testdata/compare", ".golden")
	tests := map[string]func(*market.Ask, *[]market.Offering){
		"one block of 16 beside smaller ones": func(*market.Ask, *[]market.Offering) {},
		"nothing of 32 but other lengths types and starts": func(a *market.Ask, _ *[]market.Offering) {
			a.Type, a.Count = "p5en.48xlarge", 32
		},
		"only smaller blocks": func(_ *market.Ask, pool *[]market.Offering) {
			*pool = slices.DeleteFunc(*pool, func(o market.Offering) bool { return o.Count == 16 })
		},
		"only a zone that was not asked for": func(a *market.Ask, _ *[]market.Offering) { a.Zones = []string{"usw2-az2"} },
		"by the name of a zone":              func(a *market.Ask, _ *[]market.Offering) { a.Zones = []string{"us-east-2b"} },
		"an empty market":                    func(_ *market.Ask, pool *[]market.Offering) { *pool = nil },
		"CB-06 an offering without a price": func(a *market.Ask, pool *[]market.Offering) {
			a.Zones = []string{"use2-az2"}
			for i := range *pool {
				(*pool)[i].Fee = market.Money{}
			}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			a, pool := ask(), markettest.New(t).Offerings
			change(&a, &pool)
			c := market.Compare(a, pool)
			var out strings.Builder
			for _, o := range c.Offerings {
				fmt.Fprintf(&out, "%s  %s  %s  usable %s  %s  %s\n", o.ID, o.Zone, o.Start.Format("2006-01-02 15:04"), market.Span(o.Usable()),
					o.Fee.Rounded(2), o.PerUsableGPUHour().Rounded(4))
			}
			for _, r := range c.Reasons {
				fmt.Fprintf(&out, "- %s\n", r)
			}
			golden.Check(t, "testdata/compare/"+strings.ReplaceAll(name, " ", "-")+".golden", []byte(out.String()))
			_, err := json.Marshal(c)
			require.NoError(t, err)
		})
	}
}

// CB-09: each offering is judged, not its type: one that does not fit takes no other with it.
func TestCaseEachOfferingIsJudged(t *testing.T) {
	all := markettest.New(t).Offerings
	rapid.Check(t, func(t *rapid.T) {
		pool := rapid.Permutation(all).Draw(t, "pool")[:rapid.IntRange(0, len(all)).Draw(t, "size")]
		a := ask()
		fits := 0
		for _, o := range pool {
			if o.InstanceType == a.Type && o.Count == a.Count && o.AskedHours == a.Hours && !o.Start.After(a.Until) {
				fits++
			}
		}
		c := market.Compare(a, append(pool, pool...))
		require.Len(t, c.Offerings, fits, "and one that is found twice counts once")
		require.True(t, slices.IsSortedFunc(c.Offerings, market.Better))
	})
}

// What is true of every split, whatever the market.
func TestSplits(t *testing.T) {
	all := markettest.New(t).Offerings
	rapid.Check(t, func(t *rapid.T) {
		pool := rapid.Permutation(all).Draw(t, "pool")
		a := ask()
		a.Type = rapid.SampledFrom([]string{"p6-b200.48xlarge", "p5en.48xlarge", "p5.48xlarge"}).Draw(t, "type")
		a.Count = rapid.SampledFrom([]int{1, 2, 4, 8, 16, 32}).Draw(t, "count")
		a.Hours = rapid.SampledFrom([]int{24, 168, 336}).Draw(t, "hours")
		for _, s := range market.Compare(a, pool).Splits {
			require.Equal(t, a.Count, s.Instances())
			require.GreaterOrEqual(t, s.Usable(), time.Duration(a.Hours-24)*time.Hour)
			ids := map[string]bool{}
			for _, o := range s.Offerings {
				ids[o.ID] = true
				require.Equal(t, s.Offerings[0].Zone, o.Zone, "EFA does not cross zones")
				require.False(t, o.ZoneClosed)
				require.False(t, o.Start.After(s.Start))
				require.False(t, o.UsableEnd().Before(s.UsableEnd))
			}
			require.Len(t, ids, len(s.Offerings), "each offering once")
		}
	})
}

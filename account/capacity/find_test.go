package capacity_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/market/markettest"
	"github.com/weft-hpc/weft/internal/golden"
)

// regions is a cloud for each Region, with the part of the market that lies there.
type regions struct {
	mu    sync.Mutex
	all   map[string]*cloud
	clock *clock
}

func newRegions(t testing.TB) *regions {
	t.Helper()
	m := markettest.New(t)
	r := &regions{all: map[string]*cloud{}, clock: &clock{now: markettest.Now}}
	for _, z := range m.Zones {
		c, ok := r.all[z.Region]
		if !ok {
			c = newCloud(t)
			c.clock, c.market = r.clock, markettest.Market{}
			r.all[z.Region] = c
		}
		c.market.Zones = append(c.market.Zones, z)
	}
	for _, o := range m.Offerings {
		c := r.all[o.Region]
		c.market.Offerings = append(c.market.Offerings, o)
	}
	return r
}

func (r *regions) finder() capacity.Finder {
	return capacity.Finder{Clock: r.clock, Region: func(name string) capacity.FindAPI {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.all[name] == nil {
			r.all[name] = &cloud{clock: r.clock, fail: map[string]error{}, pageSize: 3}
		}
		return r.all[name]
	}}
}

func ask() market.Ask {
	return market.Ask{Type: "p6-b200.48xlarge", Count: 16, Hours: 336, From: markettest.Now, Until: markettest.Now.AddDate(0, 0, 30)}
}

// What Find tells over EC2's API is what the market holds: nothing is lost to pages, windows or a short answer.
func TestFind(t *testing.T) {
	golden.NoneUnused(t, "testdata/find", ".golden")
	for name, change := range map[string]func(*market.Ask, *regions){
		"one block of 16":        func(*market.Ask, *regions) {},
		"with six an answer":     func(_ *market.Ask, r *regions) { each(r, func(c *cloud) { c.most = 6 }) },
		"nothing of 32":          func(a *market.Ask, _ *regions) { a.Type, a.Count = "p5en.48xlarge", 32 },
		"a zone without offers":  func(a *market.Ask, _ *regions) { a.Zones = []string{"usw2-az2"} },
		"throttled twice a call": func(_ *market.Ask, r *regions) { each(r, func(c *cloud) { c.step = throttle(c, 2) }) },
	} {
		t.Run(name, func(t *testing.T) {
			r, a := newRegions(t), ask()
			change(&a, r)
			found, err := r.finder().Find(t.Context(), []market.Ask{a}, nil)
			require.NoError(t, err)
			require.Empty(t, found.Findings)
			require.Len(t, found.Comparisons, 1)
			want := market.Compare(a, markettest.New(t).Offerings)
			got := found.Comparisons[0]
			if a.Count == 16 && len(a.Zones) == 0 {
				require.Equal(t, ids(want.Offerings), ids(got.Offerings))
				require.Equal(t, want.Reasons, got.Reasons)
			}
			text := strings.Join(append(ids(got.Offerings), got.Reasons...), "\n") + "\n"
			golden.Check(t, "testdata/find/"+strings.ReplaceAll(name, " ", "-")+".golden", []byte(text))
			_, err = json.Marshal(found)
			require.NoError(t, err)
		})
	}
}

func each(r *regions, f func(*cloud)) {
	for _, c := range r.all {
		f(c)
	}
}

// throttle refuses each kind of call a number of times.
func throttle(c *cloud, times int) func(string) {
	left := map[string]int{}
	return func(action string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if _, is := left[action]; !is {
			left[action] = times
		}
		delete(c.fail, action)
		if left[action] > 0 {
			left[action]--
			c.fail[action] = answer(503, "RequestLimitExceeded")
		}
	}
}

func ids(list []market.Offering) []string {
	out := []string{}
	for _, o := range list {
		out = append(out, o.ID)
	}
	return out
}

func TestFindAsksNothingOutsideOfTheLimits(t *testing.T) {
	r := newRegions(t)
	a := ask()
	a.Count, a.Hours = 65, 360
	found, err := r.finder().Find(t.Context(), []market.Ask{a}, nil)
	require.NoError(t, err)
	require.Equal(t, diag.BlockSize, found.Findings[0].Rule)
	require.Equal(t, diag.BlockDuration, found.Findings[1].Rule)
	for _, c := range r.all {
		require.Empty(t, c.calls)
	}
}

// 256 instances over all blocks: those that are held count, wherever they lie, and those that have ended do not.
func TestFindCountsWhatIsHeld(t *testing.T) {
	r := newRegions(t)
	o := r.all["us-east-2"].offering(t, pinned)
	o.Count = 64
	for i, state := range []types.CapacityReservationState{"active", "scheduled", "payment-pending", "active", "expired"} {
		c := r.all[[]string{"us-east-1", "us-east-2", "us-west-2"}[i%3]]
		c.held = append(c.held, held{CapacityReservation: reservationOf(o, "cr-0", state, markettest.Now)})
	}
	found, err := r.finder().Find(t.Context(), []market.Ask{ask()}, nil)
	require.NoError(t, err)
	require.Len(t, found.Findings, 1)
	require.Equal(t, "16 instances, beside 256 in blocks that the account holds", found.Findings[0].Got)
	require.NotEmpty(t, found.Comparisons[0].Offerings, "and what there is, is told all the same")
}

func TestFindWhereRegionsRefuse(t *testing.T) {
	r := newRegions(t)
	r.all["us-east-1"].fail["ec2:DescribeCapacityBlockOfferings"] = answer(403, "UnauthorizedOperation")
	r.all["us-west-2"].fail["ec2:DescribeAvailabilityZones"] = answer(401, "AuthFailure")
	r.all["us-east-2"].fail["ec2:DescribeCapacityReservations"] = answer(403, "UnauthorizedOperation")
	found, err := r.finder().Find(t.Context(), []market.Ask{ask()}, nil)
	require.NoError(t, err)
	var lines []string
	for _, f := range found.Findings {
		lines = append(lines, f.Level.String()+" "+string(f.Rule)+" "+f.Place.String()+": "+f.Got)
	}
	require.Equal(t, []string{
		"error account/denied us-east-1: ec2:DescribeCapacityBlockOfferings is refused (UnauthorizedOperation): not known: what is offered there",
		"warn account/denied us-east-2: ec2:DescribeCapacityReservations is refused (UnauthorizedOperation): not known: how many instances the account holds in blocks",
		"warn account/denied us-west-2: us-west-2 answers ec2:DescribeAvailabilityZones with AuthFailure: not known: everything there",
	}, lines)
	require.Equal(t, []string{"ec2:DescribeAvailabilityZones"}, r.all["us-west-2"].called(), "and not asked any further")
	named, err := r.finder().Find(t.Context(), []market.Ask{ask()}, []string{"us-east-2", "us-west-2"})
	require.NoError(t, err)
	require.True(t, named.Findings.Failed(), "a Region that was named has to answer")
	r.all["us-east-1"].fail["ec2:DescribeAvailabilityZones"] = answer(403, "UnauthorizedOperation")
	none, err := r.finder().Find(t.Context(), []market.Ask{ask()}, []string{"us-west-2"})
	require.NoError(t, err)
	require.True(t, none.Findings.Failed())
	require.Empty(t, none.Comparisons[0].Offerings)
	require.Contains(t, ids(found.Comparisons[0].Offerings), pinned, "what other Regions have is told")

	r.all["us-east-2"].fail["ec2:DescribeCapacityBlockOfferings"] = errLost
	_, err = r.finder().Find(t.Context(), []market.Ask{ask()}, nil)
	require.ErrorIs(t, err, errLost)
	r.all["us-east-2"].fail["ec2:DescribeCapacityReservations"] = errLost
	_, err = r.finder().Find(t.Context(), []market.Ask{ask()}, nil)
	require.ErrorIs(t, err, errLost)
}

// The account's own limit is no fault of the Region.
func TestFindOverTheLimitOfTheAccount(t *testing.T) {
	r := newRegions(t)
	r.all["us-east-2"].fail["ec2:DescribeCapacityBlockOfferings"] = answer(400, "CapacityBlockDescribeLimitExceeded")
	found, err := r.finder().Find(t.Context(), []market.Ask{ask()}, []string{"us-east-2"})
	require.NoError(t, err)
	require.Len(t, found.Findings, 1)
	require.Equal(t, "a count within the account's quota for blocks of the type", found.Findings[0].Want)
}

// Throttled for good: an error after a time that grows, not a run without end.
func TestFindGivesUp(t *testing.T) {
	r := newRegions(t)
	r.all["us-east-2"].fail["ec2:DescribeCapacityBlockOfferings"] = answer(503, "RequestLimitExceeded")
	_, err := r.finder().Find(t.Context(), []market.Ask{ask()}, []string{"us-east-2"})
	require.ErrorContains(t, err, "describing offerings of")
	require.ErrorContains(t, err, "RequestLimitExceeded")
	require.GreaterOrEqual(t, r.clock.now.Sub(markettest.Now), 31*time.Second)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = r.finder().Find(ctx, []market.Ask{ask()}, []string{"us-east-2"})
	require.ErrorIs(t, err, context.Canceled)
}

// CB-12: a type is looked for where it is sold, by its Regions.
func TestSoldIn(t *testing.T) {
	require.Equal(t, []string{"ap-south-1", "ap-south-2", "us-east-1", "us-east-2", "us-west-2"}, capacity.SoldIn([]market.Ask{ask()}))
	b300 := capacity.SoldIn([]market.Ask{{Type: "p6-b300.48xlarge"}, ask()})
	require.Contains(t, b300, "us-east-1")
	require.False(t, slices.ContainsFunc(b300, func(r string) bool { return strings.Contains(r, "atl") || strings.Contains(r, "gov") }))
}

var _ capacity.FindAPI = (*ec2.Client)(nil)

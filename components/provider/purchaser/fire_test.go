package purchaser_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/cloud"
)

// fates of a purchase.
var fates = []cloud.Fate{
	{Done: true},
	{Done: true, Answer: cloud.ErrLost},
	{Done: true, Answer: cloud.ErrTimeout},
	{Done: true, Answer: cloud.Failure("InternalError")},
	{Answer: cloud.ErrLost},
	{Answer: cloud.Failure("Unavailable")},
	{Answer: cloud.Refusal("InsufficientInstanceCapacity")},
}

// trouble has purchases, entries of the journal and looks at it go wrong.
func trouble(c *cloud.Cloud, below func(int) int, on bool) {
	c.Purchase, c.Entry, c.Stale = nil, nil, nil
	if !on {
		return
	}
	c.Purchase = func() cloud.Fate { return fates[below(len(fates))] }
	c.Stale = func() bool { return below(6) == 0 }
	c.Entry = func() cloud.Fate {
		switch below(8) {
		case 0:
			return cloud.Fate{Done: true, Answer: cloud.ErrLost}
		case 1:
			return cloud.Fate{Answer: cloud.ErrLost}
		}
		return cloud.Fate{Done: true}
	}
}

// history is what a stack's state was after each update; a backup is any of it.
type history []*kept

// save adds the states that updates at once leave: each saves its own over the others'.
func (h history) save(t *rapid.T, o ordeal, all []*run) history {
	for i, r := range all {
		if !r.killed && !o.unsaved[i] {
			h = append(h, r.state)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "restored from a backup") == 0 {
		h = append(h, h[rapid.IntRange(0, len(h)-1).Draw(t, "backup")])
	}
	return h
}

// judge holds what updates said against the truth.
func judge(t *rapid.T, c *cloud.Cloud, all []*run) {
	require.LessOrEqual(t, c.Purchases(), 1, "bought twice")
	for _, r := range all {
		if r.state != nil {
			require.Equal(t, 1, c.Purchases())
			require.Equal(t, resource.ID(bought), r.state.id)
		}
	}
}

// finish is a careful person: runs updates without trouble, waits as long as is asked, and writes off the attempt that an
// error names.
func finish(t *rapid.T, c *cloud.Cloud, s *stage, state *kept, in property.Map, resumed func(nonce string) property.Map) *kept {
	calm := ordeal{killAt: []int{0}, stopAt: []int{0}, unsaved: []bool{false}, preview: []bool{false}}
	for range 4 {
		r := s.play(t, c, calm, state, in)[0]
		if r.err == nil {
			return r.state
		}
		nonce := nonceOf(t, c)
		require.ErrorContains(t, r.err, nonce)
		in = resumed(nonce)
		c.Clock.Move(time.Hour)
	}
	t.Fatalf("it never ends: %v", c.Entries())
	return nil
}

// A thousand stacks under fire, at the calls of the plugin's protocol: plugin, program and engine killed at every call,
// updates interrupted, two and three at once, previews between them, answers of EC2 and of the journal lost before and
// after the deed, looks that lag for ten minutes, states lost, unsaved or restored from a backup, up to ten resumed runs.
// One purchase in each.
func TestExactlyOneInAThousand(t *testing.T) {
	checks(t, "1000")
	base := simulated(t)
	in := want(t, base, map[string]any{"offering.confirmedUntil": "2027-12-02T00:00:00Z", "paymentTimeout": "2m"})
	resumed := func(nonce string) property.Map {
		return want(t, base, map[string]any{
			"offering.confirmedUntil": "2027-12-02T00:00:00Z", "paymentTimeout": "2m", "purchase": map[string]any{"resume": nonce},
		})
	}
	var stacks, runs, kills, twice, lost, written int
	rapid.Check(t, func(t *rapid.T) {
		c := cloud.New(base.Clock.Now(), base.Offerings, base.Zones)
		c.Lag = time.Duration(rapid.IntRange(0, 10).Draw(t, "lag in minutes")) * time.Minute
		c.Payment = time.Duration(rapid.IntRange(0, 30).Draw(t, "payment in minutes")) * time.Minute
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		s, states := &stage{}, history{nil}
		for range rapid.IntRange(1, 10).Draw(t, "resumed runs") {
			o := drawOrdeal(t)
			trouble(c, chance.IntN, o.faults)
			all := s.play(t, c, o, states[len(states)-1], in)
			judge(t, c, all)
			states = states.save(t, o, all)
			c.Clock.Move(time.Duration(rapid.IntRange(0, 40).Draw(t, "pause in minutes")) * time.Minute)
			runs += len(all)
			twice += len(all) / 2
			kills += len(slices.DeleteFunc(all, func(r *run) bool { return !r.killed }))
		}
		trouble(c, nil, false)
		if states[len(states)-1] == nil {
			lost++
		}
		before := len(c.Entries())
		state := finish(t, c, s, states[len(states)-1], in, resumed)
		require.Equal(t, resource.ID(bought), state.id)
		require.Equal(t, 1, c.Purchases())
		if len(c.Entries()) > before {
			written++
		}
		stacks++
	})
	t.Logf("%d stacks, %d updates, %d of them killed, %d ordeals of several at once; %d states without the block at the end, %d bought by the last, careful run", stacks, runs, kills, twice, lost, written)
	require.GreaterOrEqual(t, stacks, 1000)
	require.Greater(t, kills, 500, "the ordeals are too easy")
	require.Greater(t, lost, 100, "the ordeals are too easy")
}

// What the ordeals rely on, taken away: without the journal, a look that lags does not see what was bought. It takes both
// losses at once, within minutes of the purchase.
func TestBothLegsGone(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	c.Lag = 8 * time.Minute
	made(t, c, want(t, c, nil))
	again, _, err := create(t, c, want(t, c, nil))
	require.NoError(t, err)
	require.Equal(t, resource.ID(bought), again.ID)
	c.Clock.Move(-8 * time.Minute)
	c.Lose()
	again, _, err = create(t, c, want(t, c, nil))
	require.NoError(t, err)
	require.NotEqual(t, resource.ID(bought), again.ID)
	require.Equal(t, 2, c.Purchases())
}

// checks runs a property a number of times.
func checks(t *testing.T, n string) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	require.NoError(t, f.Value.Set(n))
	t.Cleanup(func() { require.NoError(t, f.Value.Set(before)) })
}

package capacity_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/journal"
	"github.com/weft-hpc/weft/account/capacity/text"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/market/markettest"
)

// The list of each feature is what it calls, no more and no less.
func TestActions(t *testing.T) {
	run := map[capacity.Feature]func(context.Context, *testing.T) []string{
		capacity.Finding: func(ctx context.Context, t *testing.T) []string {
			t.Helper()
			r := newRegions(t)
			_, err := r.finder().Find(ctx, []market.Ask{ask()}, []string{"us-east-2"})
			require.NoError(t, err)
			return r.all["us-east-2"].called()
		},
		capacity.Showing: func(ctx context.Context, t *testing.T) []string {
			t.Helper()
			c := newCloud(t)
			bought(t, c, "cr-0a", active)
			_, err := capacity.Hold(ctx, c, "us-east-2")
			require.NoError(t, err)
			return c.called()
		},
		capacity.Extensions: func(ctx context.Context, t *testing.T) []string {
			t.Helper()
			c, _ := extendable(t)
			_, _, err := extender(c, newMemory()).Offers(ctx, "us-east-2", "cr-0a", 168)
			require.NoError(t, err)
			return c.called()
		},
		capacity.Adopting: func(ctx context.Context, t *testing.T) []string {
			t.Helper()
			c := newCloud(t)
			_, err := capacity.Adopt(ctx, c, "us-east-2", owner)
			require.NoError(t, err)
			return c.called()
		},
		capacity.Previewing: func(ctx context.Context, t *testing.T) []string {
			t.Helper()
			c := newCloud(t)
			_, err := buyer(c, newMemory()).Preview(ctx, purchase(t, c))
			require.NoError(t, err)
			return append(c.called(), "ec2:CreateTags") // EC2 asks for it where a purchase carries tags
		},
		capacity.Buying: func(ctx context.Context, t *testing.T) []string {
			t.Helper()
			c := newCloud(t)
			_, err := buyer(c, newMemory()).Buy(ctx, purchase(t, c))
			require.NoError(t, err)
			return append(c.called(), "ec2:CreateTags")
		},
		capacity.Extending: func(ctx context.Context, t *testing.T) []string {
			t.Helper()
			c, x := extendable(t)
			_, err := extender(c, newMemory()).Extend(ctx, x)
			require.NoError(t, err)
			return c.called()
		},
	}
	listed := capacity.Actions()
	for feature, calls := range run {
		t.Run(string(feature), func(t *testing.T) {
			require.Equal(t, listed[feature], slices.Sorted(slices.Values(calls(t.Context(), t))))
		})
	}
	require.Len(t, listed, len(run)+1, "and the journal's, which its package tests")
	require.Equal(t, journal.Actions(), listed[capacity.ParameterStore])
}

// A feature that only reads has no action that does more.
func TestReadingActionsOnlyRead(t *testing.T) {
	for _, feature := range []capacity.Feature{capacity.Finding, capacity.Showing, capacity.Extensions, capacity.Adopting} {
		for _, action := range capacity.Actions()[feature] {
			require.Regexp(t, `^ec2:Describe`, action)
		}
	}
}

func TestTextOfOffers(t *testing.T) {
	c, _ := extendable(t)
	offers, _, err := extender(c, newMemory()).Offers(t.Context(), "us-east-2", "cr-0a", 168)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, text.Offers(&out, offers))
	require.Equal(t, "offering  reservation  instances              end now           new end           fee             an instance-hour  a GPU-hour\n"+
		"cbe-1     cr-0a        16 × p6-b200.48xlarge  2026-12-21 11:30  2026-12-28 11:30  200,000.50 USD  74.40 USD         9.3006 USD\n", out.String())
	out.Reset()
	require.NoError(t, text.Offers(&out, nil))
	require.Contains(t, out.String(), "EC2 offers no extension of that length")
}

// Every finding of a refusal names a place, both sides and a way out.
func TestFindingsAreWhole(t *testing.T) {
	c := newCloud(t)
	p := purchase(t, c)
	p.Offering.ID = "cb-gone"
	r, err := buyer(c, newMemory()).Buy(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, diag.BlockOffering, r.Findings[0].Rule)
	require.Equal(t, "groups[0].capacity.block.offering.id cb-gone", r.Findings[0].Place.String())
	require.Equal(t, markettest.Now.Day(), c.clock.now.Day())
}

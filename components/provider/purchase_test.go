package provider_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/engine"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

const onSale = "cb-0123456789abcdef0"

// sale is a world whose market sells one block, any number of times.
func sale() account.World {
	end := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 8).Add(11*time.Hour + 30*time.Minute)
	return account.World{Region: "us-east-2", Market: []account.Offering{{
		ID: onSale, Type: "p5en.48xlarge", Zone: "us-east-2a", Count: 4, Start: end.Add(-48 * time.Hour), End: end, Hours: 48,
		Fee: "31512.08", Currency: "USD", Again: true,
	}}}
}

// pinning is a group, in JSON, that pins the block that is on sale.
func pinning(w account.World, purchase *config.Purchase) string {
	o := w.Market[0]
	text, _ := json.Marshal(plan.NodeGroup{Name: "train", InstanceType: o.Type, Zone: o.Zone, Capacity: plan.Capacity{
		Market: plan.CapacityBlock, Purchase: purchase, Offering: &config.Offering{
			ID: o.ID, Count: o.Count, DurationHours: o.Hours, Start: o.Start.Format(time.RFC3339), Fee: o.Fee, MaxFee: o.Fee, Currency: o.Currency,
			ConfirmedUntil: time.Now().Add(time.Hour).Format(time.RFC3339),
		},
	}})
	return string(text) // of plain values: it can't fail
}

// buying is a stack in the real engine that buys a block, with the real plugin and an account on the wire.
func buying(t *testing.T, a *account.Account, w account.World) *stack {
	t.Helper()
	plugin := filepath.Dir(program(t, "pulumi-resource-weft"))
	s := &stack{t: t, Workspace: workspace(t, project(t, plugin), a.Env("us-east-2")...)}
	s.set("block", pinning(w, nil))
	return s
}

func purchases(t *testing.T, a *account.Account) []account.Purchase {
	t.Helper()
	out, err := a.Purchases(t.Context())
	require.NoError(t, err)
	return out
}

// struck waits until a fault has struck a call of an action.
func struck(t *testing.T, a *account.Account, action string) {
	t.Helper()
	require.Eventually(t, func() bool {
		calls, err := a.Calls(context.Background())
		if err != nil {
			return false
		}
		for _, c := range calls {
			if c.Action == action && c.Fault != "" {
				return true
			}
		}
		return false
	}, 2*time.Minute, 50*time.Millisecond, action)
}

// All share one account, which starts slowly and loads a world quickly.
func TestPurchaseOnTheWire(t *testing.T) {
	t.Parallel()
	a := judgetest.Account(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *account.Account, account.World)
	}{
		{"life", blockLife},
		{"killed before the journal is written", killedAt("PutParameter", account.Hang, 0, 0)},
		{"killed after the journal is written", killedAt("PutParameter", account.Mute, 0, 0)},
		{"killed while the purchase is made", killedAt("PurchaseCapacityBlock", account.Mute, 0, 1)},
		{"killed before its outcome is written", killedAt("PutParameter", account.Hang, 1, 1)},
		{"killed before the engine hears of it", killedAt("PutParameter", account.Mute, 1, 1)},
		{"killed before the purchase is carried out", killedAt("PurchaseCapacityBlock", account.Hang, 0, 0)},
		{"answer lost", lostAnswer},
		{"two at once", twoAtOnce},
		{"state from a backup", restored},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := sale()
			require.NoError(t, a.Load(t.Context(), w))
			tt.run(t, a, w)
		})
	}
}

func blockLife(t *testing.T, a *account.Account, w account.World) {
	t.Helper()
	ctx, s := t.Context(), buying(t, a, w)
	s.ended(0, "+ 2 to create", "an update buys offering "+onSale+" for 31512.08 USD")(s.Preview(ctx))
	require.Empty(t, purchases(t, a))
	s.ended(0, "+ 2 created", "bought cr-")(s.Up(ctx))
	bought := purchases(t, a)
	require.Len(t, bought, 1)
	require.Equal(t, "block", bought[0].Tags["weft:name"])
	require.Equal(t, bought[0].Reservation, s.outputs()["reservation"])
	s.ended(0, "2 unchanged", "is bought, and starts at")(s.Up(ctx, "--expect-no-changes"))
	s.ended(0)(s.Refresh(ctx))
	w.Market[0].ID = "cb-0fedcba9876543210"
	s.set("block", pinning(w, nil))
	s.ended(1, "offering.id: it was bought with", "a replacement would buy another block")(s.Preview(ctx))
	s.ended(0, bought[0].Reservation+" is kept: it is paid for", "- 2 deleted")(s.Destroy(ctx))
	w.Market[0].ID = onSale
	s.set("block", pinning(w, nil))
	s.ended(0, "took over what was bought for this resource already")(s.Up(ctx))
	require.Len(t, purchases(t, a), 1)
}

// killedAt has a fault hold an update up at a call, and kills engine, program and plugin there. Whatever the state lost,
// further updates end with one block.
func killedAt(action string, kind account.FaultKind, skip, bought int) func(*testing.T, *account.Account, account.World) {
	return func(t *testing.T, a *account.Account, w account.World) {
		t.Helper()
		ctx, s := t.Context(), buying(t, a, w)
		require.NoError(t, a.Faults(ctx, account.Fault{Action: action, Kind: kind, Skip: skip, Times: 1}))
		up, err := s.Start(ctx, "up", "--yes", "--skip-preview")
		require.NoError(t, err)
		struck(t, a, action)
		require.NoError(t, up.Kill())
		_, err = up.Wait()
		require.NoError(t, err)
		require.Len(t, purchases(t, a), bought)
		require.NoError(t, a.Faults(ctx))
		s.ended(0)(s.Cancel(ctx))
		s.resume(a, w)
	}
}

var attempt = regexp.MustCompile(`set purchase\.resume: "([0-9a-f]{8})"`)

// resume runs updates until one ends well, and does what a refusal says.
func (s *stack) resume(a *account.Account, w account.World) {
	s.t.Helper()
	for range 8 {
		r, err := s.Up(s.t.Context())
		require.NoError(s.t, err)
		if r.ExitCode == 0 {
			require.Len(s.t, purchases(s.t, a), 1)
			require.Equal(s.t, purchases(s.t, a)[0].Reservation, s.outputs()["reservation"])
			return
		}
		if open := attempt.FindStringSubmatch(r.Output); open != nil {
			require.Empty(s.t, purchases(s.t, a))
			s.set("block", pinning(w, &config.Purchase{Resume: open[1]}))
			continue
		}
		require.Contains(s.t, r.Output, "run again after that time", r.Output)
	}
	s.t.Fatal("it never ends")
}

func lostAnswer(t *testing.T, a *account.Account, w account.World) {
	t.Helper()
	ctx, s := t.Context(), buying(t, a, w)
	require.NoError(t, a.Faults(ctx,
		account.Fault{Action: "PurchaseCapacityBlock", Kind: account.Lose},
		account.Fault{Action: "DescribeCapacityReservations", Kind: account.Behind, Lag: 2 * time.Second},
	))
	s.ended(0, "+ 2 created")(s.Up(ctx))
	require.Len(t, purchases(t, a), 1)
	sent, err := a.Calls(ctx)
	require.NoError(t, err)
	asked := 0
	for _, c := range sent {
		if c.Action == "PurchaseCapacityBlock" && !c.DryRun {
			asked++
		}
	}
	require.Equal(t, 1, asked, "nothing asks again")
}

// twoAtOnce runs two updates of one stack from two machines, whose states do not know of each other.
func twoAtOnce(t *testing.T, a *account.Account, w account.World) {
	t.Helper()
	stacks := []*stack{buying(t, a, w), buying(t, a, w)}
	results := make([]engine.Result, len(stacks))
	var both sync.WaitGroup
	for i, s := range stacks {
		both.Go(func() { results[i], _ = s.Up(t.Context(), "--skip-preview") })
	}
	both.Wait()
	require.Len(t, purchases(t, a), 1)
	for i, s := range stacks {
		require.Zero(t, results[i].ExitCode, results[i].Output)
		require.Equal(t, purchases(t, a)[0].Reservation, s.outputs()["reservation"])
	}
}

// restored puts a backup of the state back that is older than the purchase.
func restored(t *testing.T, a *account.Account, w account.World) {
	t.Helper()
	ctx, s := t.Context(), buying(t, a, w)
	backup := filepath.Join(t.TempDir(), "state.json")
	s.ended(0)(s.Run(ctx, "stack", "export", "--file", backup))
	s.ended(0, "bought cr-")(s.Up(ctx))
	s.ended(0)(s.Run(ctx, "stack", "import", "--file", backup))
	s.ended(0, "takes over what was bought for this resource already")(s.Preview(ctx))
	s.ended(0, "took over what was bought for this resource already")(s.Up(ctx))
	require.Len(t, purchases(t, a), 1)
}

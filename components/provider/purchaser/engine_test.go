package purchaser_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blang/semver"
	"github.com/stretchr/testify/require"

	"github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/components/capacityblock"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/cloud"
	"github.com/weft-hpc/weft/offline/engine/inprocess"
)

// blocks is a stack with one bought block in the real engine. Its fields change what the next operation does.
type blocks struct {
	*inprocess.Stack
	group   plan.NodeGroup
	tags    map[string]string
	options []pulumi.ResourceOption
	dies    bool // the program, once it has registered the block
}

func stackOf(t testing.TB, c *cloud.Cloud, s *screen) *blocks {
	t.Helper()
	b := &blocks{group: groupOn(t, c, pinned)}
	b.Stack = inprocess.New(t, b.program, inprocess.Options{
		Project: "train", Stack: "prod", Plugins: []*deploytest.PluginLoader{plugged(c, s)},
		Update: func(o *framework.TestUpdateOptions) { o.SkipDisplayTests = true },
	})
	return b
}

// groupOn is a group of nodes that pins an offering.
func groupOn(t testing.TB, c *cloud.Cloud, id string) plan.NodeGroup {
	t.Helper()
	o := offering(t, c, id)
	return plan.NodeGroup{Name: "train", InstanceType: o.InstanceType, Zone: o.Zone, Capacity: plan.Capacity{Market: plan.CapacityBlock, Offering: &config.Offering{
		ID: o.ID, Count: o.Count, DurationHours: int(o.Real().Hours()), Start: o.Start.Format(time.RFC3339), Fee: o.Fee.Decimal(), MaxFee: o.Fee.Decimal(),
		Currency: o.Fee.Currency(), ConfirmedUntil: "2027-12-02T00:00:00Z",
	}}}
}

func (b *blocks) program(ctx *pulumi.Context) error {
	p, err := capacityblock.Buy(ctx, "block", &capacityblock.PurchaseArgs{Region: "us-east-2", Group: b.group, Tags: b.tags}, b.options...)
	if err != nil {
		return err
	}
	if b.dies {
		return errors.New("the program is killed")
	}
	ctx.Export("reservation", p.ReservationID)
	ctx.Export("state", p.State)
	return nil
}

// plugged is the plugin as the engine sees it. A call that is killed ends as that of a plugin that is gone.
func plugged(c *cloud.Cloud, s *screen) *deploytest.PluginLoader {
	load := func() (plugin.Provider, error) {
		p := serving(c, s)
		return &deploytest.Provider{
			CheckF: p.Check, DiffF: mortal(p.Diff), CreateF: mortal(p.Create), UpdateF: mortal(p.Update), DeleteF: mortal(p.Delete), ReadF: mortal(p.Read),
		}, nil
	}
	return deploytest.NewProviderLoader("weft", semver.MustParse("0.1.0"), load, deploytest.WithGrpc)
}

func mortal[Q, A any](call func(context.Context, Q) (A, error)) func(context.Context, Q) (A, error) {
	return func(ctx context.Context, q Q) (out A, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				if _, dead := cause.(killed); !dead {
					panic(cause)
				}
				err = errors.New("error reading from server: EOF")
			}
		}()
		return call(ctx, q)
	}
}

func TestLifeInTheEngine(t *testing.T) {
	t.Parallel()
	c, s := simulated(t), &screen{}
	b := stackOf(t, c, s)
	preview := b.Preview()
	require.NoError(t, preview.Err, "%v", preview.Messages)
	require.Zero(t, c.Purchases())
	up := b.Up()
	require.NoError(t, up.Err, "%v", up.Messages)
	require.Equal(t, map[string]any{"reservation": bought, "state": "scheduled"}, up.Outputs())
	require.True(t, b.Up().Unchanged())
	require.NoError(t, b.Refresh().Err)
	require.True(t, b.Up().Unchanged())

	b.tags = map[string]string{"team": "llm"}
	tagged := b.Up()
	require.NoError(t, tagged.Err)
	require.Equal(t, 1, tagged.Count("update"))

	o := offering(t, c, pinned)
	o.ID = "cb-00000000000000003"
	c.Offerings = append(c.Offerings, o)
	b.group.Capacity.Offering.ID = o.ID
	for _, refused := range []inprocess.Result{b.Preview(), b.Up()} {
		require.Error(t, refused.Err)
		require.True(t, refused.Message("a replacement would buy another block"), "%v", refused.Messages)
	}
	b.group = groupOn(t, c, pinned)
	require.True(t, b.Up().Unchanged(), "put back")

	destroyed := b.Destroy()
	require.NoError(t, destroyed.Err)
	require.Contains(t, strings.Join(s.warn, "\n"), bought+" is kept")
	again := b.Up()
	require.NoError(t, again.Err, "%v", again.Messages)
	require.Equal(t, bought, again.Outputs()["reservation"])
	require.Equal(t, 1, c.Purchases())
}

// The options that make Pulumi replace or delete things don't make it buy.
func TestReplacedByForce(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	b := stackOf(t, c, &screen{})
	require.NoError(t, b.Up().Err)
	for i, options := range [][]pulumi.ResourceOption{
		{pulumi.ReplaceOnChanges([]string{"*"})},
		{pulumi.ReplaceOnChanges([]string{"*"}), pulumi.DeleteBeforeReplace(true)},
		{pulumi.RetainOnDelete(true)},
	} {
		b.options, b.tags = options, map[string]string{"run": fmt.Sprint(i)}
		up := b.Up()
		require.NoError(t, up.Err, "%v", up.Messages)
		require.Equal(t, bought, up.Outputs()["reservation"])
	}
	b.options = []pulumi.ResourceOption{pulumi.Protect(true)}
	require.NoError(t, b.Up().Err)
	require.Error(t, b.Destroy().Err, "protect keeps a destroy from forgetting the block")
	require.Equal(t, 1, c.Purchases())
}

func TestImportedInTheEngine(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	require.NoError(t, stackOf(t, c, &screen{}).Up().Err)
	b := stackOf(t, c, &screen{})
	b.options = []pulumi.ResourceOption{pulumi.Import(pulumi.ID(bought))}
	up := b.Up()
	require.NoError(t, up.Err, "%v", up.Messages)
	require.Equal(t, 1, up.Count("import"))
	b.options = nil
	require.True(t, b.Up().Unchanged())
	require.Equal(t, 1, c.Purchases())
}

// When the block is over, the next offering replaces it.
func TestNextBlockInTheEngine(t *testing.T) {
	t.Parallel()
	c := simulated(t)
	b := stackOf(t, c, &screen{})
	require.NoError(t, b.Up().Err)
	next(t, c)
	b.group = groupOn(t, c, "cb-00000000000000002")
	require.Error(t, b.Up().Err)
	c.Clock.Move(21 * 24 * time.Hour)
	up := b.Up()
	require.NoError(t, up.Err, "%v", up.Messages)
	require.Equal(t, "cr-00000000000000002", up.Outputs()["reservation"])
	require.True(t, b.Up().Unchanged())
	require.Equal(t, 2, c.Purchases())
}

// fire burns a stack in the real engine, whose every operation may go wrong somewhere.
type fire struct {
	*blocks
	c       *cloud.Cloud
	chance  *rand.Rand
	mu      sync.Mutex
	deadly  atomic.Int64 // calls until the plugin is killed
	backups []*deploy.Snapshot
}

func (f *fire) below(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.chance.IntN(n)
}

// operate runs one operation of a stack: an update mostly; its plugin may be killed at any call, its program after it has
// registered the block, its engine before it saves the state.
func (f *fire) operate(b *blocks) {
	b.dies = f.below(5) == 0
	f.deadly.Store(int64(1 + f.below(60)))
	switch f.below(8) {
	case 0:
		b.Preview()
	case 1:
		b.Refresh()
	case 2:
		b.Destroy()
	default:
		b.Up()
	}
}

// step counts the calls until the plugin dies.
func (f *fire) step(string) {
	if f.deadly.Add(-1) == 0 {
		panic(killed{})
	}
}

// round lets one or two clones of the stack operate at once, and keeps one of their states, or a backup.
func (f *fire) round(t *testing.T) {
	t.Helper()
	before := f.backups[len(f.backups)-1]
	f.Restore(before)
	other := stackOf(t, f.c, &screen{})
	other.Restore(before)
	var both sync.WaitGroup
	both.Go(func() { f.operate(f.blocks) })
	if f.below(3) == 0 {
		both.Go(func() { f.operate(other) })
	}
	both.Wait()
	after := []*deploy.Snapshot{before, f.Snapshot(), f.Snapshot(), other.Snapshot(), f.backups[f.below(len(f.backups))]}
	f.backups = append(f.backups, after[f.below(len(after))])
}

// What holds at the calls of the plugin's protocol holds in the real engine, with its own states and its own ideas of
// what to call when.
func TestExactlyOneInTheEngine(t *testing.T) {
	const stacks = 40
	base := simulated(t)
	inside := 0
	for seed := range uint64(stacks) {
		f := &fire{chance: rand.New(rand.NewPCG(seed, 11)), backups: []*deploy.Snapshot{nil}}
		f.c = cloud.New(base.Clock.Now(), base.Offerings, base.Zones)
		f.c.Lag = time.Duration(f.below(11)) * time.Minute
		f.blocks = stackOf(t, f.c, &screen{})
		for range 1 + f.below(10) {
			f.c.Step = f.step
			trouble(f.c, f.below, f.below(2) == 0)
			f.round(t)
			require.LessOrEqual(t, f.c.Purchases(), 1, "seed %d", seed)
			f.c.Clock.Move(time.Duration(f.below(40)) * time.Minute)
		}
		inside += f.c.Purchases()
		f.settle(t)
	}
	t.Logf("%d stacks, %d of them bought under fire, the others after it", stacks, inside)
	require.Greater(t, inside, stacks/4)
}

// settle is the careful person.
func (f *fire) settle(t *testing.T) {
	t.Helper()
	f.c.Step = nil
	trouble(f.c, nil, false)
	f.dies = false
	f.Restore(f.backups[len(f.backups)-1])
	for range 4 {
		if up := f.Up(); up.Err == nil {
			require.Equal(t, bought, up.Outputs()["reservation"])
			require.Equal(t, 1, f.c.Purchases())
			return
		}
		f.group.Capacity.Purchase = &config.Purchase{Resume: nonceOf(t, f.c)}
		f.c.Clock.Move(time.Hour)
	}
	t.Fatalf("it never ends: %v", f.c.Entries())
}

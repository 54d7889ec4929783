package capacity_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/fabric/diag"
)

// checks runs a property a number of times.
func checks(t *testing.T, n string) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	require.NoError(t, f.Value.Set(n))
	t.Cleanup(func() { require.NoError(t, f.Value.Set(before)) })
}

// killed is what a killed process does not survive.
type killed struct{}

// actor is one run of Buy, as a process of its own. It goes one step at a time: from one call to the next.
type actor struct {
	turn    chan bool // true: it is killed where it stands
	yielded chan struct{}
	ended   chan struct{}
	stop    context.CancelFunc
	steps   int

	result capacity.Result
	err    error
	killed bool
}

// stage runs actors one step at a time, so that every order of their steps can happen and each can be had again.
type stage struct {
	current *actor
}

func (s *stage) step(string) {
	a := s.current
	a.yielded <- struct{}{}
	if <-a.turn {
		panic(killed{})
	}
}

func (s *stage) start(b capacity.Buyer, p func() capacity.Purchase) *actor {
	ctx, stop := context.WithCancel(context.Background())
	a := &actor{turn: make(chan bool), yielded: make(chan struct{}), ended: make(chan struct{}), stop: stop}
	go func() {
		defer close(a.ended)
		defer func() {
			if r := recover(); r != nil {
				if _, a.killed = r.(killed); !a.killed {
					panic(r)
				}
			}
		}()
		<-a.turn
		a.result, a.err = b.Buy(ctx, p())
	}()
	return a
}

// advance lets an actor go to its next step. False: it has ended.
func (s *stage) advance(a *actor, kill bool) bool {
	s.current = a
	a.steps++
	a.turn <- kill
	select {
	case <-a.yielded:
		return true
	case <-a.ended:
		a.stop()
		return false
	}
}

// ordeal is what one run of buyers goes through.
type ordeal struct {
	buyers         int
	killAt, stopAt []int // step of each buyer; 0: never
	faults         bool  // of EC2's answers and of the journal's
	sleeps         bool  // the machine sleeps for a while, between any two steps
	careless       bool  // somebody writes an open attempt off without looking, at any time
}

func drawOrdeal(t *rapid.T) ordeal {
	o := ordeal{buyers: rapid.IntRange(1, 3).Draw(t, "buyers"), faults: rapid.Bool().Draw(t, "faults"), sleeps: rapid.Bool().Draw(t, "sleeps")}
	for range o.buyers {
		o.killAt = append(o.killAt, rapid.OneOf(rapid.Just(0), rapid.IntRange(1, 40)).Draw(t, "kill at"))
		o.stopAt = append(o.stopAt, rapid.OneOf(rapid.Just(0), rapid.IntRange(1, 40)).Draw(t, "stop at"))
	}
	return o
}

// fates of a purchase, each as likely as the others.
var fates = []fate{
	{true, nil},
	{true, errLost},
	{true, errTimeout},
	{true, answer(500, "InternalError")},
	{false, errLost},
	{false, answer(503, "Unavailable")},
	{false, answer(400, "CapacityBlockOfferingSold")},
	{false, answer(503, "RequestLimitExceeded")},
}

// world is a simulated EC2 with a journal and what goes wrong in them.
type world struct {
	*cloud
	journal *memory
	stage   *stage
	chance  *rand.Rand
	name    func() string
}

func newWorld(base *cloud, seed uint64, lag time.Duration) *world {
	c := &cloud{clock: &clock{now: base.clock.now}, market: base.market, state: base.state, fail: map[string]error{}, pageSize: 50, lag: lag}
	w := &world{cloud: c, journal: newMemory(), stage: &stage{}, chance: rand.New(rand.NewPCG(seed, 7)), name: nonces()}
	return w
}

// trouble switches faults on: every fifth read fails, every third purchase is made and answered well.
func (w *world) trouble(on bool) {
	w.sent, w.journal.fault, w.journal.stale = nil, nil, nil
	if !on {
		return
	}
	w.sent = func() fate { return fates[w.chance.IntN(len(fates))] }
	w.journal.stale = func() bool { return w.chance.IntN(6) == 0 }
	w.journal.fault = func() (bool, error) {
		switch w.chance.IntN(8) {
		case 0:
			return true, errJournal
		case 1:
			return false, errJournal
		}
		return true, nil
	}
}

func (w *world) buyer() capacity.Buyer {
	return capacity.Buyer{
		EC2: w.cloud, Journal: w.journal, Clock: w.clock, Nonce: w.name,
		Timing: capacity.Timing{Lag: 10 * time.Minute, Poll: 2 * time.Minute, Late: late},
	}
}

// endure lets the buyers of an ordeal run to their ends, in an order that is drawn.
func (w *world) endure(t *rapid.T, o ordeal, p capacity.Purchase) {
	w.trouble(o.faults)
	w.watch(w.stage.step)
	defer func() { w.watch(nil); w.trouble(false) }()
	all := w.begin(o, p)
	alive := slices.Clone(all)
	for len(alive) > 0 {
		i := 0
		if len(alive) > 1 {
			i = rapid.IntRange(0, len(alive)-1).Draw(t, "who")
		}
		if o.sleeps && rapid.IntRange(0, 9).Draw(t, "sleep") == 9 {
			w.clock.move(rapid.SampledFrom([]time.Duration{14 * time.Minute, 45 * time.Minute}).Draw(t, "for"))
		}
		if at := slices.Index(all, alive[i]); !w.move(alive[i], o.killAt[at], o.stopAt[at]) {
			alive = append(alive[:i], alive[i+1:]...)
		}
	}
	for _, a := range all {
		w.judge(t, a)
	}
}

// watch sets what happens within every call and every wait.
func (w *world) watch(step func(string)) {
	w.step, w.journal.step, w.clock.hook = step, step, nil
	if step != nil {
		w.clock.hook = func() { step("wait") }
	}
}

func (w *world) begin(o ordeal, p capacity.Purchase) (out []*actor) {
	begins := func() capacity.Purchase { // at its first step, when others may be anywhere
		p := p
		if last := w.journal.last(owner.String()); o.careless && last.Kind == capacity.Intended {
			p.Resume = last.Nonce
		}
		return p
	}
	for range o.buyers {
		out = append(out, w.stage.start(w.buyer(), begins))
	}
	return out
}

// move lets an actor make a step, before which it may be stopped, or within which it may be killed.
func (w *world) move(a *actor, killAt, stopAt int) bool {
	if a.steps+1 == stopAt {
		a.stop()
	}
	return w.stage.advance(a, a.steps > 0 && a.steps+1 == killAt)
}

// judge holds what a run said against the truth.
func (w *world) judge(t *rapid.T, a *actor) {
	require.LessOrEqual(t, w.purchases, 1, "bought twice")
	switch {
	case a.killed || a.err != nil:
	case a.result.Reservation.Reservation != "":
		require.Equal(t, 1, w.purchases)
		require.Equal(t, "cr-00000000000000001", a.result.Reservation.Reservation)
		require.False(t, a.result.Findings.Failed())
	default:
		require.True(t, a.result.Findings.Failed(), "nothing was bought, and nobody says why")
	}
}

// finish is a careful person: runs again without trouble, waits as long as is asked, and writes off the attempt that a
// finding names.
func (w *world) finish(t *rapid.T, p capacity.Purchase) capacity.Result {
	for range 4 {
		r, err := w.buyer().Buy(context.Background(), p)
		require.NoError(t, err)
		if r.Reservation.Reservation != "" {
			return r
		}
		require.Equal(t, diag.BlockPurchase, r.Findings[0].Rule, "%v", r.Findings)
		last := w.journal.last(owner.String())
		require.Contains(t, r.Findings[0].Hint+r.Findings[0].Got, last.Nonce)
		p.Resume = last.Nonce
		w.clock.move(time.Hour)
	}
	t.Fatalf("it never ends: %v", w.journal.entries)
	return capacity.Result{}
}

// A thousand ordeals: buyers at once and one after another, killed and stopped anywhere, answers lost before and after the
// purchase, an offering that can be bought twice, reads that lag for minutes, a journal whose answers are lost or old. One
// purchase in each.
func TestExactlyOnce(t *testing.T) {
	checks(t, "1000")
	base := newCloud(t)
	p := purchase(t, base)
	p.Offering.Until = p.Offering.Until.AddDate(1, 0, 0)
	lost := 0
	rapid.Check(t, func(t *rapid.T) {
		lag := time.Duration(rapid.IntRange(0, 10).Draw(t, "lag in minutes")) * time.Minute
		w := newWorld(base, rapid.Uint64().Draw(t, "seed"), lag)
		for range rapid.IntRange(1, 5).Draw(t, "runs") {
			o := drawOrdeal(t)
			o.careless = rapid.Bool().Draw(t, "careless")
			w.endure(t, o, p)
			w.clock.move(time.Duration(rapid.IntRange(0, 40).Draw(t, "pause")) * time.Minute)
		}
		r := w.finish(t, p)
		require.Equal(t, 1, w.purchases)
		require.Equal(t, "cr-00000000000000001", r.Reservation.Reservation)
		for _, e := range w.journal.entries[owner.String()] {
			if e.Resumes != "" {
				lost++
			}
		}
	})
	t.Logf("%d attempts were written off", lost)
	require.Positive(t, lost, "the ordeals are too easy")
}

// However long reads lag: without a person's word nothing is bought twice.
func TestNeverTwiceWithoutAWord(t *testing.T) {
	checks(t, "300")
	base := newCloud(t)
	p := purchase(t, base)
	p.Offering.Until = p.Offering.Until.AddDate(1, 0, 0)
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(base, rapid.Uint64().Draw(t, "seed"), 1000*time.Hour)
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			w.endureBlind(t, drawOrdeal(t), p)
			w.clock.move(time.Duration(rapid.IntRange(0, 400).Draw(t, "pause")) * time.Minute)
			require.LessOrEqual(t, w.purchases, 1)
		}
	})
}

// endureBlind is endure where a bought block is never seen.
func (w *world) endureBlind(t *rapid.T, o ordeal, p capacity.Purchase) {
	for i := range o.killAt {
		if o.killAt[i] == 0 {
			o.killAt[i] = 60
		}
	}
	w.endure(t, o, p)
}

// The journal alone keeps two buyers apart: nothing that EC2 shows could.
func TestTwoAtOnce(t *testing.T) {
	base := newCloud(t)
	p := purchase(t, base)
	checks(t, "200")
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(base, 0, 9*time.Minute)
		w.endure(t, ordeal{buyers: 2, killAt: []int{0, 0}, stopAt: []int{0, 0}}, p)
		require.Equal(t, 1, w.purchases)
		kinds := w.journal.kinds(owner.String())
		require.Equal(t, []capacity.EntryKind{capacity.Intended, capacity.Bought}, kinds[len(kinds)-2:])
	})
}

// A run that is stopped within an attempt says that it is open.
func TestStoppedWithinAnAttempt(t *testing.T) {
	c, j := newCloud(t), newMemory()
	c.lag = 5 * time.Minute
	ctx, stop := context.WithCancel(t.Context())
	c.sent = func() fate { stop(); return fate{true, ctx.Err()} }
	_, err := buyer(c, j).Buy(ctx, purchase(t, c))
	require.ErrorIs(t, err, capacity.ErrUnsettled)
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, strings.Contains(err.Error(), "attempt 00000001 of train/prod/block"), err)
	c.sent = nil
	r, err := buyer(c, j).Buy(t.Context(), purchase(t, c))
	require.NoError(t, err)
	require.NotEmpty(t, r.Reservation.Reservation)
	require.Equal(t, 1, c.purchases)

	// Before the attempt nothing is left open.
	c, j = newCloud(t), newMemory()
	ctx, stop = context.WithCancel(t.Context())
	j.step = func(action string) {
		if action == "journal:appended" {
			stop()
		}
	}
	_, err = buyer(c, j).Buy(ctx, purchase(t, c))
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, errors.Is(err, capacity.ErrUnsettled))
	require.Equal(t, []capacity.EntryKind{capacity.Intended, capacity.Abandoned}, j.kinds(owner.String()))
	require.Zero(t, c.purchases)
}

// until lets an actor go on to a step, from where others may overtake it.
func (w *world) until(t *testing.T, a *actor, action string) {
	t.Helper()
	reached := false
	step := func(at string) {
		reached = at == action
		w.stage.step(at)
	}
	w.watch(step)
	for !reached {
		require.True(t, w.stage.advance(a, false), "it ended before %s", action)
	}
}

func (w *world) through(a *actor) {
	for w.stage.advance(a, false) {
		continue
	}
}

// A process sleeps at the worst places, and a person writes its attempt off meanwhile.
func TestSleeper(t *testing.T) {
	base := newCloud(t)
	p := purchase(t, base)
	always := func(p capacity.Purchase) func() capacity.Purchase { return func() capacity.Purchase { return p } }
	resumed := p
	resumed.Resume = "00000001"
	t.Run("between the journal and the call", func(t *testing.T) {
		w := newWorld(base, 0, 10*time.Minute)
		sleeper := w.stage.start(w.buyer(), always(p))
		w.until(t, sleeper, "journal:appended")
		w.clock.move(3 * time.Hour)
		other := w.stage.start(w.buyer(), always(resumed))
		w.through(other)
		require.True(t, other.result.Bought)
		w.through(sleeper)
		require.Equal(t, 1, w.purchases, "the sleeper asks for nothing any more")
		require.Contains(t, sleeper.result.Findings[0].Got, "was given up before anything was asked for")
	})
	t.Run("with the request under way", func(t *testing.T) {
		w := newWorld(base, 0, 10*time.Minute)
		sleeper := w.stage.start(w.buyer(), always(p))
		w.until(t, sleeper, "ec2:PurchaseCapacityBlock")
		w.clock.move(14 * time.Minute) // EC2 has shown all that it can show of what was made in time
		early := w.stage.start(w.buyer(), always(resumed))
		w.through(early)
		require.True(t, early.result.Findings.Failed(), "too early to write it off")
		w.through(sleeper)
		require.True(t, sleeper.result.Bought)
		w.clock.move(15 * time.Minute)
		late := w.stage.start(w.buyer(), always(resumed))
		w.through(late)
		require.Equal(t, 1, w.purchases)
		require.Equal(t, sleeper.result.Reservation.Reservation, late.result.Reservation.Reservation)
	})
	t.Run("with the request under way for too long", func(t *testing.T) {
		w := newWorld(base, 0, 10*time.Minute)
		sleeper := w.stage.start(w.buyer(), always(p))
		w.until(t, sleeper, "ec2:PurchaseCapacityBlock")
		w.clock.move(3 * time.Hour)
		other := w.stage.start(w.buyer(), always(resumed))
		w.through(other)
		w.through(sleeper)
		require.Equal(t, 1, w.purchases, "EC2 refuses a signature of three hours ago")
	})
}

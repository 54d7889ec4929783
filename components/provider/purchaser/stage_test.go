package purchaser_test

import (
	"context"
	"slices"

	"pgregory.net/rapid"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/cloud"
)

// kept is what Pulumi's state has of the resource; nil: nothing.
type kept struct {
	id              resource.ID
	inputs, outputs property.Map
}

// killed is what a killed process does not survive.
type killed struct{}

// run is one update, as a process of its own that goes one step at a time: from one call of AWS to the next.
type run struct {
	turn    chan bool // true: it is killed where it stands
	yielded chan struct{}
	ended   chan struct{}
	stop    context.CancelFunc
	steps   int

	state  *kept // at the begin, and what the engine would save at the end
	err    error
	killed bool
}

// stage runs updates one step at a time, so that every order of their steps can happen, and each can be had again.
type stage struct{ current *run }

func (s *stage) step(string) {
	r := s.current
	r.yielded <- struct{}{}
	if <-r.turn {
		panic(killed{})
	}
}

// start begins an update of a stack whose state is given.
func (s *stage) start(c *cloud.Cloud, state *kept, in property.Map, preview bool) *run {
	ctx, stop := context.WithCancel(context.Background())
	r := &run{turn: make(chan bool), yielded: make(chan struct{}), ended: make(chan struct{}), stop: stop, state: state}
	go func() {
		defer close(r.ended)
		defer func() {
			if cause := recover(); cause != nil {
				if _, r.killed = cause.(killed); !r.killed {
					panic(cause)
				}
			}
		}()
		<-r.turn
		r.up(ctx, c, in, preview)
	}()
	return r
}

// up calls the resource as the engine does.
func (r *run) up(ctx context.Context, c *cloud.Cloud, in property.Map, preview bool) {
	p := serving(c, &screen{})
	if r.state == nil {
		out, err := p.Create(ctx, plugin.CreateRequest{URN: urn, Properties: in, Preview: preview})
		if r.err = err; err == nil && !preview {
			r.state = &kept{out.ID, in, out.Properties}
		}
		return
	}
	old := *r.state
	d, err := p.Diff(ctx, plugin.DiffRequest{URN: urn, ID: old.id, OldInputs: old.inputs, OldOutputs: old.outputs, NewInputs: in})
	if r.err = err; err != nil || preview || d.Changes == plugin.DiffNone {
		return
	}
	out, err := p.Update(ctx, plugin.UpdateRequest{URN: urn, ID: old.id, OldInputs: old.inputs, OldOutputs: old.outputs, NewInputs: in})
	if r.err = err; err == nil {
		r.state = &kept{old.id, in, out.Properties}
	}
}

// advance lets an update go to its next step. False: it has ended.
func (s *stage) advance(r *run, kill bool) bool {
	s.current = r
	r.steps++
	r.turn <- kill
	select {
	case <-r.yielded:
		return true
	case <-r.ended:
		r.stop()
		return false
	}
}

// ordeal is what happens to updates that run at once.
type ordeal struct {
	killAt, stopAt []int // step of each update; 0: never
	unsaved        []bool
	preview        []bool
	faults         bool
}

func drawOrdeal(t *rapid.T) ordeal {
	o := ordeal{faults: rapid.Bool().Draw(t, "faults")}
	never := rapid.Just(0)
	for range rapid.SampledFrom([]int{1, 1, 2, 2, 3}).Draw(t, "updates at once") {
		o.killAt = append(o.killAt, rapid.OneOf(never, rapid.IntRange(1, 60)).Draw(t, "killed at"))
		o.stopAt = append(o.stopAt, rapid.OneOf(never, never, rapid.IntRange(1, 60)).Draw(t, "stopped at"))
		o.unsaved = append(o.unsaved, rapid.IntRange(0, 3).Draw(t, "engine killed before it saves") == 0)
		o.preview = append(o.preview, rapid.IntRange(0, 5).Draw(t, "a preview") == 0)
	}
	return o
}

// play runs the updates of an ordeal to their ends, in an order that is drawn. All begin with the same state.
func (s *stage) play(t *rapid.T, c *cloud.Cloud, o ordeal, state *kept, in property.Map) []*run {
	c.Step, c.Clock.Hook = s.step, func() { s.step("wait") }
	defer func() { c.Step, c.Clock.Hook = nil, nil }()
	var all []*run
	for i := range o.killAt {
		all = append(all, s.start(c, state, in, o.preview[i]))
	}
	for alive := slices.Clone(all); len(alive) > 0; {
		r := alive[0]
		if len(alive) > 1 {
			r = alive[rapid.IntRange(0, len(alive)-1).Draw(t, "who")]
		}
		at := slices.Index(all, r)
		if r.steps+1 == o.stopAt[at] {
			r.stop()
		}
		if !s.advance(r, r.steps > 0 && r.steps+1 == o.killAt[at]) {
			alive = slices.DeleteFunc(alive, func(other *run) bool { return other == r })
		}
	}
	return all
}

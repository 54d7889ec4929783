package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/engine"
	"github.com/weft-hpc/weft/offline/slurm"
	"github.com/weft-hpc/weft/offline/slurm/replay"
)

// The examples whose validation waits, and fails.
const (
	waiting = "p6-b300-most-bandwidth"
	failing = "p4d-on-demand"
)

// blockToCome deploys an example whose block starts in a week. Its validation waits in Slurm's queue, and the next up after the
// start picks the result up.
func (d *demo) blockToCome(ctx context.Context) error {
	return d.besides(ctx, waiting, func(e *example) error {
		block := &e.world.Reservations[0]
		start := block.Start.Add(7 * 24 * time.Hour)
		e.world.Reservations = []account.Reservation{*block}
		block = &e.world.Reservations[0]
		block.State, block.Start, block.End = "scheduled", start, start.Add(block.End.Sub(block.Start))
		held := "pcluster-" + block.ID // so ParallelCluster holds back the nodes of a block that has not started
		if err := errors.Join(e.lab.Reserve(ctx, held, e.lab.Nodes()), e.account.Load(ctx, e.world)); err != nil {
			return err
		}
		e.say("  %s", reservation(*block))
		if err := e.run(ctx, 0, "the validation waits until "+start.Format(time.RFC3339)); err != nil {
			return err
		}
		block.State = "active"
		if err := errors.Join(e.lab.Release(ctx, held), e.account.Load(ctx, e.world)); err != nil {
			return err
		}
		e.say("\n  SIMULATED: the block starts, and Slurm begins with what is in its queue")
		if err := e.run(ctx, 0, "validated"); err != nil {
			return err
		}
		return e.proved(ctx, "passed")
	})
}

// nodeOnSockets deploys an example one of whose nodes has no EFA device. Each up validates, fails and leaves the cluster as it is,
// until the node is mended.
func (d *demo) nodeOnSockets(ctx context.Context) error {
	return d.besides(ctx, failing, func(e *example) error {
		queue := slurm.Of(e.plan)[0]
		broken, good := queue.Nodes[2], queue.Scenario
		bad := good
		bad.Faults = []replay.Fault{{Kind: replay.NoDevices, Nodes: []string{broken}}}
		if err := e.lab.SetScenario(queue.Name, bad); err != nil {
			return err
		}
		e.say("  SIMULATED: %s has no EFA device, so NCCL would go over sockets", broken)
		for range 2 {
			if err := e.run(ctx, 1, "the validation failed", broken); err != nil {
				return err
			}
			if err := e.stands(ctx); err != nil {
				return err
			}
		}
		if err := e.lab.SetScenario(queue.Name, good); err != nil {
			return err
		}
		e.say("\n  SIMULATED: %s is mended", broken)
		if err := e.run(ctx, 0, "validated"); err != nil {
			return err
		}
		return e.proved(ctx, "passed")
	})
}

// besides takes another example through a part of the demo and destroys it again.
func (d *demo) besides(ctx context.Context, name string, part func(*example) error) (err error) {
	if d.replay == "" {
		d.say("  NOT SHOWN: there is no Slurm here")
		return nil
	}
	e, err := d.kit.example(name)
	if err != nil {
		return err
	}
	// The main example's account comes back at the end.
	defer func() { err = errors.Join(err, e.stopLab(ctx), d.account.Load(context.WithoutCancel(ctx), d.world)) }()
	e.say("examples/%s: %d nodes\n", name, nodes(slurm.Of(e.plan)))
	if err := e.startLab(ctx); err != nil {
		return err
	}
	if err := e.open(ctx, nil); err != nil {
		return err
	}
	if err := part(e); err != nil {
		return err
	}
	destroyed, err := e.pulumi.Destroy(ctx, "--suppress-outputs")
	return e.want(0, " deleted")(destroyed, err)
}

// run runs pulumi up, and shows of it what the validation said and how it ended.
func (e *example) run(ctx context.Context, code int, texts ...string) error {
	e.say("\n  $ pulumi up")
	r, err := e.pulumi.Up(ctx, "--suppress-outputs")
	if err != nil {
		return err
	}
	e.say("%s\n    exit code %d", indented(diagnostics(r)), r.ExitCode)
	for _, text := range texts {
		if err := e.want(code, text)(r, nil); err != nil {
			return err
		}
	}
	return e.reported(r)
}

// reported keeps the report that a failed validation names.
func (e *example) reported(r engine.Result) error {
	_, rest, found := strings.Cut(r.Output, "report   ")
	if r.ExitCode == 0 || !found {
		return nil
	}
	path, _, _ := strings.Cut(rest, "\n")
	return e.keep(strings.TrimSpace(path), "failed")
}

// stands requires that a failed validation has left the cluster alone and out of it nothing but itself.
func (e *example) stands(ctx context.Context) error {
	state, err := e.pulumi.Export(ctx)
	if err != nil {
		return err
	}
	kept := 0
	for _, r := range state.Resources {
		if r.Type == "weft:index:Validation" {
			return errors.New("a failed validation is in the state")
		}
		if strings.HasPrefix(r.Type, "aws:") {
			kept++
		}
	}
	if kept == 0 {
		return errors.New("the cluster is gone")
	}
	e.say("    the cluster stays: %d resources", kept)
	return nil
}

// diagnostics are the lines of an operation that say what it found and how it ended.
func diagnostics(r engine.Result) []string {
	lines := r.Lines()
	if i := slices.Index(lines, "Diagnostics:"); i >= 0 {
		lines = lines[i+1:]
	}
	return slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
}

func indented(lines []string) string {
	var out bytes.Buffer
	for _, l := range lines {
		fmt.Fprintf(&out, "    %s\n", l)
	}
	return strings.TrimRight(out.String(), "\n")
}

// Package demo runs the main job on this machine, without an AWS account: the real Pulumi engine deploys an example
// on a simulated account, the real ParallelCluster judges what came out, and the validation order runs on a real Slurm
// whose nodes are simulated.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// Options of a run.
type Options struct {
	// Example is the name of a folder below examples/.
	Example string
	// Keep leaves the workspace behind and says where it is.
	Keep bool
	// Out gets what the demo shows; Progress what it waits for.
	Out      io.Writer
	Progress toolchain.Progress
	// Bold makes headlines stand out on a terminal.
	Bold bool
}

// kit is what all parts of a run use.
type kit struct {
	Options
	chain   *toolchain.Chain
	dir     string            // the workspace
	tools   map[string]string // paths by name
	account *account.Account
	// replay is the program that stands in for what runs on GPU nodes; empty: there is no Slurm, and nothing is validated.
	replay  string
	reports []string
}

// demo is one run.
type demo struct {
	*example
	times []timing
}

type timing struct {
	title string
	took  time.Duration
}

// step is one part of the demo. An error ends it: something was not as it must be.
type step struct {
	title string
	run   func(context.Context) error
}

func (d *demo) steps() []step {
	return []step{
		{"The tools: made once, then cached", d.makeTools},
		{"The plan: what one file decides", d.showPlan},
		{"An AWS account on this machine", d.startAccount},
		{"A Slurm cluster on this machine", d.startSlurm},
		{"pulumi up: the real engine, the real program", d.up},
		{"What exists now", d.showResources},
		{"The real ParallelCluster judges the config", d.judge},
		{"A second up: nothing to do", d.upAgain},
		{"A mistake: refused at preview, before anything is paid", d.mistake},
		{"Another mistake: an image of an older ParallelCluster", d.oldImage},
		{"A block that has not started: the validation waits", d.blockToCome},
		{"A node without EFA: pulumi up fails until it is mended", d.nodeOnSockets},
		{"pulumi destroy", d.destroy},
	}
}

// Run runs the demo from a folder in the checkout.
func Run(ctx context.Context, folder string, o Options) (err error) {
	chain, err := toolchain.New(folder, o.Progress)
	if err != nil {
		return err
	}
	main, err := (&kit{Options: o, chain: chain}).example(o.Example)
	if err != nil {
		return err
	}
	d := &demo{example: main}
	if d.dir, err = os.MkdirTemp("", "weft-demo-"); err != nil {
		return fmt.Errorf("making a workspace: %w", err)
	}
	defer func() { err = errors.Join(err, d.close(ctx)) }()
	steps := d.steps()
	for i, s := range steps {
		d.headline(fmt.Sprintf("%d/%d  %s", i+1, len(steps), s.title))
		begun := time.Now()
		if err := s.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
		d.times = append(d.times, timing{s.title, time.Since(begun)})
	}
	d.summary()
	return nil
}

func (d *demo) close(ctx context.Context) error {
	errs := []error{d.stopLab(ctx)}
	if d.account != nil {
		errs = append(errs, d.account.Close())
	}
	if d.Keep {
		d.say("the workspace stays in %s", d.dir)
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, os.RemoveAll(d.dir))...)
}

func (d *demo) headline(text string) {
	if d.Bold {
		text = "\x1b[1m" + text + "\x1b[0m"
	}
	d.say("\n%s\n", text)
}

func (k *kit) say(format string, args ...any) {
	_, _ = fmt.Fprintf(k.Out, format+"\n", args...) // nobody to tell if even this can't be shown
}

func (d *demo) summary() {
	d.headline("All of it went as it must")
	total := time.Duration(0)
	for _, t := range d.times {
		d.say("  %6.1f s  %s", t.took.Seconds(), t.title)
		total += t.took
	}
	d.say("  %6.1f s  in all", total.Seconds())
	if len(d.reports) > 0 {
		d.say("\n  reports of the validations, for a browser:")
	}
	for _, r := range d.reports {
		d.say("    %s", r)
	}
}

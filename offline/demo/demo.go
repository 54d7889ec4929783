// Package demo runs the main job on this machine, without an AWS account: the real Pulumi engine deploys an example
// on a simulated account, and the real ParallelCluster judges what came out.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/engine"
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

// demo is one run.
type demo struct {
	Options
	chain   *toolchain.Chain
	dir     string // the workspace
	plan    plan.Cluster
	tools   map[string]string // paths by name
	account *account.Account
	world   account.World // what is in the account besides what Pulumi made
	pulumi  *engine.Workspace
	times   []timing
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
		{"pulumi up: the real engine, the real program", d.up},
		{"What exists now", d.showResources},
		{"The real ParallelCluster judges the config", d.judge},
		{"A second up: nothing to do", d.upAgain},
		{"A mistake: refused at preview, before anything is paid", d.mistake},
		{"Another mistake: an image of an older ParallelCluster", d.oldImage},
		{"pulumi destroy", d.destroy},
	}
}

// Run runs the demo from a folder in the checkout.
func Run(ctx context.Context, folder string, o Options) (err error) {
	chain, err := toolchain.New(folder, o.Progress)
	if err != nil {
		return err
	}
	d := &demo{Options: o, chain: chain}
	if err := d.readExample(); err != nil {
		return err
	}
	if d.dir, err = os.MkdirTemp("", "weft-demo-"); err != nil {
		return fmt.Errorf("making a workspace: %w", err)
	}
	defer func() { err = errors.Join(err, d.close()) }()
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

// readExample plans the example, so that a mistake in it ends the demo before anything is made.
func (d *demo) readExample() error {
	file := filepath.Join(d.folder(), "cluster.yaml")
	data, err := os.ReadFile(file) //nolint:gosec // an example of the checkout
	if err != nil {
		return fmt.Errorf("reading the example: %w; there are %s", err, strings.Join(d.examples(), ", "))
	}
	doc, found := config.Decode(file, data)
	p, planned := plan.New(doc.Cluster)
	d.plan = p
	if found.Failed() || planned.Failed() {
		return fmt.Errorf("%s has findings at error level: weft plan shows them", file)
	}
	return nil
}

func (d *demo) folder() string { return filepath.Join(d.chain.Checkout, "examples", d.Example) }

func (d *demo) examples() []string {
	files, _ := filepath.Glob(filepath.Join(d.chain.Checkout, "examples", "*", "cluster.yaml"))
	var out []string
	for _, f := range files {
		out = append(out, filepath.Base(filepath.Dir(f)))
	}
	return out
}

func (d *demo) close() error {
	var errs []error
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

func (d *demo) say(format string, args ...any) {
	_, _ = fmt.Fprintf(d.Out, format+"\n", args...) // nobody to tell if even this can't be shown
}

func (d *demo) summary() {
	d.headline("All of it went as it must")
	total := time.Duration(0)
	for _, t := range d.times {
		d.say("  %6.1f s  %s", t.took.Seconds(), t.title)
		total += t.took
	}
	d.say("  %6.1f s  in all", total.Seconds())
}

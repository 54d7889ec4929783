package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan/show"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/engine"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/mirror"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// makeTools makes what the demo runs: minutes on a fresh machine, a second afterwards.
func (d *demo) makeTools(ctx context.Context) error {
	parallelCluster, err := judge.Environment(d.plan.ParallelCluster)
	if err != nil {
		return fmt.Errorf("%w; the demo runs examples of ParallelCluster %s", err, strings.Join(judge.Versions(), ", "))
	}
	known, err := toolchain.Known(ctx, d.chain.Checkout)
	if err != nil {
		return err
	}
	d.tools = map[string]string{}
	var rows []show.Row
	for _, t := range known {
		needed := []string{toolchain.Pulumi, toolchain.Language, toolchain.AWS, toolchain.Schema, toolchain.Weft, account.Environment().Name, parallelCluster.Name}
		if !slices.Contains(needed, t.Name) {
			continue
		}
		path, err := d.chain.Make(ctx, t)
		if err != nil {
			return err
		}
		d.tools[t.Name] = path
		rows = append(rows, show.Row{t.Name, t.Version, t.Doc})
	}
	return show.Table(d.Out, "  ", show.Row{"tool", "version", "what it is"}, rows...)
}

func (d *demo) showPlan(context.Context) error {
	d.say("examples/%s/cluster.yaml\n", d.Example)
	return show.Text(d.Out, d.plan)
}

// startAccount starts an account that holds what the config names: the block, buckets, images, quotas.
func (d *demo) startAccount(ctx context.Context) error {
	var err error
	if d.account, err = account.Start(ctx); err != nil {
		return err
	}
	for _, r := range d.world.Reservations {
		d.say("  %s", reservation(r))
	}
	d.say("  preflight and ParallelCluster read it through the AWS SDKs at %s", d.account.Endpoint())
	return d.account.Load(ctx, d.world)
}

func reservation(r account.Reservation) string {
	return fmt.Sprintf("%s: %d × %s in %s, %s, %s to %s", r.ID, r.Count, r.Type, r.Zone, r.State, day(r.Start), day(r.End))
}

func day(t time.Time) string {
	if t.IsZero() {
		return "open end"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// up deploys the example's own project, from a copy: Pulumi writes into a project's folder.
func (d *demo) up(ctx context.Context) error {
	if err := d.open(ctx, &quiet{out: d.Out}); err != nil {
		return err
	}
	if err := d.want(0, " created")(d.pulumi.Up(ctx, "--suppress-outputs")); err != nil || d.lab == nil {
		return err
	}
	return d.proved(ctx, "passed")
}

// want requires how a command of Pulumi ends and what it says.
func (e *example) want(code int, text string) func(engine.Result, error) error {
	return func(r engine.Result, err error) error {
		switch {
		case err != nil:
			return err
		case r.ExitCode != code:
			return fmt.Errorf("pulumi ended with exit code %d, want %d", r.ExitCode, code)
		case !strings.Contains(r.Output, text):
			return fmt.Errorf("pulumi did not say %q", text)
		}
		return nil
	}
}

func (d *demo) showResources(ctx context.Context) error {
	state, err := d.pulumi.Export(ctx)
	if err != nil {
		return err
	}
	var rows []show.Row
	for _, r := range state.Resources {
		if strings.HasPrefix(r.Type, "aws:") {
			rows = append(rows, show.Row{r.Type[strings.LastIndex(r.Type, ":")+1:], r.URN[strings.LastIndex(r.URN, "::")+2:], r.ID})
		}
	}
	if err := show.Table(d.Out, "  ", show.Row{"resource", "name", "id"}, rows...); err != nil {
		return err
	}
	if err := d.showBoot(); err != nil {
		return err
	}
	outputs, err := d.pulumi.Outputs(ctx)
	if err != nil {
		return err
	}
	d.say("\n  head node %v, %v", outputs["headNode"], outputs["status"])
	d.say("  connect   %v", outputs["connect"])
	return nil
}

// judge asks the real ParallelCluster, against an account that holds exactly what Pulumi has made.
func (d *demo) judge(ctx context.Context) error {
	made, err := d.pulumi.World().View()
	if err != nil {
		return err
	}
	world := d.world
	if err := mirror.Add(&world, made); err != nil {
		return err
	}
	if err := d.account.Load(ctx, world); err != nil {
		return err
	}
	outputs, err := d.pulumi.Outputs(ctx)
	if err != nil {
		return err
	}
	text, ok := outputs["parallelClusterConfig"].(string)
	if !ok {
		return errors.New("the stack has no output parallelClusterConfig")
	}
	d.say("%s", text)
	return d.ask(ctx, text)
}

func (d *demo) ask(ctx context.Context, text string) (err error) {
	j, err := judge.New(ctx, d.plan.ParallelCluster, d.account)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	verdict, err := j.Create(ctx, d.plan.Name, text)
	if err != nil {
		return err
	}
	d.say("  pcluster %s create-cluster --dryrun true", d.plan.ParallelCluster)
	d.say("  %s", verdict.Message)
	for _, f := range verdict.Findings {
		d.say("  %s %s: %s", f.Level, f.Type, f.Message)
	}
	if !verdict.Accepted {
		return errors.New("ParallelCluster refuses the config")
	}
	return nil
}

func (d *demo) upAgain(ctx context.Context) error {
	return d.want(0, " unchanged")(d.pulumi.Up(ctx, "--suppress-outputs", "--expect-no-changes"))
}

// mistake makes the first reservation one of another type, as an id copied from the wrong block would be, and
// previews.
func (d *demo) mistake(ctx context.Context) error {
	if len(d.world.Reservations) == 0 {
		d.say("  the example has no reservation that could be wrong")
		return nil
	}
	world := d.world
	world.Reservations = slices.Clone(world.Reservations)
	r := &world.Reservations[0]
	r.Type = "p4d.24xlarge"
	if err := d.account.Load(ctx, world); err != nil {
		return err
	}
	d.say("  the reservation turns out to be for %s\n", r.Type)
	err := d.want(1, string(diag.BlockType))(d.pulumi.Preview(ctx))
	return errors.Join(err, d.account.Load(ctx, d.world))
}

func (e *example) destroy(ctx context.Context) error {
	if err := e.want(0, " deleted")(e.pulumi.Destroy(ctx, "--suppress-outputs")); err != nil {
		return err
	}
	left, err := e.pulumi.World().View()
	if err != nil {
		return err
	}
	if left.Len() > 0 {
		return fmt.Errorf("%d resources are left in the account", left.Len())
	}
	e.say("  nothing is left in the account")
	return e.stopLab(ctx)
}

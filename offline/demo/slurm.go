package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/slurm"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// mostNodes is how many nodes the demo's Slurm cluster may have: each is a daemon, each rank a process.
const mostNodes = 8

// startSlurm starts the cluster that stands behind the example's head node.
func (d *demo) startSlurm(ctx context.Context) error {
	if err := d.makeSlurm(ctx); err != nil || d.replay == "" {
		return err
	}
	if n := nodes(slurm.Of(d.plan)); n > mostNodes {
		d.say("  the example has %d nodes, more than the %d that are run here: it is deployed without validation; smaller examples follow", n, mostNodes)
		return nil
	}
	if err := d.startLab(ctx); err != nil {
		return err
	}
	d.say("  real: Slurm's controller and %d node daemons, sbatch and srun, the plugin's way to the head node through Systems Manager's API", len(d.lab.Nodes()))
	d.say("  SIMULATED: the nodes' %d CPUs and %d GPUs; nccl-tests and training print what a model of the network says", slurm.Of(d.plan)[0].CPUs, slurm.Of(d.plan)[0].GPUs)
	d.say("\n  cluster.yaml gets %s: latency is left out, since this machine's is not that of EFA", validated)
	return nil
}

func nodes(queues []slurm.Queue) int {
	n := 0
	for _, q := range queues {
		n += len(q.Nodes)
	}
	return n
}

// makeSlurm sees to it that Slurm is there. Where it can't be, it says what is not shown; CI takes that for a failure.
func (k *kit) makeSlurm(ctx context.Context) error {
	lack := slurm.Missing()
	if len(lack) > 0 && slurm.Installable() {
		task := k.Progress.Begin(toolchain.Tool{
			Name: "slurm", Version: "of the system", Doc: "apt-get install " + strings.Join(slurm.Packages(), " "), Usual: time.Minute,
		})
		err := slurm.Install(ctx, task.Say)
		task.End(err)
		if lack = slurm.Missing(); err != nil {
			k.say("  %v", err)
		}
	}
	switch {
	case len(lack) == 0:
		var err error
		k.replay, err = slurm.Build(ctx, k.dir)
		return err
	case os.Getenv("CI") == "true":
		return fmt.Errorf("not installed: %s", strings.Join(lack, ", "))
	}
	k.say("  NOT SHOWN: the validation order at the end of pulumi up. It needs Slurm, and this machine lacks %s.", strings.Join(lack, ", "))
	k.say("  As root on Debian or Ubuntu the demo installs it by itself; else: apt-get install %s", strings.Join(slurm.Packages(), " "))
	return nil
}

// startLab starts a Slurm cluster of the example's nodes, and leads the head node's instance to it.
func (e *example) startLab(ctx context.Context) error {
	var err error
	e.lab, err = slurm.Start(ctx, slurm.Options{Queues: slurm.Of(e.plan), Replay: e.replay, DeadAfter: time.Minute})
	if err != nil {
		return err
	}
	e.world.Agents = map[string]account.Agent{account.HeadNodeID(e.plan.Name): {Env: e.lab.Variables()}}
	return e.account.Load(ctx, e.world)
}

// stopLab ends the Slurm cluster, if there is one. What a cancelled run leaves is ended as well.
func (e *example) stopLab(ctx context.Context) error {
	if e.lab == nil {
		return nil
	}
	lab := e.lab
	e.lab = nil
	return lab.Stop(context.WithoutCancel(ctx))
}

// proved requires what the stack says of the validation, and keeps the report, which lies in the workspace.
func (e *example) proved(ctx context.Context, outcome string) error {
	outputs, err := e.pulumi.Outputs(ctx)
	if err != nil {
		return err
	}
	if outputs["validation"] != outcome {
		return fmt.Errorf("the stack's output validation is %v, want %s", outputs["validation"], outcome)
	}
	e.say("\n  output validation        %v", outputs["validation"])
	e.say("  output validationReport  %v", outputs["validationReport"])
	return e.keep(fmt.Sprint(outputs["validationReport"]), outcome)
}

// keep copies a report to where it outlives the workspace.
func (e *example) keep(report, outcome string) error {
	text, err := os.ReadFile(report) //nolint:gosec // a report of the demo's own
	if err != nil {
		return fmt.Errorf("reading the report: %w", err)
	}
	folder := filepath.Join(e.chain.Checkout, ".cache", "demo")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("making the folder of reports: %w", err)
	}
	file := filepath.Join(folder, e.plan.Name+"-"+outcome+filepath.Ext(report))
	if err := os.WriteFile(file, text, 0o600); err != nil { //nolint:gosec // a name from the plan
		return fmt.Errorf("keeping the report: %w", err)
	}
	if !slices.Contains(e.reports, file) {
		e.reports = append(e.reports, file)
	}
	return nil
}

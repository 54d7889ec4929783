// Command plugin is the plugin weft with a runner that a file tells what to say. The environment names two files:
//
//	RUNNER_SCRIPT  JSON: outcomes by name of the cluster; "hang" runs until it is interrupted
//	RUNNER_LOG     gets a line of JSON for each run, and one for each interruption
//
// Without them the runner is the real one, in a hurry and on a Slurm without MPI. Purchases are in a hurry as well: what
// EC2 may take minutes for, it may take seconds for.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sync"
	"time"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/components/provider"
	"github.com/weft-hpc/weft/components/provider/headnode"
	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/components/provider/validator"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/step"
)

func main() {
	var r validator.Runner = &runner{}
	if os.Getenv("RUNNER_SCRIPT") == "" {
		r = &headnode.Runner{Version: provider.Version, Poll: 200 * time.Millisecond, Options: step.Options{MPI: "none"}}
	}
	if err := provider.Main(context.Background(), provider.Options{Runner: r, Purchases: purchaser.Options{Timing: hurry}}); err != nil {
		log.Fatal(err)
	}
}

var hurry = capacity.Timing{
	Lag: 3 * time.Second, Window: 3 * time.Second, Answer: 2 * time.Second, Late: time.Second, Fresh: 200 * time.Millisecond, Poll: 200 * time.Millisecond,
}

// Entry is a line of the log.
type entry struct {
	Cluster, Key, Drop, Head string
	Steps                    []string
	Interrupted              bool
}

type runner struct{ mu sync.Mutex }

func (r *runner) Run(ctx context.Context, q validator.Request, say func(string)) (validator.Report, error) {
	e := entry{Cluster: q.Plan.Name, Key: q.Key, Drop: q.Drop, Head: q.Head.InstanceID, Steps: q.Plan.Steps}
	if err := r.write(e); err != nil {
		return validator.Report{}, err
	}
	outcome, err := scripted(q.Plan.Name)
	if err != nil {
		return validator.Report{}, err
	}
	say("step host: job 17 runs on " + q.Plan.Name)
	if outcome == "hang" {
		<-ctx.Done()
		e.Interrupted = true
		if err := r.write(e); err != nil {
			return validator.Report{}, err
		}
		return validator.Report{}, ctx.Err()
	}
	return report(q, outcome), nil
}

func (r *runner) write(e entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.OpenFile(os.Getenv("RUNNER_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(e)
}

func scripted(cluster string) (result.Outcome, error) {
	text, err := os.ReadFile(os.Getenv("RUNNER_SCRIPT"))
	if err != nil {
		return "", err
	}
	var script map[string]result.Outcome
	if err := json.Unmarshal(text, &script); err != nil {
		return "", err
	}
	outcome, ok := script[cluster]
	if !ok {
		return "", fmt.Errorf("the script has no cluster %s", cluster)
	}
	return outcome, nil
}

func report(q validator.Request, outcome result.Outcome) validator.Report {
	out := validator.Report{Path: "reports/index.html", Run: result.Run{
		Cluster: q.Plan.Name, ID: "run-of-" + q.Plan.Name, Outcome: outcome,
		Steps: []result.Step{{Name: plan.StepHost, Group: "train", Outcome: outcome, Why: "as the script says"}},
	}}
	switch outcome {
	case result.Failed:
		out.Cause = &diag.Finding{
			Rule: diag.NetSocket, Level: diag.Error, Place: diag.Place{Resource: "train-3"}, Got: "NET/Socket on 8 channels",
			Want: "NET/Libfabric with GDRDMA", Hint: "set NCCL_NET=Libfabric and FI_PROVIDER=efa",
		}
	case result.Waiting:
		out.Until = time.Date(2026, 12, 24, 11, 30, 0, 0, time.UTC)
	}
	return out
}

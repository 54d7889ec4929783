package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/slurm"
	"github.com/weft-hpc/weft/offline/slurm/replay"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// From the stack to the proof: the plugin as users have it reaches the head node through Systems Manager, where a real Slurm
// runs the order.
func TestUpEndsWithTheProof(t *testing.T) {
	slurm.Need(t)
	ctx := t.Context()
	c := open(t, "p6-b300-most-bandwidth", "validation: {steps: [host]}", toolchain.Need(t, toolchain.Weft))
	lab := c.behindHead()
	queue := slurm.Of(c.plan)[0]
	broken := queue.Scenario
	broken.Faults = []replay.Fault{{Kind: replay.NoDevices, Nodes: queue.Nodes[1:]}}

	block := &c.world.Reservations[0]
	held := "pcluster-" + block.ID
	block.State, block.Start = "scheduled", block.Start.Add(7*24*time.Hour)
	require.NoError(t, lab.Reserve(ctx, held, queue.Nodes))
	c.load()
	c.ended(0, "the validation waits until "+block.Start.Format(time.RFC3339), "created")(c.Up(ctx))
	require.Equal(t, "waiting", c.output("validation"))
	c.ended(0, "~ 1 updated")(c.Up(ctx))

	require.NoError(t, lab.SetScenario(queue.Name, broken))
	require.NoError(t, lab.Release(ctx, held))
	block.State = "active"
	c.load()
	for range 2 {
		c.ended(1, "the validation failed: ingest", "mend this first", "net/provider", queue.Nodes[1], "report   ")(c.Up(ctx))
		require.Equal(t, "waiting", c.output("validation"), "the state is the one before")
		require.Len(t, c.made().IDs(stackType), 2, "the cluster stays")
	}

	require.NoError(t, lab.SetScenario(queue.Name, queue.Scenario))
	c.ended(0, "validated: ingest", "EFA proved on 2 nodes", "~ 1 updated")(c.Up(ctx))
	require.Equal(t, "passed", c.output("validation"))
	report, ok := c.output("validationReport").(string)
	require.True(t, ok)
	require.FileExists(t, report)
	require.True(t, strings.HasPrefix(report, c.Project()), "reports lie beside Pulumi.yaml: %s", report)
	c.ended(0, "unchanged")(c.Up(ctx, "--expect-no-changes"))

	c.ended(0, "the report stays in "+report, "deleted")(c.Destroy(ctx))
	require.Zero(t, c.made().Len())
}

// behindHead starts the cluster's Slurm and leads the head node's instance to it.
func (c *cluster) behindHead() *slurm.Lab {
	c.t.Helper()
	stand, err := slurm.Build(c.t.Context(), c.t.TempDir())
	require.NoError(c.t, err)
	lab, err := slurm.Start(c.t.Context(), slurm.Options{Queues: slurm.Of(c.plan), Replay: stand, DeadAfter: time.Minute})
	require.NoError(c.t, err)
	c.t.Cleanup(func() { require.NoError(c.t, lab.Stop(context.WithoutCancel(c.t.Context()))) })
	c.world.Agents = map[string]account.Agent{account.HeadNodeID(c.plan.Name): {Env: lab.Variables()}}
	return lab
}

func (c *cluster) output(name string) any {
	c.t.Helper()
	outputs, err := c.Outputs(c.t.Context())
	require.NoError(c.t, err)
	return outputs[name]
}

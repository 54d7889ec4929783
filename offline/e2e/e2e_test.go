// Package e2e_test runs whole clusters through Pulumi's real CLI: the program of infra as it is built for users, the
// stand-in as the AWS provider's plugin, and the emulated account for preflight. Many cases run in infra's own tests,
// inside the process; here are the few that are about the CLI: state on disk, locks, kills.
package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/engine"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
	"github.com/weft-hpc/weft/offline/mirror"
	"github.com/weft-hpc/weft/offline/standin"
	"github.com/weft-hpc/weft/offline/toolchain"
)

const (
	vpcType    = "aws:ec2/vpc:Vpc"
	subnetType = "aws:ec2/subnet:Subnet"
	egressType = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
	lustreType = "aws:fsx/lustreFileSystem:LustreFileSystem"
	stackType  = "aws:cloudformation/stack:Stack"
)

// cluster is an example in a workspace of its own.
type cluster struct {
	*engine.Workspace
	t        *testing.T
	file     string
	plan     plan.Cluster
	emulated *account.Account
	world    account.World // what is in the account besides what Pulumi makes
}

// deploying makes a workspace for an example that is not validated, and an account that has what it names.
func deploying(t *testing.T, example string) *cluster {
	t.Helper()
	return open(t, example, "validation: {enabled: false}", "")
}

// open makes a workspace for an example with one line more, for which Pulumi finds weft's plugin, if one is given.
func open(t *testing.T, example, line, plugin string) *cluster {
	t.Helper()
	tools := engine.Tools{
		Pulumi: toolchain.Need(t, toolchain.Pulumi), AWS: toolchain.Need(t, toolchain.AWS), Schema: toolchain.Need(t, toolchain.Schema), Weft: plugin,
	}
	toolchain.Need(t, toolchain.Language)
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", example, "cluster.yaml"))
	require.NoError(t, err)
	text = append(text, "\n"+line+"\n"...)

	c := &cluster{t: t, plan: planned(t, text), emulated: judgetest.Account(t)}
	c.world, err = mirror.For(c.plan, time.Now())
	require.NoError(t, err)
	c.load()

	dir := t.TempDir()
	c.Workspace, err = engine.New(t.Context(), filepath.Join(dir, "pulumi"), engine.Options{
		Tools: tools, Binary: program(t), Environment: c.emulated.Env(c.plan.Region), Data: faults(c.plan.Region, ""),
	})
	require.NoError(t, err)
	c.file = filepath.Join(dir, "cluster.yaml")
	c.write(string(text))
	require.NoError(t, c.Config(t.Context(), "weft:clusterFile", c.file))
	return c
}

// load puts the world into the account.
func (c *cluster) load() {
	c.t.Helper()
	require.NoError(c.t, c.emulated.Load(c.t.Context(), c.world))
}

func planned(t *testing.T, text []byte) plan.Cluster {
	t.Helper()
	doc, found := config.Decode("cluster.yaml", text)
	p, findings := plan.New(doc.Cluster)
	require.False(t, append(found, findings...).Failed(), "%v", append(found, findings...))
	return p
}

// program builds the program as Pulumi's language host does.
func program(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "infra")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-w -s", "-o", binary, "../../infra")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// faults is what the stand-in is told: the region, and a fault in YAML.
func faults(region, fault string) []byte {
	return []byte("region: " + region + "\n" + fault)
}

// write changes the cluster config.
func (c *cluster) write(text string) {
	c.t.Helper()
	require.NoError(c.t, os.WriteFile(c.file, []byte(text), 0o600))
}

// edit replaces texts of the cluster config.
func (c *cluster) edit(pairs ...string) {
	c.t.Helper()
	text, err := os.ReadFile(c.file)
	require.NoError(c.t, err)
	c.write(strings.NewReplacer(pairs...).Replace(string(text)))
}

// made is what exists.
func (c *cluster) made() *standin.World {
	c.t.Helper()
	w, err := c.World().View()
	require.NoError(c.t, err)
	return w
}

// drift changes a property of the first resource of a type behind Pulumi's back.
func (c *cluster) drift(typ, property string, value any) {
	c.t.Helper()
	require.NoError(c.t, c.World().Change(func(w *standin.World) error {
		return w.Drift(typ, w.IDs(typ)[0], property, value)
	}))
}

// ended requires that a command ended with a code and printed each of the texts.
func (c *cluster) ended(code int, texts ...string) func(engine.Result, error) {
	c.t.Helper()
	return func(r engine.Result, err error) {
		c.t.Helper()
		require.NoError(c.t, err)
		require.Equal(c.t, code, r.ExitCode, r.Output)
		for _, text := range texts {
			require.Contains(c.t, r.Output, text)
		}
	}
}

func TestLifeOfACluster(t *testing.T) {
	ctx, c := t.Context(), deploying(t, "p4d-on-demand")
	c.ended(0, "created")(c.Up(ctx))
	c.ended(0, "unchanged")(c.Up(ctx, "--expect-no-changes"))

	c.edit("count: 4", "count: 6", "storage:", "tags: {team: vision}\nstorage:")
	c.ended(0, "updated")(c.Up(ctx))
	stack, ok := c.made().Get(stackType, c.made().IDs(stackType)[0])
	require.True(t, ok)
	require.Equal(t, map[string]any{"team": "vision"}, map[string]any(stack.Inputs.Object("tags")))
	outputs, err := c.Outputs(ctx)
	require.NoError(t, err)
	require.Contains(t, outputs["parallelClusterConfig"], "MaxCount: 6")

	c.drift(egressType, "ipProtocol", "tcp")
	c.drift(subnetType, "tags", map[string]any{"Name": "mine"})
	c.ended(0, "~ 2 updated")(c.Refresh(ctx))
	c.ended(0, "~ 2 updated")(c.Up(ctx))
	c.ended(0, "unchanged")(c.Up(ctx, "--expect-no-changes"))
	rule, ok := c.made().Get(egressType, c.made().IDs(egressType)[0])
	require.True(t, ok)
	require.Equal(t, "-1", rule.Inputs.Text("ipProtocol"))

	c.ended(0, "deleted")(c.Destroy(ctx))
	require.Zero(t, c.made().Len())
}

func TestProtectedFileSystemStays(t *testing.T) {
	ctx, c := t.Context(), deploying(t, "p5en-capacity-block")
	c.ended(0, "created")(c.Up(ctx))
	fs := c.made().IDs(lustreType)
	require.Len(t, fs, 1)
	r, _ := c.made().Get(lustreType, fs[0])

	c.ended(0)(c.Run(ctx, "state", "protect", "--yes", r.URN))
	c.ended(1, "cannot be deleted")(c.Destroy(ctx))
	require.Equal(t, fs, c.made().IDs(lustreType))
	require.Len(t, c.made().IDs(vpcType), 1, "what a file system stands in stays with it")

	c.ended(0)(c.Run(ctx, "state", "unprotect", "--yes", r.URN))
	c.ended(0, "deleted")(c.Destroy(ctx))
	require.Zero(t, c.made().Len())
}

// A run that is killed goes on where it was, and makes nothing twice.
func TestKillAndResume(t *testing.T) {
	ctx, c := t.Context(), deploying(t, "p5en-capacity-block")
	require.NoError(t, c.SetData(faults("us-east-2", "faults: [{on: create, type: \""+lustreType+"\", delay: 1h}]\n")))
	up, err := c.Start(ctx, "up", "--yes", "--skip-preview")
	require.NoError(t, err)
	// Everything else that can be made without the file system is in Pulumi's state by then.
	alone := func() bool {
		state, err := c.Export(ctx)
		return err == nil && len(state.Pending) == 1 && state.Pending[0].Resource.Type == lustreType
	}
	require.Eventually(t, alone, time.Minute, 20*time.Millisecond)
	require.NoError(t, up.Kill())
	_, err = up.Wait()
	require.NoError(t, err)

	require.NoError(t, c.SetData(faults("us-east-2", "")))
	c.ended(1, "the stack is currently locked")(c.Up(ctx))
	c.ended(0)(c.Cancel(ctx))
	c.ended(0, "interrupted while creating")(c.Up(ctx))
	c.ended(0, "unchanged")(c.Up(ctx, "--expect-no-changes"))
	for _, typ := range []string{vpcType, lustreType} {
		require.Len(t, c.made().IDs(typ), 1, typ)
	}
	require.Len(t, c.made().IDs(subnetType), 2)
	require.Len(t, c.made().IDs(stackType), 2)
	c.ended(0, "deleted")(c.Destroy(ctx))
	require.Zero(t, c.made().Len())
}

// A mistake ends the preview with its finding, before anything is made.
func TestFindingsReachTheUser(t *testing.T) {
	ctx, c := t.Context(), deploying(t, "p5en-capacity-block")
	c.edit("p5en.48xlarge", "p5.48xlarge", "count: 4", "count: 9", "network:", "netwerk: {}\nnetwork:")
	c.ended(1, "config/key", "cluster.yaml:5:1 netwerk", "network")(c.Preview(ctx))
	c.edit("netwerk: {}\n", "")
	c.ended(1, "block/type", "block/size", "cluster.yaml:", "the cluster is not deployed")(c.Preview(ctx))
	require.Zero(t, c.made().Len())
}

package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/components/cluster/confirmation"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/cloud"
	"github.com/weft-hpc/weft/offline/engine/inprocess"
	"github.com/weft-hpc/weft/offline/mirror"
	"github.com/weft-hpc/weft/offline/standin"
	"github.com/weft-hpc/weft/offline/toolchain"
	"github.com/weft-hpc/weft/validation/result"
)

// example reads the cluster of an example.
func example(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "examples", name, "cluster.yaml"))
	require.NoError(t, err)
	return string(text)
}

// examples lists the examples by name.
func examples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../examples/*/cluster.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var out []string
	for _, file := range files {
		out = append(out, filepath.Base(filepath.Dir(file)))
	}
	return out
}

// planned plans a cluster config that has no findings at error level.
func planned(t testing.TB, text string) plan.Cluster {
	t.Helper()
	doc, found := config.Decode("cluster.yaml", []byte(text))
	p, findings := plan.New(doc.Cluster)
	require.False(t, append(found, findings...).Failed(), "%v", append(found, findings...))
	return p
}

// deployment is a cluster in the engine, with the AWS account that it is deployed to.
type deployment struct {
	*inprocess.Stack
	t testing.TB
	// emulated is the account that preflight and ParallelCluster read; nil: nothing confirms the plan.
	emulated *account.Account
	// world is what is in it.
	world account.World
	// proof is what comes out of validations.
	proof *proof
	// market is where blocks are bought.
	market *cloud.Cloud
	// text is the cluster's config.
	text string
}

// deploy makes a deployment of a config. Nothing is deployed yet.
func deploy(t testing.TB, text string, emulated *account.Account) *deployment {
	t.Helper()
	p := planned(t, text)
	d := &deployment{t: t, emulated: emulated, proof: &proof{outcome: result.Passed}, market: marketOf(t, p), text: text}
	var err error
	d.world, err = mirror.For(p, time.Now())
	require.NoError(t, err)
	d.Stack = inprocess.New(t, program{confirm: d.confirm}.run, inprocess.Options{
		Directory: projectOf(t, p),
		Config:    map[string]string{"aws:region": p.Region, "weft:cluster": text},
		StandIn:   standin.Options{Schema: toolchain.AWSSchema(t), Data: standin.Data{Region: p.Region}},
		Plugins:   []*deploytest.PluginLoader{d.proof.plugin(purchases(d.market))},
	})
	d.load()
	return d
}

// projectOf is the folder of the example whose recipes a cluster names; nowhere without a recipe.
func projectOf(t testing.TB, p plan.Cluster) string {
	t.Helper()
	recipes := amibuild.Recipes(p.Config)
	if len(recipes) == 0 {
		return ""
	}
	found, err := filepath.Glob(filepath.Join("..", "examples", "*", recipes[0]))
	require.NoError(t, err)
	require.Len(t, found, 1, "examples with %s", recipes[0])
	return filepath.Dir(found[0])
}

// confirm is the program's own check of the account, with clients of the emulated one.
func (d *deployment) confirm(ctx context.Context, _ string, p plan.Cluster) (diag.List, error) {
	if d.emulated == nil {
		return nil, nil
	}
	clients := preflight.NewClients(aws.Config{
		Region: p.Region, BaseEndpoint: aws.String(d.emulated.Endpoint()), Credentials: aws.CredentialsProviderFunc(anybody),
	})
	clients.Stacks = stacks{d.Account().Store()}
	return confirmation.With(ctx, clients, p)
}

func anybody(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
}

func (d *deployment) load() {
	d.t.Helper()
	if d.emulated != nil {
		require.NoError(d.t, d.emulated.Load(d.t.Context(), d.world))
	}
}

// configure changes the cluster config, for the next operations.
func (d *deployment) configure(text string) {
	d.t.Helper()
	d.text = text
	p := planned(d.t, text)
	d.Configure("weft:cluster", text)
	var err error
	d.world, err = mirror.For(p, time.Now())
	require.NoError(d.t, err)
	d.load()
}

// render deploys, puts what was made into the account, and gives the ParallelCluster configuration.
func (d *deployment) render() string {
	d.t.Helper()
	up := d.Up()
	require.NoError(d.t, up.Err, "%s", strings.Join(up.Messages, "\n"))
	if d.market.Purchases() > 0 {
		var err error
		d.world, err = mirror.For(bought(planned(d.t, d.text), d.market), time.Now())
		require.NoError(d.t, err)
	}
	require.NoError(d.t, mirror.Add(&d.world, d.made()))
	d.load()
	text, ok := up.Outputs()["parallelClusterConfig"].(string)
	require.True(d.t, ok, "outputs: %v", up.Outputs())
	return text
}

// made is what exists by the stand-in.
func (d *deployment) made() *standin.World {
	d.t.Helper()
	w, err := d.Account().Store().View()
	require.NoError(d.t, err)
	return w
}

// count counts what exists, by type.
func count(w *standin.World) map[string]int {
	out := map[string]int{}
	for typ := range maps.Keys(w.Resources) {
		out[typ] = len(w.IDs(typ))
	}
	return out
}

// steps tells what an operation did to resources, for a message.
func steps(r inprocess.Result) string {
	var out []string
	for _, s := range r.Steps {
		if s.Op != "same" {
			out = append(out, s.Op+" "+s.Type+" "+s.Name+" "+strings.Join(s.Changed, ","))
		}
	}
	slices.Sort(out)
	return strings.Join(append(out, r.Messages...), "\n")
}

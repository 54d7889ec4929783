package main

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/provider"
	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/components/provider/validator"
	"github.com/weft-hpc/weft/validation/result"
)

// proof is a runner of validations that comes to the outcome that it is told, and keeps what it was asked.
type proof struct {
	mu      sync.Mutex
	outcome result.Outcome
	asked   []validator.Request
}

func (p *proof) Run(_ context.Context, q validator.Request, _ func(string)) (validator.Report, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, q)
	return validator.Report{Path: "reports/report.html", Run: result.Run{Cluster: q.Plan.Name, ID: "r-1", Outcome: p.outcome}}, nil
}

// runs gives the validations since it was asked last.
func (p *proof) runs() []validator.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.asked
	p.asked = nil
	return out
}

// plugin is weft's own plugin, with this runner, and with purchases in a simulated market.
func (p *proof) plugin(purchases purchaser.Options) *deploytest.PluginLoader {
	load := func() (plugin.Provider, error) {
		return provider.Plugin(provider.Options{Runner: p, Purchases: purchases}), nil
	}
	return deploytest.NewProviderLoader(provider.Name, semver.MustParse(provider.Version), load, deploytest.WithGrpc)
}

// The cluster is validated when all of it stands, and again when it changes; a failure is not forgotten.
func TestValidatedCluster(t *testing.T) {
	t.Parallel()
	text := example(t, "p5en-capacity-block")
	d := deploy(t, text, nil)
	require.NoError(t, d.Preview().Err)
	require.Empty(t, d.proof.runs(), "a preview runs nothing")

	d.proof.outcome = result.Failed
	for range 2 {
		up := d.Up()
		require.ErrorContains(t, up.Err, "the validation failed: llama")
		require.Len(t, d.proof.runs(), 1)
		require.NotZero(t, d.made().Len(), "the cluster stays")
	}

	d.proof.outcome = result.Passed
	up := d.Up()
	require.NoError(t, up.Err)
	require.Equal(t, "passed", up.Outputs()["validation"])
	require.Equal(t, "reports/report.html", up.Outputs()["validationReport"])
	first := d.proof.runs()
	require.Len(t, first, 1)
	require.Equal(t, up.Outputs()["headNode"], first[0].Head.InstanceID)
	require.Equal(t, []string{"host", "latency", "training"}, first[0].Plan.Steps)
	require.True(t, d.Up().Unchanged())
	require.Empty(t, d.proof.runs())

	d.configure(strings.Replace(text, "count: 4", "count: 6", 1))
	require.NoError(t, d.Up().Err)
	again := d.proof.runs()
	require.Len(t, again, 1)
	require.NotEqual(t, first[0].Key, again[0].Key)
	require.Equal(t, 6, again[0].Plan.Groups[0].Nodes)
}

// A block that has not started holds nothing up, and the next up picks the result up.
func TestValidationThatWaits(t *testing.T) {
	t.Parallel()
	d := deploy(t, example(t, "p6-b300-most-bandwidth"), nil)
	d.proof.outcome = result.Waiting
	up := d.Up()
	require.NoError(t, up.Err)
	require.Equal(t, "waiting", up.Outputs()["validation"])
	d.proof.outcome = result.Passed
	up = d.Up()
	require.NoError(t, up.Err)
	require.Equal(t, "passed", up.Outputs()["validation"])
	require.True(t, d.Up().Unchanged())
}

// A config that does not ask for it gets no validation, and needs no plugin.
func TestNoValidation(t *testing.T) {
	t.Parallel()
	d := deploy(t, example(t, "g6e-reservation")+"validation: {enabled: false}\n", nil)
	up := d.Up()
	require.NoError(t, up.Err)
	require.Empty(t, d.proof.runs())
	require.NotContains(t, up.Outputs(), "validation")
}

package validator_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/provider/validator"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
)

const urn = resource.URN("urn:pulumi:dev::train::weft:index:Validation::llama")

// runner is a runner that says what it is told to, and keeps what it was asked.
type runner struct {
	report validator.Report
	err    error
	// interrupt ends the caller's context while the runner runs.
	interrupt context.CancelFunc
	asked     []validator.Request
	deadlines []bool
}

func (r *runner) Run(ctx context.Context, q validator.Request, say func(string)) (validator.Report, error) {
	r.asked = append(r.asked, q)
	_, limited := ctx.Deadline()
	r.deadlines = append(r.deadlines, limited)
	say("step host: 2 of 4 jobs are done")
	if r.interrupt != nil {
		r.interrupt()
		return validator.Report{}, ctx.Err()
	}
	return r.report, r.err
}

// screen is what people see.
type screen struct{ status, info, warn []string }

func (s *screen) Status(_ context.Context, _ resource.URN, text string) {
	s.status = append(s.status, text)
}

func (s *screen) Info(_ context.Context, _ resource.URN, text string) { s.info = append(s.info, text) }

func (s *screen) Warn(_ context.Context, _ resource.URN, text string) { s.warn = append(s.warn, text) }

// report is what comes out of a run of one step.
func report(outcome result.Outcome) validator.Report {
	out := validator.Report{Path: "reports/r-1/index.html", Run: result.Run{
		Cluster: "llama", ID: "r-1", Outcome: outcome,
		Steps: []result.Step{{
			Name: plan.StepHost, Group: "train", Outcome: outcome, Why: "both collectives ran on 4 nodes",
			Figures: []result.Figure{{
				What: "all-reduce, algorithm bandwidth", Measured: 374, Expected: 400, Unit: "GB/s", Share: 0.935, Outcome: outcome,
			}},
		}},
	}}
	switch outcome {
	case result.Failed:
		cause := diag.Finding{
			Rule: diag.NetSocket, Level: diag.Error, Place: diag.Place{Resource: "train-3"}, Got: "NET/Socket on 8 channels",
			Want: "NET/Libfabric with GDRDMA", Hint: "set NCCL_NET=Libfabric and read why EFA was not taken",
		}
		out.Cause, out.Steps[0].Findings = &cause, diag.List{cause}
	case result.Warned:
		out.Steps[0].Findings = diag.List{{
			Rule: diag.PerfStraggler, Level: diag.Warn, Got: "train-2 takes 1.4 times as long", Want: "as long as its peers", Hint: "test it with others",
		}}
	case result.Waiting:
		out.Until = time.Date(2026, 12, 24, 11, 30, 0, 0, time.UTC)
	}
	return out
}

// cluster is an example's config.
func cluster(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "p5en-capacity-block", "cluster.yaml"))
	require.NoError(t, err)
	return string(text)
}

// inputs are good ones, with changes.
func inputs(t testing.TB, changes map[string]any) property.Map {
	t.Helper()
	all := map[string]any{"cluster": cluster(t), "head": map[string]any{"instanceId": "i-0123456789abcdef0"}}
	for name, value := range changes {
		if value == nil {
			delete(all, name)
			continue
		}
		all[name] = value
	}
	return props(t, all)
}

func props(t testing.TB, all map[string]any) property.Map {
	t.Helper()
	return of(t, all).AsMap()
}

// of gives a value as a property; a property stays what it is.
func of(t testing.TB, value any) property.Value {
	t.Helper()
	switch value := value.(type) {
	case property.Value:
		return value
	case map[string]any:
		out := map[string]property.Value{}
		for name, item := range value {
			out[name] = of(t, item)
		}
		return property.New(out)
	case []any:
		items := []property.Value{}
		for _, item := range value {
			items = append(items, of(t, item))
		}
		return property.New(items)
	}
	v, err := property.Any(value)
	require.NoError(t, err)
	return v
}

func create(t testing.TB, r *runner, in property.Map) (plugin.CreateResponse, *screen, error) {
	t.Helper()
	s := &screen{}
	out, err := validator.New(r, s).Create(t.Context(), plugin.CreateRequest{URN: urn, Name: "llama", Properties: in})
	return out, s, err
}

var errRefused = errors.New("ssm: the instance is not managed")

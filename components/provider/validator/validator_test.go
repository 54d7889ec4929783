package validator_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/provider/validator"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
)

func TestPassedIsAResource(t *testing.T) {
	t.Parallel()
	r := &runner{report: report(result.Passed)}
	out, s, err := create(t, r, inputs(t, map[string]any{
		"steps": []any{"host", "latency"}, "thresholds": map[string]any{"allToAll": 0.9}, "timeout": "2h", "keepGoing": true, "reportDirectory": "reports",
	}))
	require.NoError(t, err)
	require.Equal(t, resource.ID("llama"), out.ID)
	require.Equal(t, "passed", out.Properties.Get("outcome").AsString())
	require.Equal(t, "r-1", out.Properties.Get("runId").AsString())
	require.Equal(t, "reports/r-1/index.html", out.Properties.Get("reportPath").AsString())
	require.Equal(t, "", out.Properties.Get("until").AsString())
	require.Equal(t, "passed   host on train: both collectives ran on 4 nodes", out.Properties.Get("summary").AsString())
	figure := out.Properties.Get("figures").AsArray().Get(0).AsMap()
	require.InDelta(t, 0.935, figure.Get("share").AsNumber(), 0)
	require.Equal(t, "train", figure.Get("group").AsString())
	require.Equal(t, []string{"step host: 2 of 4 jobs are done"}, s.status)
	require.Contains(t, s.info[0], "validated: llama")
	require.Empty(t, s.warn)

	require.Len(t, r.asked, 1)
	asked := r.asked[0]
	require.Equal(t, []string{plan.StepHost, plan.StepLatency}, asked.Plan.Steps)
	require.InDelta(t, 0.9, asked.Plan.Config.Validation.Thresholds.AllToAll, 0)
	require.Equal(t, validator.Head{InstanceID: "i-0123456789abcdef0", Region: asked.Plan.Region}, asked.Head)
	require.Equal(t, 2*time.Hour, asked.Timeout)
	require.True(t, asked.KeepGoing)
	require.Equal(t, "reports", asked.ReportDirectory)
	require.Empty(t, asked.Drop)
	require.Equal(t, []bool{false}, r.deadlines)
}

// A disabled or narrowed validation in the config is the stack's affair: whoever registers the resource asks for it.
func TestTheResourceGoesBeforeTheConfig(t *testing.T) {
	t.Parallel()
	r := &runner{report: report(result.Passed)}
	_, _, err := create(t, r, inputs(t, map[string]any{"cluster": cluster(t) + "\nvalidation: {enabled: false, steps: [training]}\n"}))
	require.NoError(t, err)
	require.Equal(t, []string{plan.StepTraining}, r.asked[0].Plan.Steps)
	_, _, err = create(t, r, inputs(t, map[string]any{
		"cluster": cluster(t) + "\nvalidation: {steps: [training]}\n", "steps": []any{"host"},
	}))
	require.NoError(t, err)
	require.Equal(t, []string{plan.StepHost}, r.asked[1].Plan.Steps)
}

func TestFailedIsNoResource(t *testing.T) {
	t.Parallel()
	out, s, err := create(t, &runner{report: report(result.Failed)}, inputs(t, nil))
	require.ErrorContains(t, err, "the validation failed: llama\nfailed   host on train")
	require.ErrorContains(t, err, "mend this first:\nerror  net/socket  train-3")
	require.ErrorContains(t, err, "set NCCL_NET=Libfabric")
	require.ErrorContains(t, err, "report   reports/r-1/index.html")
	require.Empty(t, out.ID)
	require.Zero(t, out.Properties.Len())
	require.Empty(t, s.warn)
}

func TestFailedIsLetThrough(t *testing.T) {
	t.Parallel()
	out, s, err := create(t, &runner{report: report(result.Failed)}, inputs(t, map[string]any{"onFailure": "warn"}))
	require.NoError(t, err)
	require.Equal(t, "failed", out.Properties.Get("outcome").AsString())
	require.Contains(t, out.Properties.Get("summary").AsString(), "failed   host on train")
	require.Contains(t, s.warn[0], "net/socket")
	require.Contains(t, s.warn[0], "onFailure is warn")
}

func TestOtherOutcomes(t *testing.T) {
	t.Parallel()
	tests := map[result.Outcome]string{
		result.Warned:  "perf/straggler",
		result.Waiting: "the validation waits until 2026-12-24T11:30:00Z: nothing is proved yet",
		result.NotRun:  "validated with warnings",
	}
	for outcome, text := range tests {
		t.Run(string(outcome), func(t *testing.T) {
			t.Parallel()
			out, s, err := create(t, &runner{report: report(outcome)}, inputs(t, nil))
			require.NoError(t, err)
			require.Equal(t, string(outcome), out.Properties.Get("outcome").AsString())
			require.Contains(t, s.warn[0], text)
		})
	}
}

func TestWaitingForNodes(t *testing.T) {
	t.Parallel()
	r := report(result.Waiting)
	r.Until = time.Time{}
	_, s, err := create(t, &runner{report: r}, inputs(t, nil))
	require.NoError(t, err)
	require.Contains(t, s.warn[0], "waits until the nodes are there")
}

func TestAnUnknownOutcomeIsNoPass(t *testing.T) {
	t.Parallel()
	_, _, err := create(t, &runner{}, inputs(t, nil))
	require.ErrorContains(t, err, "is no outcome")
}

// A cluster without any use for a step is told about, and nothing runs on it.
func TestNothingToValidate(t *testing.T) {
	t.Parallel()
	r := &runner{}
	out, s, err := create(t, r, inputs(t, map[string]any{"steps": []any{"blocks"}}))
	require.NoError(t, err)
	require.Equal(t, "not-run", out.Properties.Get("outcome").AsString())
	require.Contains(t, s.warn[0], "nothing was validated")
	require.Empty(t, r.asked)
}

func TestAnOrderThatCantBeRun(t *testing.T) {
	t.Parallel()
	_, _, err := create(t, &runner{err: errRefused}, inputs(t, nil))
	require.ErrorIs(t, err, errRefused)
	require.ErrorContains(t, err, "validating llama")
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	v := validator.New(&runner{interrupt: cancel}, &screen{})
	_, err := v.Create(ctx, plugin.CreateRequest{URN: urn, Properties: inputs(t, nil)})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "the next update goes on with them")
}

func TestTimeoutOfTheProgram(t *testing.T) {
	t.Parallel()
	r := &runner{report: report(result.Passed)}
	_, err := validator.New(r, &screen{}).Create(t.Context(), plugin.CreateRequest{URN: urn, Properties: inputs(t, nil), Timeout: 3600})
	require.NoError(t, err)
	require.Equal(t, []bool{true}, r.deadlines)
}

func TestPreviewRunsNothing(t *testing.T) {
	t.Parallel()
	r := &runner{}
	out, err := validator.New(r, &screen{}).Create(t.Context(), plugin.CreateRequest{URN: urn, Properties: inputs(t, nil), Preview: true})
	require.NoError(t, err)
	require.Empty(t, r.asked)
	for name, v := range out.Properties.All {
		require.True(t, v.IsComputed(), name)
	}
	require.Equal(t, 6, out.Properties.Len())
}

// State that was edited, or kept by another version, does not get past the inputs' faults.
func TestFaultyInputsAreNotRun(t *testing.T) {
	t.Parallel()
	r := &runner{}
	_, _, err := create(t, r, inputs(t, map[string]any{"onFailure": "ignore"}))
	require.ErrorContains(t, err, "input onFailure")
	_, _, err = create(t, r, inputs(t, map[string]any{"timeout": property.New(property.Computed)}))
	require.ErrorContains(t, err, "input timeout has no value")
	require.Empty(t, r.asked)
}

func TestKeyTellsValidationsApart(t *testing.T) {
	t.Parallel()
	r := &runner{report: report(result.Passed)}
	keyOf := func(u resource.URN, changes map[string]any) string {
		_, err := validator.New(r, &screen{}).Create(t.Context(), plugin.CreateRequest{URN: u, Properties: inputs(t, changes)})
		require.NoError(t, err)
		return r.asked[len(r.asked)-1].Key
	}
	first := keyOf(urn, nil)
	require.Len(t, first, 16)
	require.Equal(t, first, keyOf(urn, map[string]any{"timeout": "3h", "reportDirectory": "there"}))
	require.NotEqual(t, first, keyOf(urn, map[string]any{"triggers": map[string]any{"ami": "ami-1"}}))
	require.NotEqual(t, first, keyOf(urn, map[string]any{"steps": []any{"host"}}))
	require.NotEqual(t, first, keyOf(resource.URN(strings.ReplaceAll(string(urn), "dev", "prod")), nil))
}

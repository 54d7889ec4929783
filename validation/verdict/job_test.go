package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/verdict"
)

func TestJobStates(t *testing.T) {
	t.Parallel()
	three := 3
	tests := map[string]struct {
		job     verdict.Job
		outcome result.Outcome
		rule    diag.ID // of the first error; empty for none
		why     string
	}{
		"the block has not started": {
			verdict.Job{State: verdict.Pending, Reason: "Reservation", Reservation: "pcluster-cr-0abc"}, result.Waiting, "", "waits for capacity block cr-0abc",
		},
		"nodes are not there":     {verdict.Job{State: verdict.Pending, Reason: "Resources"}, result.Waiting, "", "job 12 waits: Resources"},
		"pending without a word":  {verdict.Job{State: verdict.Pending}, result.Waiting, "", "waits for its nodes"},
		"running":                 {verdict.Job{State: verdict.Running}, result.Waiting, "", "job 12 runs"},
		"refused":                 {verdict.Job{State: verdict.SubmitFailed, Reason: "Invalid partition name specified"}, result.Failed, diag.JobEnded, "Invalid partition"},
		"time limit":              {verdict.Job{State: verdict.TimedOut, Reason: "TimeLimit"}, result.Failed, diag.JobEnded, "time limit"},
		"cancelled":               {verdict.Job{State: verdict.Cancelled}, result.Failed, diag.JobEnded, "cancelled"},
		"out of memory":           {verdict.Job{State: verdict.OutOfMemory}, result.Failed, diag.JobEnded, "memory"},
		"failed":                  {verdict.Job{State: verdict.JobFailed, ExitCode: &three}, result.Failed, diag.JobEnded, "exit code 3"},
		"a state nobody knows":    {verdict.Job{State: "STAGE_OUT"}, result.Failed, diag.JobEnded, "STAGE_OUT"},
		"a node died":             {verdict.Job{State: verdict.NodeFail, Lost: map[string]string{"train-st-gpu-2": "Not responding"}}, result.Failed, diag.JobNode, "Not responding"},
		"a node died, which one?": {verdict.Job{State: verdict.NodeFail}, result.Failed, diag.JobNode, "NODE_FAIL"},
		"no containers": {verdict.Job{State: verdict.JobFailed, ExitCode: &three, Said: []evidence.Excerpt{
			{File: "slurm-12.err", Line: 1, Text: "srun: unrecognized option '--container-image=nvcr.io#nvidia/pytorch:26.08-py3'"},
		}}, result.Failed, diag.JobContainer, "does not know containers"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := good(t)
			tt.job.ID, tt.job.Nodes = "12", nodeNames(2)
			s.Jobs = []verdict.Job{tt.job}
			got := verdict.Judge(s)
			diagtest.Complete(t, got.Findings)
			require.Equal(t, tt.outcome, got.Outcome, got.Why)
			require.Contains(t, got.Why, tt.why)
			require.Equal(t, "12", got.Job)
			if tt.rule == "" {
				require.Empty(t, got.Findings.AtLeast(diag.Warn))
				return
			}
			require.Equal(t, tt.rule, got.Findings[0].Rule)
		})
	}
}

// A node that dies in the middle leaves a table without its end: the node is named first, nobody else.
func TestNodeDiesMidRun(t *testing.T) {
	t.Parallel()
	s := good(t)
	job := &s.Jobs[0]
	job.State, job.Lost = verdict.NodeFail, map[string]string{"train-st-gpu-2": "Not responding"}
	sweep := job.Outputs[2].Documents[0].Sweep
	sweep.Complete, sweep.Rows = false, sweep.Rows[:1]
	got := verdict.Judge(s)
	diagtest.Complete(t, got.Findings)
	require.Equal(t, []diag.ID{diag.JobNode, diag.PerfData}, rules(got.Findings, diag.Error))
	require.Equal(t, "train-st-gpu-2", got.Findings[0].Place.Resource)
}

func TestStepWithoutJobs(t *testing.T) {
	t.Parallel()
	s := verdict.Step{Name: plan.StepHost, Group: group(t, "p6-b200.48xlarge", 2)}
	got := verdict.Judge(s)
	require.Equal(t, result.Failed, got.Outcome)
	diagtest.Complete(t, got.Findings)

	s.Skipped = "step host failed"
	got = verdict.Judge(s)
	require.Equal(t, result.NotRun, got.Outcome)
	require.Equal(t, "step host failed", got.Why)
	require.Empty(t, got.Findings)
}

// A job that ended well and left nothing is no pass.
func TestJobWithoutOutput(t *testing.T) {
	t.Parallel()
	for _, step := range []string{plan.StepHost, plan.StepContainer, plan.StepLatency, plan.StepDispatcher, plan.StepTraining, plan.StepBlocks} {
		s := good(t)
		s.Name, s.Jobs[0].Outputs = step, nil
		got := verdict.Judge(s)
		require.Equal(t, result.Failed, got.Outcome, step)
		require.Contains(t, rules(got.Findings, diag.Error), diag.PerfUnjudged, step)
		diagtest.Complete(t, got.Findings)
	}
}

// A user can lower a rule, with a reason that the report shows.
func TestLoweredRule(t *testing.T) {
	t.Parallel()
	s := good(t)
	s.Jobs[0].Outputs[0].Documents[0].Path.Nodes[1].NICs = []int{7}
	s.Rules = map[diag.ID]diag.Override{diag.NetNICs: {Level: diag.Warn, Reason: "the card is on order"}}
	got := verdict.Judge(s)
	require.Equal(t, result.Warned, got.Outcome)
	require.Equal(t, "the card is on order", got.Findings[0].Reason)
}

package run

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
	"github.com/weft-hpc/weft/validation/step"
	"github.com/weft-hpc/weft/validation/verdict"
)

// result judges what is known so far.
func (s *client) result() result.Run {
	if s.judged == nil {
		r := verdict.Run(s.verdictOrder())
		s.judged = &r
	}
	return *s.judged
}

func (s *client) verdictOrder() verdict.Order {
	o := verdict.Order{
		Plan: s.request.Plan, Weft: s.runner.Weft, ID: s.id, Started: s.started, Finished: s.closed, Places: s.places(),
	}
	for _, name := range s.request.Plan.Steps {
		if name == plan.StepBlocks {
			o.Steps = append(o.Steps, s.blocks())
			continue
		}
		for _, g := range s.request.Plan.Groups {
			o.Steps = append(o.Steps, s.verdictStep(name, g, func(j step.Job) bool { return j.Group == g.Name }))
		}
	}
	return o
}

// blocks is the step that compares blocks: the jobs of all groups are one.
func (s *client) blocks() verdict.Step {
	return s.verdictStep(plan.StepBlocks, s.request.Plan.Groups[0], func(step.Job) bool { return true })
}

func (s *client) verdictStep(name string, g plan.NodeGroup, of func(step.Job) bool) verdict.Step {
	c := s.request.Plan.Config
	out := verdict.Step{Name: name, Group: g, Workload: c.Workload, Thresholds: c.Validation.Thresholds, Rules: c.Rules}
	why := s.leftOut(name, g)
	for _, j := range s.order.Jobs {
		if j.Step != name || !of(j) {
			continue
		}
		switch now := s.jobs[j.Name]; {
		case now == nil:
			why = "not run yet"
		case now.skipped != "":
			why = now.skipped
		default:
			out.Jobs = append(out.Jobs, now.verdict)
		}
	}
	if name == plan.StepHost {
		for n := 1; s.round(g.Name, n) != nil; n++ {
			out.Jobs = append(out.Jobs, s.round(g.Name, n).verdict)
		}
	}
	if len(out.Jobs) == 0 {
		out.Skipped = why
	}
	return out
}

// leftOut says why the order has no job of a step for a group.
func (s *client) leftOut(name string, g plan.NodeGroup) string {
	for _, skipped := range s.order.Skipped {
		if skipped.Step == name && (skipped.Group == g.Name || name == plan.StepBlocks) {
			return skipped.Why
		}
	}
	return ""
}

// places is where nodes sit, as far as it is known: which block a node is of follows from its queue.
func (s *client) places() []result.Place {
	out := slices.Clone(s.request.Options.Places)
	for _, n := range s.sight.nodes {
		i := slices.IndexFunc(s.request.Plan.Groups, func(g plan.NodeGroup) bool { return g.Name == n.partition })
		if i < 0 {
			continue
		}
		block := s.request.Plan.Groups[i].Capacity.Key()
		at := slices.IndexFunc(out, func(p result.Place) bool { return p.Node == n.name })
		switch {
		case at >= 0 && out[at].Block == "":
			out[at].Block = block
		case at < 0 && block != "":
			out = append(out, result.Place{Node: n.name, Block: block})
		}
	}
	return out
}

// close ends a run whose jobs have all ended.
func (s *client) close(ctx context.Context) error {
	s.closed, s.judged = s.runner.Clock.Now().UTC(), nil
	_, err := s.runner.head().call(ctx, nil, "finish", s.id, string(s.result().Outcome))
	return err
}

// resultFile of a run's folder, here and on the cluster, is what it came to.
const resultFile = "result.json"

// save writes what the run came to beside what was collected, and to the cluster.
func (s *client) save(ctx context.Context) error {
	text, err := json.MarshalIndent(s.result(), "", "  ")
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	text = append(text, '\n')
	dir := s.dir()
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, resultFile), text, 0o600); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	_, err = s.runner.head().call(ctx, text, "put", s.id, resultFile)
	return err
}

func (s *client) dir() string { return filepath.Join(s.runner.Dir, s.id) }

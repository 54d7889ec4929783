package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/report"
	"github.com/weft-hpc/weft/validation/result"
)

func TestSituationsTellEnough(t *testing.T) {
	t.Parallel()
	for _, name := range situations {
		if name == "hostile" {
			continue
		}
		for _, s := range situation(t, name).Steps {
			diagtest.Complete(t, s.Findings)
		}
	}
}

func TestJSONIsWhatTheSchemaSays(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.AssertFormat = true
	require.NoError(t, compiler.AddResource("schema.json", bytes.NewReader(report.Schema())))
	schema, err := compiler.Compile("schema.json")
	require.NoError(t, err)
	for _, name := range situations {
		if name == "hostile" { // its outcomes are no outcomes
			continue
		}
		var v any
		require.NoError(t, json.Unmarshal([]byte(rendered(t, report.JSON, situation(t, name))), &v))
		require.NoError(t, schema.Validate(v), name)
	}
	var wrong any
	require.NoError(t, json.Unmarshal([]byte(`{"schema": 1, "outcome": "fine"}`), &wrong))
	require.Error(t, schema.Validate(wrong))
}

func TestJSONReadsBack(t *testing.T) {
	t.Parallel()
	for _, name := range situations {
		first := rendered(t, report.JSON, situation(t, name))
		var run result.Run
		require.NoError(t, json.Unmarshal([]byte(first), &run))
		require.Equal(t, first, rendered(t, report.JSON, run), "a cleaned run is clean")
	}
}

func TestJUnitReadsBack(t *testing.T) {
	t.Parallel()
	for _, name := range situations {
		run := situation(t, name)
		var suites junit.Testsuites
		require.NoError(t, xml.Unmarshal([]byte(rendered(t, report.JUnit, run)), &suites))
		require.Len(t, suites.Suites, max(len(run.Steps), 1))
		require.Equal(t, run.Outcome == result.Failed, suites.Failures > 0, name)
		require.Positive(t, suites.Tests)
	}
}

var (
	account = regexp.MustCompile(`\b\d{12}\b`)
	forms   = map[string]func(io.Writer, result.Run) error{
		"HTML": report.HTML, "JSON": report.JSON, "JUnit": report.JUnit,
		"text": func(w io.Writer, run result.Run) error { return report.Text(w, run, false, 100) },
	}
)

func TestNothingSecretGoesOut(t *testing.T) {
	t.Parallel()
	for form, format := range forms {
		text := rendered(t, format, situation(t, "hostile"))
		for _, secret := range []string{"123456789012", "wJalrXUtnFEMI", "alice", "aB3aB3", "me:pw", "example.com"} {
			require.NotContains(t, text, secret, form)
		}
		require.Contains(t, text, "[account]", form)
	}
	for _, name := range situations {
		require.Empty(t, account.FindString(rendered(t, report.JSON, situation(t, name))), name)
	}
}

func TestNoControlGoesOut(t *testing.T) {
	t.Parallel()
	for form, format := range forms {
		for _, r := range rendered(t, format, situation(t, "hostile")) {
			require.True(t, unicode.IsPrint(r) || r == '\n' || r == '\t', "%s has %q", form, r)
		}
	}
}

func TestEqualRunsGiveEqualBytes(t *testing.T) {
	t.Parallel()
	for form, format := range forms {
		for _, name := range situations {
			require.Equal(t, rendered(t, format, situation(t, name)), rendered(t, format, situation(t, name)), form)
		}
	}
}

func TestARunStaysAsItIs(t *testing.T) {
	t.Parallel()
	for form, format := range forms {
		run := situation(t, "hostile")
		rendered(t, format, run)
		// Its numbers hold one that equals nothing, so texts are compared.
		require.Empty(t, cmp.Diff(fmt.Sprintf("%+v", situation(t, "hostile").Steps[0].Findings), fmt.Sprintf("%+v", run.Steps[0].Findings)), form)
		require.Equal(t, situation(t, "hostile").Nodes, run.Nodes, form)
	}
}

// brokenWriter takes nothing.
type brokenWriter struct{}

var errBroken = errors.New("broken pipe")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestAWritersErrorComesBack(t *testing.T) {
	t.Parallel()
	for form, format := range forms {
		require.ErrorIs(t, format(brokenWriter{}, situation(t, "good")), errBroken, form)
	}
}

func TestTextFitsItsWidth(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"good", "sockets", "waiting", "blocks", "moe", "empty"} {
		var b bytes.Buffer
		require.NoError(t, report.Text(&b, situation(t, name), false, 132))
		for _, line := range strings.Split(b.String(), "\n") {
			require.LessOrEqual(t, len([]rune(line)), 132, "%s: %s", name, line)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	group := result.Group{InstanceType: "p5.48xlarge", Nodes: 2}
	step := func(name string, o result.Outcome, why string) result.Step {
		return result.Step{Name: name, Group: "a", Outcome: o, Why: why}
	}
	passed, left := step(plan.StepHost, result.Passed, "well"), step(plan.StepBlocks, result.NotRun, "one block.")
	until := time.Date(2026, 12, 1, 11, 30, 0, 0, time.UTC)
	for want, run := range map[string]result.Run{
		"The one step that ran on 2 × p5.48xlarge did as the plan expects.": {Outcome: result.Passed, Steps: []result.Step{passed}},
		"Both steps that ran on 2 × p5.48xlarge did as the plan expects; 1 step was not run.": {
			Outcome: result.Passed, Steps: []result.Step{passed, passed, left},
		},
		"The one step that ran on 2 × p5.48xlarge came through, the step “Latency between nodes” warns: slow.": {
			Outcome: result.Warned, Steps: []result.Step{step(plan.StepLatency, result.Warned, "slow.")},
		},
		"On 2 × p5.48xlarge, the step “Host EFA and NCCL baseline” failed: sockets; 1 step was not run.": {
			Outcome: result.Failed, Steps: []result.Step{step(plan.StepHost, result.Failed, "sockets"), left},
		},
		"On 2 × p5.48xlarge, the run failed.": {Outcome: result.Failed},
		"The run waits until 2026-12-01 11:30:00 UTC: for the block.": {
			Outcome: result.Waiting, Until: until, Steps: []result.Step{step(plan.StepHost, result.Waiting, "for the block")},
		},
		"The run waits.":              {Outcome: result.Waiting},
		"Nothing was run: one block.": {Outcome: result.NotRun, Steps: []result.Step{left}},
		"The run came to no outcome: it is still going on, or was cut short.": {},
	} {
		run.Groups = []result.Group{group}
		requireHolds(t, rendered(t, report.HTML, run), "<p>"+want+"</p>")
	}
}

// The figures of the two-node run as the field knows them.
func TestTheArithmeticIsShown(t *testing.T) {
	t.Parallel()
	html := rendered(t, report.HTML, situation(t, "good"))
	for _, want := range []string{"374 / 400 GB/s = 94 %", "95 / 100 GB/s = 95 %", "50 GB/s · 16 / (16 − 8) = 100 GB/s", "at least 85 %", "ceiling 93.8"} {
		requireHolds(t, html, want)
	}
}

// requireHolds does not print a whole page when it fails.
func requireHolds(t *testing.T, page, want string) {
	t.Helper()
	require.True(t, strings.Contains(page, want), "the page does not say %q", want)
}

func TestLongTablesEnd(t *testing.T) {
	t.Parallel()
	run := result.Run{Steps: []result.Step{{Name: plan.StepTraining, Outcome: result.Passed}}}
	for i := range 2500 {
		run.Steps[0].Iterations = append(run.Steps[0].Iterations, evidence.Iteration{Number: i, MS: 100})
	}
	requireHolds(t, rendered(t, report.HTML, run), "500 more rows are in the report's JSON.")
}

// FuzzRun reads any run, and writes it in every form.
func FuzzRun(f *testing.F) {
	for _, name := range []string{"hostile", "waiting", "empty"} { // the small ones: a large seed leaves no time for others
		b, err := json.Marshal(situation(f, name))
		require.NoError(f, err)
		f.Add(b, 80)
	}
	f.Fuzz(func(t *testing.T, b []byte, width int) {
		var run result.Run
		if err := json.Unmarshal(b, &run); err != nil {
			return
		}
		requirePage(t, rendered(t, report.HTML, run))
		require.True(t, json.Valid([]byte(rendered(t, report.JSON, run))))
		var suites junit.Testsuites
		require.NoError(t, xml.Unmarshal([]byte(rendered(t, report.JUnit, run)), &suites))
		require.NoError(t, report.Text(io.Discard, run, true, width))
	})
}

// large is a run on many nodes, each measured with two others.
func large(nodes int) result.Run {
	run := result.Run{Schema: result.Version, Cluster: "large", Outcome: result.Passed, Groups: []result.Group{{Name: "a", InstanceType: "p5.48xlarge", Nodes: nodes}}}
	step := result.Step{Name: plan.StepHost, Group: "a", Outcome: result.Passed, Why: "well"}
	curve := result.Curve{Name: "host all_reduce", Where: "host", Collective: "all_reduce", Nodes: nodes, Ranks: nodes * 8, CeilingGBps: 400, FloorGBps: 340}
	for e := 3; e <= 34; e++ {
		curve.Points = append(curve.Points, result.Point{Bytes: 1 << e, BusGBps: 11 * float64(e), AlgGBps: 6 * float64(e), TimeUS: 20})
	}
	step.Curves = []result.Curve{curve, curve}
	for i := range 500 {
		step.Iterations = append(step.Iterations, evidence.Iteration{Number: i + 1, MS: 5000 + float64(i%17)})
	}
	run.Steps = []result.Step{step}
	name := func(i int) string { return fmt.Sprintf("gpu-st-p5-%d", i%nodes+1) }
	for i := range nodes {
		block := fmt.Sprintf("cr-%017x", i*4/nodes)
		run.Nodes = append(run.Nodes, result.Node{
			Name: name(i), Group: "a", Block: block, NICs: 32, Want: 32, Provider: "efa", Outcome: result.Passed,
			Channels: evidence.Channels{Net: 64, Libfabric: 64, GDR: 64},
		})
		run.Topology = append(run.Topology, result.Place{Node: name(i), Block: block, Path: []string{"nn-0", fmt.Sprintf("nn-1%x", i/128), fmt.Sprintf("nn-2%x", i/16)}})
		for _, d := range []int{1, 16} {
			run.Pairs = append(run.Pairs, result.Pair{A: name(i), B: name(i + d), Distance: fmt.Sprintf("%d apart", d), LatencyUS: 15 + float64(i%7), BusGBps: 480, Collective: "all_reduce"})
		}
	}
	return run
}

func TestALargeRun(t *testing.T) {
	t.Parallel()
	html := rendered(t, report.HTML, large(1000))
	requirePage(t, html)
	require.Less(t, len(html), 2<<20, "a browser shows 2 MB at once")
}

func TestAFindingWithoutALevelGetsItsRules(t *testing.T) {
	t.Parallel()
	f := diag.Finding{Rule: diag.CPUPerRank, Level: 99, Got: "1", Want: "24", Hint: "--cpus-per-task=24"}
	run := result.Run{Cause: &f, Steps: []result.Step{{Outcome: result.Failed, Findings: diag.List{f}}}}
	require.Equal(t, 2, strings.Count(rendered(t, report.JSON, run), `"level": "error"`))
}

func BenchmarkHTML(b *testing.B) {
	for _, nodes := range []int{2, 100, 1000} {
		run := large(nodes)
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := report.HTML(io.Discard, run); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/report/chart"
	"github.com/weft-hpc/weft/validation/report/unit"
	"github.com/weft-hpc/weft/validation/result"
)

// view is what the page's template shows: every figure is a text already.
type view struct {
	badge
	Run      result.Run
	Style    template.CSS
	Title    string
	Sentence string
	Facts    []labelled
	Cause    *findingView
	Tiles    []tile
	StepHead []string
	Steps    []stepView
	Ran      bool
	Charts   []plotView
	Versions []versionView
	Expected *chart.Table
	NotRun   []stepView
}

type labelled struct{ Label, Value string }

// badge is an outcome or a level: its word, with a mark that tells it without colour.
type badge struct {
	Class string
	Icon  template.HTML
	Text  string
}

// Badge gives itself, for templates of what embeds it.
func (b badge) Badge() badge { return b }

func newBadge(o result.Outcome, text string) badge {
	return badge{chart.OutcomeClass(o), chart.Icon(o), text}
}

func newView(run result.Run) view {
	v := view{
		badge:    newBadge(run.Outcome, outcomeWord(run.Outcome)),
		Run:      run,
		Title:    fmt.Sprintf("%s: %s", cmp.Or(run.Cluster, "cluster"), strings.ToLower(outcomeWord(run.Outcome))),
		Sentence: sentence(run),
		Facts:    facts(run),
		Tiles:    tiles(run.Steps),
		StepHead: []string{"", "step", "outcome", "why", "took"},
		Charts:   plots(run),
		Expected: expected(run.Groups),
	}
	if run.Cause != nil {
		f := newFindingView(*run.Cause)
		f.Parts = slices.DeleteFunc(f.Parts, func(p labelled) bool { return p.Label == "do" }) // it stands above them
		v.Cause = &f
	}
	for i, s := range run.Steps {
		step := newStepView(i, s)
		v.Steps = append(v.Steps, step)
		v.Ran = v.Ran || step.Ran
		if !step.Ran {
			v.NotRun = append(v.NotRun, step)
		}
	}
	for _, c := range run.Versions {
		v.Versions = append(v.Versions, newVersionView(c))
	}
	return v
}

func facts(run result.Run) []labelled {
	out := []labelled{{"nodes", machines(run.Groups)}}
	for _, g := range run.Groups {
		if g.Ranks.PerNode > 0 {
			out = append(out, labelled{"ranks", fmt.Sprintf("%d a node, %d CPUs each", g.Ranks.PerNode, g.Ranks.CPUs)})
			break
		}
	}
	out = append(out, labelled{"started", unit.Moment(run.Started)})
	if !run.Finished.IsZero() {
		out = append(out, labelled{"took", unit.Took(run.Started, run.Finished)})
	}
	if !run.Until.IsZero() {
		out = append(out, labelled{"goes on", unit.Moment(run.Until)})
	}
	if run.ID != "" {
		out = append(out, labelled{"run", run.ID})
	}
	return out
}

// findingView is a finding in reading order.
type findingView struct {
	badge
	Rule, Level, Got, Hint string
	Parts                  []labelled
}

func newFindingView(f diag.Finding) findingView {
	o := map[diag.Level]result.Outcome{diag.Error: result.Failed, diag.Warn: result.Warned}[f.Severity()]
	v := findingView{badge: newBadge(o, f.Severity().String()), Rule: string(f.Rule), Level: f.Severity().String(), Got: f.Got, Hint: f.Hint}
	for _, p := range []labelled{{"where", f.Place.String()}, {"got", f.Got}, {"want", f.Want}, {"do", f.Hint}, {"source", f.Source}, {"reason", lowered(f)}} {
		if p.Value != "" {
			v.Parts = append(v.Parts, p)
		}
	}
	return v
}

func lowered(f diag.Finding) string {
	if f.Reason == "" {
		return ""
	}
	return fmt.Sprintf("lowered to %s: %s", f.Severity(), f.Reason)
}

// tile is a key figure.
type tile struct {
	What, Measured, Unit, Of, Step string
	Gauge                          template.HTML
}

// mostTiles is a row of a wide screen, or two; perStep leaves room for every step.
const (
	mostTiles = 6
	perStep   = 2
)

func tiles(steps []result.Step) []tile {
	var out []tile
	for _, s := range steps {
		for i, f := range s.Figures {
			if i >= perStep || len(out) == mostTiles {
				break
			}
			what, _, _ := strings.Cut(f.What, ",")
			out = append(out, tile{
				What: what, Measured: unit.Number(f.Measured), Unit: f.Unit, Of: ofExpected(f), Step: stepName(s), Gauge: chart.Gauge(f),
			})
		}
	}
	return out
}

func ofExpected(f result.Figure) string {
	if f.Expected == 0 {
		return "for information"
	}
	return fmt.Sprintf("%s of %s %s; asked: %s", unit.Percent(f.Share), unit.Number(f.Expected), f.Unit, asked(f))
}

// stepView is a step as the page shows it.
type stepView struct {
	badge
	ID, Name, Group, Why, Job, When, Took string
	Number                                int
	Ran, Open                             bool
	Figures                               []figureView
	Findings                              []findingView
	Raw                                   []rawLine
}

func newStepView(i int, s result.Step) stepView {
	v := stepView{
		badge: newBadge(s.Outcome, outcomeShort(s.Outcome)), ID: "step-" + strconv.Itoa(i+1), Number: i + 1,
		Name: stepName(s), Group: s.Group, Why: cmp.Or(s.Why, "No reason is recorded."), Job: s.Job,
		When: when(s), Took: took(s), Ran: didRun(s), Open: s.Outcome == result.Failed, Raw: rawLines(s.Raw),
	}
	for _, f := range s.Figures {
		v.Figures = append(v.Figures, newFigureView(f))
	}
	findings := append(diag.List(nil), s.Findings...)
	findings.Sort()
	for _, f := range findings {
		v.Findings = append(v.Findings, newFindingView(f))
	}
	return v
}

func when(s result.Step) string {
	switch {
	case s.Started.IsZero():
		return "Times are not recorded."
	case s.Finished.IsZero():
		return "Started " + unit.Moment(s.Started) + ", not finished."
	default:
		return "Started " + unit.Moment(s.Started) + ", took " + took(s) + "."
	}
}

func took(s result.Step) string {
	if s.Started.IsZero() || s.Finished.IsZero() {
		return ""
	}
	return unit.Took(s.Started, s.Finished)
}

// figureView is a verdict with its arithmetic.
type figureView struct {
	badge
	What, Sum, Formula, Source, Measured, Expected, Unit, Share, Asked string
	Gauge                                                              template.HTML
	Raw                                                                []rawLine
}

func newFigureView(f result.Figure) figureView {
	v := figureView{
		badge: newBadge(f.Outcome, outcomeShort(f.Outcome)), What: f.What, Sum: sum(f), Formula: f.Formula, Source: f.Source,
		Measured: unit.Number(f.Measured), Expected: unit.NotKnown, Unit: f.Unit, Share: shareOf(f), Asked: asked(f), Gauge: chart.Gauge(f), Raw: rawLines(f.Raw),
	}
	if f.Expected != 0 {
		v.Expected = unit.Number(f.Expected)
	}
	return v
}

type rawLine struct{ At, Text string }

func rawLines(lines []evidence.Excerpt) []rawLine {
	var out []rawLine
	for _, l := range lines {
		at := l.File
		if l.Line > 0 {
			at += ":" + strconv.Itoa(l.Line)
		}
		out = append(out, rawLine{at, l.Text})
	}
	return out
}

type versionView struct {
	badge
	Name, Host, Container, Floor string
}

func newVersionView(c result.Component) versionView {
	or := func(s string) string { return cmp.Or(s, unit.NotKnown) }
	return versionView{newBadge(c.Outcome, outcomeShort(c.Outcome)), c.Name, or(c.Host), or(c.Container), or(c.Floor)}
}

// expected is what the plan expects of each group.
func expected(groups []result.Group) *chart.Table {
	if len(groups) == 0 {
		return nil
	}
	t := &chart.Table{Head: []string{"group", "nodes", "ranks", "a healthy node", "EFA of a node", "all-to-all busbw ceiling", "all-reduce algbw ceiling (4 nodes and more)"}}
	for _, g := range groups {
		t.Rows = append(t.Rows, []string{
			g.Name, fmt.Sprintf("%d × %s", g.Nodes, g.InstanceType), fmt.Sprintf("%d a node, %d CPUs each", g.Ranks.PerNode, g.Ranks.CPUs),
			healthy(g), gbps(g.Expect.NodeGBps), gbps(g.Expect.AllToAllBusGBps), gbps(g.Expect.AllReduceAlgGBps),
		})
	}
	return t
}

func healthy(g result.Group) string {
	h := g.Healthy
	out := fmt.Sprintf("%d accelerators, %d EFA devices", h.Accelerators, h.EFADevices)
	if h.Provider != "" {
		out += ", provider " + h.Provider
	}
	if h.GDR {
		out += ", GPUDirect RDMA"
	}
	return out
}

func gbps(v float64) string {
	if v == 0 {
		return unit.NotKnown
	}
	return unit.Number(v) + " GB/s"
}

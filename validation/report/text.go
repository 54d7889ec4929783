package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
	"github.com/weft-hpc/weft/validation/report/unit"
	"github.com/weft-hpc/weft/validation/result"
)

// Text writes a summary of a run for a terminal: the outcome, what to mend first, the steps, the verdicts with their shares, the findings, and the
// nodes that did not pass. Color is for ANSI colours, width the cells that a line may take; 0 or less does not wrap.
func Text(w io.Writer, run result.Run, color bool, width int) error {
	t := summary{run: cleaned(run), paint: newPaint(color), color: color, width: width}
	t.head()
	if err := t.cause(); err != nil {
		return err
	}
	t.steps()
	t.figures()
	if err := t.findings(); err != nil {
		return err
	}
	t.nodes()
	return write(w, "text", []byte(t.b.String()))
}

type summary struct {
	run   result.Run
	paint paint
	color bool
	width int
	b     strings.Builder
}

func (t *summary) head() {
	where := cmp.Or(t.run.Cluster, "unnamed cluster")
	for _, more := range []string{t.run.Region, t.run.ID} {
		if more != "" {
			where += ", " + more
		}
	}
	t.line(t.paint.strong("weft validation of ") + t.paint.strong(oneLine(where)))
	t.wrapped(t.paint.outcome(t.run.Outcome, strings.ToUpper(outcomeWord(t.run.Outcome)))+"  ", oneLine(sentence(t.run)))
	if !t.run.Started.IsZero() {
		t.line(t.paint.faint(strings.TrimSuffix("started "+unit.Moment(t.run.Started)+", took "+unit.Took(t.run.Started, t.run.Finished), ", took "+unit.NotKnown)))
	}
}

func (t *summary) cause() error {
	if t.run.Cause == nil {
		return nil
	}
	t.title("mend this first")
	return t.render(diag.List{*t.run.Cause})
}

func (t *summary) render(l diag.List) error {
	if err := render.Text(&t.b, l, render.Options{Color: t.color, Width: t.width, Bare: true, Notes: true}); err != nil {
		return fmt.Errorf("writing findings: %w", err)
	}
	// Each finding ends in an empty line, and so does each part of the summary begin.
	text := strings.TrimRight(t.b.String(), "\n") + "\n"
	t.b.Reset()
	t.b.WriteString(text)
	return nil
}

func (t *summary) steps() {
	if len(t.run.Steps) == 0 {
		return
	}
	t.title("steps")
	rows := make([][]cell, 0, len(t.run.Steps))
	for _, s := range t.run.Steps {
		rows = append(rows, []cell{{text: cmp.Or(s.Name, "step")}, {text: s.Group}, t.outcome(s.Outcome), {text: took(s), right: true}, {text: s.Why, wrap: true}})
	}
	t.table([]string{"step", "group", "outcome", "took", "why"}, rows)
}

func (t *summary) figures() {
	var rows [][]cell
	for _, s := range t.run.Steps {
		for _, f := range s.Figures {
			expected := unit.NotKnown
			if f.Expected != 0 {
				expected = unit.Number(f.Expected)
			}
			rows = append(rows, []cell{
				{text: cmp.Or(s.Name, "step")},
				{text: f.What, wrap: true},
				{text: unit.Number(f.Measured), right: true},
				{text: expected, right: true},
				{text: f.Unit},
				{text: shareOf(f), right: true},
				{text: asked(f)},
				t.outcome(f.Outcome),
			})
		}
	}
	if len(rows) == 0 {
		return
	}
	t.title("verdicts")
	t.table([]string{"step", "figure", "measured", "expected", "unit", "share", "asked", "outcome"}, rows)
}

// findings writes those that are not the cause, which stands on top.
func (t *summary) findings() error {
	var l diag.List
	for _, s := range t.run.Steps {
		for _, f := range s.Findings {
			if t.run.Cause == nil || f != *t.run.Cause {
				l.Add(f)
			}
		}
	}
	if len(l) == 0 {
		return nil
	}
	t.title("findings")
	return t.render(l)
}

// mostNodes that did not pass are named.
const mostNodes = 20

func (t *summary) nodes() {
	var rows [][]cell
	left := 0
	for _, n := range t.run.Nodes {
		if n.Outcome == result.Passed {
			continue
		}
		if len(rows) == mostNodes {
			left++
			continue
		}
		nics := unit.NotKnown
		if n.NICs >= 0 {
			nics = fmt.Sprint(n.NICs)
		}
		rows = append(rows, []cell{
			{text: n.Name},
			t.outcome(n.Outcome),
			{text: nics + "/" + fmt.Sprint(n.Want), right: true},
			{text: fmt.Sprintf("%d/%d", n.Channels.GDR, n.Channels.Net), right: true},
			{text: fmt.Sprint(n.Channels.Socket), right: true},
			{text: n.Why, wrap: true},
		})
	}
	if len(rows) == 0 {
		return
	}
	t.title("nodes that did not pass")
	t.table([]string{"node", "outcome", "NICs", "GDRDMA", "sockets", "why"}, rows)
	if left > 0 {
		t.line(fmt.Sprintf("and %s", unit.Plural(left, "more node", "more nodes")))
	}
}

func (t *summary) title(s string) { t.line("\n" + t.paint.strong(s)) }

func (t *summary) line(s string) { t.b.WriteString(strings.TrimRight(s, " ") + "\n") }

// wrapped writes text behind a label, and its further lines under its first.
func (t *summary) wrapped(label, text string) {
	indent := lipgloss.Width(label)
	for i, piece := range wrap(text, t.width-indent) {
		if i > 0 {
			label = strings.Repeat(" ", indent)
		}
		t.line(label + piece)
	}
}

func (t *summary) outcome(o result.Outcome) cell {
	return cell{text: outcomeShort(o), paint: func(s string) string { return t.paint.outcome(o, s) }}
}

// paint puts colours around texts. Without colours every text stays as it is.
type paint struct {
	outcomes      map[result.Outcome]lipgloss.Style
	strong, faint func(string) string
}

func newPaint(color bool) paint {
	if !color {
		same := func(s string) string { return s }
		return paint{strong: same, faint: same}
	}
	// The profile is fixed, so that nothing here asks the environment: the caller has decided that there is a terminal.
	r := lipgloss.NewRenderer(io.Discard, termenv.WithProfile(termenv.ANSI))
	r.SetColorProfile(termenv.ANSI)
	of := func(color string) lipgloss.Style { return r.NewStyle().Bold(true).Foreground(lipgloss.Color(color)) }
	return paint{
		outcomes: map[result.Outcome]lipgloss.Style{result.Passed: of("2"), result.Warned: of("3"), result.Waiting: of("4"), result.Failed: of("1")},
		strong:   func(s string) string { return r.NewStyle().Bold(true).Render(s) },
		faint:    func(s string) string { return r.NewStyle().Faint(true).Render(s) },
	}
}

func (p paint) outcome(o result.Outcome, s string) string {
	style, ok := p.outcomes[o]
	if !ok {
		return s
	}
	return style.Render(s)
}

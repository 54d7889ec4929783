package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/result"
)

// JUnit writes a run as a JUnit XML report with one suite for each step. Its cases are the step's outcome, each verdict and each finding: what
// failed fails its case, a step that was not run or waits is skipped, and the rest passes with its text as output.
func JUnit(w io.Writer, run result.Run) error {
	run = cleaned(run)
	suites := junit.Testsuites{Name: strings.TrimSpace("weft validation " + run.Cluster), Time: seconds(run.Started, run.Finished)}
	for _, s := range run.Steps {
		suites.AddSuite(newSuite(s))
	}
	if len(run.Steps) == 0 {
		suites.AddSuite(emptySuite(run))
	}
	b := bytes.NewBufferString(xml.Header)
	if err := suites.WriteXML(b); err != nil {
		return fmt.Errorf("encoding the report as JUnit XML: %w", err)
	}
	return write(w, "JUnit XML", b.Bytes())
}

// emptySuite is of a run without steps: most CI servers take an empty report for a broken one.
func emptySuite(run result.Run) junit.Testsuite {
	suite := junit.Testsuite{Name: "weft", Time: seconds(run.Started, run.Finished)}
	suite.AddTestcase(junit.Testcase{Classname: "weft", Name: "validation", Time: seconds(run.Started, run.Finished), Skipped: &junit.Result{Message: sentence(run)}})
	return suite
}

func newSuite(s result.Step) junit.Testsuite {
	suite := junit.Testsuite{Name: suiteName(s), Time: seconds(s.Started, s.Finished)}
	if !s.Started.IsZero() {
		suite.SetTimestamp(s.Started.UTC())
	}
	suite.AddTestcase(stepCase(s, suite.Name))
	for _, f := range s.Figures {
		suite.AddTestcase(figureCase(f, suite.Name))
	}
	findings := append(diag.List(nil), s.Findings...)
	findings.Sort()
	for _, f := range findings {
		suite.AddTestcase(findingCase(f))
	}
	return suite
}

func suiteName(s result.Step) string {
	name := cmp.Or(s.Name, "step")
	if s.Group != "" {
		name += " (" + s.Group + ")"
	}
	return name
}

func stepCase(s result.Step, suite string) junit.Testcase {
	c := junit.Testcase{Classname: suite, Name: stepName(s), Time: seconds(s.Started, s.Finished)}
	switch s.Outcome {
	case result.Failed:
		c.Failure = &junit.Result{Message: s.Why, Type: string(s.Outcome), Data: excerpts(rawLines(s.Raw))}
	case result.Passed, result.Warned:
		c.SystemOut = &junit.Output{Data: string(s.Outcome) + ": " + s.Why}
	default:
		c.Skipped = &junit.Result{Message: outcomeShort(s.Outcome) + ": " + s.Why}
	}
	return c
}

func figureCase(f result.Figure, suite string) junit.Testcase {
	c := junit.Testcase{Classname: suite, Name: cmp.Or(f.What, "verdict"), Time: noTime}
	text := []string{sum(f), "asked: " + asked(f), f.Formula, f.Source, excerpts(rawLines(f.Raw))}
	if f.Outcome != result.Failed {
		c.SystemOut = &junit.Output{Data: joined(text)}
		return c
	}
	c.Failure = &junit.Result{Message: sum(f) + "; asked: " + asked(f), Type: "verdict", Data: joined(text)}
	return c
}

func findingCase(f diag.Finding) junit.Testcase {
	v := newFindingView(f)
	c := junit.Testcase{Classname: v.Rule, Name: cmp.Or(f.Place.String(), v.Rule), Time: noTime}
	lines := make([]string, 0, len(v.Parts))
	for _, p := range v.Parts {
		lines = append(lines, p.Label+": "+p.Value)
	}
	if f.Severity() < diag.Error {
		c.SystemOut = &junit.Output{Data: joined(append([]string{v.Level}, lines...))}
		return c
	}
	c.Failure = &junit.Result{Message: joinedBy("; ", "got: "+f.Got, "want: "+f.Want), Type: v.Rule, Data: joined(lines)}
	return c
}

func joined(lines []string) string { return joinedBy("\n", lines...) }

func joinedBy(separator string, lines ...string) string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, separator)
}

func excerpts(lines []rawLine) string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimPrefix(l.At+"  "+l.Text, "  "))
	}
	return strings.Join(out, "\n")
}

// noTime stands where JUnit asks for a duration of what takes none.
const noTime = "0.000"

func seconds(from, to time.Time) string {
	if from.IsZero() || to.IsZero() || to.Before(from) {
		return noTime
	}
	return strconv.FormatFloat(to.Sub(from).Seconds(), 'f', 3, 64)
}

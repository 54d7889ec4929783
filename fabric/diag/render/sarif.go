package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/weft-hpc/weft/fabric/diag"
)

const informationURI = "https://github.com/weft-hpc/weft"

var sarifLevels = map[diag.Level]string{
	diag.Note: sarif.LevelNote, diag.Warn: sarif.LevelWarning, diag.Error: sarif.LevelError,
}

// SARIF writes findings as a SARIF 2.1.0 log with one run, which holds the rules that were broken with their
// help texts. A finding's parts stand in its message and, each by its name, in its properties. A finding in no
// file has logical locations only.
func SARIF(w io.Writer, l diag.List, o Options) error {
	log := report.NewV210Report()
	log.AddRun(newRun(prepared(l), o.Version))
	var b bytes.Buffer
	if err := log.PrettyWrite(&b); err != nil {
		return fmt.Errorf("encoding findings as SARIF: %w", err)
	}
	b.WriteByte('\n')
	return write(w, "SARIF", escapeHidden(b.Bytes()))
}

func newRun(l diag.List, version string) *sarif.Run {
	run := sarif.NewRunWithInformationURI("weft", informationURI)
	// A place counts its columns in characters, not in UTF-16 code units as SARIF takes for granted.
	run.WithColumnKind("unicodeCodePoints")
	if version != "" {
		run.Tool.Driver.WithVersion(version)
	}
	index := map[diag.ID]int{}
	for _, f := range l {
		i, ok := index[f.Rule]
		if !ok {
			i = len(index)
			index[f.Rule] = i
			run.Tool.Driver.AddRule(newDescriptor(f.Rule))
		}
		run.AddResult(newResult(f, i))
	}
	return run
}

func newDescriptor(id diag.ID) *sarif.ReportingDescriptor {
	says := id.Says()
	help := strings.ToUpper(says[:1]) + says[1:] + "."
	if rule, ok := diag.Lookup(id); ok {
		help += " Judged in: " + strings.Join(rule.Where.Names(), ", ") + "."
	}
	return sarif.NewRule(string(id)).
		WithShortDescription(sarif.NewMultiformatMessageString().WithText(says)).
		WithHelp(sarif.NewMultiformatMessageString().WithText(help)).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevels[id.Level()]))
}

func newResult(f diag.Finding, ruleIndex int) *sarif.Result {
	result := sarif.NewRuleResult(string(f.Rule)).
		WithRuleIndex(ruleIndex).
		WithLevel(sarifLevels[f.Level]).
		WithMessage(sarif.NewTextMessage(message(f)))
	if location := newLocation(f.Place); location != nil {
		result.AddLocation(location)
	}
	bag := sarif.NewPropertyBag()
	for _, p := range []part{
		{"got", f.Got}, {"want", f.Want}, {"hint", f.Hint}, {"source", f.Source}, {"reason", f.Reason},
	} {
		if p.value != "" {
			bag.Add(p.label, p.value)
		}
	}
	return result.WithProperties(bag)
}

// message is the whole finding in lines of "label: value", further lines of a value indented; the rule stands
// in for a finding that says nothing.
func message(f diag.Finding) string {
	var lines []string
	for _, p := range parts(f) {
		lines = append(lines, p.label+": "+strings.Join(visibleLines(p.value), "\n  "))
	}
	return cmp.Or(strings.Join(lines, "\n"), visible(f.Rule.Says()))
}

func newLocation(p diag.Place) *sarif.Location {
	if p == (diag.Place{Line: p.Line, Column: p.Column}) {
		return nil
	}
	location := sarif.NewLocation()
	if p.File != "" {
		physical := sarif.NewPhysicalLocation().
			WithArtifactLocation(sarif.NewSimpleArtifactLocation(fileURI(p.File)))
		if p.Line > 0 {
			physical.WithRegion(newRegion(p))
		}
		location.WithPhysicalLocation(physical)
	}
	for _, logical := range []part{{"member", p.Path}, {"resource", p.Resource}} {
		if logical.value != "" {
			location.AddLogicalLocation(
				sarif.NewLogicalLocation().WithKind(logical.label).WithFullyQualifiedName(logical.value))
		}
	}
	return location
}

func newRegion(p diag.Place) *sarif.Region {
	region := sarif.NewRegion().WithStartLine(p.Line)
	if p.Column > 0 {
		region.WithStartColumn(p.Column)
	}
	return region
}

// fileURI is a file's name as a URI reference: relative names stay relative, to the place where weft ran.
func fileURI(name string) string {
	slashed := strings.ReplaceAll(name, `\`, "/")
	if path.IsAbs(slashed) {
		return (&url.URL{Scheme: "file", Path: slashed}).String()
	}
	return (&url.URL{Path: slashed}).String()
}

package render

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/weft-hpc/weft/fabric/diag"
)

// noTime stands where JUnit asks for a duration: a finding takes none.
const noTime = "0.000"

// JUnit writes findings as a JUnit XML report with one suite and one test case a finding, named by rule and
// place. An error fails its case; a warning or a note passes with its text as output. No findings are one
// case that passes, because most CI servers take an empty report for a broken one. The options do not
// change it.
func JUnit(w io.Writer, l diag.List, _ Options) error {
	suite := junit.Testsuite{Name: "weft", Time: noTime}
	for _, f := range prepared(l) {
		suite.AddTestcase(newTestcase(f))
	}
	if len(l) == 0 {
		suite.AddTestcase(junit.Testcase{Classname: "weft", Name: "no findings", Time: noTime})
	}
	suites := junit.Testsuites{Name: "weft", Time: noTime}
	suites.AddSuite(suite)

	b := bytes.NewBufferString(xml.Header)
	if err := suites.WriteXML(b); err != nil {
		return fmt.Errorf("encoding findings as JUnit XML: %w", err)
	}
	return write(w, "JUnit XML", b.Bytes())
}

func newTestcase(f diag.Finding) junit.Testcase {
	rule := visible(string(f.Rule))
	c := junit.Testcase{
		Classname: rule,
		Name:      visible(cmp.Or(f.Place.String(), f.Rule.Says())),
		Time:      noTime,
	}
	text := message(f)
	if f.Level < diag.Error {
		c.SystemOut = &junit.Output{Data: f.Level.String() + "\n" + text}
		return c
	}
	c.Failure = &junit.Result{Message: bothSides(f), Type: rule, Data: text}
	return c
}

// bothSides is what a CI server shows of a failure before somebody opens it.
func bothSides(f diag.Finding) string {
	var sides []string
	for _, p := range []part{{"got", f.Got}, {"want", f.Want}} {
		if p.value != "" {
			sides = append(sides, p.label+": "+visible(p.value))
		}
	}
	return cmp.Or(strings.Join(sides, "; "), visible(f.Rule.Says()))
}

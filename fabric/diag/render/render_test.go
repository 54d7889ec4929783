package render_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"
	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
)

func TestNamed(t *testing.T) {
	require.Equal(t, []string{"json", "junit", "sarif", "text"}, render.Names())
	for _, name := range render.Names() {
		format, ok := render.Named(name)
		require.True(t, ok)
		require.NotEmpty(t, rendered(t, format, nil, render.Options{}))
	}
	_, ok := render.Named("html")
	require.False(t, ok)
}

// everything is the findings of all situations in one list.
func everything(t testing.TB) diag.List {
	t.Helper()
	var all diag.List
	for name := range situations {
		l, _ := situation(t, "testdata/"+name)
		all = append(all, l...)
	}
	require.NotEmpty(t, all)
	return all
}

func TestFormatsLeaveTheListAlone(t *testing.T) {
	l := diag.List{{Rule: diag.ConfigValue, Place: diag.Place{File: "b"}}, {Rule: diag.ConfigKey, Place: diag.Place{File: "a"}}}
	before := slices.Clone(l)
	for _, name := range render.Names() {
		format, _ := render.Named(name)
		rendered(t, format, l, render.Options{})
		require.Equal(t, before, l, name)
	}
}

func TestFormatsDoNotDependOnTheOrder(t *testing.T) {
	l := everything(t)
	for _, name := range render.Names() {
		format, _ := render.Named(name)
		want := rendered(t, format, l, render.Options{Notes: true})
		slices.Reverse(l)
		require.Equal(t, want, rendered(t, format, l, render.Options{Notes: true}), name)
	}
}

var errBroken = errors.New("pipe is broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestFormatsReportABrokenWriter(t *testing.T) {
	for _, name := range render.Names() {
		format, _ := render.Named(name)
		require.ErrorIs(t, format(brokenWriter{}, everything(t), render.Options{}), errBroken, name)
	}
}

func TestFindingWithoutLevelCountsAtItsRules(t *testing.T) {
	l := diag.List{{Rule: diag.BlockSeveral}, {Rule: "nowhere/registered"}}
	require.Contains(t, rendered(t, render.Text, l, render.Options{}), "1 error, 1 warning\n")

	report := render.NewReport(l)
	require.Equal(t, 1, report.Errors)
	require.Equal(t, 1, report.Warnings)
}

func TestSummary(t *testing.T) {
	tests := []struct {
		errors, warnings, notes int
		hidden, shown           string
	}{
		{0, 0, 0, "no findings", "no findings"},
		{1, 0, 0, "1 error", "1 error"},
		{0, 2, 0, "2 warnings", "2 warnings"},
		{2, 1, 1, "2 errors, 1 warning (1 note hidden, -v shows it)", "2 errors, 1 warning, 1 note"},
		{0, 0, 3, "no findings (3 notes hidden, -v shows them)", "3 notes"},
	}
	for _, tt := range tests {
		t.Run(tt.shown, func(t *testing.T) {
			l := slices.Concat(
				slices.Repeat(diag.List{{Rule: diag.ConfigKey, Level: diag.Error}}, tt.errors),
				slices.Repeat(diag.List{{Rule: diag.ConfigKey, Level: diag.Warn}}, tt.warnings),
				slices.Repeat(diag.List{{Rule: diag.ConfigKey, Level: diag.Note}}, tt.notes),
			)
			require.Equal(t, tt.hidden, lastLine(rendered(t, render.Text, l, render.Options{})))
			require.Equal(t, tt.shown, lastLine(rendered(t, render.Text, l, render.Options{Notes: true})))
		})
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	return lines[len(lines)-1]
}

func TestBrokenUTF8IsVisible(t *testing.T) {
	l := diag.List{{Rule: diag.ConfigValue, Got: "a\xffb", Place: diag.Place{File: "f", Line: 1, Column: 3}}}
	out := rendered(t, render.Text, l, render.Options{Sources: map[string][]byte{"f": []byte("\xff\xfex")}})
	require.Contains(t, out, `got     a\xffb`)
	require.Contains(t, out, "  1 | \\xff\\xfex\n    |         ^\n")
}

// TestCaret points at a character of a line that is shown whole: the text up to the caret is the text up to the column.
func TestCaret(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		alphabet := []rune("ab 訓é🙂ｱ\t\u202é")
		line := rapid.StringOfN(rapid.SampledFrom(alphabet), 1, 15, -1).Draw(rt, "line")
		column := rapid.IntRange(1, utf8.RuneCountInString(line)).Draw(rt, "column")
		before := string([]rune(line)[:column-1])

		l := diag.List{{Rule: diag.ConfigValue, Place: diag.Place{File: "f", Line: 1, Column: column}}}
		out := strings.Split(rendered(t, render.Text, l, render.Options{Sources: map[string][]byte{"f": []byte(line)}}), "\n")
		quoted, caret := out[1], out[2]
		shown := strings.NewReplacer("\t", `\t`, "\u202e", `\u202e`).Replace(before)
		require.True(rt, strings.HasPrefix(quoted, strings.TrimRight("  1 | "+shown, " ")), "%q", quoted)
		require.Equal(rt, "    | "+strings.Repeat(" ", lipgloss.Width(shown))+"^", caret)
	})
}

func TestWidthHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		width := rapid.IntRange(30, 120).Draw(rt, "width")
		words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("abc訓é")), 0, 9, -1), 1, 60).Draw(rt, "words")
		long := strings.Join(words, " ")
		column := rapid.IntRange(0, 700).Draw(rt, "column")
		l := diag.List{{
			Rule: diag.ConfigKey, Got: long, Want: long, Hint: long,
			Place: diag.Place{File: "f", Line: 1, Column: column},
		}}
		content := map[string][]byte{"f": []byte(long)}
		out := rendered(t, render.Text, l, render.Options{Width: width, Sources: content})
		for line := range strings.Lines(out) {
			require.LessOrEqual(rt, lipgloss.Width(strings.TrimSuffix(line, "\n")), width, "%q", line)
		}
	})
}

func TestWrappingLosesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		width := rapid.IntRange(1, 60).Draw(rt, "width")
		words := rapid.SliceOf(rapid.StringOfN(rapid.RuneFrom([]rune("abc訓é \n")), 0, 40, -1)).Draw(rt, "words")
		long := strings.Join(words, " ")
		out := rendered(t, render.Text, diag.List{{Rule: diag.ConfigKey, Got: "got: " + long}}, render.Options{Width: width})
		want := slices.Concat([]string{"error", "config/key", "got", "got:"}, strings.Fields(long), []string{"1", "error"})
		require.Equal(rt, want, strings.Fields(out))
	})
}

func TestLongWordsStayWhole(t *testing.T) {
	arn := "arn:aws:ec2:us-west-2:111122223333:capacity-reservation/cr-0a1b2c3d4e5f60718"
	l := diag.List{{Rule: diag.BlockState, Got: "reservation " + arn + " expired"}}
	out := rendered(t, render.Text, l, render.Options{Width: 40})
	require.Contains(t, out, "\n          "+arn+"\n          expired\n")
}

func TestJSONReadsBack(t *testing.T) {
	l := everything(t)
	var back render.Report
	require.NoError(t, json.Unmarshal([]byte(rendered(t, render.JSON, l, render.Options{})), &back))
	require.Equal(t, render.NewReport(l), back)
	require.Len(t, back.Findings, len(l))

	require.Contains(t, rendered(t, render.JSON, nil, render.Options{}), `"findings": []`, "never null")
}

func TestSARIFHoldsToItsSchema(t *testing.T) {
	for name := range situations {
		t.Run(name, func(t *testing.T) {
			l, _ := situation(t, "testdata/"+name)
			requireSARIF(t, rendered(t, render.SARIF, l, render.Options{Version: "1.2.3"}), len(l))
		})
	}
}

func requireSARIF(t *testing.T, text string, results int) {
	t.Helper()
	log, err := sarif.FromString(text, sarif.WithStrictValidation())
	require.NoError(t, err)
	require.NoError(t, log.Validate())
	require.Len(t, log.Runs, 1)
	require.Len(t, log.Runs[0].Results, results)
	rules := log.Runs[0].Tool.Driver.Rules
	for _, r := range log.Runs[0].Results {
		rule := rules[r.RuleIndex]
		require.Equal(t, *r.RuleID, *rule.ID)
		require.NotEmpty(t, *rule.Help.Text)
		require.NotEmpty(t, *r.Message.Text)
	}
}

func TestSARIFFileURI(t *testing.T) {
	tests := map[string]string{
		"cluster.yaml":             "cluster.yaml",
		"clusters/my train.yaml":   "clusters/my%20train.yaml",
		"../50%.yaml":              "../50%25.yaml",
		"/srv/a#b.yaml":            "file:///srv/a%23b.yaml",
		`clusters\train.yaml`:      "clusters/train.yaml",
		"nccl:2.28.log":            "./nccl:2.28.log",
		"clusters/訓練/cluster.yaml": "clusters/%E8%A8%93%E7%B7%B4/cluster.yaml",
	}
	for file, uri := range tests {
		t.Run(file, func(t *testing.T) {
			l := diag.List{{Rule: diag.ConfigKey, Place: diag.Place{File: file}}}
			require.Contains(t, rendered(t, render.SARIF, l, render.Options{}), fmt.Sprintf("%q: %q", "uri", uri))
		})
	}
}

func TestJUnitReadsBack(t *testing.T) {
	l := everything(t)
	suites := readJUnit(t, rendered(t, render.JUnit, l, render.Options{}))
	require.Equal(t, len(l), suites.Tests)
	require.Equal(t, l.Count(diag.Error), suites.Failures)
	for _, c := range suites.Suites[0].Testcases {
		require.True(t, (c.Failure == nil) != (c.SystemOut == nil), "an error fails, the rest is output")
	}
}

func readJUnit(t *testing.T, text string) junit.Testsuites {
	t.Helper()
	var suites junit.Testsuites
	dec := xml.NewDecoder(strings.NewReader(text))
	require.NoError(t, dec.Decode(&suites))
	_, err := dec.Token()
	for err == nil {
		_, err = dec.Token()
	}
	require.ErrorIs(t, err, io.EOF)
	return suites
}

// FuzzFormats feeds every format with arbitrary text: nothing unprintable comes out, and each stays well-formed.
func FuzzFormats(f *testing.F) {
	f.Add("config/key", "a.yaml", 1, 1, "got\x1b[31m", "want", "line: \u202e1\r\n\t2", 60)
	f.Add("", "", 0, 0, "", "", "", 0)
	f.Add("\xba\x9b", "", 0, 0, "", "", "", -20) // says nothing but its broken rule
	f.Add("x/y]]>", "\xff\x00:", 2, 900, "]]>\x9b", "\u0000", "one\ntwo\xfe\xff"+strings.Repeat("訓", 300), 5)
	f.Add("block/size", "C:\\a b\\%zz", -1, -5, "\ufffe\uffff", "\n\n", "\U0010ffff", -1)
	f.Fuzz(func(t *testing.T, rule, file string, line, column int, got, want, content string, width int) {
		l := diag.List{{
			Rule: diag.ID(rule), Got: got, Want: want, Hint: content, Source: got, Reason: want,
			Place: diag.Place{File: file, Line: line, Column: column, Path: want, Resource: got},
		}}
		o := render.Options{Notes: true, Width: width, Sources: map[string][]byte{file: []byte(content)}, Version: got}
		for _, name := range render.Names() {
			format, _ := render.Named(name)
			requirePrintable(t, rendered(t, format, l, o))
		}
		require.True(t, json.Valid([]byte(rendered(t, render.JSON, l, o))))
		requireSARIF(t, rendered(t, render.SARIF, l, o), 1)
		require.Equal(t, 1, readJUnit(t, rendered(t, render.JUnit, l, o)).Tests)
	})
}

func requirePrintable(t *testing.T, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	for _, r := range text {
		// XML is indented with tabs.
		require.True(t, unicode.IsPrint(r) || r == '\n' || r == '\t', "%q in %q", r, text)
	}
}

func BenchmarkText(b *testing.B) {
	var l diag.List
	content := strings.Repeat("    placementGroup: pg-train\n", 1_000)
	for i := range 1_000 {
		l.Add(diag.Finding{
			Rule:  diag.BlockPlacementGroup,
			Place: diag.Place{File: "cluster.yaml", Line: i + 1, Column: 21, Path: fmt.Sprintf("groups[%d].placementGroup", i)},
			Got:   "placement group pg-train on a group that targets capacity block cr-0a1b2c3d4e5f60718",
			Want:  "no placement group: the instances of one block sit close together already",
			Hint:  "remove the placement group",
		})
	}
	for name, o := range map[string]render.Options{
		"plain": {}, "full": {Color: true, Width: 80, Sources: map[string][]byte{"cluster.yaml": []byte(content)}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := render.Text(io.Discard, l, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

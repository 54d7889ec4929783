package report

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// cell of a table in a terminal.
type cell struct {
	text  string
	wrap  bool // takes the room that the other columns leave
	right bool
	paint func(string) string // puts colours around the text, which take no room
}

func (c cell) painted() string {
	if c.paint == nil {
		return oneLine(c.text)
	}
	return c.paint(oneLine(c.text))
}

// least cells for a column that wraps, however narrow the terminal says it is; gap between columns.
const (
	least = 24
	gap   = 2
)

// table writes rows under a header, aligned, without borders. An empty column is left out.
func (t *summary) table(head []string, rows [][]cell) {
	w := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	w.SuppressEmptyColumns()
	w.SetColumnConfigs(t.columns(head, rows))
	header := make(table.Row, 0, len(head))
	for _, h := range head {
		header = append(header, t.paint.faint(h))
	}
	w.AppendHeader(header)
	for _, r := range rows {
		row := make(table.Row, 0, len(r))
		for _, c := range r {
			row = append(row, c.painted())
		}
		w.AppendRow(row)
	}
	for _, line := range strings.Split(w.Render(), "\n") {
		t.line(line)
	}
}

// columns bounds the one that wraps by what the others leave of the width.
func (t *summary) columns(head []string, rows [][]cell) []table.ColumnConfig {
	var out []table.ColumnConfig
	for i := range head {
		config := table.ColumnConfig{Number: i + 1}
		if rows[0][i].right {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		if rows[0][i].wrap && t.width > 0 {
			config.WidthMax, config.WidthMaxEnforcer = max(t.width-others(head, rows, i), least), wrapText
		}
		out = append(out, config)
	}
	return out
}

// others is the width of all columns but one.
func others(head []string, rows [][]cell, but int) int {
	sum := 0
	for i := range head {
		if i == but {
			continue
		}
		widest := 0
		for _, r := range rows {
			widest = max(widest, lipgloss.Width(oneLine(r[i].text)))
		}
		if widest > 0 {
			sum += max(widest, len(head[i])) + gap
		}
	}
	return sum
}

func wrapText(s string, width int) string { return strings.Join(wrap(s, width), "\n") }

// wrap breaks a text at spaces into pieces of at most width cells; width 0 or less leaves it whole. A longer word stays whole, so that it can be
// copied.
func wrap(s string, width int) []string {
	if width <= 0 || lipgloss.Width(s) <= width {
		return []string{s}
	}
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && lipgloss.Width(line)+1+lipgloss.Width(word) > width {
			out = append(out, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(out, line)
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

package installed

import (
	"regexp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// table reads tables whose cells are set apart by bars, tabs or several blanks: two columns of name and version, as
// AWS's release pages and pip list have them, or a header of components with a row of versions for each image.
type table struct {
	header []catalog.Component // by column; empty: a column of something else
}

func (t *table) take(s *sink, l line) bool {
	cells := cellsOf(l.text)
	switch {
	case len(cells) < 2:
		return false
	case isRule(cells):
		return true
	case t.setHeader(cells):
		s.list.recognise(ReleaseTable)
		return true
	case len(t.header) == len(cells):
		return t.row(s, cells, l.number)
	case len(cells) == 2:
		return t.pair(s, cells[0], cells[1], l.number)
	default:
		return false
	}
}

func (t *table) end(*sink) { *t = table{} }

// row reads a row below a header of components.
func (t *table) row(s *sink, cells []string, number int) bool {
	for i, c := range t.header {
		if value, ok := valueOf(cells[i], c); c != "" && ok {
			s.found(headed(c, value), value, cells[0], ReleaseTable, number)
		}
	}
	return true
}

// setHeader takes a row for a header if two cells of it are components, and none holds a version.
func (t *table) setHeader(cells []string) bool {
	header := make([]catalog.Component, len(cells))
	known := 0
	for i, cell := range cells {
		if startsWithDigit(cell) {
			return false
		}
		if c, ok := labelled(cell, ""); ok {
			header[i] = c
			known++
		}
	}
	if known < 2 || len(cells) < 3 {
		return false
	}
	t.header = header
	return true
}

// headed settles a column that is called EFA only, by its value.
func headed(c catalog.Component, value string) catalog.Component {
	if c != catalog.EFADriver {
		return c
	}
	c, _ = labelled("efa", value)
	return c
}

func (t *table) pair(s *sink, label, text string, number int) bool {
	value, ok := valueOf(text, catalog.CUDA)
	if !ok {
		return false
	}
	if _, isPackage := componentIn(packages, strings.ToLower(label)); isPackage && !ownName(label) {
		s.pkg(label, value, PipList, number)
		return true
	}
	c, ok := labelled(label, value)
	if ok {
		s.found(c, value, strings.TrimSpace(label), ReleaseTable, number)
	}
	return ok
}

// ownName reports whether a label names a component before it names a package.
func ownName(label string) bool {
	_, ok := labels()[labelOf(label)]
	return ok || labelOf(label) == "efa"
}

var (
	cellBreak = regexp.MustCompile(`\s*[|│┃]\s*|\t+| {2,}`)
	// Pages turned into Markdown write an underscore as \_ or \$1.
	underscore = strings.NewReplacer(`\_`, "_", `\$1`, "_")
	cudaFolder = regexp.MustCompile(`^/usr/local/cuda-(\d+\.\d+)/?$`)
	item       = regexp.MustCompile(`^\s*[-*•]\s+`)
)

func cellsOf(text string) []string {
	text = underscore.Replace(item.ReplaceAllString(text, ""))
	text = strings.Trim(text, " \t|│┃")
	if text == "" {
		return nil
	}
	return cellBreak.Split(text, -1)
}

// isRule tells the line between a table's header and its rows.
func isRule(cells []string) bool {
	return !slices.ContainsFunc(cells, func(c string) bool { return strings.Trim(c, "-=:+ ") != "" })
}

// floating are words that stand for whatever is newest. They are kept as they are, and found unreadable by who judges.
var floating = []string{"latest", "newest", "main", "master", "head", "stable", "aws"}

// valueOf takes the version from a cell: its first word. A folder of a CUDA toolkit stands for its version; several
// folders name none.
func valueOf(text string, c catalog.Component) (value string, ok bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return "", false
	}
	value = strings.Trim(fields[0], "`\"'*,;()")
	if m := cudaFolder.FindStringSubmatch(value); m != nil && c == catalog.CUDA {
		return m[1], true
	}
	return value, startsWithDigit(strings.TrimPrefix(value, "v")) || slices.Contains(floating, strings.ToLower(value))
}

func startsWithDigit(text string) bool { return text != "" && '0' <= text[0] && text[0] <= '9' }

// pair reads a line of one component and its version, as people write it down: "efa-installer 1.50.0",
// "GDRCopy: 2.5.1".
func pair(s *sink, l line) bool {
	m := pairLine.FindStringSubmatch(underscore.Replace(item.ReplaceAllString(l.text, "")))
	if m == nil {
		return false
	}
	value, ok := valueOf(m[3], catalog.CUDA)
	if !ok {
		return false
	}
	c, ok := labelled(m[1]+m[2], value)
	if ok {
		s.found(c, value, m[1]+m[2], ComponentsNamed, l.number)
	}
	return ok
}

var pairLine = regexp.MustCompile(`^\s*(?:([A-Za-z][\w .+-]*?)\s*[:=]\s*|([A-Za-z][\w.+-]*)\s+)(\S+)\s*$`)

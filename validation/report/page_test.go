package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/report"
)

func TestThePageStandsAlone(t *testing.T) {
	t.Parallel()
	for _, name := range situations {
		requirePage(t, rendered(t, report.HTML, situation(t, name)))
	}
}

// elements that a page has.
var elements = strings.Fields(`html head meta title style body a div header p h1 h2 h3 h4 span dl dt dd main section table thead tbody tr th td ul li
	strong footer code details summary figure figcaption article small svg desc line rect polyline polygon path text circle`)

// requirePage holds a page to what it promises: it loads nothing, runs nothing, its ids are its own and lead somewhere, and each of its
// pictures has a title, a description and a table. The page is written so that it reads as XML too.
func requirePage(t *testing.T, html string) {
	t.Helper()
	p := readPage(t, html)
	for _, e := range p.elements {
		require.Contains(t, elements, e)
	}
	for _, id := range p.refers {
		require.True(t, p.ids[id], "nothing has the id %q", id)
	}
	require.Equal(t, p.figures, p.described, "a title and a description for each picture")
	require.Equal(t, p.figures, p.tables, "a table for each picture")
	require.NotRegexp(t, loads, p.style)
}

var loads = regexp.MustCompile(`(?i)url\(|@import|expression`)

type readPageResult struct {
	elements, refers           []string
	ids                        map[string]bool
	figures, described, tables int
	style                      string
}

// voids are elements without an end, which XML does not know.
var voids = regexp.MustCompile(`<(meta [^>]*|!doctype html)>`)

func readPage(t *testing.T, html string) readPageResult {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(voids.ReplaceAllString(html, "")))
	dec.Entity = xml.HTMLEntity
	p := readPageResult{ids: map[string]bool{}}
	seen := map[string]bool{}
	var open []string
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			open = append(open, e.Name.Local)
			if !seen[e.Name.Local] {
				seen[e.Name.Local] = true
				p.elements = append(p.elements, e.Name.Local)
			}
			p.element(t, e, open)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 && open[len(open)-1] == "style" {
				p.style += string(e)
			}
		}
	}
}

func (p *readPageResult) element(t *testing.T, e xml.StartElement, open []string) {
	t.Helper()
	for _, a := range e.Attr {
		p.attribute(t, a)
		p.described += count(e.Name.Local == "svg" && a.Name.Local == "aria-labelledby")
	}
	p.figures += count(e.Name.Local == "figure")
	p.tables += count(e.Name.Local == "table" && slices.Contains(open, "figure"))
}

func (p *readPageResult) attribute(t *testing.T, a xml.Attr) {
	t.Helper()
	switch name := a.Name.Local; {
	case name == "id":
		require.False(t, p.ids[a.Value], "two elements have the id %q", a.Value)
		p.ids[a.Value] = true
	case name == "href":
		require.True(t, strings.HasPrefix(a.Value, "#"), "leads out of the page: %s", a.Value)
		p.refers = append(p.refers, a.Value[1:])
	case name == "aria-labelledby":
		p.refers = append(p.refers, strings.Fields(a.Value)...)
	case name == "src" || name == "style" || strings.HasPrefix(name, "on"):
		require.Failf(t, "an attribute that loads or runs", "%s=%q", name, a.Value)
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

package symptom

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/weft-hpc/weft/validation/parse/mark"
)

// matcher finds the texts of a table. A line is first searched for a part of every text at once; only where one stands is the text itself
// compared.
type matcher struct {
	rows   []Row
	byID   map[string]int
	texts  []text
	finder *mark.Finder
}

// text is one text of a row.
type text struct {
	row   int
	parts [][]byte
	not   [][]byte
}

// matching is the matcher of the whole table.
var matching = sync.OnceValue(func() *matcher {
	m, err := newMatcher(Table())
	if err != nil {
		panic(err) // a test holds the table right
	}
	return m
})

func newMatcher(rows []Row) (*matcher, error) {
	m := &matcher{rows: rows, byID: map[string]int{}}
	var texts [][]string
	for i := range rows {
		if _, double := m.byID[rows[i].ID]; double {
			return nil, fmt.Errorf("two rows are called %s", rows[i].ID)
		}
		m.byID[rows[i].ID] = i
		for _, s := range rows[i].Texts {
			parts := strings.Split(s, "*")
			texts = append(texts, parts)
			m.texts = append(m.texts, text{row: i, parts: each(parts), not: each(rows[i].Not)})
		}
	}
	var err error
	if m.finder, err = mark.New(texts); err != nil {
		return nil, fmt.Errorf("the table of known texts: %w", err)
	}
	return m, nil
}

func each(texts []string) (out [][]byte) {
	for _, s := range texts {
		if s != "" {
			out = append(out, []byte(s))
		}
	}
	return out
}

// hit is a row that a line holds, and where.
type hit struct {
	row        int
	start, end int
}

// find appends the rows that a line holds to hits, each once. Which texts may stand there is kept in room for the next call.
func (m *matcher) find(line []byte, room []int, hits []hit) ([]int, []hit) {
	room = m.finder.Find(line, room[:0])
	for _, t := range room {
		hits = m.compare(line, &m.texts[t], hits)
	}
	return room, hits
}

// compare adds a text's row if the line holds all of the text.
func (m *matcher) compare(line []byte, t *text, hits []hit) []hit {
	for _, h := range hits {
		if h.row == t.row {
			return hits
		}
	}
	start, end, ok := t.in(line)
	if !ok {
		return hits
	}
	return append(hits, hit{row: t.row, start: start, end: end})
}

func (t *text) in(line []byte) (start, end int, ok bool) {
	start = -1
	for _, part := range t.parts {
		i := bytes.Index(line[end:], part)
		if i < 0 {
			return 0, 0, false
		}
		if start < 0 {
			start = i
		}
		end += i + len(part)
	}
	for _, n := range t.not {
		if bytes.Contains(line, n) {
			return 0, 0, false
		}
	}
	return start, end, true
}

// blamed takes out of hits the harmless ones, and those that lie in the same place as a harmless one.
func (m *matcher) blamed(hits []hit) []hit {
	safe := hits[:0:0]
	for _, h := range hits {
		if m.rows[h.row].Harmless {
			safe = append(safe, h)
		}
	}
	if safe == nil {
		return hits
	}
	out := hits[:0]
	for _, h := range hits {
		if !m.rows[h.row].Harmless && !within(h, safe) {
			out = append(out, h)
		}
	}
	return out
}

func within(h hit, safe []hit) bool {
	for _, s := range safe {
		if h.start < s.end && s.start < h.end {
			return true
		}
	}
	return false
}

// Harmless tells of a text that it is known to stand in good runs too, by the id of its row.
func Harmless(text []byte) (id string, ok bool) {
	m := matching()
	_, hits := m.find(text, nil, nil)
	for _, h := range hits {
		if m.rows[h.row].Harmless {
			return m.rows[h.row].ID, true
		}
	}
	return "", false
}

package symptom

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
)

// window is how many bytes of a text the search looks for. A line is first searched for the windows of all texts at once, after Wu and
// Manber (1994): the table says for each block of bytes how far the window can be moved on. Only where a whole window fits is the text
// itself compared, so that a line which means nothing costs one look for every five bytes or so.
const (
	window = 8
	block  = 4
	// bits of a block's place in the tables: few enough that they stay in a processor's first cache.
	bits = 13
	// maxTexts bounds the table.
	maxTexts = 512
)

// matcher finds the texts of a table.
type matcher struct {
	rows  []Row
	byID  map[string]int
	texts []text
	shift [1 << bits]uint8
	at    [1 << bits][]int // texts by the last block of their window
}

// text is one text of a row.
type text struct {
	row    int
	parts  [][]byte
	window []byte
	not    [][]byte
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
	for i := range m.shift {
		m.shift[i] = window - block + 1
	}
	for i := range rows {
		if _, double := m.byID[rows[i].ID]; double {
			return nil, fmt.Errorf("two rows are called %s", rows[i].ID)
		}
		m.byID[rows[i].ID] = i
		for _, s := range rows[i].Texts {
			if err := m.add(i, s, rows[i].Not); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

func (m *matcher) add(row int, s string, not []string) error {
	t := text{row: row}
	for part := range strings.SplitSeq(s, "*") {
		if part != "" {
			t.parts = append(t.parts, []byte(part))
		}
	}
	for _, n := range not {
		t.not = append(t.not, []byte(n))
	}
	if t.window = rarest(t.parts); t.window == nil {
		return fmt.Errorf("%q of row %s has no part of %d bytes", s, m.rows[row].ID, window)
	}
	if len(m.texts) == maxTexts {
		return fmt.Errorf("more than %d texts", maxTexts)
	}
	for i := 0; i+block <= window; i++ {
		h := hash(t.window[i:])
		m.shift[h] = min(m.shift[h], uint8(window-block-i))
	}
	last := hash(t.window[window-block:])
	m.at[last] = append(m.at[last], len(m.texts))
	m.texts = append(m.texts, t)
	return nil
}

// rarest is the window of a text whose blocks are the rarest in lines that most logs are made of.
func rarest(parts [][]byte) (out []byte) {
	least := 0
	for _, part := range parts {
		for i := 0; i+window <= len(part); i++ {
			cost := 0
			for j := range window - block + 1 {
				cost += (j + 1) * strings.Count(common, string(part[i+j:i+j+block]))
			}
			if out == nil || cost < least {
				out, least = part[i:i+window], cost
			}
		}
	}
	return out
}

// common are lines that most of a log is made of.
const common = `ip-10-1-0-11:41230:41299 [3] NCCL INFO Channel 07/0 : 11[3] -> 19[3] [send] via NET/Libfabric/3/GDRDMA
ip-10-1-0-12:41230:41299 [3] NCCL INFO Channel 12/0 : 1[1] -> 9[1] [receive] via NET/Socket/0/Shared
node-1:41230:41299 [3] NCCL INFO Channel 05/1 : 5[5] -> 4[4] via P2P/CUMEM
vm:2146:2146 [0] NCCL INFO Connected to proxy localRank 0 -> connection 0x7f4418000d20
vm:2146:2160 [0] NCCL INFO New proxy recv connection 0 from local rank 0, transport 2
vm:4059:4059 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1 [2] 1/-1/-1->0->-1
vm:4059:4059 [0] NCCL INFO NCCL_DEBUG set by environment to INFO
vm:4059:4059 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)
vm:4059:4059 [0] NCCL INFO AllReduce: opCount 5 sendbuff 0x7f recvbuff 0x7f count 262144 datatype 7 op 0 root 0 comm 0x55 [nranks=2] stream 0x55
     8388608       2097152     float     sum      -1  2349.69    3.57    3.57       0  2348.39    3.57    3.57       0
 [2026-09-18 06:10:09] iteration        1/      24 | consumed samples:          256 | elapsed time per iteration (ms): 311870.4 |
`

// hash is the place of a block in the tables.
func hash(b []byte) uint32 {
	return binary.LittleEndian.Uint32(b) * 2654435761 >> (32 - bits)
}

// hit is a row that a line holds, and where.
type hit struct {
	row        int
	start, end int
}

// find appends the rows that a line holds to hits, each once.
func (m *matcher) find(line []byte, hits []hit) []hit {
	var tried [maxTexts / 64]uint64 // a text is compared once, however often its window comes
	for i := window - block; i+block <= len(line); {
		h := hash(line[i : i+block : i+block])
		if s := int(m.shift[h]); s > 0 {
			i += s
			continue
		}
		for _, t := range m.at[h] {
			if tried[t/64]&(1<<(t%64)) == 0 && bytes.Equal(line[i+block-window:i+block], m.texts[t].window) {
				tried[t/64] |= 1 << (t % 64)
				hits = m.compare(line, &m.texts[t], hits)
			}
		}
		i++
	}
	return hits
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
	for _, h := range m.find(text, nil) {
		if m.rows[h.row].Harmless {
			return m.rows[h.row].ID, true
		}
	}
	return "", false
}

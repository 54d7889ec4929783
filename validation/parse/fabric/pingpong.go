package fabric

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// PairLine is what a script prints before a run of fi_pingpong, so that the log tells which nodes it was between: it stands for a whole line.
// fi_pingpong itself names neither.
func PairLine(from, to, provider string) string {
	return fmt.Sprintf("%sfrom=%s to=%s provider=%s", pairMark, from, to, provider)
}

const pairMark = "weft pair "

var pairLine = regexp.MustCompile(`^weft pair from=(\S+) to=(\S+) provider=(\S+)$`)

// side is one side of a run of fi_pingpong.
type side struct {
	ping  evidence.Pingpong
	table bool // its header was seen
	named bool // a line said which pair it is
}

// Pingpongs are the sides of the runs in the file, in its order. A run whose program failed has no rows.
func (p *Parser) Pingpongs() []evidence.Pingpong {
	var out []evidence.Pingpong
	for _, s := range p.pings {
		if s.table || s.ping.Failure != nil {
			out = append(out, s.ping)
		}
	}
	return out
}

// Pingpong is the side with the most rows, the first of equals; nil where the file holds none.
func (p *Parser) Pingpong() *evidence.Pingpong {
	all := p.Pingpongs()
	best := -1
	for i := range all {
		if best < 0 || len(all[i].Rows) > len(all[best].Rows) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return &all[best]
}

var header = strings.Fields("bytes #sent #ack total time MB/sec usec/xfer Mxfers/sec")

// ping takes the lines of fi_pingpong's table and the line before it.
func (p *Parser) ping(l line.Line) bool {
	switch c := l.Text[0]; {
	case c == 'b' && isHeader(l.Text):
		p.startTable(l)
		return true
	case c == 'w' && bytes.HasPrefix(l.Text, []byte(pairMark)):
		p.pair(l)
		return true
	case c >= '0' && c <= '9':
		s := p.last(l.Label)
		if s == nil || !s.table || !rowLikely(l) {
			return false
		}
		p.row(s, l)
		return true
	}
	return false
}

func isHeader(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("bytes ")) {
		return false
	}
	fields := strings.Fields(string(text))
	if len(fields) != len(header) {
		return false
	}
	for i, f := range fields {
		if f != header[i] {
			return false
		}
	}
	return true
}

func (p *Parser) startTable(l line.Line) {
	s := p.sideOf(l.Label)
	if s.table {
		s = p.addSide(l.Label)
	}
	s.table, p.tables = true, true
}

func (p *Parser) pair(l line.Line) {
	m := pairLine.FindSubmatch(l.Text)
	if m == nil || l.Open {
		p.faults.Add(p.file, l, "weft pair from=NODE to=NODE provider=NAME", cutHint)
		return
	}
	s := p.sideOf(l.Label)
	if s.named || s.table || s.ping.Failure != nil {
		s = p.addSide(l.Label)
	}
	s.named = true
	s.ping.From, s.ping.To, s.ping.Provider = string(m[1]), string(m[2]), string(m[3])
}

// last is the run that a label's lines belong to.
func (p *Parser) last(label []byte) *side {
	for i := len(p.pings) - 1; i >= 0; i-- {
		if p.pings[i].ping.Label == string(label) {
			return p.pings[i]
		}
	}
	return nil
}

func (p *Parser) sideOf(label []byte) *side {
	if s := p.last(label); s != nil {
		return s
	}
	return p.addSide(label)
}

func (p *Parser) addSide(label []byte) *side {
	s := &side{ping: evidence.Pingpong{Label: string(label), Rows: []evidence.PingpongRow{}}}
	p.pings = append(p.pings, s)
	return s
}

// rowLikely tells a row, whole or not, from lines of others that begin with a digit.
func rowLikely(l line.Line) bool {
	fields := bytes.Fields(l.Text)
	if len(fields) < 3 {
		return l.Open
	}
	c := fields[2][0]
	return c == '=' || c == '+' || c == '-'
}

// rowLine has the number of decimals that the program prints, so that a row that was cut off in its last number is none. The sign before
// the acknowledged: `=` all were, `+` so many were not, `-` so many more came than were sent.
var rowLine = regexp.MustCompile(`^(\d+(?:\.\d+)?[kmg]?) +(\d+[kmb]?) *([=+-])(\d+[kmb]?) +\d+(?:\.\d+)?[kmgt]? +(\d+\.\d\d)s +(\d+\.\d\d) +(\d+\.\d\d) +\d+\.\d\d *$`)

func (p *Parser) row(s *side, l line.Line) {
	m := rowLine.FindSubmatch(l.Text)
	if m == nil {
		p.faults.Add(p.file, l, "a row of fi_pingpong: bytes, sent, acknowledged, total, time, MB/sec, usec/xfer, Mxfers/sec", cutHint)
		return
	}
	size, sizeOK := scaled(m[1], sizes)
	sent, sentOK := scaled(m[2], counts)
	differ, ackOK := scaled(m[4], counts)
	row := evidence.PingpongRow{Bytes: size, Sent: sent, Acked: sent, Warm: len(s.ping.Rows) > 0, Excerpt: l.Excerpt(p.file)}
	row.Seconds, row.MBps, row.OneWayUS = number(m[5]), number(m[6]), number(m[7])
	switch m[3][0] {
	case '+':
		row.Acked = sent - differ
	case '-':
		row.Acked = sent + differ
	}
	if !sizeOK || !sentOK || !ackOK || row.Acked < 0 || math.IsInf(row.MBps+row.OneWayUS+row.Seconds, 0) {
		p.faults.Add(p.file, l, "numbers of a row of fi_pingpong in their range", "take the file as the program wrote it")
		return
	}
	s.ping.Rows = append(s.ping.Rows, row)
}

// The program counts bytes by 1024 and messages by 1000.
var (
	sizes  = map[byte]float64{'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30}
	counts = map[byte]float64{'k': 1e3, 'm': 1e6, 'b': 1e9}
)

// scaled reads 64, 1.5k or 1m; false for what no message or count comes near.
func scaled(text []byte, units map[byte]float64) (int64, bool) {
	unit := 1.0
	if u, ok := units[text[len(text)-1]]; ok {
		unit, text = u, text[:len(text)-1]
	}
	v := number(text) * unit
	return int64(v), v < 1<<53
}

// number reads digits with a decimal point, which the caller's expression has matched; too many digits are infinite.
func number(text []byte) float64 {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return math.Inf(1)
	}
	return v
}

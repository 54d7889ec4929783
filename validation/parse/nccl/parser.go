// Package nccl reads NCCL's debug log: which network each node used, over which provider and how many NICs, by which road each channel
// goes, who set which variable, and what was warned of. It reads the lines of NCCL 2.4 to 2.31 and of aws-ofi-nccl 0.9 to 1.22.
//
// One line costs no allocation unless it says something new, and what is kept does not grow with the log but with the number of hosts.
// What a log does not say is left empty: a log that ends while NCCL starts shows that by what is missing.
package nccl

import (
	"bytes"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/symptom"
)

// Bounds of what is kept; what comes beyond them is counted in [evidence.Path.Omitted].
const (
	maxHosts    = 16384
	maxWarnings = 256
	maxSettings = 512
	maxNames    = 16 // networks, providers, NIC counts or affinities of one host
)

// Parser reads the lines of one file. Make one with [New].
type Parser struct {
	file     string
	path     evidence.Path // what is not of a node
	nodes    map[string]*node
	recent   [64]*node // nodes by the end of their names: most lines are of a host seen a moment ago
	settings settings
	warnings warnings
	symptoms *symptom.Scanner
	ginRank  int // how telling what is known of GIN is
	tuner    int // how telling the tuner's line is
	platform int // how telling the platform's line is
}

// node is a host with the parts of it that excerpts were taken of.
type node struct {
	evidence.NodePath
	taken    [kinds]bool
	affinity []string
}

// kind of an excerpt.
type kind int

const (
	network kind = iota
	provider
	channel
	socket
	gdrMissing
	kinds
)

var kindNames = [kinds]string{"network", "provider", "channel", "socket", "gdr-missing"}

// New makes a parser for a file, called as excerpts shall name it.
func New(file string) *Parser {
	return &Parser{
		file: file, nodes: map[string]*node{}, symptoms: symptom.New(file),
		settings: settings{at: map[settingKey]*setting{}}, warnings: warnings{at: map[string]*warning{}},
	}
}

// Line reads a line. Lines of other programs are looked at for known texts only, so that a file can be given to several parsers at once.
func (p *Parser) Line(l line.Line) {
	head, ok := line.ParseHead(l.Text)
	if !ok {
		p.search(l)
		p.symptoms.Line(l)
		return
	}
	if p.frequent(l, head) {
		return
	}
	p.messages(l, l.Text)
	p.symptoms.Line(l)
}

// search looks for a message that does not begin its line.
func (p *Parser) search(l line.Line) {
	if version, ok := bytes.CutPrefix(l.Text, []byte("NCCL version ")); ok {
		p.path.Lines++
		p.version(version)
		return
	}
	if before, message, found := line.Message(l.Text); found {
		p.messages(l, p.whole(before, message))
	}
}

// messages reads a message and those that are glued to it.
func (p *Parser) messages(l line.Line, text []byte) {
	for {
		head, ok := line.ParseHead(text)
		if !ok {
			return
		}
		n := p.counted(head) // first: the name of a glued message's host may be known by this one
		before, next, glued := line.Message(head.Body)
		if glued {
			next = p.whole(before, next)
			head.Body = head.Body[:len(head.Body)-len(next)]
			text = text[:len(text)-len(next)]
		}
		if n != nil {
			p.message(from{l.Number, text}, n, head)
		}
		if !glued {
			return
		}
		text = next
	}
}

// whole gives a message that is glued to what stands before it with its host's own name: where the name is of no known host but ends in
// one, as in `…/GDRDMAvm:1:2 [0] NCCL INFO`, its beginning belongs to the text before.
func (p *Parser) whole(before, message []byte) []byte {
	head, ok := line.ParseHead(message)
	if !ok || len(before) == 0 || before[len(before)-1] == ' ' || p.nodes[string(head.Host)] != nil || message[0] == '[' {
		return message
	}
	longest := 0
	for _, n := range p.recent {
		if n != nil && len(n.Host) > longest && bytes.HasSuffix(head.Host, []byte(n.Host)) {
			longest = len(n.Host)
		}
	}
	if longest == 0 {
		return message
	}
	return message[len(head.Host)-longest:]
}

// from is where a message stands.
type from struct {
	line int
	text []byte
}

func (p *Parser) message(at from, n *node, head line.Head) {
	if head.Level == line.Warn {
		p.warning(at, n, head.Body)
		return
	}
	p.info(at, n, bytes.TrimRight(head.Body, " "))
}

// frequent reads the lines that most of a log consists of: channels, and lines that say nothing. False leaves a line to be read in full.
func (p *Parser) frequent(l line.Line, head line.Head) bool {
	if head.Level != line.Info || len(head.Body) == 0 {
		return false
	}
	switch head.Body[0] {
	case 'C':
		if rest, ok := bytes.CutPrefix(head.Body, []byte("Channel ")); ok {
			return p.channel(l, head, rest)
		}
	case 'A', 'B', 'N', 'R', 'S', 'T', 'c':
	default:
		return false
	}
	if !idle(head.Body) || bytes.Contains(head.Body, []byte(" NCCL ")) {
		return false
	}
	p.counted(head)
	return true
}

// idle tells messages that come for each connection or collective and say nothing of the road.
func idle(body []byte) bool {
	for _, begin := range [...]string{"Connected to proxy ", "New proxy ", "Trees [", "Ring "} {
		if len(body) > len(begin) && string(body[:len(begin)]) == begin {
			return true
		}
	}
	i := bytes.IndexByte(body[:min(len(body), 24)], ':')
	return i > 0 && bytes.HasPrefix(body[i:], []byte(": opCount "))
}

// counted counts a message and gives its node; nil where there are too many.
func (p *Parser) counted(head line.Head) *node {
	p.path.Lines++
	n := p.node(head.Host)
	if n == nil {
		p.path.Omitted++
	}
	return n
}

// node is the host of that name; nil where there are too many.
func (p *Parser) node(host []byte) *node {
	place := &p.recent[(int(host[len(host)-1])+7*int(host[len(host)/2])+len(host))%len(p.recent)]
	if n := *place; n != nil && n.Host == string(host) {
		return n
	}
	n := p.nodes[string(host)]
	if n == nil {
		if len(p.nodes) >= maxHosts {
			return nil
		}
		n = &node{NodePath: evidence.NodePath{Host: string(host)}}
		p.nodes[n.Host] = n
	}
	*place = n
	return n
}

// take keeps a message as the first of its kind.
func (p *Parser) take(at from, n *node, k kind) {
	if n.taken[k] {
		return
	}
	n.taken[k] = true
	if n.First == nil {
		n.First = map[string]evidence.Excerpt{}
	}
	n.First[kindNames[k]] = p.quote(at)
}

func (p *Parser) quote(at from) evidence.Excerpt { return evidence.Quote(p.file, at.line, at.text) }

// Symptoms are the known texts of all lines given, also of those that are not NCCL's.
func (p *Parser) Symptoms() []evidence.Symptom { return p.symptoms.Symptoms() }

// Path is what was read so far.
func (p *Parser) Path() evidence.Path {
	out := p.path
	out.Nodes = make([]evidence.NodePath, 0, len(p.nodes))
	for _, n := range p.nodes {
		n.CPUs = strings.Join(n.affinity, "; ")
		out.Nodes = append(out.Nodes, n.NodePath)
	}
	slices.SortFunc(out.Nodes, func(a, b evidence.NodePath) int { return strings.Compare(a.Host, b.Host) })
	out.Settings = p.settings.list()
	out.Warnings = p.warnings.list()
	out.Symptoms = p.symptoms.Symptoms()
	return out
}

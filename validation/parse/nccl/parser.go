// Package nccl reads NCCL's debug log: which network each node used, over which provider and how many NICs, by which road each channel
// goes, who set which variable, and what was warned of. It reads the lines of NCCL 2.4 to 2.31 and of aws-ofi-nccl 0.9 to 1.22.
//
// One line costs no allocation unless it says something new, and what is kept does not grow with the log but with the number of hosts.
// What a log does not say is left empty: a log that ends while NCCL starts shows that by what is missing.
package nccl

import (
	"bytes"
	"hash/maphash"
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

	recentBits = 11
)

// Parser reads the lines of one file. Make one with [New].
type Parser struct {
	file     string
	path     evidence.Path // what is not of a node
	nodes    map[string]*node
	recent   [1 << recentBits]*node // by the end of their names: most lines are of a host seen a moment ago
	settings settings
	warnings warnings
	symptoms *symptom.Scanner
	quiet    quiet
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
		file: file, nodes: map[string]*node{}, symptoms: symptom.New(file), quiet: quiet{seed: maphash.MakeSeed()},
		settings: settings{at: map[settingKey]*setting{}, echoed: map[string]*setting{}}, warnings: warnings{at: map[string]*warning{}},
	}
}

// Line reads a line. Lines of other programs are looked at for known texts only, so that a file can be given to several parsers at once. It
// is idle where the line is nothing but a message of NCCL, of those that most of a log is made of: it can concern nobody else.
func (p *Parser) Line(l line.Line) (idle bool) {
	if n, body, ok := p.familiar(l.Text); ok {
		if p.frequent(from{l.Number, l.Text}, n, body) {
			return true
		}
		if alone(body) {
			p.single(l, n, body)
			return false
		}
		p.messages(l, l.Text)
	} else if _, ok := line.ParseHead(l.Text); ok {
		p.messages(l, l.Text)
	} else {
		p.search(l)
	}
	p.symptoms.Line(l)
	return false
}

// alone tells that no other message is glued to one.
func alone(body []byte) bool { return !line.Mentions(body) }

// single reads a message that is alone in its line.
func (p *Parser) single(l line.Line, n *node, body []byte) {
	p.path.Lines++
	said := p.info(from{l.Number, l.Text}, n, bytes.TrimRight(body, " "))
	if found := p.symptoms.Line(l); !said && !found && !line.Labelled(body) {
		p.quiet.add(body)
	}
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
	recent := &p.recent[place(host)]
	if *recent != nil && (*recent).Host == string(host) {
		return *recent
	}
	n := p.nodes[string(host)]
	if n == nil {
		if len(p.nodes) >= maxHosts {
			return nil
		}
		n = &node{NodePath: evidence.NodePath{Host: string(host)}}
		p.nodes[n.Host] = n
	}
	*recent = n
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

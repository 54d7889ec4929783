package nccl

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/weft-hpc/weft/validation/evidence"
)

// reader reads what follows the beginning of a message.
type reader struct {
	begin string
	read  func(p *Parser, at from, n *node, rest []byte)
}

// readers of messages of NCCL itself, by how they begin.
var readers = byFirst([]reader{
	{"NCCL version ", func(p *Parser, _ from, _ *node, rest []byte) { p.version(rest) }},
	{"Using network ", func(p *Parser, at from, n *node, rest []byte) {
		n.Networks = p.count(n.Networks, rest)
		p.take(at, n, network)
	}},
	{"Channel ", func(p *Parser, at from, n *node, rest []byte) { p.glued(at, n, rest) }},
	{"Bootstrap : Using ", func(_ *Parser, _ from, n *node, rest []byte) { n.bootstrap(rest) }},
	{"Bootstrap: Using ", func(_ *Parser, _ from, n *node, rest []byte) { n.bootstrap(rest) }},
	{"comm ", func(p *Parser, _ from, _ *node, rest []byte) { p.communicator(rest) }},
	{"ncclCommInitRank", func(p *Parser, _ from, _ *node, rest []byte) { p.communicator(rest) }},
	{"ncclTopoGetCpuAffinity: ", func(p *Parser, _ from, n *node, rest []byte) {
		p.affinity(n, bytes.TrimRight(after(rest, "CPU affinity = "), ")."))
	}},
	{"Setting affinity for GPU ", func(p *Parser, _ from, n *node, rest []byte) { p.affinity(n, after(rest, " to ")) }},
	{"GIN/Plugin: ", func(p *Parser, at from, _ *node, rest []byte) { p.gin(at, rest) }},
	{"TUNER/Plugin: Using ", func(p *Parser, at from, _ *node, _ []byte) { p.chooseTuner(at, 1) }},
})

// byFirst sorts readers by their first byte, so that few are tried.
func byFirst(all []reader) (out [256][]reader) {
	for _, r := range all {
		out[r.begin[0]] = append(out[r.begin[0]], r)
	}
	return out
}

// info reads a message; false where it is one that says nothing.
func (p *Parser) info(at from, n *node, body []byte) (said bool) {
	if bytes.HasPrefix(body, []byte("NCCL_")) {
		p.echo(at, n, body)
		return true
	}
	if rest, ok := cutPrefix(body, "NET/OFI "); ok {
		return p.dispatch(&ofiReaders, at, n, rest)
	}
	return p.dispatch(&readers, at, n, body)
}

func (p *Parser) dispatch(by *[256][]reader, at from, n *node, body []byte) bool {
	if len(body) == 0 {
		return false
	}
	for _, r := range by[body[0]] {
		if rest, ok := cutPrefix(body, r.begin); ok {
			r.read(p, at, n, rest)
			return true
		}
	}
	return false
}

func cutPrefix(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) || string(b[:len(prefix)]) != prefix {
		return nil, false
	}
	return b[len(prefix):], true
}

// after is what follows a text; empty where it is not there.
func after(b []byte, text string) []byte {
	i := bytes.Index(b, []byte(text))
	if i < 0 {
		return nil
	}
	return b[i+len(text):]
}

// word is what stands before the next blank.
func word(b []byte) []byte {
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		return b[:i]
	}
	return b
}

// count counts a name, as long as there are not too many of them.
func (p *Parser) count(names map[string]int, name []byte) map[string]int {
	if names == nil {
		names = map[string]int{}
	}
	if _, known := names[string(name)]; known {
		names[string(name)]++
		return names
	}
	if len(names) >= maxNames || len(name) == 0 {
		p.path.Omitted++
		return names
	}
	names[clip(name)]++
	return names
}

// version is NCCL's own: 2.27.7+cuda13.0.
func (p *Parser) version(rest []byte) {
	if p.path.NCCL == "" {
		p.path.NCCL = clip(word(rest))
	}
}

// clip makes a short name of what may be anything.
func clip(b []byte) string {
	const most = 64
	return evidence.Quote("", 0, b[:min(len(b), most)]).Text
}

// glued counts a channel whose line holds something else as well.
func (p *Parser) glued(at from, n *node, rest []byte) {
	road := after(rest, " via ")
	net, leaves := cutPrefix(road, "NET/")
	switch {
	case leaves:
		name, device, _ := bytes.Cut(net, []byte("/"))
		p.between(at, n, name, word(device))
	case len(road) > 0:
		n.Channels.Local++
	}
}

// bootstrap reads the interface of `eth0:10.0.0.1<0>`.
func (n *node) bootstrap(rest []byte) {
	if name, _, ok := bytes.Cut(rest, []byte(":")); ok && n.Bootstrap == "" {
		n.Bootstrap = clip(name)
	}
}

// communicator reads `… rank 0 nRanks 16 nNodes 2 localRanks 8 …`, and older ones' `… nranks 16 …`.
func (p *Parser) communicator(rest []byte) {
	ranks := number(after(rest, " nRanks "))
	if ranks == 0 {
		ranks = number(after(rest, " nranks "))
	}
	if ranks < p.path.Ranks || ranks == 0 {
		return
	}
	if ranks > p.path.Ranks {
		p.path.Ranks, p.path.NNodes = ranks, 0
	}
	p.path.NNodes = max(p.path.NNodes, number(after(rest, " nNodes ")))
}

// number reads the digits that b begins with; 0 for none or too many.
func number(b []byte) int {
	i := 0
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	n, err := strconv.Atoi(string(b[:i]))
	if err != nil {
		return 0
	}
	return n
}

// affinity keeps the CPUs of a rank, as printed. Ranks of one node may differ.
func (p *Parser) affinity(n *node, cpus []byte) {
	cpus = bytes.TrimSpace(cpus)
	if len(cpus) == 0 || slices.ContainsFunc(n.affinity, func(known string) bool { return known == string(cpus) }) {
		return
	}
	if len(n.affinity) >= maxNames {
		p.path.Omitted++
		return
	}
	n.affinity = append(n.affinity, clip(cpus))
}

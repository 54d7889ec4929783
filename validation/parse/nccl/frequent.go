package nccl

import (
	"bytes"
	"encoding/binary"

	"github.com/weft-hpc/weft/validation/parse/line"
)

// A log of a gigabyte has some ten million lines, most of which come from hosts that were seen a moment ago and say that a channel goes
// over a road or that a proxy was connected. These are read here without taking the head apart; whatever is unusual goes the long way.

// familiar gives the node and the body of an INFO message of a host that was seen before: `host:pid:tid [dev] NCCL INFO body`.
func (p *Parser) familiar(text []byte) (n *node, body []byte, ok bool) {
	colon := bytes.IndexByte(text, ':')
	if colon < 1 {
		return nil, nil, false
	}
	blank := threadEnd(text, colon)
	if blank < 0 || len(text) < blank+17 {
		return nil, nil, false
	}
	rest := text[blank:]
	after := behindDevice(rest)
	if after < 0 || string(rest[after:after+len(info)]) != info {
		return nil, nil, false
	}
	n = p.recent[place(text[:colon])]
	if n == nil || n.Host != string(text[:colon]) {
		if n = p.meet(text); n == nil {
			return nil, nil, false
		}
	}
	return n, rest[after+len(info):], true
}

// info follows the device.
const info = " NCCL INFO "

// behindDevice is where a device of one or two digits ends, ` [0]` or ` [10]`; -1 where something else stands there.
func behindDevice(rest []byte) int {
	if rest[1] != '[' || rest[2]-'0' > 9 {
		return -1
	}
	if rest[3] == ']' {
		return 4
	}
	if rest[3]-'0' <= 9 && rest[4] == ']' {
		return 5
	}
	return -1
}

// threadEnd is where `:pid:tid` ends, that begins at a colon; -1 where something else stands there.
func threadEnd(text []byte, colon int) int {
	second := 0
	for i := colon + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c-'0' <= 9:
		case c == ':' && second == 0 && i > colon+1:
			second = i
		case c == ' ' && second > 0 && i > second+1:
			return i
		default:
			return -1
		}
	}
	return -1
}

// place is where a host is kept among the recent ones, by the end of its name.
func place(host []byte) int {
	var end uint32
	if len(host) >= 4 {
		end = binary.LittleEndian.Uint32(host[len(host)-4:])
	} else {
		end = uint32(host[0]) + uint32(host[len(host)-1])
	}
	return int(end * 2654435761 >> (32 - recentBits))
}

// meet looks up the host of a message, and keeps it among the recent ones.
func (p *Parser) meet(text []byte) *node {
	head, ok := line.ParseHead(text)
	if !ok {
		return nil
	}
	return p.node(head.Host)
}

// frequent reads the lines that most of a log consists of: channels, and lines that say nothing. False leaves a line to be read in full.
func (p *Parser) frequent(at from, n *node, body []byte) bool {
	if len(body) > 8 && string(body[:8]) == "Channel " {
		return p.channel(at, n, body[8:])
	}
	nothing := false
	if idle(body) {
		nothing = alone(body) && !line.Labelled(body)
	} else {
		nothing = p.quiet.has(body)
	}
	if nothing {
		p.path.Lines++
	}
	return nothing
}

// idle tells messages that come for each connection or collective and say nothing of the road.
func idle(body []byte) bool {
	if len(body) < 20 {
		return false
	}
	switch body[0] {
	case 'C':
		return string(body[:19]) == "Connected to proxy "
	case 'N':
		return string(body[:10]) == "New proxy "
	case 'T':
		return string(body[:7]) == "Trees ["
	case 'A', 'B', 'R', 'S':
		i := bytes.IndexByte(body[:20], ':')
		return i > 0 && bytes.HasPrefix(body[i:], []byte(": opCount "))
	}
	return false
}

package nccl

import (
	"bytes"
	"strings"

	"github.com/weft-hpc/weft/validation/parse/line"
)

// channel counts a channel's line by its road:
//
//	Channel 00/0 : 0[101c0] -> 8[101c0] [send] via NET/AWS Libfabric/0/GDRDMA     NCCL up to 2.17, with bus ids
//	Channel 05/0 : 1[1] -> 9[1] [send] via NET/Libfabric/1(0)/GDRDMA(PCI)/Shared  later ones; (0): over another GPU's proxy (PXN)
//	Channel 01 : 0[0] -> 1[1] via SHM/direct/direct                               inside the node
//	Channel 00/24 : 0 1                                                           a ring's order, no road
//
// It is false where something else stands in the line as well.
func (p *Parser) channel(l line.Line, head line.Head, rest []byte) bool {
	i := bytes.Index(rest, []byte(" via "))
	if i < 0 {
		return p.order(head, rest)
	}
	road := bytes.TrimRight(rest[i+len(" via "):], " ")
	net, leaves := bytes.CutPrefix(road, []byte("NET/"))
	if !leaves {
		return p.local(head, road)
	}
	name, device, _ := bytes.Cut(net, []byte("/"))
	if bytes.IndexByte(device, ' ') >= 0 || bytes.IndexByte(name, ':') >= 0 {
		return false
	}
	n := p.counted(head)
	if n == nil {
		return true
	}
	at := from{l.Number, l.Text}
	n.Channels.Net++
	p.take(at, n, channel)
	p.over(at, n, name, device)
	return true
}

// over counts a channel between nodes by its network.
func (p *Parser) over(at from, n *node, name, device []byte) {
	switch {
	case isLibfabric(name):
		n.Channels.Libfabric++
		if bytes.Contains(device, []byte("/GDRDMA")) {
			n.Channels.GDR++
		} else {
			p.take(at, n, gdrMissing)
		}
	case string(name) == "Socket":
		n.Channels.Socket++
		p.take(at, n, socket)
	case bytes.HasPrefix(name, []byte("IB")):
		n.Channels.IB++
	default:
		n.Channels.Other++
	}
}

// local counts a channel inside a node.
func (p *Parser) local(head line.Head, road []byte) bool {
	if bytes.IndexByte(road, ':') >= 0 {
		return false
	}
	if n := p.counted(head); n != nil {
		n.Channels.Local++
	}
	return true
}

// order passes over a line that only says in which order a ring goes.
func (p *Parser) order(head line.Head, rest []byte) bool {
	if bytes.IndexByte(rest, '[') >= 0 {
		return false
	}
	p.counted(head)
	return true
}

// isLibfabric tells the names of the EFA plugin's network: Libfabric from aws-ofi-nccl 1.13 on, AWS Libfabric before it, and either of
// these or OFI where NCCL_NET says so.
func isLibfabric(name []byte) bool {
	switch string(name) {
	case "Libfabric", "AWS Libfabric", "OFI":
		return true
	}
	return strings.EqualFold(string(name), "libfabric") || strings.EqualFold(string(name), "aws libfabric") || strings.EqualFold(string(name), "ofi")
}

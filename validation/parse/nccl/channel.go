package nccl

import (
	"bytes"
	"strings"

	"github.com/weft-hpc/weft/validation/parse/mark"
)

// via stands before the road.
var via = mark.NewRare(" via ", 'v')

// channel counts a channel's line by its road:
//
//	Channel 00/0 : 0[101c0] -> 8[101c0] [send] via NET/AWS Libfabric/0/GDRDMA     NCCL up to 2.17, with bus ids
//	Channel 05/0 : 1[1] -> 9[1] [send] via NET/Libfabric/1(0)/GDRDMA(PCI)/Shared  later ones; (0): over another GPU's proxy (PXN)
//	Channel 00/0 : 0[0] -> 8[0] [send] via COLLNET/SHARP/0/GDRDMA                 over a network that adds up by itself
//	Channel 01 : 0[0] -> 1[1] via SHM/direct/direct                               inside the node
//	Channel 00/24 : 0 1                                                           a ring's order, no road
//
// It is false where something else stands in the line as well.
func (p *Parser) channel(at from, n *node, rest []byte) bool {
	i := via.Index(rest)
	if i < 0 {
		return p.order(rest)
	}
	road := rest[i+via.Len():]
	net, leaves := cutPrefix(road, "NET/")
	if !leaves && !bytes.HasPrefix(road, []byte("COLLNET/")) {
		return p.local(n, road)
	} else if !leaves {
		net = road
	}
	name, device := device(net)
	if name == nil || !plain(device) {
		return false
	}
	p.path.Lines++
	p.between(at, n, name, device)
	return true
}

// device parts a network's name from its device: `Libfabric/1(0)/GDRDMA`. The name is nil where that is not what stands there.
func device(net []byte) (name, rest []byte) {
	for _, usual := range [...]string{"Libfabric/", "Socket/"} {
		if len(net) > len(usual) && string(net[:len(usual)]) == usual {
			return net[:len(usual)-1], net[len(usual):]
		}
	}
	name, rest, ok := bytes.Cut(net, []byte("/"))
	if !ok || bytes.IndexByte(name, ':') >= 0 {
		return nil, nil
	}
	return name, rest
}

// plain tells that nothing else follows a device.
func plain(device []byte) bool {
	for _, c := range device {
		if c == ' ' || c == ':' {
			return false
		}
	}
	return true
}

// between counts a channel between nodes by its network.
func (p *Parser) between(at from, n *node, name, device []byte) {
	n.Channels.Net++
	p.take(at, n, channel)
	switch {
	case isLibfabric(name):
		n.Channels.Libfabric++
		if bytes.HasSuffix(device, []byte("/GDRDMA")) || bytes.Contains(device, []byte("/GDRDMA")) {
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
func (p *Parser) local(n *node, road []byte) bool {
	if bytes.IndexByte(road, ':') >= 0 {
		return false
	}
	p.path.Lines++
	n.Channels.Local++
	return true
}

// order passes over a line that only says in which order a ring goes.
func (p *Parser) order(rest []byte) bool {
	if bytes.IndexByte(rest, '[') >= 0 {
		return false
	}
	p.path.Lines++
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

package nccl

import (
	"bytes"
	"slices"

	"github.com/weft-hpc/weft/validation/evidence"
)

// ofiReaders of messages of aws-ofi-nccl, by how they begin behind `NET/OFI `.
var ofiReaders = byFirst([]reader{
	{"Selected provider is ", func(p *Parser, at from, n *node, rest []byte) { p.provider(at, n, rest) }},
	{"Selected Provider is ", func(p *Parser, at from, n *node, rest []byte) { p.provider(at, n, rest) }},
	{"Adding ", func(p *Parser, at from, n *node, rest []byte) { p.adding(at, n, rest) }},
	{"Skipping adding ", func(p *Parser, at from, n *node, rest []byte) { p.skipping(at, n, rest) }},
	{"Setting ", func(p *Parser, at from, n *node, rest []byte) { p.setting(at, n, rest) }},
	{"Running on ", func(p *Parser, at from, n *node, rest []byte) {
		p.choosePlatform(word(rest), 2)
		p.setting(at, n, after(rest, "Setting "))
	}},
	{"Using transport protocol ", func(_ *Parser, _ from, n *node, rest []byte) {
		if name := word(rest); n.Transport != string(name) {
			n.Transport = clip(name)
		}
	}},
	{"Support for DMA-BUF registrations: ", func(_ *Parser, _ from, n *node, rest []byte) {
		if on := string(word(rest)) == "true"; n.DMABuf == nil || *n.DMABuf != on {
			n.DMABuf = &on
		}
	}},
	{"Initializing aws-ofi-nccl ", func(p *Parser, _ from, _ *node, rest []byte) { p.plugin(rest) }},
	{"Using aws-ofi-nccl ", func(p *Parser, _ from, _ *node, rest []byte) { p.plugin(rest) }},
	{"Using Libfabric version ", func(p *Parser, _ from, _ *node, rest []byte) {
		if p.path.Libfabric == "" {
			p.path.Libfabric = clip(word(rest))
		}
	}},
	{"Plugin selected platform: ", func(p *Parser, _ from, _ *node, rest []byte) { p.choosePlatform(word(rest), 1) }},
	{"Region base Tuner is chosen for platform: ", func(p *Parser, at from, _ *node, rest []byte) {
		p.choosePlatform(word(rest), 3)
		p.chooseTuner(at, 2)
	}},
	{"NCCL_OFI_TUNER is not available", func(p *Parser, at from, _ *node, rest []byte) {
		if platform := after(rest, "for platform : "); platform != nil {
			p.choosePlatform(bytes.TrimRight(word(platform), ","), 3)
		}
		p.chooseTuner(at, 2)
	}},
	{"The tuner plugin can not be loaded", func(p *Parser, at from, _ *node, _ []byte) { p.chooseTuner(at, 3) }},
	{"gin GDAKI: createContext done", func(p *Parser, at from, _ *node, _ []byte) {
		if p.path.GIN.Context == nil {
			quote := p.quote(at)
			p.path.GIN.Context = &quote
		}
	}},
})

// provider reads `efa, fabric is efa-direct (found 16 nics)`; up to plugin 1.5 only the name stands there, up to 1.13 no fabric.
func (p *Parser) provider(at from, n *node, rest []byte) {
	name := bytes.TrimRight(word(rest), ",")
	n.Providers = p.count(n.Providers, name)
	if fabric := word(after(rest, ", fabric is ")); len(fabric) > 0 && n.Fabric == "" {
		n.Fabric = clip(fabric)
	}
	if found := after(rest, "(found "); found != nil {
		p.nics(n, number(found))
	}
	p.take(at, n, provider)
}

func (p *Parser) nics(n *node, count int) {
	i, known := slices.BinarySearch(n.NICs, count)
	if known {
		return
	}
	if len(n.NICs) >= maxNames {
		p.path.Omitted++
		return
	}
	n.NICs = slices.Insert(n.NICs, i, count)
}

func (p *Parser) plugin(rest []byte) {
	if p.path.Plugin == "" {
		p.path.Plugin = clip(word(rest))
	}
}

// choosePlatform keeps the most telling name: the instance type before `AWS` or `Default`.
func (p *Parser) choosePlatform(name []byte, telling int) {
	if telling > p.platform && len(name) > 0 {
		p.platform, p.path.Platform = telling, clip(name)
	}
}

// chooseTuner keeps the most telling line on the tuner: that it is refused or chosen before that it is loaded.
func (p *Parser) chooseTuner(at from, telling int) {
	if telling > p.tuner {
		quote := p.quote(at)
		p.tuner, p.path.Tuner = telling, &quote
	}
}

// What is known of GIN, the worst last: a log in which one node falls back to the proxy says so.
const (
	ginLoaded = iota + 1
	ginAssigned
	ginProxy
)

// proxyType is the type of NCCL's CPU proxy.
const proxyType = 2

// gin reads the lines on GPU-initiated networking.
func (p *Parser) gin(at from, body []byte) {
	if rest, ok := cutPrefix(body, "Loaded gin plugin "); ok && p.ginRank < ginLoaded {
		p.ginRank, p.path.GIN.Plugin = ginLoaded, clip(word(rest))
	}
	if rest, ok := cutPrefix(body, "Assigned plugin "); ok {
		p.assign(at, rest)
	}
	if bytes.HasPrefix(body, []byte("Failed to initialize any GIN plugin")) && p.path.GIN.Failed == nil {
		quote := p.quote(at)
		p.path.GIN.Failed = &quote
	}
}

// assign reads `Libfabric_GDAKI type 5 to comm`.
func (p *Parser) assign(at from, rest []byte) {
	rank, kind := ginAssigned, number(after(rest, " type "))
	if kind == proxyType {
		rank = ginProxy
	}
	if rank <= p.ginRank {
		return
	}
	quote := p.quote(at)
	p.ginRank = rank
	p.path.GIN.Plugin, p.path.GIN.Type, p.path.GIN.Assigned = clip(word(rest)), kind, &quote
}

// ginFailed keeps a warning on GIN's context: it says more than that no plugin could be initialised.
func (p *Parser) ginFailed(quote evidence.Excerpt) {
	const context = "createContext failed"
	if failed := p.path.GIN.Failed; failed == nil || !bytes.Contains([]byte(failed.Text), []byte(context)) {
		p.path.GIN.Failed = &quote
	}
}

package fabric

import (
	"bytes"
	"regexp"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// Info is what fi_info said; nil where the file holds nothing of it. Call it after the last line.
func (p *Parser) Info() *evidence.FabricInfo {
	for _, label := range p.order {
		p.closeBlock(p.blocks[label])
	}
	return p.info
}

// block is an answer of one node that is being read.
type block struct {
	endpoint evidence.Endpoint
	first    line.Line // the line that began the endpoint; its text is a copy
	open     bool      // an endpoint is being read
	verbose  bool      // in the form of fi_info -v
	cut      bool      // its last line had no line end
	section  string    // of the verbose form: fi_domain_attr
	listed   string    // provider of fi_info -l whose version comes next
}

// busy is 1 where the next line may belong to the block.
func (b *block) busy() int {
	if b != nil && (b.open || b.listed != "") {
		return 1
	}
	return 0
}

// listedName is a provider's line in fi_info -l. Names of layered providers hold a semicolon.
var listedName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_;-]*:$`)

func (p *Parser) infoLine(l line.Line) {
	text := bytes.TrimRight(l.Text, " ")
	switch {
	case bytes.HasPrefix(text, []byte("provider: ")):
		b := p.blockOf(l.Label)
		p.begin(b, l)
		b.endpoint.Provider = string(text[len("provider: "):])
		b.cut = l.Open
	case string(text) == "---":
		b := p.blockOf(l.Label)
		p.begin(b, l)
		b.verbose = true
	case bytes.HasPrefix(text, []byte("    ")):
		p.indented(l, text)
	case bytes.HasPrefix(text, []byte("libfabric: ")):
		p.version(l, text)
	default:
		p.other(l, text)
	}
}

// version takes the second line of fi_info --version.
func (p *Parser) version(l line.Line, text []byte) {
	if l.Open {
		p.faults.Add(p.file, l, "a line end behind the version", cutHint)
		return
	}
	p.openInfo().Libfabric = string(text[len("libfabric: "):])
}

// other takes a line that belongs to no endpoint: it ends the one before.
func (p *Parser) other(l line.Line, text []byte) {
	b := p.blocks[string(l.Label)]
	if b != nil && (!b.verbose || string(text) != "fi_info:") {
		p.closeBlock(b)
	}
	if text[len(text)-1] == ':' && listedName.Match(text) {
		b = p.blockOf(l.Label)
		b.listed = string(text[:len(text)-1])
	} else if b != nil {
		b.listed = ""
	}
}

func (p *Parser) blockOf(label []byte) *block {
	if b := p.blocks[string(label)]; b != nil {
		return b
	}
	b := &block{}
	p.blocks[string(label)] = b
	p.order = append(p.order, string(label))
	return b
}

// begin closes the endpoint before and opens a new one.
func (p *Parser) begin(b *block, l line.Line) {
	p.closeBlock(b)
	l.Text = bytes.Clone(l.Text)
	b.endpoint, b.first, b.open = evidence.Endpoint{Label: string(l.Label)}, l, true
}

// indented takes a line of an endpoint, or the version below a provider of fi_info -l.
func (p *Parser) indented(l line.Line, text []byte) {
	b := p.blocks[string(l.Label)]
	if b == nil {
		return
	}
	key, value, found := bytes.Cut(bytes.TrimLeft(text, " "), []byte(":"))
	if !found {
		return
	}
	value = bytes.TrimSpace(value)
	switch {
	case b.listed != "" && string(key) == "version":
		p.list(b, l, string(value))
	case b.open && b.verbose:
		b.attribute(string(key), string(value), bytes.HasPrefix(text, []byte("        ")), l.Open)
	case b.open:
		b.field(string(key), string(value), l.Open)
	}
}

func (p *Parser) list(b *block, l line.Line, version string) {
	info := p.openInfo()
	if info.Listed == nil {
		info.Listed = map[string]string{}
	}
	name := b.listed
	b.listed = ""
	if l.Open {
		p.faults.Add(p.file, l, "a line end behind the version of provider "+name, cutHint)
		return
	}
	info.Listed[name] = version
}

// field takes a line of the short form. A value without its line end may be cut, so it is left out.
func (b *block) field(key, value string, cut bool) {
	b.cut = cut
	if cut {
		return
	}
	switch key {
	case "fabric":
		b.endpoint.Fabric = value
	case "domain":
		b.endpoint.Domain = value
	case "version":
		b.endpoint.Version = value
	case "type":
		b.endpoint.Type = value
	case "protocol":
		b.endpoint.Protocol = value
	}
}

// attribute takes a line of the long form, in which names of fields mean different things by their section.
func (b *block) attribute(key, value string, deep, cut bool) {
	b.cut = cut
	if !deep {
		b.section = key
		return
	}
	if cut {
		return
	}
	switch b.section + "." + key {
	case "fi_fabric_attr.prov_name":
		b.endpoint.Provider = value
	case "fi_fabric_attr.name":
		b.endpoint.Fabric = value
	case "fi_fabric_attr.prov_version":
		b.endpoint.Version = value
	case "fi_domain_attr.name":
		b.endpoint.Domain = value
	case "fi_ep_attr.type":
		b.endpoint.Type = value
	case "fi_ep_attr.protocol":
		b.endpoint.Protocol = value
	}
}

const cutHint = "the file ends in the middle of what the program printed: look whether it was stopped, and take the whole file"

// closeBlock keeps an endpoint that has all that a device is told by, and speaks of one that has not.
func (p *Parser) closeBlock(b *block) {
	if !b.open {
		return
	}
	e, first := b.endpoint, b.first
	cut := b.cut
	b.open, b.verbose, b.cut, b.section = false, false, false, ""
	if e.Provider == "" || e.Fabric == "" || e.Domain == "" || e.Version == "" || e.Type == "" || e.Protocol == "" && !cut {
		p.faults.Add(p.file, first, "an endpoint of fi_info with provider, fabric, domain, version, type and protocol", cutHint)
		return
	}
	info := p.openInfo()
	info.Endpoints = append(info.Endpoints, e)
}

// Package fabric reads what libfabric's tools print: fi_info in all its forms, and both sides of fi_pingpong.
package fabric

import (
	"bytes"
	"regexp"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/mark"
)

// Parser reads the lines of one file. Answers of several nodes may stand in it between each other, as long as a launcher's label tells
// them apart.
type Parser struct {
	file   string
	info   *evidence.FabricInfo
	blocks map[string]*block // being read, by label
	order  []string          // labels of blocks, as first seen
	pings  []*side
	tables bool // the header of a table was seen
	busy   int  // blocks that the next line may belong to
	faults line.Faults
}

// New makes a parser of a file.
func New(file string) *Parser { return &Parser{file: file, blocks: map[string]*block{}} }

// Marks are in all lines that concern a parser which does not await them.
func Marks() mark.Set {
	return mark.Set{
		Front:  []string{"fi_getinfo: ", "bytes ", pairMark, "provider: ", "---", "libfabric: "},
		Back:   []string{"s timeout expired", ":"}, // also of the names of providers in fi_info -l
		Inside: []string{"fi_info: ", "fi_pingpong: ", "pingpong.c:"},
	}
}

// Awaits reports whether a line without a mark may concern the parser: a row below a table's header, and all in an answer of fi_info.
func (p *Parser) Awaits(text []byte) bool {
	return p.busy > 0 || p.tables && len(text) > 0 && text[0]-'0' <= 9
}

// Line takes one line.
func (p *Parser) Line(l line.Line) {
	if len(bytes.TrimSpace(l.Text)) == 0 {
		return
	}
	if p.failure(l) || p.ping(l) {
		return
	}
	before := p.blocks[string(l.Label)].busy()
	p.infoLine(l)
	p.busy += p.blocks[string(l.Label)].busy() - before
}

// Findings tell which lines could not be read.
func (p *Parser) Findings() diag.List { return p.faults.List() }

var (
	infoFailure = regexp.MustCompile(`^fi_getinfo: -?\d+ \(`)
	// libfabric's tools fail to load, or are not there, before they can say anything of their own.
	toolFailure = regexp.MustCompile(`\bfi_(info|pingpong): (error while loading shared libraries: |command not found|No such file or directory)`)
	pingFailure = regexp.MustCompile(`^(fi_[a-z_]+\(\): util/pingpong\.c:\d+, ret=-?\d+ \(|\[error\] (util|fabtests)/[a-z_]*pingpong\.c:\d+ : |\d+s timeout expired)`)
)

// failure takes a line in which a tool says that it failed. Only the first is kept: the others follow from it.
func (p *Parser) failure(l line.Line) bool {
	switch {
	case bytes.HasPrefix(l.Text, []byte("fi_getinfo: ")) && infoFailure.Match(l.Text):
		p.failInfo(l)
	case bytes.Contains(l.Text, []byte("fi_")) && toolFailure.Match(l.Text):
		if string(toolFailure.FindSubmatch(l.Text)[1]) == "info" {
			p.failInfo(l)
		} else {
			p.failPing(l)
		}
	case pingFailureLikely(l.Text) && pingFailure.Match(l.Text):
		p.failPing(l)
	default:
		return false
	}
	return true
}

func pingFailureLikely(text []byte) bool {
	return bytes.Contains(text, []byte("pingpong.c:")) || bytes.HasSuffix(text, []byte("s timeout expired"))
}

func (p *Parser) failInfo(l line.Line) {
	if info := p.openInfo(); info.Failure == nil {
		excerpt := l.Excerpt(p.file)
		info.Failure = &excerpt
	}
}

func (p *Parser) failPing(l line.Line) {
	if s := p.sideOf(l.Label); s.ping.Failure == nil {
		excerpt := l.Excerpt(p.file)
		s.ping.Failure = &excerpt
	}
}

func (p *Parser) openInfo() *evidence.FabricInfo {
	if p.info == nil {
		p.info = &evidence.FabricInfo{}
	}
	return p.info
}

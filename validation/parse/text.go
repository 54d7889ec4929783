package parse

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/boot"
	"github.com/weft-hpc/weft/validation/parse/dispatch"
	"github.com/weft-hpc/weft/validation/parse/fabric"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/mark"
	"github.com/weft-hpc/weft/validation/parse/nccl"
	"github.com/weft-hpc/weft/validation/parse/sweep"
	"github.com/weft-hpc/weft/validation/parse/training"
	"github.com/weft-hpc/weft/validation/symptom"
)

// text reads a log with all parsers at once: one file can hold a benchmark's table, NCCL's debug lines and Slurm's errors. NCCL's parser
// looks for known texts in every line; to the others go the lines that concern them.
type text struct {
	nccl     *nccl.Parser
	sweep    *sweep.Parser
	fabric   *fabric.Parser
	dispatch *dispatch.Parser
	training *training.Parser
	boot     *boot.Parser

	marks *mark.Table
	each  [5]parser // by their place in marks
}

// parser is one that can tell which lines concern it: those with one of its marks, and those that it awaits.
type parser interface {
	Line(l line.Line)
	Awaits(text []byte) bool
}

// The places of parsers.
const (
	sweepPlace = iota
	fabricPlace
	dispatchPlace
	trainingPlace
	bootPlace
)

var marks = sync.OnceValue(func() *mark.Table {
	table, err := mark.NewTable(sweep.Marks(), fabric.Marks(), dispatch.Marks(), training.Marks(), boot.Marks())
	if err != nil {
		panic(err) // a test holds the marks right
	}
	return table
})

func newText(file string) *text {
	t := &text{
		nccl: nccl.New(file), sweep: sweep.New(file), fabric: fabric.New(file),
		dispatch: dispatch.New(file), training: training.New(file), boot: boot.New(file), marks: marks(),
	}
	t.each = [...]parser{sweepPlace: t.sweep, fabricPlace: t.fabric, dispatchPlace: t.dispatch, trainingPlace: t.training, bootPlace: t.boot}
	return t
}

func readText(doc *evidence.Document, content io.Reader) error {
	t := newText(doc.File)
	lines := line.New(content)
	for lines.Next() {
		t.line(lines.Line())
	}
	t.into(doc)
	return lines.Err()
}

// line gives a line to those whom it may concern. Most lines of a log of gigabytes are NCCL's own, and go no further than to its parser.
func (t *text) line(l line.Line) {
	if t.nccl.Line(l) {
		if t.sweep.Awaits(l.Text) {
			t.sweep.Line(l)
		}
		return
	}
	if isMessage(l.Text) {
		t.message(l)
		return
	}
	marked := t.marks.Marked(l.Text)
	for place, p := range t.each {
		if marked&mark.Of(place) != 0 || p.Awaits(l.Text) {
			p.Line(l)
		}
	}
}

// gin begins what NCCL says of GPU-initiated networking.
var gin = mark.NewRare("GIN/Plugin", 'G')

// message gives a message of NCCL to others: nccl-tests' row may be parted by it, or follow a launcher's mark in it, and what it says of GIN
// tells an expert-parallel library's road.
func (t *text) message(l line.Line) {
	if t.sweep.Awaits(l.Text) || line.Labelled(l.Text) {
		t.sweep.Line(l)
	}
	if gin.Index(l.Text) >= 0 {
		t.dispatch.Line(l)
	}
}

// isMessage tells a line that begins as NCCL's messages do, `host:pid:tid [device] NCCL`. NCCL writes it in one piece with its end, so that
// nothing of another program follows in it; what another program had begun stands before.
func isMessage(text []byte) bool {
	device := bytes.IndexByte(text, ' ') + 1
	if device == 0 || device >= len(text) || text[device] != '[' {
		return false
	}
	rest := text[device+1:]
	for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
		rest = rest[1:]
	}
	return bytes.HasPrefix(rest, []byte("] NCCL "))
}

// into puts what was read into a document. The order of kinds is that in which they tell what the file is for.
func (t *text) into(doc *evidence.Document) {
	t.measured(doc)
	t.tools(doc)
	if path := t.nccl.Path(); path.Lines > 0 {
		doc.Kinds = append(doc.Kinds, NCCLLog)
		doc.Path = &path
	}
	doc.Kinds = append(doc.Kinds, t.boot.Kinds()...)
	doc.ExitCode = t.boot.ExitCode()
	doc.Findings.Add(t.boot.Findings()...)
	doc.Symptoms = t.nccl.Symptoms()
	if doc.Dispatch != nil {
		doc.Dispatch.Symptoms = about(doc.Symptoms, "moe/")
	}
	if doc.Training != nil {
		doc.Training.Symptoms = about(doc.Symptoms, "train/")
	}
	if len(doc.Kinds) == 0 && len(doc.Symptoms) > 0 {
		doc.Kinds = append(doc.Kinds, Log)
	}
}

// measured takes what benchmarks and training programs printed.
func (t *text) measured(doc *evidence.Document) {
	sweeps, found := t.sweep.Sweeps()
	doc.Findings.Add(found...)
	if len(sweeps) > 0 {
		doc.Kinds = append(doc.Kinds, NCCLTests)
		doc.Sweep, doc.Further = &sweeps[0], sweeps[1:]
	}
	if doc.Dispatch = t.dispatch.Dispatch(); doc.Dispatch != nil {
		doc.Kinds = append(doc.Kinds, doc.Dispatch.Program)
	}
	if doc.Training = t.training.Training(); doc.Training != nil {
		doc.Kinds = append(doc.Kinds, doc.Training.Framework)
	}
	doc.Findings.Add(t.dispatch.Findings()...)
	doc.Findings.Add(t.training.Findings()...)
}

// tools takes what libfabric's tools printed.
func (t *text) tools(doc *evidence.Document) {
	if doc.Pingpong = t.fabric.Pingpong(); doc.Pingpong != nil {
		doc.Kinds = append(doc.Kinds, FIPingpong)
		if all := t.fabric.Pingpongs(); len(all) > 1 {
			doc.Pingpongs = all
		}
	}
	if doc.Info = t.fabric.Info(); doc.Info != nil {
		doc.Kinds = append(doc.Kinds, FIInfo)
	}
	doc.Findings.Add(t.fabric.Findings()...)
}

// about are the symptoms whose texts speak for a family of rules.
func about(all []evidence.Symptom, family string) []evidence.Symptom {
	var out []evidence.Symptom
	for _, s := range all {
		if row, ok := symptom.Lookup(s.ID); ok && strings.HasPrefix(string(row.Rule), family) {
			out = append(out, s)
		}
	}
	return out
}

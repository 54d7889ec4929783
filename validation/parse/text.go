package parse

import (
	"bytes"
	"io"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/boot"
	"github.com/weft-hpc/weft/validation/parse/dispatch"
	"github.com/weft-hpc/weft/validation/parse/fabric"
	"github.com/weft-hpc/weft/validation/parse/line"
	"github.com/weft-hpc/weft/validation/parse/nccl"
	"github.com/weft-hpc/weft/validation/parse/sweep"
	"github.com/weft-hpc/weft/validation/parse/training"
	"github.com/weft-hpc/weft/validation/symptom"
)

// text reads a log with all parsers at once, of which NCCL's looks for known texts in every line: one file can hold a benchmark's table, NCCL's debug lines and Slurm's errors.
type text struct {
	nccl     *nccl.Parser
	sweep    *sweep.Parser
	fabric   *fabric.Parser
	dispatch *dispatch.Parser
	training *training.Parser
	boot     *boot.Parser
}

func readText(doc *evidence.Document, content io.Reader) error {
	t := text{
		nccl: nccl.New(doc.File), sweep: sweep.New(doc.File), fabric: fabric.New(doc.File),
		dispatch: dispatch.New(doc.File), training: training.New(doc.File), boot: boot.New(doc.File),
	}
	lines := line.New(content)
	for lines.Next() {
		t.line(lines.Line())
	}
	t.into(doc)
	return lines.Err()
}

// line gives a line to those whom it may concern. Most lines of a log of gigabytes are NCCL's own.
func (t *text) line(l line.Line) {
	t.nccl.Line(l)
	t.sweep.Line(l)
	if isMessage(l.Text) {
		if bytes.Contains(l.Text, []byte("GIN/Plugin")) {
			t.dispatch.Line(l)
		}
		return
	}
	t.fabric.Line(l)
	t.dispatch.Line(l)
	t.training.Line(l)
	t.boot.Line(l)
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

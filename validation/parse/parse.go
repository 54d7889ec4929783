// Package parse reads any file of a validation run, or one that somebody hands over: it finds out by the content what the file is and what
// it holds, in one pass over its lines.
package parse

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/boot"
	"github.com/weft-hpc/weft/validation/parse/dispatch"
	"github.com/weft-hpc/weft/validation/parse/sweep"
	"github.com/weft-hpc/weft/validation/parse/training"
)

// The kinds of files, as [evidence.Document] names them.
const (
	NCCLTests     = "nccl-tests"
	NCCLTestsJSON = "nccl-tests-json"
	NCCLLog       = "nccl-log"
	FIInfo        = "fi_info"
	FIPingpong    = "fi_pingpong"
	DeepEP1       = dispatch.DeepEP1
	LowLatency    = dispatch.LowLatency
	DeepEP2       = dispatch.DeepEP2
	HybridEP      = dispatch.HybridEP
	UCCL          = dispatch.UCCL
	Pplx          = dispatch.Pplx
	PplxJSON      = "pplx-garden-json"
	NCCLEP        = dispatch.NCCLEP
	Megatron      = training.Megatron
	Bridge        = training.Bridge
	Torch         = training.Torch
	Slurm         = boot.Slurm
	TorchRun      = boot.TorchRun
	NodeCheck     = boot.NodeCheck
	NodeBoot      = boot.NodeBoot
	// Log is a text of no known program in which stand texts whose meaning is known.
	Log = "log"
)

// beginning is how much of a file is looked at to tell texts from JSON and both from other data, in bytes.
const beginning = 64 << 10

// Read reads a file: name is the user's for it and goes into everything that is found. The file may be packed by gzip. That it is of no known
// kind, cut off or broken is told in the document's findings; an error is one of reading.
func Read(name string, r io.Reader) (evidence.Document, error) {
	from := &source{from: r}
	unpacked := unpack(from)
	content := bufio.NewReaderSize(unpacked, beginning)
	start, _ := content.Peek(beginning) // what ended it is kept by from and by unpacked
	doc := evidence.Document{File: name, Kinds: []string{}}
	err := read(&doc, content, start)
	if from.err != nil {
		err = from.err
	}
	if err != nil {
		return doc, fmt.Errorf("reading %s: %w", name, err)
	}
	if unpacked.broken != nil {
		doc.Findings.Add(torn(name, unpacked.broken))
	} else if len(doc.Kinds) == 0 && len(doc.Findings) == 0 {
		doc.Findings.Add(unknown(name, start))
	}
	return doc, nil
}

// read reads a file whose beginning is known.
func read(doc *evidence.Document, content io.Reader, start []byte) error {
	switch {
	case len(bytes.TrimSpace(start)) == 0 && len(start) < beginning:
		doc.Findings.Add(empty(doc.File))
		return nil
	case isBinary(start):
		doc.Findings.Add(binary(doc.File, start))
		return nil
	case sweep.RecognisesJSON(start):
		return readSweep(doc, content)
	case isPplx(start):
		return readPplx(doc, content)
	}
	return readText(doc, content)
}

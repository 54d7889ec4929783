package parse

import (
	"bytes"
	"io"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/dispatch"
	"github.com/weft-hpc/weft/validation/parse/sweep"
)

// readSweep reads what an nccl-tests program writes with -J.
func readSweep(doc *evidence.Document, content io.Reader) error {
	result, findings, err := sweep.ReadJSON(doc.File, content)
	if err != nil {
		return err
	}
	doc.Kinds = append(doc.Kinds, NCCLTestsJSON)
	doc.Sweep = &result
	doc.Findings.Add(findings...)
	return nil
}

// isPplx tells the statistics of pplx-garden's benchmark by its keys.
func isPplx(start []byte) bool {
	start = bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\ufeff")))
	has := func(key string) bool { return bytes.Contains(start, []byte(key)) }
	return len(start) > 0 && start[0] == '{' && has(`"both"`) && (has(`"dispatch"`) || has(`"combine"`)) && has(`"mean"`)
}

// maxStatistics bounds the statistics' file, in bytes; it holds some hundred numbers.
const maxStatistics = 16 << 20

func readPplx(doc *evidence.Document, content io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(content, maxStatistics))
	if err != nil {
		return err
	}
	found, findings := dispatch.ReadJSON(doc.File, bytes.TrimPrefix(text, []byte("\ufeff")))
	if found != nil {
		doc.Kinds = append(doc.Kinds, PplxJSON)
		doc.Dispatch = found
	}
	doc.Findings.Add(findings...)
	return nil
}

package line

import (
	"fmt"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
)

// Excerpt keeps a line as evidence.
func (l Line) Excerpt(file string) evidence.Excerpt { return evidence.Quote(file, l.Number, l.Text) }

// maxFaults bounds the findings that one parser makes of one file: the rest is counted.
const maxFaults = 10

// Faults collects the lines of a file that a parser knows and cannot read. The zero value is ready to use.
type Faults struct {
	list diag.List
	more int
	last diag.Finding
}

// Add notes a line: what it should have been, and what to do. The finding warns, for the file's other lines count.
func (f *Faults) Add(file string, l Line, want, hint string) {
	finding := diag.Finding{
		Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: file, Line: l.Number},
		Got: l.Excerpt(file).Text, Want: want, Hint: hint,
	}
	if len(f.list) < maxFaults {
		f.list.Add(finding)
		return
	}
	f.more++
	f.last = finding
}

// List gives the findings; behind the bound, one says how many lines more there were.
func (f *Faults) List() diag.List {
	out := append(diag.List(nil), f.list...)
	if f.more > 0 {
		last := f.last
		last.Got = fmt.Sprintf("%d more such lines, the last: %s", f.more, last.Got)
		out.Add(last)
	}
	return out
}

package training

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

const (
	// StepFormat is the line that a training script prints after each step, on one rank, for this package to read: step from 1, steps asked
	// for, loss, milliseconds. It is a format of Python's % operator as well as of Go's. The three decimals tell a whole line from one that
	// was cut off.
	StepFormat = "weft step=%d of=%d loss=%.6e ms=%.3f"

	stepMark = "weft step="
)

// stepLine takes nan and inf for a loss: both languages have their own ways to write them.
var stepLine = regexp.MustCompile(`weft step=(\d+) of=(\d+) loss=([+-]?(?:\d+\.\d{6}[eE][+-]\d+|[nN][aA][nN]|[iI]nf)) ms=(\d+\.\d{3})`)

// torch takes the lines of weft's own form that stand in one line: processes glue their lines together.
func (p *Parser) torch(l line.Line) {
	read := 0
	for _, at := range stepLine.FindAllSubmatchIndex(l.Text, -1) {
		end := at[1]
		if end < len(l.Text) && l.Text[end] >= '0' && l.Text[end] <= '9' {
			continue // a fourth decimal is another program's
		}
		if p.step(l, at) {
			read++
		}
	}
	if read < bytes.Count(l.Text, []byte(stepMark)) {
		p.faults.Add(p.file, l, StepFormat, cutHint)
	}
}

func (p *Parser) step(l line.Line, at []int) bool {
	text := func(i int) string { return string(l.Text[at[2*i]:at[2*i+1]]) }
	number, err := strconv.Atoi(text(1))
	of, errOf := strconv.Atoi(text(2))
	ms, ok := measure(text(4), 1)
	if err != nil || errOf != nil || number == 0 || !ok {
		return false
	}
	p.runs[torch].add(l, of, evidence.Iteration{Number: number, MS: ms, Loss: float(text(3)), Excerpt: l.Excerpt(p.file)})
	return true
}

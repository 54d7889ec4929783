package bootstrap

import (
	"bufio"
	"fmt"
	"io"
	"regexp"

	"github.com/weft-hpc/weft/fabric/diag"
)

// findingLine is what the scripts' function finding prints. A cloud-init log puts its own words before it.
var findingLine = regexp.MustCompile(`weft: (FAIL|WARN) ([a-z0-9]+/[a-z0-9-]+) got (.*?) want (.*?) do (.*)$`)

// ReadFindings reads the findings of all scripts from a node's log; name is the log's, for their places. A line
// that stands twice, because ParallelCluster repeats what a failed script said, is one finding.
func ReadFindings(name string, r io.Reader) (diag.List, error) {
	var out diag.List
	seen := map[string]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		m := findingLine.FindStringSubmatch(lines.Text())
		if m == nil || seen[m[0]] {
			continue
		}
		seen[m[0]] = true
		level := diag.Error
		if m[1] == "WARN" {
			level = diag.Warn
		}
		out.Add(diag.Finding{
			Rule: diag.ID(m[2]), Level: level, Place: diag.Place{File: name, Line: n},
			Got: m[3], Want: m[4], Hint: m[5],
		})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading findings: %w", err)
	}
	return out, nil
}

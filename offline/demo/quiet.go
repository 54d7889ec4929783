package demo

import (
	"bytes"
	"fmt"
	"io"
)

// quiet passes Pulumi's output on line by line, without those in which the CLI only says that it is still at work:
// they begin with @, or are dots.
type quiet struct {
	out io.Writer
	// part is the beginning of a line whose end has not come yet.
	part []byte
}

// Write takes output as it comes.
func (q *quiet) Write(p []byte) (int, error) {
	q.part = append(q.part, p...)
	for {
		line, rest, whole := bytes.Cut(q.part, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		q.part = rest
		if ticker(line) {
			continue
		}
		if _, err := fmt.Fprintf(q.out, "%s\n", line); err != nil {
			return 0, fmt.Errorf("passing Pulumi's output on: %w", err)
		}
	}
}

func ticker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("@")) || len(line) > 0 && len(bytes.Trim(line, ".")) == 0
}

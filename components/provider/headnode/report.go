package headnode

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/weft-hpc/weft/validation/report"
	"github.com/weft-hpc/weft/validation/result"
)

// files of a report: the page for people first, whose path is the report's.
var files = []struct {
	name  string
	write func(io.Writer, result.Run) error
}{
	{"report.html", report.HTML},
	{"report.json", report.JSON},
	{"report.xml", report.JUnit},
}

// write writes a report into a folder, and gives the path of its page.
func write(dir string, r result.Run) (string, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("making the report's folder: %w", err)
	}
	for _, f := range files {
		var text bytes.Buffer
		if err := f.write(&text, r); err != nil {
			return "", fmt.Errorf("writing %s: %w", f.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), text.Bytes(), 0o600); err != nil {
			return "", fmt.Errorf("writing the report: %w", err)
		}
	}
	return filepath.Join(dir, files[0].name), nil
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/weft-hpc/weft/fabric/diag"
)

// knownFinding is what a finding is recognised by: rule and place without line, so that an edit elsewhere in the file does not
// make it new.
type knownFinding struct {
	Rule     diag.ID `json:"rule"`
	File     string  `json:"file,omitempty"`
	Path     string  `json:"path,omitempty"`
	Resource string  `json:"resource,omitempty"`
}

func knownOf(f diag.Finding) knownFinding {
	return knownFinding{f.Rule, f.Place.File, f.Place.Path, f.Place.Resource}
}

// baseline counts known findings that were not met yet.
type baseline map[knownFinding]int

type baselineFile struct {
	Findings []knownFinding `json:"findings"`
}

// readBaseline reads known findings. A file that is about to be written needs not be there.
func readBaseline(name string, writing bool) (baseline, error) {
	if name == "" || writing {
		return nil, nil
	}
	data, err := os.ReadFile(name) //nolint:gosec // the user names the file
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("baseline %s does not exist: --write-baseline makes it", name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the baseline: %w", err)
	}
	var file baselineFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("reading the baseline %s: %w", name, err)
	}
	out := baseline{}
	for _, f := range file.Findings {
		out[f]++
	}
	return out, nil
}

// apply shows known findings as notes. What comes more often than it is known is new.
func (b baseline) apply(list diag.List, name string) diag.List {
	out := append(diag.List(nil), list...)
	for i, f := range out {
		if b[knownOf(f)] > 0 {
			b[knownOf(f)]--
			out[i].Level, out[i].Reason = diag.Note, "known, see "+name
		}
	}
	return out
}

// tellStale names known findings that are gone, so that they can be taken off.
func (b baseline) tellStale(w io.Writer, name string) {
	gone := 0
	for _, n := range b {
		gone += n
	}
	if gone > 0 {
		_, _ = fmt.Fprintf(w, "%s: %d known findings are gone; write it again with --write-baseline\n", name, gone)
	}
}

// writeBaseline writes what would be shown: warnings and errors.
func writeBaseline(name string, list diag.List) error {
	file := baselineFile{Findings: []knownFinding{}}
	for _, f := range list.AtLeast(diag.Warn) {
		file.Findings = append(file.Findings, knownOf(f))
	}
	var b bytes.Buffer
	if err := writeJSON(&b, file); err != nil {
		return err
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("writing the baseline: %w", err)
	}
	return nil
}

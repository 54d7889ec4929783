package run

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse"
	"github.com/weft-hpc/weft/validation/verdict"
)

// readOutputs reads a job's collected files into what the judge takes.
func readOutputs(dir string, j *verdict.Job) error {
	outputs, err := programs(dir)
	if err != nil {
		return err
	}
	j.Outputs = outputs
	if len(j.Nodes) == 0 || nodesOf(outputs) > len(j.Nodes) {
		j.Nodes = union(j.Nodes, outputs)
	}
	if j.Seen, err = facts(filepath.Join(dir, "facts")); err != nil {
		return err
	}
	j.Said, err = said(dir)
	return err
}

func nodesOf(outputs []verdict.Output) int { return len(union(nil, outputs)) }

func union(nodes []string, outputs []verdict.Output) []string {
	for _, o := range outputs {
		for _, n := range o.Nodes {
			if !slices.Contains(nodes, n) {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// programs reads the outputs of the programs that a job ran: programs.tsv has a line for each that ended. One that was under way when the
// job's node went has a log and no line.
func programs(dir string) ([]verdict.Output, error) {
	text, err := os.ReadFile(filepath.Join(dir, "programs.tsv")) //nolint:gosec // a file of a run
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading which programs ran: %w", err)
	}
	var out []verdict.Output
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 4 {
			continue
		}
		o := verdict.Output{}
		if f[3] != "" {
			o.Nodes = strings.Split(f[3], ",")
		}
		o.Round, _ = strconv.Atoi(f[2]) // 0 for a run of its own
		if code, err := strconv.Atoi(f[1]); err == nil {
			o.ExitCode = &code
		}
		if o.Documents, err = documents(dir, f[0]); err != nil {
			return nil, err
		}
		seen[f[0]] = true
		out = append(out, o)
	}
	rest, err := unfinishedPrograms(dir, seen)
	return append(out, rest...), err
}

func unfinishedPrograms(dir string, seen map[string]bool) ([]verdict.Output, error) {
	logs, err := filepath.Glob(filepath.Join(dir, "*.log*"))
	if err != nil {
		return nil, fmt.Errorf("looking for logs: %w", err)
	}
	var out []verdict.Output
	for _, path := range logs {
		label, _, _ := strings.Cut(filepath.Base(path), ".")
		if seen[label] || label == "job" || label == "facts" {
			continue
		}
		seen[label] = true
		docs, err := documents(dir, label)
		if err != nil {
			return nil, err
		}
		out = append(out, verdict.Output{Documents: docs})
	}
	return out, nil
}

// documents reads the files of one program. The table of a sweep and its JSON say the same: the table counts, with its lines for people,
// unless other lines run into it or it is cut off.
func documents(dir, label string) ([]evidence.Document, error) {
	var out []evidence.Document
	for _, ending := range []string{".log", ".json"} {
		for _, packed := range []string{"", ".gz"} {
			doc, ok, err := document(dir, label+ending+packed)
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, doc)
			}
		}
	}
	if len(out) == 2 && out[0].Sweep != nil && out[1].Sweep != nil {
		if out[0].Sweep.Complete && len(out[0].Findings) == 0 {
			return out[:1], nil
		}
		out[0].Sweep, out[0].Findings = nil, nil
	}
	return out, nil
}

func document(dir, name string) (evidence.Document, bool, error) {
	f, err := os.Open(filepath.Join(dir, name)) //nolint:gosec // a file of a run
	if errors.Is(err, fs.ErrNotExist) {
		return evidence.Document{}, false, nil
	}
	if err != nil {
		return evidence.Document{}, false, fmt.Errorf("reading an output: %w", err)
	}
	defer func() { _ = f.Close() }()
	doc, err := parse.Read(filepath.Join(filepath.Base(dir), name), f)
	return doc, true, err
}

// facts reads what the job's script read on each node.
func facts(dir string) ([]verdict.NodeFacts, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tsv"))
	if err != nil {
		return nil, fmt.Errorf("looking for facts: %w", err)
	}
	var out []verdict.NodeFacts
	for _, path := range files {
		text, err := os.ReadFile(path) //nolint:gosec // a file of a run
		if err != nil {
			return nil, fmt.Errorf("reading facts: %w", err)
		}
		out = append(out, factsOf(strings.TrimSuffix(filepath.Base(path), ".tsv"), string(text)))
	}
	return out, nil
}

func factsOf(node, text string) verdict.NodeFacts {
	out := verdict.NodeFacts{Node: node, Versions: map[catalog.Component]string{}}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		switch {
		case !ok:
		case name == "cpus-per-rank":
			out.CPUsPerRank, _ = strconv.Atoi(value) // 0 is: not read
		case name == "efa-devices":
			if n, err := strconv.Atoi(value); err == nil {
				out.EFADevices = &n
			}
		default:
			out.Versions[catalog.Component(name)] = value
		}
	}
	return out
}

// mostSaid bounds the lines that are kept of a job's own output.
const mostSaid = 200

// said are the lines of a job's own output that belong to no program: of sbatch, the batch script and srun.
func said(dir string) ([]evidence.Excerpt, error) {
	var out []evidence.Excerpt
	for _, name := range []string{"job.log", "facts.log"} {
		f, err := os.Open(filepath.Join(dir, name)) //nolint:gosec // a file of a run
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading a job's output: %w", err)
		}
		scanner := bufio.NewScanner(f)
		for n := 1; scanner.Scan() && len(out) < mostSaid; n++ {
			if text := scanner.Text(); text != "" && !strings.HasPrefix(text, "weft: ") {
				out = append(out, evidence.Excerpt{File: filepath.Join(filepath.Base(dir), name), Line: n, Text: text})
			}
		}
		err = errors.Join(scanner.Err(), f.Close())
		if err != nil {
			return nil, fmt.Errorf("reading a job's output: %w", err)
		}
	}
	return out, nil
}

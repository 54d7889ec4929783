// Command instancegen writes the catalogue's instance types from a DescribeInstanceTypes answer and notes.
//
// The answer may be the reduced form that is committed under data/ or what
// `aws ec2 describe-instance-types` prints; the content decides.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		slog.Error("instancegen", "error", err)
		os.Exit(1) //nolint:forbidigo // the command's own main
	}
}

// inputs are the files and the provenance that one run works with.
type inputs struct {
	types, notes, efa, out string
	source                 source
}

func run(args []string) error {
	in, err := parseFlags(args)
	if err != nil {
		return err
	}
	code, err := generate(in)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Clean(in.out), code, 0o600); err != nil {
		return fmt.Errorf("writing the generated file: %w", err)
	}
	return nil
}

func parseFlags(args []string) (inputs, error) {
	var in inputs
	fs := flag.NewFlagSet("instancegen", flag.ContinueOnError)
	fs.StringVar(&in.types, "types", "", "DescribeInstanceTypes answer, reduced or as the API gives it")
	fs.StringVar(&in.notes, "notes", "", "what the answer does not say")
	fs.StringVar(&in.efa, "efa", "", "list of every type that takes EFA")
	fs.StringVar(&in.out, "out", "", "Go file to write")
	fs.StringVar(&in.source.ref, "ref", "", "where the answer comes from")
	fs.StringVar(&in.source.date, "date", "", "day of the answer, 2006-01-02")
	if err := fs.Parse(args); err != nil {
		return inputs{}, fmt.Errorf("parsing flags: %w", err)
	}
	for _, v := range []string{in.types, in.notes, in.efa, in.out, in.source.ref, in.source.date} {
		if v == "" {
			return inputs{}, errors.New("all of -types, -notes, -efa, -out, -ref and -date are needed")
		}
	}
	return in, nil
}

func generate(in inputs) ([]byte, error) {
	answer, err := read(in.types)
	if err != nil {
		return nil, err
	}
	described, err := parseAnswer(answer)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.types, err)
	}
	raw, err := read(in.notes)
	if err != nil {
		return nil, err
	}
	notes, err := parseNotes(raw)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.notes, err)
	}
	list, err := read(in.efa)
	if err != nil {
		return nil, err
	}
	rows, err := merge(described, notes, in.source)
	if err != nil {
		return nil, err
	}
	return render(rows, efaNames(string(list), rows))
}

func read(path string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, fmt.Errorf("reading input: %w", err)
	}
	return b, nil
}

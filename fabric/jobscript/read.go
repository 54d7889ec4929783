package jobscript

import (
	"errors"
	"fmt"
	"iter"
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of a text. Nobody writes a longer or deeper script by hand, and the parser goes down the stack for every bracket.
const (
	MaxBytes = 128 << 10
	maxOpen  = 2000 // brackets that are open at one point
)

// Read reads a text of a kind, as Recognise gives it. It never fails: what cannot be read is among the problems.
func Read(text string, kind Kind) *Script {
	r := &reader{script: &Script{Kind: kind}}
	if fault := oversize(text); fault != "" {
		r.problem(Position{1, 1}, fault)
		return r.script
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch kind {
	case Environment:
		r.environment(text)
	case Dockerfile:
		r.dockerfile(text)
	case Batch, Shell:
		r.directives(text)
		if interpreter, given := shebang(text); !given || isShell(interpreter) {
			r.shell(text)
		}
	}
	return r.script
}

func oversize(text string) string {
	if len(text) > MaxBytes {
		return fmt.Sprintf("%d bytes, more than the %d that are read", len(text), MaxBytes)
	}
	open := 0
	for _, b := range []byte(text) {
		switch b {
		case '(', '{', '[':
			open++
		case ')', '}', ']':
			open = max(open-1, 0)
		}
		if open > maxOpen {
			return fmt.Sprintf("more than %d brackets in each other", maxOpen)
		}
	}
	return ""
}

type reader struct {
	script *Script
}

func (r *reader) problem(at Position, text string) {
	r.script.Problems = append(r.script.Problems, Problem{at, text})
}

// shebang gives the program that the first line names.
func shebang(text string) (program string, given bool) {
	first, _, _ := strings.Cut(text, "\n")
	rest, ok := strings.CutPrefix(first, "#!")
	if !ok {
		return "", false
	}
	fields := strings.Fields(rest)
	for _, f := range fields {
		name := path.Base(f)
		if name == "env" || strings.HasPrefix(f, "-") {
			continue
		}
		return name, true
	}
	return "", true
}

func isShell(program string) bool {
	switch program {
	case "sh", "bash", "dash", "ksh", "zsh", "":
		return true
	}
	return false
}

// shell walks a script as far as it can be parsed.
func (r *reader) shell(text string) {
	s := r.state(r.slurmVariables())
	stmts, err := parse(text)
	s.stmts(stmts)
	if err != nil {
		at, what := explain(err)
		r.problem(at, what+"; what follows was not read")
	}
	s.finish()
}

func (r *reader) state(vars bindings) *state {
	return &state{reader: r, vars: vars, functions: map[string]*syntax.Stmt{}, steps: new(int), reached: new([]*Assignment)}
}

// parse gives the statements before the first one that cannot be parsed.
func parse(text string) ([]*syntax.Stmt, error) {
	stmts, err := collect(parser().StmtsSeq(strings.NewReader(text)))
	if err != nil {
		return stmts, fmt.Errorf("parsing a shell script: %w", err)
	}
	return stmts, nil
}

func parser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

// collect gives what comes before the first error. It goes to the end all the same: the parser's sequences go on after an error, and do not
// take it when nobody listens any more.
func collect[T any](sequence iter.Seq2[T, error]) (out []T, first error) {
	for item, err := range sequence {
		if first == nil && err == nil {
			out = append(out, item)
		}
		if first == nil {
			first = err
		}
	}
	return out, first
}

func explain(err error) (Position, string) {
	var p syntax.ParseError
	if errors.As(err, &p) {
		return positionOf(p.Pos), p.Text
	}
	var l syntax.LangError
	if errors.As(err, &l) {
		return positionOf(l.Pos), l.Error()
	}
	return Position{1, 1}, err.Error()
}

// fromDirectives are the variables that Slurm gives a job's script, by the option that decides them.
var fromDirectives = map[string][]string{
	"cpus-per-task": {"SLURM_CPUS_PER_TASK"}, "ntasks-per-node": {"SLURM_NTASKS_PER_NODE"}, "nodes": {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"},
	"ntasks": {"SLURM_NTASKS", "SLURM_NPROCS"}, "gpus-per-node": {"SLURM_GPUS_PER_NODE"}, "cpus-per-gpu": {"SLURM_CPUS_PER_GPU"},
}

// slurmVariables binds what the directives decide: the script is read as it is submitted without further options.
func (r *reader) slurmVariables() bindings {
	vars := bindings{}
	for option, names := range fromDirectives {
		o, ok := Last(r.script.Directives, option)
		n, number := o.Int()
		if !ok || !number {
			continue
		}
		for _, name := range names {
			vars[name] = binding{value: Word{Position: o.Position, Text: strconv.Itoa(n), Known: true}, set: true}
		}
	}
	return vars
}

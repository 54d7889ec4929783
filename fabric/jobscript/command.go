package jobscript

import (
	"maps"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is a simple command: assignments alone, a builtin, a function, or a program.
func (s *state) call(cmd *syntax.CallExpr) {
	if len(cmd.Args) == 0 {
		for _, a := range cmd.Assigns {
			if a.Name != nil {
				s.assign(a, false)
			}
		}
		return
	}
	args := s.expand(cmd.Args)
	if len(args) == 0 {
		return
	}
	if len(cmd.Assigns) == 0 && s.builtin(args) {
		return
	}
	if body, ok := s.functions[args[0].Text]; ok && args[0].Known {
		s.function(body, args[1:])
		return
	}
	s.program(args, cmd.Assigns)
}

// builtinOf gives what changes the script's own variables; nil for any other command.
func builtinOf(name string) func(*state, []Word) {
	switch name {
	case "unset":
		return (*state).unset
	case "set":
		return (*state).option
	case "source", ".":
		return (*state).source
	case "eval":
		return (*state).eval
	case "read", "mapfile", "readarray", "getopts", "printf":
		return (*state).filled
	}
	return nil
}

// builtin carries out a builtin; false where the command is none.
func (s *state) builtin(args []Word) bool {
	run := builtinOf(args[0].Text)
	if run == nil || !args[0].Known {
		return false
	}
	if len(args) > 1 {
		run(s, args[1:])
	}
	return true
}

// source takes note of a file that the script reads into itself.
func (s *state) source(args []Word) { s.script.Sourced = append(s.script.Sourced, args[0]) }

// filled makes variables unknown that a builtin reads from elsewhere.
func (s *state) filled(args []Word) {
	for _, w := range args {
		if b, bound := s.vars[w.Text]; bound {
			b.value, b.from = Word{}, nil
			s.vars[w.Text] = b
		}
	}
}

// eval runs a text that is known.
func (s *state) eval(args []Word) {
	text, ok := joinWords(args)
	if ok {
		s.within(text, args[0].Position)
	}
}

// within walks a script that is a text of this one. Everything in it stands where the text stands.
func (s *state) within(text string, at Position) {
	*s.steps += len(text) / 100
	if s.depth >= maxDepth || *s.steps > maxSteps {
		return
	}
	stmts, err := parse(text)
	if err != nil {
		return
	}
	before := s.inside
	if before == (Position{}) {
		s.inside = at
	}
	s.depth++
	s.stmts(stmts)
	s.depth--
	s.inside = before
}

func joinWords(words []Word) (string, bool) {
	var texts []string
	for _, w := range words {
		if !w.Known {
			return "", false
		}
		texts = append(texts, w.Text)
	}
	return strings.Join(texts, " "), len(words) > 0
}

// function walks the body of a function with its arguments.
func (s *state) function(body *syntax.Stmt, args []Word) {
	if s.depth >= maxDepth {
		return
	}
	outer := maps.Clone(s.vars)
	for i, w := range args {
		s.vars[strconv.Itoa(i+1)] = binding{value: w, set: true}
	}
	s.depth++
	s.stmt(body)
	s.depth--
	for i := range args {
		name := strconv.Itoa(i + 1)
		s.vars[name] = outer[name]
	}
}

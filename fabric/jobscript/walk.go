package jobscript

import (
	"cmp"
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of a walk: functions that call each other, and scripts that are one text inside another.
const (
	maxDepth = 8
	maxSteps = 10_000
)

// state is where a walk through a script stands.
type state struct {
	*reader
	vars      bindings
	functions map[string]*syntax.Stmt
	// allExported is set -a.
	allExported bool
	// branches counts the conditions around the current statement.
	branches int
	depth    int
	// inside is where the text stands that is walked, of one inside another.
	inside Position
	steps  *int
	// reached are the assignments that some program got, in the order of the script.
	reached *[]*Assignment
}

func (s *state) stmts(list []*syntax.Stmt) {
	for _, stmt := range list {
		s.stmt(stmt)
	}
}

func (s *state) stmt(stmt *syntax.Stmt) {
	if *s.steps++; stmt == nil || *s.steps > maxSteps {
		return
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(cmd)
	case *syntax.DeclClause:
		s.declare(cmd)
	case *syntax.FuncDecl:
		if cmd.Name != nil {
			s.functions[cmd.Name.Value] = cmd.Body
		}
	case *syntax.Block:
		s.stmts(cmd.Stmts)
	case *syntax.Subshell:
		s.apart(func(inner *state) { inner.stmts(cmd.Stmts) })
	case *syntax.TimeClause:
		s.stmt(cmd.Stmt)
	case *syntax.BinaryCmd:
		s.binary(cmd)
	default:
		s.branching(cmd)
	}
}

// branching are the statements with several ways through them.
func (s *state) branching(cmd syntax.Command) {
	switch cmd := cmd.(type) {
	case *syntax.IfClause:
		s.conditional(cmd)
	case *syntax.WhileClause:
		s.stmts(cmd.Cond)
		s.ways(true, cmd.Do)
	case *syntax.ForClause:
		s.loop(cmd)
	case *syntax.CaseClause:
		var ways [][]*syntax.Stmt
		for _, item := range cmd.Items {
			ways = append(ways, item.Stmts)
		}
		s.ways(true, ways...)
	}
}

// binary: the right side of && and || runs or not; the sides of a pipe run apart.
func (s *state) binary(cmd *syntax.BinaryCmd) {
	switch cmd.Op {
	case syntax.AndStmt, syntax.OrStmt:
		s.stmt(cmd.X)
		s.ways(true, []*syntax.Stmt{cmd.Y})
	default:
		for _, side := range []*syntax.Stmt{cmd.X, cmd.Y} {
			s.apart(func(inner *state) { inner.stmt(side) })
		}
	}
}

// conditional walks the ways of an if. Without an else there is one more: past it.
func (s *state) conditional(cmd *syntax.IfClause) {
	s.stmts(cmd.Cond)
	ways := [][]*syntax.Stmt{cmd.Then}
	open := true
	for next := cmd.Else; next != nil; next = next.Else {
		ways = append(ways, append(slices.Clone(next.Cond), next.Then...))
		open = next.Else != nil || len(next.Cond) > 0
	}
	s.ways(open, ways...)
}

// loop walks the body once, with the variable known where the loop has one item. A loop over words that stand in the script runs.
func (s *state) loop(cmd *syntax.ForClause) {
	words, ok := cmd.Loop.(*syntax.WordIter)
	if !ok || words.Name == nil {
		s.ways(true, cmd.Do)
		return
	}
	var item Word
	if len(words.Items) == 1 {
		item = s.fold(words.Items[0])
	}
	s.vars[words.Name.Value] = binding{value: item, set: true, exported: s.vars[words.Name.Value].exported}
	if len(words.Items) > 0 {
		s.stmts(cmd.Do)
		s.forget(cmd.Do, words)
		return
	}
	s.ways(true, cmd.Do)
}

// forget makes unknown what a loop over several items leaves in variables that its body changes.
func (s *state) forget(body []*syntax.Stmt, words *syntax.WordIter) {
	if len(words.Items) < 2 {
		return
	}
	for _, stmt := range body {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			if a, ok := n.(*syntax.Assign); ok && a.Name != nil {
				if b, bound := s.vars[a.Name.Value]; bound && !literal(a) {
					b.value = Word{}
					s.vars[a.Name.Value] = b
				}
			}
			return true
		})
	}
}

// literal reports that an assignment gives the same each time.
func literal(a *syntax.Assign) bool { return !a.Append && a.Value != nil && a.Value.Lit() != "" }

// ways walks ways of which one is taken, or none where it is open.
func (s *state) ways(open bool, ways ...[]*syntax.Stmt) {
	before := s.vars
	var ends []bindings
	if open {
		ends = append(ends, before)
	}
	s.branches++
	for _, way := range ways {
		s.vars = maps.Clone(before)
		s.stmts(way)
		ends = append(ends, s.vars)
	}
	s.branches--
	s.vars = join(ends)
}

// join gives what is known behind several ways: a variable that differs between them is not known, and comes from any of them.
func join(ends []bindings) bindings {
	out := bindings{}
	for _, end := range ends {
		for name := range end {
			if _, done := out[name]; !done {
				out[name] = joinOne(name, ends)
			}
		}
	}
	return out
}

func joinOne(name string, ends []bindings) binding {
	out := ends[0][name]
	for _, end := range ends[1:] {
		b := end[name]
		if b.value != out.value || b.set != out.set || !slices.Equal(b.items, out.items) {
			out.value, out.set, out.items = Word{}, true, nil
		}
		out.exported = out.exported || b.exported
		for _, a := range b.from {
			if !slices.Contains(out.from, a) {
				out.from = append(slices.Clip(out.from), a)
			}
		}
	}
	return out
}

// apart walks what cannot change the variables: a subshell.
func (s *state) apart(walk func(inner *state)) {
	inner := *s
	inner.vars = maps.Clone(s.vars)
	inner.functions = maps.Clone(s.functions)
	walk(&inner)
}

// finish lists the settings: of the programs that were started, else what the script leaves.
func (s *state) finish() {
	if len(s.script.Starts) == 0 {
		s.reach(s.vars)
	}
	slices.SortStableFunc(*s.reached, func(a, b *Assignment) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value.Text, b.Value.Text))
	})
	for _, a := range *s.reached {
		s.script.Settings = append(s.script.Settings, *a)
	}
}

// reach notes the assignments of all exported variables as ones that a program got.
func (s *state) reach(vars bindings) {
	for _, b := range vars {
		if b.exported {
			s.got(b.from...)
		}
	}
}

func (s *state) got(assignments ...*Assignment) {
	for _, a := range assignments {
		if !slices.Contains(*s.reached, a) {
			*s.reached = append(*s.reached, a)
		}
	}
}

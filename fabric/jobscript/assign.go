package jobscript

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declare is export, declare, local and their like.
func (s *state) declare(cmd *syntax.DeclClause) {
	export := cmd.Variant != nil && cmd.Variant.Value == "export"
	hide := false
	for _, a := range cmd.Args {
		if a.Name == nil {
			w := s.fold(a.Value)
			switch {
			case strings.HasPrefix(w.Text, "-"):
				export = export || strings.Contains(w.Text, "x")
				hide = hide || export && strings.Contains(w.Text, "n")
			default:
				s.assignText(w, export && !hide)
			}
			continue
		}
		s.assign(a, export && !hide)
		if hide {
			b := s.vars[a.Name.Value]
			b.exported = false
			s.vars[a.Name.Value] = b
		}
	}
}

// assignText is export "NAME=value", whose name is known where the text up to = is.
func (s *state) assignText(w Word, export bool) {
	name, value, given := strings.Cut(w.Text, "=")
	if !isName(name) || !given && !w.Known {
		return
	}
	if !given {
		s.export(name)
		return
	}
	w.Text = value
	s.bind(name, w, w.Position, export)
}

func (s *state) export(name string) {
	b := s.vars[name]
	b.exported = true
	s.vars[name] = b
}

// assign carries out NAME=value.
func (s *state) assign(a *syntax.Assign, export bool) {
	name := a.Name.Value
	switch {
	case a.Naked:
		if export {
			s.export(name)
		}
		return
	case a.Array != nil:
		s.assignArray(a)
		return
	case a.Index != nil:
		s.bind(name, Word{}, s.position(a.Pos()), export)
		return
	}
	value := s.fold(a.Value)
	if a.Append {
		value = s.appended(name, value)
	}
	s.bind(name, value, s.position(a.Pos()), export)
}

// assignArray is NAME=(…) or NAME+=(…). Behind a condition its items are not known.
func (s *state) assignArray(a *syntax.Assign) {
	var words []*syntax.Word
	for _, e := range a.Array.Elems {
		if e.Index != nil || e.Value == nil {
			s.bind(a.Name.Value, Word{}, s.position(a.Pos()), false)
			return
		}
		words = append(words, e.Value)
	}
	items := s.expand(words)
	before := s.vars[a.Name.Value]
	if a.Append {
		items = append(slices.Clip(before.items), items...)
	}
	if len(items) > maxItems || a.Append && before.items == nil && before.set {
		items = nil
	}
	s.vars[a.Name.Value] = binding{set: true, items: items}
}

// maxItems bounds an array, which can be put into itself twice.
const maxItems = 10_000

// appended is NAME+=value.
func (s *state) appended(name string, value Word) Word {
	before := s.vars[name].value
	if !before.Known || len(before.Text)+len(value.Text) > maxText {
		return before
	}
	value.Text = before.Text + value.Text
	return value
}

// bind gives a variable a value from here on.
func (s *state) bind(name string, value Word, at Position, export bool) {
	export = export || s.allExported || s.vars[name].exported
	s.vars[name] = binding{
		value: value, set: true, exported: export,
		from: []*Assignment{{Position: at, Name: name, Value: value, Conditional: s.branches > 0 || value.Default}},
	}
}

// unset takes variables away.
func (s *state) unset(args []Word) {
	for _, w := range args {
		switch {
		case w.Text == "-f":
			return
		case strings.HasPrefix(w.Text, "-"):
		case w.Known:
			s.vars[w.Text] = binding{}
		}
	}
}

// option is set: -a exports every variable from there on.
func (s *state) option(args []Word) {
	for i, w := range args {
		switch {
		case w.Text == "-o" && i+1 < len(args) && args[i+1].Text == "allexport", strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "a"):
			s.allExported = true
		case w.Text == "+o" && i+1 < len(args) && args[i+1].Text == "allexport", strings.HasPrefix(w.Text, "+") && strings.Contains(w.Text, "a"):
			s.allExported = false
		}
	}
}

func isName(text string) bool {
	return text != "" && (text[0] < '0' || text[0] > '9') && !slices.ContainsFunc([]byte(text), func(b byte) bool {
		return (b < 'A' || b > 'Z') && (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '_'
	})
}

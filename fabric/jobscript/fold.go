package jobscript

import (
	"reflect"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// binding is what a variable holds at one point of a script.
type binding struct {
	value    Word
	exported bool
	set      bool   // it has a value, if not a known one
	items    []Word // of an array
	from     []*Assignment
}

// bindings are the variables at one point of a script.
type bindings map[string]binding

// fold expands a word as far as the script itself tells.
func (s *state) fold(w *syntax.Word) Word {
	if w == nil {
		return Word{Known: true}
	}
	f := folder{state: s, known: true}
	f.parts(w.Parts, false)
	return Word{Position: s.position(w.Pos()), Text: f.text.String(), Known: f.known, Default: f.byDefault}
}

// position is where a node stands: of a text inside another, where the text stands.
func (s *state) position(p syntax.Pos) Position {
	if s.inside != (Position{}) {
		return s.inside
	}
	return positionOf(p)
}

func positionOf(p syntax.Pos) Position { return Position{int(p.Line()), int(p.Col())} }

// folder writes what is known of a word, up to the first part that is not.
type folder struct {
	*state
	text      strings.Builder
	known     bool
	byDefault bool
}

func (f *folder) parts(parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		if !f.known {
			return
		}
		f.part(part, quoted)
	}
}

func (f *folder) part(part syntax.WordPart, quoted bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		f.text.WriteString(unescape(part.Value, quoted))
	case *syntax.SglQuoted:
		f.known = !part.Dollar || !strings.Contains(part.Value, `\`)
		if f.known {
			f.text.WriteString(part.Value)
		}
	case *syntax.DblQuoted:
		f.parts(part.Parts, true)
	case *syntax.ParamExp:
		f.write(f.parameter(part))
	case *syntax.ArithmExp:
		n, ok := f.arithmetic(part.X)
		f.write(Word{Text: strconv.Itoa(n), Known: ok})
	default:
		f.known = false
	}
}

// maxText bounds a value, in bytes: a variable that is put into itself twice grows without end.
const maxText = 64 << 10

func (f *folder) write(w Word) {
	if f.text.Len()+len(w.Text) > maxText {
		f.known = false
		return
	}
	f.text.WriteString(w.Text)
	f.known = w.Known
	f.byDefault = f.byDefault || w.Default
}

// unescape takes the backslashes away that a shell takes away.
func unescape(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch next := text[i]; {
		case next == '\n':
		case quoted && strings.IndexByte("\"\\$`", next) < 0:
			b.WriteByte('\\')
			b.WriteByte(next)
		default:
			b.WriteByte(next)
		}
	}
	return b.String()
}

// parameter expands a variable that the script sets, or its default.
func (f *folder) parameter(p *syntax.ParamExp) Word {
	if !isPlain(p) || p.Index != nil {
		return Word{}
	}
	b, bound := f.vars[p.Param.Value]
	if p.Exp == nil {
		return b.value
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return f.orElse(b, bound, p.Exp)
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if bound && b.set && b.value.Known && b.value.Text != "" {
			return f.fold(p.Exp.Word)
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return b.value
	}
	return Word{}
}

// isPlain reports that an expansion takes a variable's value, or another one in its place.
func isPlain(p *syntax.ParamExp) bool {
	plain := syntax.ParamExp{Dollar: p.Dollar, Rbrace: p.Rbrace, Short: p.Short, Param: p.Param, Index: p.Index, Exp: p.Exp}
	return p.Param != nil && reflect.DeepEqual(*p, plain)
}

// orElse is ${NAME:-text}. Where the script does not set the variable, the environment may, and the text is a default.
func (f *folder) orElse(b binding, bound bool, e *syntax.Expansion) Word {
	other := f.fold(e.Word)
	empty := e.Op == syntax.DefaultUnsetOrNull || e.Op == syntax.AssignUnsetOrNull
	switch {
	case bound && !b.set, bound && b.value.Known && b.value.Text == "" && empty:
		return other
	case bound:
		return b.value
	default:
		other.Default = true
		return other
	}
}

// arithmetic works out sums of whole numbers that are known.
func (f *folder) arithmetic(x syntax.ArithmExpr) (int, bool) {
	switch x := x.(type) {
	case *syntax.Word:
		return f.number(x)
	case *syntax.ParenArithm:
		return f.arithmetic(x.X)
	case *syntax.BinaryArithm:
		a, okA := f.arithmetic(x.X)
		b, okB := f.arithmetic(x.Y)
		n, ok := calculate(x.Op, a, b)
		return n, ok && okA && okB
	default:
		return 0, false
	}
}

// number reads a number, or a variable by its bare name.
func (f *folder) number(w *syntax.Word) (int, bool) {
	word := f.fold(w)
	if b, ok := f.vars[word.Text]; ok {
		word = b.value
	}
	n, err := strconv.Atoi(word.Text)
	return n, err == nil && word.Known
}

func calculate(op syntax.BinAritOperator, a, b int) (int, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo:
		if b != 0 {
			return a / b, true
		}
	case syntax.Rem:
		if b != 0 {
			return a % b, true
		}
	}
	return 0, false
}

// expand gives the words of a command: an array becomes several, and so does a variable without quotes around it that holds spaces.
func (s *state) expand(words []*syntax.Word) []Word {
	var out []Word
	for _, w := range words {
		if items, all := s.array(w); items != nil {
			out = append(out, items...)
			continue
		} else if all {
			out = append(out, Word{Position: s.position(w.Pos()), Several: true})
			continue
		}
		word := s.fold(w)
		if fields := strings.Fields(word.Text); word.Known && isBareVariable(w) && len(fields) != 1 {
			for _, field := range fields {
				out = append(out, Word{Position: word.Position, Text: field, Known: true, Default: word.Default})
			}
			continue
		}
		out = append(out, word)
	}
	return out
}

func isBareVariable(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	_, ok := w.Parts[0].(*syntax.ParamExp)
	return ok
}

// array gives the items of "${NAME[@]}", nil where they are not known. all reports that the word is of that form.
func (s *state) array(w *syntax.Word) (items []Word, all bool) {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return nil, false
	}
	p, ok := parts[0].(*syntax.ParamExp)
	if !ok || !isPlain(p) || p.Exp != nil || !isAll(p.Index) {
		return nil, false
	}
	return s.vars[p.Param.Value].items, true
}

// isAll reports that an index is @ or *.
func isAll(index syntax.ArithmExpr) bool {
	w, ok := index.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

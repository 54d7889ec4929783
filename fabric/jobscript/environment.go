package jobscript

import "strings"

// environment reads a file of settings, a line each: NAME=value, with or without export. It is what /etc/nccl.conf, /etc/environment and Enroot's
// environ.d hold.
func (r *reader) environment(text string) {
	s := r.state(bindings{})
	number := 0
	for line := range strings.Lines(text) {
		number++
		column, name, value, ok := setting(line)
		if !ok {
			continue
		}
		at := Position{number, column}
		s.bind(name, s.value(value, at), at, true)
	}
	s.finish()
}

// setting takes a line apart; false for one that sets nothing.
func setting(line string) (column int, name, value string, ok bool) {
	rest := strings.TrimLeft(line, " \t")
	if after, exported := strings.CutPrefix(rest, "export "); exported {
		rest = strings.TrimLeft(after, " \t")
	}
	column = len(line) - len(rest) + 1
	name, value, ok = strings.Cut(strings.TrimRight(rest, " \t\r\n"), "=")
	name = strings.TrimRight(name, " \t")
	return column, name, strings.TrimLeft(value, " \t"), ok && isName(name)
}

// value reads what stands behind =. Spaces within it belong to it, a # behind a space ends it.
func (s *state) value(text string, at Position) Word {
	if i := strings.Index(text, " #"); i >= 0 && !strings.ContainsAny(text[:i], `"'`) {
		text = strings.TrimRight(text[:i], " \t")
	}
	if i := strings.Index(text, "\t#"); i >= 0 && !strings.ContainsAny(text[:i], `"'`) {
		text = strings.TrimRight(text[:i], " \t")
	}
	if !strings.ContainsAny(text, "\"'$`\\") {
		return Word{Position: at, Text: text, Known: true}
	}
	return s.quoted(text, at)
}

// quoted reads a value as a shell reads a word.
func (s *state) quoted(text string, at Position) Word {
	words, err := collect(parser().WordsSeq(strings.NewReader(text)))
	if err != nil {
		return Word{Position: at}
	}
	out := Word{Position: at, Known: true}
	for i, w := range words {
		part := s.fold(w)
		if i > 0 {
			out.Text += " "
		}
		out.Text += part.Text
		if out.Known = part.Known; !out.Known {
			break
		}
	}
	return out
}

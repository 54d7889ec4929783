package jobscript

import "strings"

// directiveMark begins a line with options for sbatch.
const directiveMark = "#SBATCH"

// directives reads the #SBATCH lines. Slurm reads those before the first line that is neither blank nor a comment.
func (r *reader) directives(text string) {
	behind, number := false, 0
	for line := range strings.Lines(text) {
		number++
		plain := strings.TrimRight(line, "\r\n")
		rest, marked := strings.CutPrefix(plain, directiveMark)
		switch {
		case marked && (rest == "" || rest[0] == ' ' || rest[0] == '\t'):
			options := parseOptions(words(rest, Position{number, len(directiveMark) + 1}), slurm).options
			if behind {
				r.script.Ignored = append(r.script.Ignored, options...)
			} else {
				r.script.Directives = append(r.script.Directives, options...)
			}
		case strings.TrimSpace(plain) != "" && !strings.HasPrefix(strings.TrimSpace(plain), "#"):
			behind = true
		}
	}
}

// words cuts a directive as sbatch does: at spaces, with quotes and backslashes, up to a #. Nothing is expanded.
func words(text string, at Position) []Word {
	var out []Word
	c := cutter{text: text}
	for {
		start, word, ok := c.next()
		if !ok {
			return out
		}
		out = append(out, Word{Position: Position{at.Line, at.Column + start}, Text: word, Known: true})
	}
}

type cutter struct {
	text string
	at   int
}

func (c *cutter) next() (start int, word string, ok bool) {
	for c.at < len(c.text) && strings.IndexByte(" \t", c.text[c.at]) >= 0 {
		c.at++
	}
	start = c.at
	if c.at == len(c.text) || c.text[c.at] == '#' {
		return start, "", false
	}
	return start, c.word(), true
}

func (c *cutter) word() string {
	var b strings.Builder
	quote := byte(0)
	for ; c.at < len(c.text); c.at++ {
		ch := c.text[c.at]
		plain := quote == 0
		switch {
		case ch == '\\' && c.at+1 < len(c.text):
			c.at++
			b.WriteByte(c.text[c.at])
		case ch == quote:
			quote = 0
		case plain && strings.IndexByte(`"'`, ch) >= 0:
			quote = ch
		case plain && strings.IndexByte(" \t", ch) >= 0:
			return b.String()
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}

package line

import "bytes"

const escape = '\x1b'

// lineEnd is what a carriage return leaves of a line end.
var lineEnd = []byte("\r")

// Strip parts a launcher's prefix from a line, and takes colours and a carriage return off it.
func Strip(raw []byte) (label, text []byte) {
	text = bytes.TrimSuffix(raw, lineEnd)
	if bytes.IndexByte(text, escape) >= 0 {
		text = uncolour(text)
	}
	return unlabel(text)
}

// unlabel parts a launcher's prefixes from a line.
func unlabel(text []byte) (label, rest []byte) {
	if len(text) > 0 && text[0] >= 'a' {
		return nil, text // as most lines: no prefix begins with a small letter
	}
	for {
		l, rest, found := prefix(text)
		if !found {
			return label, text
		}
		label, text = l, rest
	}
}

// prefix parts one prefix from a line. Several can stand before each other: kubectl's and mpirun's.
func prefix(text []byte) (label, rest []byte, found bool) {
	i := 0
	for i < len(text) && text[i] == ' ' {
		i++
	}
	if i == len(text) {
		return nil, text, false
	}
	switch c := text[i]; {
	case c >= '0' && c <= '9':
		return numbered(text, i)
	case c == '[':
		return bracketed(text, i)
	case c >= 'A' && c <= 'Z':
		return stamped(text, i)
	}
	return nil, text, false
}

// numbered is srun -l's: `12: `.
func numbered(text []byte, i int) (label, rest []byte, found bool) {
	j := i
	for j < len(text) && text[j] >= '0' && text[j] <= '9' {
		j++
	}
	if j == len(text) || text[j] != ':' {
		return nil, text, false
	}
	if rest = text[j+1:]; len(rest) > 0 && rest[0] != ' ' {
		return nil, text, false // 10:30:01 is a time
	}
	return text[i:j], bytes.TrimPrefix(rest, []byte(" ")), true
}

// bracketed is Open MPI's `[1,0]<stdout>:` and torchrun's `[default0]:`.
func bracketed(text []byte, i int) (label, rest []byte, found bool) {
	j := bytes.IndexByte(text[i:min(len(text), i+24)], ']')
	if j < 0 {
		return nil, text, false
	}
	label, rest = text[i+1:i+j], text[i+j+1:]
	for _, mark := range [...]string{"<stdout>:", "<stderr>:"} {
		if after, ok := bytes.CutPrefix(rest, []byte(mark)); ok && bytes.IndexByte(label, ',') > 0 {
			return label, bytes.TrimPrefix(after, []byte(" ")), true
		}
	}
	if after, ok := bytes.CutPrefix(rest, []byte(":")); ok && bytes.HasPrefix(label, []byte("default")) {
		return label, after, true
	}
	return nil, text, false
}

// stamped is Open MPI's with --timestamp-output: `Mon Nov 30 18:59:44 2026[1,0]<stdout>:`.
func stamped(text []byte, i int) (label, rest []byte, found bool) {
	const stamp = len("Mon Nov 30 18:59:44 2026")
	if len(text) < i+stamp+1 || text[i+3] != ' ' || text[i+stamp] != '[' {
		return nil, text, false
	}
	label, rest, found = bracketed(text, i+stamp)
	if !found {
		return nil, text, false
	}
	return label, rest, true
}

// uncolour takes terminal escapes off a line.
func uncolour(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		i := bytes.IndexByte(text, escape)
		if i < 0 {
			return append(out, text...)
		}
		out = append(out, text[:i]...)
		text = text[i+1:]
		if len(text) > 0 && text[0] == '[' {
			end := bytes.IndexFunc(text[1:], func(r rune) bool { return r >= '@' && r <= '~' })
			if end < 0 {
				return out
			}
			text = text[end+2:]
		}
	}
	return out
}

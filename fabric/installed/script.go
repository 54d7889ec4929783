package installed

import "strings"

// ReadScript reads the versions that a shell script or the steps of an image component install: pinned packages and
// archives, tags that are cloned, and variables that hold a version. Lines that install nothing say nothing; unlike
// Read, it takes no line for the output of a program.
func ReadScript(name string, data []byte) List {
	s := &sink{file: name, seen: map[seen]bool{}}
	d := &dockerfile{}
	number := 0
	var words []word
	for raw := range strings.Lines(string(data)) {
		number++
		text := strings.TrimSpace(raw)
		if strings.HasPrefix(text, "#") {
			continue
		}
		more := strings.TrimSuffix(text, `\`)
		for _, w := range shellWord.FindAllString(more, -1) {
			words = append(words, word{w, number})
		}
		if more != text {
			continue
		}
		d.command(s, words)
		words = nil
	}
	d.command(s, words)
	return s.list
}

// command reads one command: what it assigns can be used by those after it.
func (d *dockerfile) command(s *sink, words []word) {
	rest := words
	for len(rest) > 0 && (rest[0].text == "export" || rest[0].text == "-" || versionedName.MatchString(rest[0].text)) {
		d.assign(s, rest[0].text, rest[:1])
		rest = rest[1:]
	}
	if len(rest) > 0 {
		d.run(s, rest)
	}
}

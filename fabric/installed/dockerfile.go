package installed

import (
	"regexp"
	"strings"
)

// dockerfile reads the pins of a Dockerfile: ARG and ENV whose names are a component's, and what RUN installs. What
// the base image of FROM brings is not known, and said to be so.
type dockerfile struct {
	vars    map[string]string // ARG and ENV so far
	stages  map[string]bool   // names of build stages, which are no images
	keyword string            // of the instruction that is still being read; empty: none
	words   []word            // of it
	heredoc string            // what ends the document that a RUN was given; empty: none
}

// word is a word of an instruction.
type word struct {
	text string
	line int
}

var (
	// A ps or a log can begin a line with USER or CMD: the instructions without a pin are left out.
	instruction   = regexp.MustCompile(`^\s*(FROM|ARG|ENV|RUN)\s+(\S.*)$`)
	heredocStart  = regexp.MustCompile(`<<-?["']?(\w+)["']?`)
	shellWord     = regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+|["']`)
	reference     = regexp.MustCompile(`\$\{(\w+)(?::?-([^}]*))?\}|\$(\w+)`)
	versionedName = regexp.MustCompile(`^([A-Za-z_]\w*)=(.*)$`)
)

func (d *dockerfile) take(s *sink, l line) bool {
	if d.keyword == "" {
		m := instruction.FindStringSubmatch(l.text)
		if m == nil {
			return false
		}
		s.list.recognise(Dockerfile)
		d.keyword = m[1]
		l.text = m[2]
		if h := heredocStart.FindStringSubmatch(l.text); h != nil && d.keyword == "RUN" {
			d.heredoc = h[1]
		}
	}
	d.more(s, l)
	return true
}

// more adds a line to the instruction, and carries it out at its last one.
func (d *dockerfile) more(s *sink, l line) {
	text := strings.TrimSpace(l.text)
	if strings.HasPrefix(text, "#") || text == "" {
		return // a comment, or nothing, within an instruction ends it not
	}
	if d.heredoc != "" && text == d.heredoc {
		d.heredoc = ""
		d.end(s)
		return
	}
	more := strings.TrimSuffix(text, `\`)
	for _, w := range shellWord.FindAllString(more, -1) {
		d.words = append(d.words, word{w, l.number})
	}
	switch {
	case d.heredoc != "":
		d.words = append(d.words, word{";", l.number}) // a line of a document is a command
	case more == text:
		d.end(s)
	}
}

// end carries out the instruction that was read, whole or cut off.
func (d *dockerfile) end(s *sink) {
	keyword, words := d.keyword, d.words
	d.keyword, d.words, d.heredoc = "", nil, ""
	switch keyword {
	case "FROM":
		d.from(s, words)
	case "ARG":
		d.assign(s, keyword, words)
	case "ENV":
		if len(words) == 2 && !strings.Contains(words[0].text, "=") { // the old form: ENV NAME value
			words = []word{{words[0].text + "=" + words[1].text, words[0].line}}
		}
		d.assign(s, keyword, words)
	case "RUN":
		d.run(s, words)
	}
}

func (d *dockerfile) assign(s *sink, keyword string, words []word) {
	for _, w := range words {
		m := versionedName.FindStringSubmatch(w.text)
		if m == nil {
			continue
		}
		value := d.expand(unquote(m[2]))
		if d.vars == nil {
			d.vars = map[string]string{}
		}
		d.vars[m[1]] = value
		if c, ok := variable(m[1]); ok {
			s.found(c, value, keyword+" "+m[1], Dockerfile, w.line)
		}
	}
}

// expand fills in variables that are known or have a default. What stays is no version, and found unreadable by who
// judges.
func (d *dockerfile) expand(text string) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		m := reference.FindStringSubmatch(ref)
		if value, ok := d.vars[m[1]+m[3]]; ok && value != "" {
			return value
		}
		if m[2] != "" {
			return m[2]
		}
		return ref
	})
}

func (d *dockerfile) from(s *sink, words []word) {
	for len(words) > 0 && strings.HasPrefix(words[0].text, "--") {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	image := d.expand(unquote(words[0].text))
	if d.stages == nil {
		d.stages = map[string]bool{"scratch": true}
	}
	if !d.stages[strings.ToLower(image)] {
		s.list.Bases = append(s.list.Bases, Base{
			Image: image, NGC: strings.HasPrefix(image, "nvcr.io/nvidia/"), Place: s.place(words[0].line),
		})
	}
	if len(words) == 3 && strings.EqualFold(words[1].text, "as") {
		d.stages[strings.ToLower(words[2].text)] = true
	}
}

func unquote(text string) string { return strings.NewReplacer(`"`, "", `'`, "").Replace(text) }

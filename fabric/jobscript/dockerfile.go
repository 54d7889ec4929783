package jobscript

import "strings"

// dockerfile reads ENV and ARG of the stages that the last one is made of.
func (r *reader) dockerfile(text string) {
	d := docker{reader: r, stages: map[string]*state{}}
	for at, instruction := range instructions(text) {
		d.instruction(at, instruction)
	}
	if d.stage != nil {
		d.stage.finish()
	}
}

type docker struct {
	*reader
	stages map[string]*state
	stage  *state
}

func (d *docker) instruction(at Position, text string) {
	keyword, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToUpper(keyword) {
	case "FROM":
		d.from(rest)
	case "ENV":
		d.set(rest, at, true)
	case "ARG":
		d.set(rest, at, false)
	}
}

// from begins a stage: on another one with its variables, on an image with none.
func (d *docker) from(text string) {
	var words []string
	for _, w := range strings.Fields(text) {
		if !strings.HasPrefix(w, "--") {
			words = append(words, w)
		}
	}
	stage := d.state(bindings{})
	if len(words) > 0 {
		if base, ok := d.stages[strings.ToLower(words[0])]; ok {
			base.apart(func(inner *state) { stage.vars = inner.vars })
		}
	}
	d.stage = stage
	if len(words) > 2 && strings.EqualFold(words[1], "as") {
		d.stages[strings.ToLower(words[2])] = stage
	}
}

// set is ENV NAME=value NAME=value, or the old form ENV NAME value.
func (d *docker) set(text string, at Position, export bool) {
	if d.stage == nil {
		return
	}
	name, value, _ := strings.Cut(text, " ")
	if export && isName(name) {
		d.stage.bind(name, d.stage.quoted(strings.TrimSpace(value), at), at, true)
		return
	}
	d.stage.inside = at
	words, err := collect(parser().WordsSeq(strings.NewReader(text)))
	if err != nil {
		d.problem(at, "an instruction that is no list of NAME=value: "+err.Error())
	}
	for _, w := range words {
		d.stage.assignText(d.stage.fold(w), export)
	}
}

// instructions gives the instructions of a Dockerfile with the place of each, lines that go on joined. Comments and heredocs are left out.
func instructions(text string) func(yield func(Position, string) bool) {
	return func(yield func(Position, string) bool) {
		var b strings.Builder
		var at Position
		number, end := 0, ""
		for line := range strings.Lines(text) {
			number++
			plain := strings.TrimSpace(line)
			switch {
			case end != "":
				if plain == end {
					end = ""
				}
				continue
			case plain == "" || strings.HasPrefix(plain, "#"):
				continue
			case b.Len() == 0:
				at = Position{number, len(line) - len(strings.TrimLeft(line, " \t")) + 1}
			}
			more, goesOn := strings.CutSuffix(plain, `\`)
			b.WriteString(more + " ")
			if goesOn {
				continue
			}
			end = heredoc(b.String())
			if !yield(at, strings.TrimSpace(b.String())) {
				return
			}
			b.Reset()
		}
		if b.Len() > 0 {
			yield(at, strings.TrimSpace(b.String()))
		}
	}
}

// heredoc is the word that ends the document of a RUN or COPY; empty where there is none.
func heredoc(text string) string {
	_, after, ok := strings.Cut(text, "<<")
	keyword, _, _ := strings.Cut(text, " ")
	if !ok || !strings.EqualFold(keyword, "RUN") && !strings.EqualFold(keyword, "COPY") {
		return ""
	}
	fields := strings.Fields(strings.TrimPrefix(after, "-"))
	if len(fields) == 0 {
		return ""
	}
	word := strings.Trim(fields[0], `"'`)
	if !isName(word) {
		return ""
	}
	return word
}

package installed

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Read reads a text, whatever of the formats it is made of; name is the file as the user named it. A text in which
// no version was found is a finding that says what it was recognised as.
func Read(name string, data []byte) (List, diag.List) {
	s := &sink{file: name, seen: map[seen]bool{}}
	if bytes.IndexByte(data, 0) >= 0 {
		return s.list, diag.List{unreadable(name, "data that is no text")}
	}
	scan(s, string(data))
	slices.SortStableFunc(s.list.Versions, func(a, b Version) int { return cmp.Compare(a.Place.Line, b.Place.Line) })
	var findings diag.List
	if len(s.list.Versions) == 0 && len(s.list.Bases) == 0 {
		findings.Add(unreadable(name, empty(s.list, data)))
	}
	return s.list, findings
}

func empty(l List, data []byte) string {
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return "nothing"
	case len(l.Formats) == 0:
		return "text of no known form"
	default:
		formats := make([]string, len(l.Formats))
		for i, f := range l.Formats {
			formats[i] = string(f)
		}
		return fmt.Sprintf("recognised %s, and no version of a component that weft knows in it", strings.Join(formats, ", "))
	}
}

func unreadable(name, got string) diag.Finding {
	return diag.Finding{
		Rule: diag.FileUnreadable, Level: diag.FileUnreadable.Level(), Place: diag.Place{File: name}, Got: got,
		Want: "versions of the software, in a form that weft reads",
		Hint: "give the output of nvidia-smi, modinfo efa, uname -r, dpkg -l or rpm -qa, pip freeze, /opt/amazon/efa_installed_packages, " +
			"a Dockerfile, or lines such as: efa-installer 1.50.0",
	}
}

// sink takes what scanners find.
type sink struct {
	file string
	list List
	seen map[seen]bool
}

// seen is what a file said already.
type seen struct {
	component catalog.Component
	text      string
}

func (s *sink) place(line int) diag.Place { return diag.Place{File: s.file, Line: line} }

// found takes a version. A text that a file gives twice under the same component says nothing new.
func (s *sink) found(c catalog.Component, text, from string, f Format, line int) {
	s.list.recognise(f)
	text = strings.TrimSpace(text)
	if text == "" || s.seen[seen{c, text}] {
		return
	}
	s.seen[seen{c, text}] = true
	s.list.Versions = append(s.list.Versions, Version{Component: c, Text: text, From: from, Format: f, Place: s.place(line)})
}

// pkg takes a package, if it is one of a component, and what its name says about NVIDIA's modules.
func (s *sink) pkg(name, text string, f Format, line int) {
	name, _, _ = strings.Cut(strings.ToLower(name), ":") // libnccl2:amd64
	if c, ok := componentIn(packages, name); ok {
		s.found(c, epoch.ReplaceAllString(text, ""), name, f, line)
	}
	switch {
	case openPackages.MatchString(name):
		s.flavour(catalog.OpenModules, name, line)
	case closedPackages.MatchString(name):
		s.flavour(catalog.ClosedModules, name, line)
	}
}

// epoch of dpkg and rpm, 1:4.4.2-1: it orders packages when their numbering changed, and is no part of the version.
var epoch = regexp.MustCompile(`^\d+:`)

// line is a line of a text, without what a launcher put before it.
type line struct {
	text   string
	number int // from 1
}

// scanner reads one kind of text line by line.
type scanner interface {
	// take reads a line, and reports whether it is of the scanner's kind. A scanner that can span lines is the first to
	// be asked about the line after one that it took.
	take(*sink, line) bool
	// end tells that lines of other kinds follow, or none.
	end(*sink)
}

// eachLine is a scanner of lines that stand alone.
type eachLine func(*sink, line) bool

func (f eachLine) take(s *sink, l line) bool { return f(s, l) }
func (eachLine) end(*sink)                   {}

// scanners are asked in this order: the more particular form first.
func scanners() []scanner {
	return []scanner{
		&dockerfile{}, eachLine(nodeFacts), &prompt{}, eachLine(efaHeader), &smi{}, &modinfo{}, eachLine(programs), eachLine(dpkg),
		eachLine(aptList), eachLine(packageTokens), eachLine(pipFreeze), eachLine(uname), &table{}, eachLine(environment), eachLine(pair),
	}
}

// scan reads a text line by line. Each process of a launcher has a reader of its own, so that lines of several nodes
// that run into each other stay apart.
func scan(s *sink, text string) {
	readers := map[string]*reader{}
	var order []*reader
	number := 0
	for raw := range strings.Lines(text) {
		number++
		raw = strings.TrimRight(raw, "\r\n")
		process := launcher.FindString(raw)
		r, ok := readers[process]
		if !ok {
			r = &reader{scanners: scanners(), current: none}
			readers[process] = r
			order = append(order, r)
		}
		r.line(s, line{text: raw[len(process):], number: number})
	}
	for _, r := range order {
		r.leave(s)
	}
}

// reader asks scanners line by line.
type reader struct {
	scanners []scanner
	current  int // which took the last line, and may hold something open; or none
}

const none = -1

func (r *reader) line(s *sink, l line) {
	if r.current != none && r.scanners[r.current].take(s, l) {
		return
	}
	refused := r.current
	r.leave(s)
	for i, candidate := range r.scanners {
		if i == refused || !candidate.take(s, l) {
			continue
		}
		if _, alone := candidate.(eachLine); !alone {
			r.current = i
		}
		return
	}
}

func (r *reader) leave(s *sink) {
	if r.current != none {
		r.scanners[r.current].end(s)
	}
	r.current = none
}

// launcher is what srun -l, Open MPI's --tag-output and kubectl --prefix put before a line.
var launcher = regexp.MustCompile(`^(?:\d{1,5}: |\[\d+,\d+\]<std(?:out|err)>:\s?|\[pod/[^\]]+\] )`)

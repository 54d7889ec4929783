package source

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/jobscript"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/tree"
)

// Options say how files are read.
type Options struct {
	// ParallelCluster is the release whose keys a configuration is compared with; empty: the newest whose keys are known.
	ParallelCluster string
}

// Document is what a file says.
type Document struct {
	Name string
	Kind Kind
	Set  rule.Set
	// Findings are about the file itself: what cannot be read, and keys that its kind does not have.
	Findings diag.List

	root  any
	lines *lineIndex
	// marks are the byte offsets of keys and items by their path from the root; of an item, its first character.
	marks map[string]int
	// roots are the paths from which the paths of a resource's inputs count.
	roots   map[string]string
	options Options
}

// Read reads one file. It never fails: what cannot be read is among the findings.
func Read(name string, data []byte, o Options) *Document {
	d := &Document{Name: name, Kind: Unreadable, lines: newLineIndex(data), marks: map[string]int{}, roots: map[string]string{}, options: o}
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d.lines.skipped = len(data) - len(text)
	if kind := recogniseJob(name, string(text)); kind != jobscript.None {
		d.job(string(text), kind)
		d.Findings.Sort()
		return d
	}
	if looksLikeJSON(text) {
		d.parseJSON(text)
	} else {
		d.parseYAML(text)
	}
	if d.root == nil {
		d.plainScript(string(text))
		d.Findings.Sort()
		return d
	}
	d.Kind = Unrecognised
	if r, ok := recognise(d.root); ok {
		d.Kind = r.kind
		r.read(d)
	} else {
		d.tellUnrecognised(text)
	}
	d.Findings.Sort()
	return d
}

// tellUnrecognised says what else the file may be, and how to make something of it that can be judged.
func (d *Document) tellUnrecognised(text []byte) {
	hint := "give one of the kinds that weft check reads: weft check --help lists them"
	if hcl.Match(text) {
		hint = hclHint
	}
	d.unreadable(0, "a file of no kind that weft judges", oneOfKinds(), hint)
}

const hclHint = "HCL holds expressions that only Terraform resolves: run terraform plan -out=plan && terraform show -json plan > plan.json, and check that"

func oneOfKinds() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// unreadable reports a part that cannot be read; an offset below 0 is the whole file.
func (d *Document) unreadable(offset int, got, want, hint string) {
	d.Findings.Add(diag.Finding{Rule: diag.FileUnreadable, Place: d.place(offset), Got: got, Want: want, Hint: hint})
}

func (d *Document) place(offset int) diag.Place {
	p := diag.Place{File: d.Name}
	p.Line, p.Column = d.lines.at(offset)
	return p
}

// mark remembers where a path stands. The first place holds: a second one is of a duplicate.
func (d *Document) mark(path string, offset int) {
	if _, ok := d.marks[path]; !ok {
		d.marks[path] = offset
	}
}

// input is what an input that is found at a path has in common with others.
func (d *Document) input(path string) rule.Input {
	return rule.Input{Place: diag.Place{File: d.Name, Path: path}}
}

// resource is the same for a resource, whose own paths count from the path of its properties.
func (d *Document) resource(name, path string) rule.Input {
	d.roots[name] = path
	return rule.Input{Place: diag.Place{File: d.Name, Resource: name}, Key: name}
}

// Locate gives line and column to the findings that are about this file and have none. A path that the file does not have
// takes the place of its longest prefix, so that a missing key points at its section.
func (d *Document) Locate(list diag.List) {
	for i := range list {
		p := &list[i].Place
		if p.File != d.Name || p.Line > 0 {
			continue
		}
		if offset, ok := d.find(p.Resource, p.Path); ok {
			p.Line, p.Column = d.lines.at(offset)
		}
	}
}

func (d *Document) find(resource, path string) (int, bool) {
	root, ok := d.roots[resource]
	if !ok {
		root = ""
	}
	for full := joinPath(root, path); ; full = parent(full) {
		if offset, ok := d.marks[full]; ok {
			return offset, true
		}
		if full == "" {
			return 0, false
		}
	}
}

func joinPath(root, path string) string {
	switch {
	case root == "" || path == "":
		return cmp.Or(root, path)
	case strings.HasPrefix(path, "["):
		return root + path
	default:
		return root + "." + path
	}
}

func parent(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }

// lineIndex finds lines and columns by offset.
type lineIndex struct {
	text    []byte
	starts  []int
	skipped int // bytes before the text, of a byte order mark
}

func newLineIndex(text []byte) *lineIndex {
	x := &lineIndex{text: text, starts: []int{0}}
	for i, b := range text {
		if b == '\n' || b == '\r' && !bytes.HasPrefix(text[i+1:], []byte("\n")) { // YAML ends lines at both
			x.starts = append(x.starts, i+1)
		}
	}
	return x
}

// at gives line and column of an offset, both from 1, the column in characters.
func (x *lineIndex) at(offset int) (line, column int) {
	offset = min(max(offset+x.skipped, 0), len(x.text))
	i, found := slices.BinarySearch(x.starts, offset)
	if !found {
		i--
	}
	before := bytes.TrimPrefix(x.text[x.starts[i]:offset], []byte("\xef\xbb\xbf"))
	return i + 1, len([]rune(string(before))) + 1
}

// offset is the reverse of at, as a YAML parser counts: columns in characters.
func (x *lineIndex) offset(line, column int) int {
	if line < 1 || line > len(x.starts) {
		return 0
	}
	start := x.starts[line-1]
	if line == 1 {
		start += x.skipped
	}
	characters := 1
	for i := range string(x.text[start:min(len(x.text), start+4*max(column, 0))]) {
		if characters == column {
			return start + i - x.skipped
		}
		characters++
	}
	return start - x.skipped
}

// describe names what stands at a node, for findings.
func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return "a mapping"
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case tree.Node:
		return "an expression"
	default:
		return fmt.Sprintf("%q", fmt.Sprint(v))
	}
}

package topology

import (
	"bytes"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/hostlist"
)

// text reads what Slurm prints, and its topology.conf.
func (r *reader) text(data []byte) {
	line, known := 0, false
	for text := range bytes.Lines(data) {
		line++
		fields := fieldsOf(string(text))
		switch {
		case fields["nodename"] != "":
			known = true
			r.out.Nodes = append(r.out.Nodes, Node{File: r.file, Name: fields["nodename"]})
			r.address(fields)
		case fields["switchname"]+fields["blockname"] != "":
			known = true
			r.switched(line, fields)
		case len(r.out.Nodes) > 0:
			r.address(fields)
		}
	}
	if !known {
		r.unreadable(diag.Place{Line: 1}, "no line of a kind that weft topology reads")
	}
}

// fieldsOf are the words Key=Value of a line, without a comment, the keys in small letters.
func fieldsOf(line string) map[string]string {
	line, _, _ = strings.Cut(line, "#")
	out := map[string]string{}
	for _, word := range strings.Fields(line) {
		if key, value, ok := strings.Cut(word, "="); ok {
			out[strings.ToLower(key)] = value
		}
	}
	return out
}

// address takes what a line says of the last node: scontrol spreads a node over several.
func (r *reader) address(fields map[string]string) {
	n := &r.out.Nodes[len(r.out.Nodes)-1]
	if v := fields["nodeaddr"]; v != "" {
		n.Address = v
	}
	if v := fields["nodehostname"]; v != "" {
		n.Host = v
	}
}

// switched is a switch or block with its nodes. Switches above others list the nodes of all of them, and are left out.
func (r *reader) switched(line int, fields map[string]string) {
	s := Switched{File: r.file, Line: line, Name: fields["switchname"]}
	if s.Name == "" {
		s.Name, s.Block = fields["blockname"], true
	}
	list := fields["nodes"]
	if fields["switches"] != "" && fields["switches"] != "(null)" || list == "" || list == "(null)" {
		return
	}
	nodes, err := hostlist.Expand(list, hostlist.Most-r.hosts)
	if err != nil {
		r.unreadable(diag.Place{Line: line}, "%v", err)
		return
	}
	s.Nodes = nodes
	r.hosts += len(nodes)
	r.out.Switches = append(r.out.Switches, s)
}

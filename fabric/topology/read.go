package topology

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Read reads a file, by what it holds: answers of DescribeInstanceTopology, DescribeCapacityReservationTopology and DescribeInstances, as the AWS
// CLI prints them, several after each other or in one array where they came in pages; the output of `scontrol show nodes` and `scontrol show
// topology`; topology.conf. What can't be read is a finding, and the rest is read all the same.
func Read(file string, data []byte) (Answers, diag.List) {
	r := reader{file: file}
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	switch {
	case len(text) == 0:
		r.unreadable(diag.Place{}, "nothing in it")
	case text[0] == '{' || text[0] == '[':
		r.json(text, 1+bytes.Count(data[:bytes.Index(data, text[:1])], []byte("\n")))
	default:
		r.text(data)
	}
	return r.out, r.findings
}

const wanted = "answers of describe-instance-topology, describe-capacity-reservation-topology and describe-instances as JSON, output of scontrol show nodes or " +
	"scontrol show topology, or topology.conf"

type reader struct {
	file     string
	out      Answers
	findings diag.List
	hosts    int // names that lists stood for
}

func (r *reader) unreadable(place diag.Place, format string, args ...any) {
	place.File = r.file
	r.findings.Add(diag.Finding{
		Rule: diag.FileUnreadable, Place: place, Got: fmt.Sprintf(format, args...), Want: wanted,
		Hint: "save the whole answer: aws ec2 describe-instance-topology --output json > topology.json; what else the file holds was read",
	})
}

// json reads values one after the other; first is the line on which they begin.
func (r *reader) json(text []byte, first int) {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			at := int(d.InputOffset()) // of the end of the value before
			at += len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t\r\n"))
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				at = int(syntax.Offset)
			}
			r.unreadable(diag.Place{Line: first + bytes.Count(text[:min(max(at, 0), len(text))], []byte("\n"))}, "no JSON from here on: %v", err)
			return
		}
		r.value(raw, "")
	}
}

// deepest is how far down answers stand: by the call's name, in an array, in pages.
const deepest = 4

// value reads an answer, an array of them, or the answers of several calls by the calls' names.
func (r *reader) value(raw json.RawMessage, path string) {
	if strings.Count(path, "[")+strings.Count(path, ".") > deepest {
		r.unreadable(diag.Place{Path: path}, "answers inside of answers")
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for i, item := range list {
			r.element(item, fmt.Sprintf("%s[%d]", path, i))
		}
		return
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		r.unreadable(diag.Place{Path: path}, "%s, where an answer should be", excerpt(raw))
		return
	}
	known := false
	for _, part := range answerParts {
		if list, ok := object[part.key]; ok {
			known = true
			part.read(r, list, join(path, part.key))
			r.page(part.key, object["NextToken"])
		}
	}
	for _, key := range keys(object) {
		if strings.HasPrefix(key, "Describe") {
			known = true
			r.value(object[key], join(path, key))
		}
	}
	if !known {
		r.unreadable(diag.Place{Path: path}, "an object with the keys %s", few(keys(object)))
	}
}

// answerParts are the lists that tell what an answer is.
var answerParts = []struct {
	key  string
	read func(*reader, json.RawMessage, string)
}{
	{"Instances", (*reader).list},
	{"CapacityReservations", (*reader).list},
	{"Reservations", (*reader).launches},
	{"nodes", (*reader).slurmNodes},
}

// page takes note of whether an answer says that there are more.
func (r *reader) page(key string, token json.RawMessage) {
	var text string
	r.out.Pages = append(r.out.Pages, Page{r.file, key, json.Unmarshal(token, &text) == nil && text != ""})
}

func (r *reader) list(raw json.RawMessage, path string) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		r.unreadable(diag.Place{Path: path}, "%s, where a list should be", excerpt(raw))
		return
	}
	for i, item := range items {
		r.item(item, fmt.Sprintf("%s[%d]", path, i), "")
	}
}

// element is one of a top-level array: a whole answer, or what --query left of one.
func (r *reader) element(raw json.RawMessage, path string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil && (object["InstanceId"] != nil || object["CapacityReservationId"] != nil) {
		r.item(raw, path, "")
		return
	}
	if json.Unmarshal(raw, &object) == nil && object["OwnerId"] != nil {
		r.launch(raw, path)
		return
	}
	r.value(raw, path)
}

func (r *reader) launches(raw json.RawMessage, path string) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		r.unreadable(diag.Place{Path: path}, "%s, where a list should be", excerpt(raw))
		return
	}
	for i, item := range items {
		r.launch(item, fmt.Sprintf("%s[%d]", path, i))
	}
}

// launch is one of what DescribeInstances calls reservations: the instances of one launch, with the account that owns them.
func (r *reader) launch(raw json.RawMessage, path string) {
	var launch struct {
		OwnerID   string            `json:"OwnerId"`
		Instances []json.RawMessage `json:"Instances"`
	}
	if err := json.Unmarshal(raw, &launch); err != nil {
		r.unreadable(diag.Place{Path: path}, "%s, where a launch should be", excerpt(raw))
		return
	}
	for i, item := range launch.Instances {
		r.instance(item, fmt.Sprintf("%s.Instances[%d]", path, i), launch.OwnerID)
	}
}

// item is an instance or a reservation, by its keys.
func (r *reader) item(raw json.RawMessage, path, owner string) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		r.unreadable(diag.Place{Path: path}, "%s, where an object should be", excerpt(raw))
		return
	}
	_, described := object["PrivateDnsName"]
	if _, ok := object["State"]; ok {
		described = true
	}
	switch {
	case object["InstanceId"] == nil && object["CapacityReservationId"] != nil:
		r.reservation(raw, path)
	case object["InstanceId"] != nil && object["NetworkNodes"] == nil && described:
		r.instance(raw, path, owner)
	case object["InstanceId"] != nil:
		r.position(raw, path)
	default:
		r.unreadable(diag.Place{Path: path}, "an object with the keys %s", few(keys(object)))
	}
}

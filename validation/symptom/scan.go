package symptom

import (
	"bytes"
	"regexp"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/parse/line"
)

// maxSymptoms bounds what one scanner keeps: a known text on one host each. What comes beyond it is counted without its host.
const maxSymptoms = 8192

// Scanner collects the known texts of a file. Make one with [New].
type Scanner struct {
	file  string
	m     *matcher
	seen  map[key]int // place in found
	found []evidence.Symptom
	hits  []hit
	room  []int // for the search
}

type key struct {
	row  int
	host string
}

// New makes a scanner for a file, called as excerpts shall name it.
func New(file string) *Scanner {
	return &Scanner{file: file, m: matching(), seen: map[key]int{}}
}

// Line looks at one line, and tells whether a known text stands in it that is not harmless. Traces of shell scripts (`set -x`) are passed
// over: the commands in them are not what happened.
func (s *Scanner) Line(l line.Line) (found bool) {
	s.room, s.hits = s.m.find(l.Text, s.room, s.hits[:0])
	if len(s.hits) == 0 {
		return false
	}
	hits := s.m.blamed(s.hits)
	if len(hits) == 0 || traced(l.Text) {
		return false
	}
	for _, h := range hits {
		s.add(h, l)
	}
	return true
}

func (s *Scanner) add(h hit, l line.Line) {
	text, host := around(l.Text, h.start)
	k := key{row: h.row, host: string(host)}
	if i, ok := s.seen[k]; ok {
		s.found[i].Times++
		return
	}
	if len(s.found) >= maxSymptoms {
		k.host = ""
		if i, ok := s.seen[k]; ok {
			s.found[i].Times++
			return
		}
	}
	s.seen[k] = len(s.found)
	s.found = append(s.found, evidence.Symptom{
		ID: s.m.rows[h.row].ID, Host: k.host, Excerpt: evidence.Quote(s.file, l.Number, text), Times: 1, Instances: instances(text),
	})
}

// Symptoms are what was found, in the order of the file.
func (s *Scanner) Symptoms() []evidence.Symptom { return s.found }

// traced tells a line that a shell printed under `set -x`: `+ command`, also behind what an image build or cloud-init puts before it.
func traced(text []byte) bool {
	text = bytes.TrimLeft(text, " ")
	for _, before := range [...]string{"Stdout: ", "Stderr: ", "stdout: ", "stderr: "} {
		if i := bytes.Index(text, []byte(before)); i >= 0 && i < 64 {
			text = text[i+len(before):]
			break
		}
	}
	rest := bytes.TrimLeft(text, "+")
	return len(rest) < len(text) && len(rest) > 0 && (rest[0] == ' ' || rest[0] >= 'A')
}

// around is the message that a place in a line lies in, and the host that it came from.
func around(text []byte, at int) (message, host []byte) {
	rest := text
	for {
		_, found, ok := line.Message(rest)
		if !ok || len(text)-len(found) > at {
			break
		}
		head, _ := line.ParseHead(found)
		message, host, rest = found, head.Host, head.Body
	}
	if message == nil {
		return text, hostOf(text)
	}
	if next, glued, ok := line.Message(rest); ok && len(glued) > 0 {
		message = message[:len(message)-len(rest)+len(next)]
	}
	return message, host
}

// hosts are the ways in which programs other than NCCL name the host that a line is of: Open MPI's `[vm:02256] `, nccl-tests' `vm: Test …`,
// mpirun's `on node vm exited`, srun's
// `srun: error: vm: task 3: Killed` and `failed on node vm: …`, and slurmstepd's `*** STEP 4.0 ON vm CANCELLED`.
var hosts = []struct {
	near []byte
	form *regexp.Regexp
}{
	{[]byte(" on node "), regexp.MustCompile(` on node ([\w.-]+) exited`)},
	{[]byte("srun: error: "), regexp.MustCompile(`srun: error: ([\w.-]+): task`)},
	{[]byte(" ON "), regexp.MustCompile(`\*\*\* (?:JOB|STEP) [\w.+]+ ON ([\w.-]+) CANCELLED`)},
	{[]byte(" on node "), regexp.MustCompile(` failed on node ([\w.-]+): `)},
	{[]byte("Node failure on "), regexp.MustCompile(`Node failure on ([\w.-]+)`)},
	{[]byte(": Test "), regexp.MustCompile(`^([\w.-]+): Test `)},
	{[]byte("["), regexp.MustCompile(`^\[([A-Za-z][\w.-]*):\d+\] `)},
}

func hostOf(text []byte) []byte {
	for _, h := range hosts {
		if !bytes.Contains(text, h.near) {
			continue
		}
		if found := h.form.FindSubmatch(text); found != nil {
			return found[1]
		}
	}
	return nil
}

var instance = regexp.MustCompile(`(?:My|Peer) host id: (i-[0-9a-f]{8,17})`)

// instances are the instances that an EFA error names, its own first.
func instances(text []byte) (out []string) {
	if !bytes.Contains(text, []byte("host id: i-")) {
		return nil
	}
	for _, found := range instance.FindAllSubmatch(text, 2) {
		out = append(out, string(found[1]))
	}
	return out
}

package nccl

import (
	"bytes"

	"github.com/weft-hpc/weft/validation/evidence"
	"github.com/weft-hpc/weft/validation/symptom"
)

// warnings are the WARN lines of a log, equal ones once.
type warnings struct {
	found []*warning
	at    map[string]*warning
	key   []byte
}

type warning struct {
	evidence.Repeated
	hosts hosts
}

// list gives the warnings in the order of the log.
func (w *warnings) list() []evidence.Repeated {
	var out []evidence.Repeated
	for _, f := range w.found {
		f.Hosts = f.hosts.list()
		out = append(out, f.Repeated)
	}
	return out
}

// warning keeps a WARN line. Pointers and ports do not make two of one.
func (p *Parser) warning(at from, n *node, body []byte) {
	w := &p.warnings
	w.key = same(w.key[:0], body)
	f := w.at[string(w.key)]
	if f == nil {
		if len(w.found) >= maxWarnings {
			p.path.Omitted++
			return
		}
		id, _ := symptom.Harmless(body)
		f = &warning{Repeated: evidence.Repeated{Excerpt: p.quote(at), Harmless: id}, hosts: hosts{}}
		w.at[string(w.key)] = f
		w.found = append(w.found, f)
		if bytes.Contains(body, []byte(" gin ")) && bytes.Contains(body, []byte("failed")) {
			p.ginFailed(f.Excerpt)
		}
	}
	f.Times++
	f.hosts[n.Host] = true
}

// same appends a text to key without what differs between two lines that say the same: the digits of a pointer, 0x7f…, and of a port, <…>.
func same(key, text []byte) []byte {
	text = text[:min(len(text), evidence.MaxText)]
	for i := 0; i < len(text); i++ {
		key = append(key, text[i])
		switch {
		case text[i] == 'x' && i > 0 && text[i-1] == '0':
			for i+1 < len(text) && hexadecimal(text[i+1]) {
				i++
			}
		case text[i] == '<':
			for i+1 < len(text) && text[i+1]-'0' <= 9 {
				i++
			}
		}
	}
	return key
}

func hexadecimal(c byte) bool { return c-'0' <= 9 || c-'a' <= 5 || c-'A' <= 5 }

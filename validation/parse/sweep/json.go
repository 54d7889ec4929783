package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
)

// Bounds of a JSON file. The lists of times are what grows: processes × iterations × sizes × 2.
const (
	maxToken = 16 << 20 // bytes of one value that is read at once: a string, or one process's times
	maxDepth = 32       // of values that are passed over
	// maxTimes is how many times of single iterations are kept of one half, and maxAllTimes of a file; above, each process's median is kept.
	maxTimes    = 4096
	maxAllTimes = 1 << 18
	maxMedians  = 1 << 20 // of a file
	maxVersion  = 3
)

// ReadJSON reads what a program wrote with -J. The file is read value by value: of the times of every process and iteration only as many are
// kept as the evidence needs. What the file has of the process's environment is read for the names that an allow-list knows; all other
// values are dropped where they are read. The error is the reader's; a file that is cut off, or not what -J writes, is a finding.
func ReadJSON(file string, from io.Reader) (evidence.Sweep, diag.List, error) {
	m := &meter{from: from}
	d := &decoder{file: file, in: m, json: json.NewDecoder(m)}
	d.json.UseNumber()
	d.out.Worlds = 1
	err := d.value("", d.document)
	if err == nil {
		d.finished()
	}
	if m.err != nil {
		return d.sweep(), d.found, fmt.Errorf("reading %s: %w", file, m.err)
	}
	if err != nil {
		d.broken(err)
	}
	return d.sweep(), d.found, nil
}

// meter passes a reader's bytes on, until one value has too many of them.
type meter struct {
	from  io.Reader
	since int // bytes since the last value
	err   error
}

var errTooLong = errors.New("one value is too long")

func (m *meter) Read(b []byte) (int, error) {
	if m.since > maxToken {
		return 0, errTooLong
	}
	n, err := m.from.Read(b[:min(len(b), 64<<10)])
	m.since += n
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// decoder walks through one file.
type decoder struct {
	file  string
	in    *meter
	json  *json.Decoder
	found diag.List
	out   evidence.Sweep

	known          bool // a key of nccl-tests was seen
	devices        int
	wrong, average bool // footers
	closed         bool
	over           int // rows above the bound
	allTimes       int // kept
	allMedians     int
	faults         int
}

// next reads a token.
func (d *decoder) next() (json.Token, error) {
	t, err := d.json.Token()
	d.in.since = 0
	return t, err
}

// handler reads the value that follows; path says where it is.
type handler func(path string, first json.Token) error

// value reads the next value with a handler.
func (d *decoder) value(path string, h handler) error {
	t, err := d.next()
	if err != nil {
		return err
	}
	return h(path, t)
}

// object reads an object by its keys. What has no handler is passed over. Another value than an object is a fault, but for null.
func (d *decoder) object(keys map[string]handler) handler {
	return func(path string, first json.Token) error {
		if first != json.Delim('{') {
			return d.other(path, first, "an object")
		}
		for d.json.More() {
			t, err := d.next()
			if err != nil {
				return err
			}
			key, _ := t.(string)
			h := keys[key]
			at := path
			if h == nil {
				h = d.skip
			} else {
				at = strings.TrimPrefix(path+"."+key, ".")
			}
			if err := d.value(at, h); err != nil {
				return err
			}
		}
		_, err := d.next()
		return err
	}
}

// list reads a list by its elements.
func (d *decoder) list(element handler) handler {
	return func(path string, first json.Token) error {
		if first != json.Delim('[') {
			return d.other(path, first, "a list")
		}
		for i := 0; d.json.More(); i++ {
			if err := d.value(path+"["+strconv.Itoa(i)+"]", element); err != nil {
				return err
			}
		}
		_, err := d.next()
		return err
	}
}

// other passes a value over that is not what should stand there.
func (d *decoder) other(path string, first json.Token, want string) error {
	if first != nil {
		d.fault(path, want)
	}
	return d.skip(path, first)
}

var errTooDeep = errors.New("values are nested too deep")

// skip passes a value over.
func (d *decoder) skip(_ string, first json.Token) error {
	depth := 0
	for t := first; ; {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth > maxDepth {
			return errTooDeep
		}
		var err error
		if t, err = d.next(); err != nil {
			return err
		}
	}
}

// finished expects the end of the file.
func (d *decoder) finished() {
	d.closed = true
	if _, err := d.next(); errors.Is(err, io.EOF) {
		return
	}
	d.found.Add(diag.Finding{
		Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: d.file}, Got: "more behind the end of the first value",
		Want: "one JSON object, as -J writes it", Hint: "what follows was not read; give each run a file",
	})
}

const maxFaults = 10

// fault notes a value that is not what it should be. The value itself is not told: it may be anything.
func (d *decoder) fault(path, want string) {
	d.faults++
	if d.faults > maxFaults {
		return
	}
	d.found.Add(diag.Finding{
		Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: d.file, Path: path}, Got: "a value of another kind",
		Want: want, Hint: "the value is left out, the rest was read; take the file as the program wrote it",
	})
}

// broken tells where the file could not be read any further.
func (d *decoder) broken(err error) {
	got := fmt.Sprintf("not JSON at byte %d", d.json.InputOffset())
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		got = fmt.Sprintf("the file ends at byte %d, before its last value", d.json.InputOffset())
	case errors.Is(err, errTooLong):
		got = fmt.Sprintf("one value longer than %d bytes behind byte %d", maxToken, d.json.InputOffset())
	case errors.Is(err, errTooDeep):
		got = fmt.Sprintf("values nested deeper than %d at byte %d", maxDepth, d.json.InputOffset())
	}
	d.found.Add(diag.Finding{
		Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: d.file}, Got: got, Want: "the whole file, as -J writes it",
		Hint: fmt.Sprintf("%d whole rows before that were kept; a program that is killed leaves its file unfinished", len(d.out.Rows)),
	})
}

// sweep gives what was read.
func (d *decoder) sweep() evidence.Sweep {
	d.bounds()
	d.out.Complete = d.wrong && d.average && d.closed
	d.out.RankCount = d.devices * d.out.Asked.Threads * d.out.Asked.GPUs
	d.out.Collective = collective(&d.out)
	if !d.known {
		d.out.Worlds = 0
		d.found.Add(diag.Finding{
			Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: d.file}, Got: "no key that nccl-tests writes",
			Want: "the file of nccl-tests' option -J", Hint: "give the file whose name the program printed behind \"# Writing JSON output to\"",
		})
	}
	return d.out
}

// bounds tells what was left out because there was too much of it.
func (d *decoder) bounds() {
	for _, b := range []struct {
		n     int
		what  string
		bound int
	}{{d.over, "rows", maxRows}, {d.devices - len(d.out.Ranks), "ranks", maxRanks}, {d.faults - maxFaults, "values that could not be read", maxFaults}} {
		if b.n > 0 {
			d.found.Add(diag.Finding{
				Rule: diag.FileUnreadable, Level: diag.Warn, Place: diag.Place{File: d.file}, Got: fmt.Sprintf("%d %s more", b.n, b.what),
				Want: fmt.Sprintf("at most %d", b.bound), Hint: "the first ones were kept",
			})
		}
	}
}

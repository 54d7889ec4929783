// Package line reads logs line by line, in constant memory, without the prefixes that launchers put before each line: srun's `0: `, Open
// MPI's `[1,0]<stdout>:` with or without a time stamp, torchrun's `[default0]:`, and colours.
package line

import (
	"bytes"
	"errors"
	"io"
)

// maxLine bounds a line, in bytes. What is longer is cut there and marked; no log line of a program that weft reads comes near.
const maxLine = 1 << 20

// Line is one line of a log. Its bytes are valid until the next call of [Reader.Next].
type Line struct {
	Number int    // from 1
	Label  []byte // what the launcher's prefix named, a rank or a node: 0, 1,0, default0; empty without a prefix
	Text   []byte // without prefix, line end and colours
	Cut    bool   // longer than the bound
	Open   bool   // without a line end: the last line of an input, which may have been cut off there
}

// Reader reads lines. Make one with [New].
type Reader struct {
	from    io.Reader
	buffer  []byte
	start   int // of what is not yet read out, in buffer
	end     int // of what buffer holds
	escapes int // where what may hold terminal escapes ends in buffer
	number  int
	current Line
	eof     bool
	err     error
	ended   bool // the last line had a line end
}

// New makes a reader of lines.
func New(r io.Reader) *Reader { return &Reader{from: r, buffer: make([]byte, 256<<10)} }

// Next goes on to the next line. It is false at the end and after an error.
func (r *Reader) Next() bool {
	raw, ok, cut := r.raw()
	if !ok {
		return false
	}
	r.number++
	r.current = Line{Number: r.number, Cut: cut, Open: !r.ended}
	if r.escapes > 0 || cut {
		r.current.Label, r.current.Text = Strip(raw)
	} else {
		r.current.Label, r.current.Text = unlabel(bytes.TrimSuffix(raw, lineEnd))
	}
	return true
}

// Line is the line that Next went to.
func (r *Reader) Line() Line { return r.current }

// Err is the error that ended the reading; nil at the end of the input.
func (r *Reader) Err() error { return r.err }

// Ended reports whether the last line read had its line end: a log that was cut off often has not.
func (r *Reader) Ended() bool { return r.ended }

// raw takes one line with its prefix out of the buffer.
func (r *Reader) raw() (text []byte, ok, cut bool) {
	searched := r.start
	for {
		if i := bytes.IndexByte(r.buffer[searched:r.end], '\n'); i >= 0 {
			text = r.buffer[r.start : searched+i]
			r.start, r.ended = searched+i+1, true
			return text, true, false
		}
		searched = r.end
		if r.eof {
			return r.last()
		}
		if r.end-r.start >= maxLine {
			return r.long()
		}
		searched -= r.fill()
	}
}

// last takes what stands after the last line end.
func (r *Reader) last() (text []byte, ok, cut bool) {
	text = r.buffer[r.start:r.end]
	r.start = r.end
	if len(text) == 0 {
		return nil, false, false
	}
	r.ended = false
	return text, true, false
}

// long takes the beginning of a line that passes the bound and skips its rest.
func (r *Reader) long() (text []byte, ok, cut bool) {
	text = bytes.Clone(r.buffer[r.start : r.start+maxLine])
	for {
		if i := bytes.IndexByte(r.buffer[r.start:r.end], '\n'); i >= 0 {
			r.start, r.ended = r.start+i+1, true
			return text, true, true
		}
		r.start = r.end
		if r.eof {
			r.ended = false
			return text, true, true
		}
		r.fill()
	}
}

// fill reads more behind what the buffer holds, moved to its front; it returns by how much it was moved.
func (r *Reader) fill() (moved int) {
	moved = r.start
	r.end = copy(r.buffer, r.buffer[r.start:r.end])
	r.start = 0
	if r.end == len(r.buffer) {
		r.buffer = append(r.buffer, make([]byte, len(r.buffer))...)
	}
	n, err := r.from.Read(r.buffer[r.end:])
	r.escapes = max(0, r.escapes-moved)
	if bytes.IndexByte(r.buffer[r.end:r.end+n], escape) >= 0 { // once for many lines, few of which are coloured
		r.escapes = r.end + n
	}
	r.end += n
	if err != nil {
		r.eof = true
		if !errors.Is(err, io.EOF) {
			r.err = err
		}
	}
	return moved
}

package parse

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// source remembers the error of the reader below, so that it can be told from that of what was made of its bytes.
type source struct {
	from io.Reader
	err  error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// content is a file's text, unpacked. An error of unpacking ends it like its end, and stays in broken.
type content struct {
	from   io.Reader
	broken error
}

var gzipMagic = []byte{0x1f, 0x8b, 0x08}

// unpack takes gzip off a file that is packed by it.
func unpack(from io.Reader) *content {
	buffered := bufio.NewReader(from)
	magic, err := buffered.Peek(len(gzipMagic))
	if err != nil || !bytes.Equal(magic, gzipMagic) {
		return &content{from: buffered}
	}
	packed, err := gzip.NewReader(buffered)
	if err != nil {
		return &content{from: bytes.NewReader(nil), broken: err}
	}
	return &content{from: packed}
}

func (c *content) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		c.broken = err
		return n, io.EOF
	}
	return n, err
}

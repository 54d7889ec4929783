package run

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// packedFrom is from which size on a collected file is kept packed.
const packedFrom = 64 << 10

// collect brings a job's outputs here and reads them.
func (s *client) collect(ctx context.Context, j *job) error {
	archive, err := s.runner.head().fetch(ctx, s.id, j.Name, s.runner.EachFile, s.runner.EachJob)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dir(), j.Name)
	if err := unpack(archive, dir, s.runner.EachJob); err != nil {
		return fmt.Errorf("collecting %s: %w", j.Name, err)
	}
	return readOutputs(dir, &j.verdict)
}

// unpack writes an archive's files below a folder, and nowhere else.
func unpack(archive []byte, dir string, most int64) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	if len(archive) == 0 {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	t := tar.NewReader(io.LimitReader(z, 2*most))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := write(root, strings.TrimPrefix(h.Name, "./"), h.Size, t); err != nil {
			return err
		}
	}
}

func write(root *os.Root, name string, size int64, r io.Reader) (err error) {
	if parent := filepath.Dir(name); parent != "." {
		if err := root.MkdirAll(parent, 0o750); err != nil {
			return err
		}
	}
	if size >= packedFrom {
		name += ".gz"
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if size < packedFrom {
		_, err = io.Copy(f, r)
		return err
	}
	z := gzip.NewWriter(f)
	if _, err := io.Copy(z, r); err != nil {
		return err
	}
	return z.Close()
}

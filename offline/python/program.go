package python

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Program is a Python package that is embedded in the binary, to be run with `python -m`.
type Program struct {
	// Source holds the package's folder.
	Source fs.FS
	// Package is the folder's and so the package's name.
	Package string
}

// unpack writes the package into a folder of its own.
func (p Program) unpack() (dir string, err error) {
	dir, err = os.MkdirTemp("", "weft-"+p.Package+"-")
	if err != nil {
		return "", fmt.Errorf("making a folder for %s: %w", p.Package, err)
	}
	sub, err := fs.Sub(p.Source, p.Package)
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, p.Package), sub)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("unpacking %s: %w", p.Package, err), os.RemoveAll(dir))
	}
	return dir, nil
}

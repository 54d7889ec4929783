package languagehost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Go runs Go programs. Each is built before it runs, with the flags that Pulumi's own host uses, so that both use the
// same build cache; runtime.options.binary in the project file names one that is built already (relative to that file).
type Go struct{}

// Executable finds the go command.
func (Go) Executable(ctx context.Context) (path, version string, err error) {
	if path, err = exec.LookPath("go"); err != nil {
		return "", "", fmt.Errorf("finding the go command: %w", err)
	}
	out, err := exec.CommandContext(ctx, path, "env", "GOVERSION").Output()
	if err != nil {
		return "", "", fmt.Errorf("asking the go command for its version: %w", err)
	}
	return path, strings.TrimSpace(string(out)), nil
}

// Install fetches modules.
func (Go) Install() []string { return []string{"go", "mod", "download"} }

// Prepare builds the main package in the program's folder.
func (Go) Prepare(ctx context.Context, s Source, say func(string)) (command []string, done func(), err error) {
	if binary, ok := s.Options["binary"].(string); ok {
		if !filepath.IsAbs(binary) {
			binary = filepath.Join(s.Root, binary)
		}
		return []string{binary}, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "pulumi-go-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for the build: %w", err)
	}
	done = func() { _ = os.RemoveAll(dir) } // a temporary folder that stays does no harm
	binary := filepath.Join(dir, "program")
	say("Compiling the program ...")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-w -s", "-o", binary, ".") //nolint:gosec // our own folder
	build.Dir = s.Dir
	if out, err := build.CombinedOutput(); err != nil {
		done()
		return nil, nil, errors.Join(fmt.Errorf("building the program in %s: %w", s.Dir, err), errors.New(string(out)))
	}
	say("Compiled the program")
	return []string{binary}, done, nil
}

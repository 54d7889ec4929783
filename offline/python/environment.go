package python

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNotBuilt says that an environment is not where it is looked for.
var ErrNotBuilt = errors.New("the Python environment is not built")

// ErrNoPython says that there is no python3 on PATH that can make a virtual environment.
var ErrNoPython = errors.New("no usable python3 on PATH: install Python 3.9 or newer with its venv and pip modules")

// Environment is a virtual environment: a name, and every package in it with its exact version.
type Environment struct {
	// Name says what the environment is for, such as pcluster.
	Name string
	// Version is the version of the package for which the environment exists, such as 3.16.1.
	Version string
	// Requirements is the text of a requirements file that names the whole resolved set, one name==version a line.
	Requirements string
}

// Key changes whenever the content of the environment does.
func (e Environment) Key() string {
	sum := sha256.Sum256([]byte(e.Requirements))
	return hex.EncodeToString(sum[:6])
}

// Dir is where the toolchain keeps the environment in the user's cache.
func (e Environment) Dir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	return filepath.Join(cache, "weft", e.Name, e.Key()), nil
}

// Build makes the environment in dir from nothing; what was there is lost. Each line of pip's report goes to progress.
func (e Environment) Build(ctx context.Context, dir string, progress func(line string)) error {
	python, err := find(ctx)
	if err != nil {
		return err
	}
	if err := run(ctx, progress, python, "-m", "venv", "--clear", dir); err != nil {
		return fmt.Errorf("making the virtual environment %s: %w", dir, err)
	}
	list := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(list, []byte(e.Requirements), 0o600); err != nil {
		return fmt.Errorf("writing the requirements of %s: %w", e.Name, err)
	}
	// --no-deps: the list is the whole set, so nothing is resolved and two builds hold the same.
	err = run(ctx, progress, Interpreter(dir), "-m", "pip", "install", "--require-virtualenv", "--no-deps",
		"--no-input", "--disable-pip-version-check", "--progress-bar", "off", "-r", list)
	if err != nil {
		return fmt.Errorf("installing the packages of %s %s: %w", e.Name, e.Version, err)
	}
	return nil
}

// Interpreter is the python of the environment in dir.
func Interpreter(dir string) string {
	return filepath.Join(dir, "bin", "python")
}

// find looks for a python3 that has what an environment needs.
func find(ctx context.Context) (string, error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return "", ErrNoPython
	}
	check := "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))"
	if err := run(ctx, nil, python, "-c", check); err != nil {
		return "", fmt.Errorf("%w (%s: %w)", ErrNoPython, python, err)
	}
	return python, nil
}

// run runs a command to its end; the error of a failed one carries the end of what it printed.
func run(ctx context.Context, progress func(string), name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // python3 and pip with our own arguments
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("opening the output of %s: %w", name, err)
	}
	var tail Tail
	cmd.Stderr = &tail
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	report(bufio.NewScanner(out), progress)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(tail.Bytes()))
	}
	return nil
}

func report(lines *bufio.Scanner, progress func(string)) {
	for lines.Scan() {
		if progress != nil {
			progress(lines.Text())
		}
	}
}

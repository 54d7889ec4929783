package python

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// grace is how long a child may take to end by itself once its stdin is closed.
const grace = 5 * time.Second

// maxLine bounds one line of a child's answer.
const maxLine = 64 << 20

// Process is a running program that answers in lines on stdout and ends when its stdin closes.
type Process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan []byte
	stderr Tail
	dir    string
	grace  time.Duration
	done   chan struct{} // closed when the child has ended
	exit   error         // how it ended; read after done is closed
	once   sync.Once
	closed error
}

// Start runs a program with the environment from the user's cache. environ is the whole environment of the process, less
// what tells Python where the program lies. The process is the leader of a process group of its own and outlives ctx,
// which bounds the start only: end it with Close.
func (e Environment) Start(ctx context.Context, program Program, environ []string) (*Process, error) {
	interpreter, err := e.interpreter()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", program.Package, err)
	}
	dir, err := program.unpack()
	if err != nil {
		return nil, err
	}
	p := &Process{dir: dir, grace: grace, lines: make(chan []byte), done: make(chan struct{})}
	if err := p.start(interpreter, program.Package, environ); err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s: %w", program.Package, err), os.RemoveAll(dir))
	}
	return p, nil
}

// interpreter is the python of the environment in the cache. It is a link to the python3 that made it, which an upgrade
// of Python may have removed.
func (e Environment) interpreter() (string, error) {
	dir, err := e.Dir()
	if err != nil {
		return "", err
	}
	path := Interpreter(dir)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w: go run ./offline/cmd/prepare %s (%w)", ErrNotBuilt, e.Name, err)
	}
	return path, nil
}

func (p *Process) start(interpreter, pkg string, environ []string) error {
	p.cmd = exec.Command(interpreter, "-m", pkg) //nolint:gosec // our own program; Close ends it
	p.cmd.Env = slices.Concat(environ, []string{"PYTHONPATH=" + p.dir, "PYTHONDONTWRITEBYTECODE=1"})
	p.cmd.Dir = p.dir
	p.cmd.Stderr = &p.stderr
	ownGroup(p.cmd)
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return fmt.Errorf("opening stdin: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("opening stdout: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("running %s: %w", filepath.Base(interpreter), err)
	}
	go p.read(out)
	return nil
}

// read hands out lines until the child closes its stdout, then waits for its end.
func (p *Process) read(out io.Reader) {
	defer close(p.done)
	defer close(p.lines)
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		p.lines <- bytes.Clone(scanner.Bytes())
	}
	p.exit = errors.Join(scanner.Err(), p.cmd.Wait())
}

// Line waits for the next line that the program prints. Where it ended instead, the error carries the end of its stderr.
func (p *Process) Line(ctx context.Context) ([]byte, error) {
	select {
	case line, ok := <-p.lines:
		if ok {
			return line, nil
		}
		<-p.done
		return nil, fmt.Errorf("the program ended (%w)\n%s", orClean(p.exit), bytes.TrimSpace(p.stderr.Bytes()))
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for an answer: %w", ctx.Err())
	}
}

var errClean = errors.New("exit status 0")

func orClean(err error) error {
	if err == nil {
		return errClean
	}
	return err
}

// Send writes one line to the program.
func (p *Process) Send(line []byte) error {
	if _, err := p.stdin.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("asking: %w\n%s", err, bytes.TrimSpace(p.stderr.Bytes()))
	}
	return nil
}

// Close ends the program: it closes its stdin and, where that is not enough, kills its process group. It may be called
// more than once.
func (p *Process) Close() error {
	p.once.Do(func() { p.closed = p.close() })
	return p.closed
}

func (p *Process) close() error {
	_ = p.stdin.Close() // the child may be gone already
	go func() {
		for range p.lines { // nobody asks for them any more
		}
	}()
	timer := time.NewTimer(p.grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		killGroup(p.cmd)
		<-p.done
	}
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("removing the program: %w", err)
	}
	return nil
}

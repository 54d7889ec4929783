package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Result is how a command of the CLI ended.
type Result struct {
	// ExitCode is the CLI's; -1 when a signal ended it.
	ExitCode int
	// Output is what it printed, both streams as they came; Stdout is the one alone.
	Output, Stdout string
}

// Lines is the output without the lines in which the CLI only says that it is still at work.
func (r Result) Lines() []string {
	var lines []string
	for line := range strings.Lines(r.Output) {
		if line = strings.TrimRight(line, "\n"); !strings.HasPrefix(line, "@") {
			lines = append(lines, line)
		}
	}
	return lines
}

// Command is a command of the CLI that runs, with all processes that it starts.
type Command struct {
	cmd            *exec.Cmd
	output, stdout *buffer
}

// grace is how long an interrupted CLI may take to end its programs.
const grace = time.Minute

// Run runs a command of the CLI to its end. The error is for a CLI that could not be run; how the command ended is in
// the result.
func (w *Workspace) Run(ctx context.Context, args ...string) (Result, error) {
	s, err := w.Start(ctx, args...)
	if err != nil {
		return Result{}, err
	}
	return s.Wait()
}

// Start starts a command of the CLI. When the context ends it is interrupted, as by Ctrl-C.
func (w *Workspace) Start(ctx context.Context, args ...string) (*Command, error) {
	s := &Command{output: &buffer{}, stdout: &buffer{}}
	out := io.Writer(s.output)
	if w.options.Output != nil {
		out = io.MultiWriter(s.output, w.options.Output)
	}
	args = append([]string{"--non-interactive", "--color", "never"}, args...)
	s.cmd = exec.CommandContext(ctx, w.options.Tools.Pulumi, args...) //nolint:gosec // the CLI
	s.cmd.Dir, s.cmd.Env = w.project, w.environment()
	s.cmd.Stdout, s.cmd.Stderr = io.MultiWriter(out, s.stdout), out
	s.cmd.Cancel = s.Interrupt
	s.cmd.WaitDelay = grace
	// A session of its own: plugins have process groups of their own, but stay in it.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting pulumi %s: %w", strings.Join(args, " "), err)
	}
	return s, nil
}

// Output is what the command has printed so far.
func (s *Command) Output() string { return s.output.String() }

// Wait waits for the end.
func (s *Command) Wait() (Result, error) {
	err := s.cmd.Wait()
	result := Result{ExitCode: s.cmd.ProcessState.ExitCode(), Output: s.output.String(), Stdout: s.stdout.String()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return result, fmt.Errorf("running pulumi: %w", err)
	}
	return result, nil
}

// Interrupt asks the CLI to stop, as Ctrl-C does.
func (s *Command) Interrupt() error {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return fmt.Errorf("interrupting pulumi: %w", err)
	}
	return nil
}

// Kill ends the CLI and everything that it has started at once, as the death of the machine would. Plugins would
// otherwise live on for minutes. Wait has to be called as well.
func (s *Command) Kill() error {
	session := s.cmd.Process.Pid
	var errs []error
	for _, pid := range append([]int{session}, members(session)...) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			errs = append(errs, fmt.Errorf("killing process %d: %w", pid, err))
		}
	}
	return errors.Join(errs...)
}

// buffer is a buffer that two streams may be written to.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

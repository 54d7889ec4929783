package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Exec runs shell scripts on a cluster's head node.
type Exec interface {
	// Run runs a script with bash, with stdin as its input, and gives what it wrote and its exit code, whole. An error is for a script
	// that could not be run or whose end is not known; it may have run all the same. Scripts may run twice.
	Run(ctx context.Context, script string, stdin []byte) (stdout, stderr []byte, code int, err error)
}

// Local runs scripts on this machine: it is the head node.
type Local struct {
	Env []string // nil: this process's
}

// Run implements [Exec].
func (l Local) Run(ctx context.Context, script string, stdin []byte) (stdout, stderr []byte, code int, err error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", script) //nolint:gosec // weft's own scripts
	cmd.Env = l.Env
	return call(cmd, stdin)
}

// SSH runs scripts through the ssh program, with the user's own configuration, keys and agent.
type SSH struct {
	// Host as ssh takes it: user@host, or a name of the user's configuration.
	Host string
	// Options come before the host: -p 2222.
	Options []string
}

// noAccess is ssh's exit code for a connection that failed.
const noAccess = 255

// Run implements [Exec].
func (s SSH) Run(ctx context.Context, script string, stdin []byte) (stdout, stderr []byte, code int, err error) {
	if strings.HasPrefix(s.Host, "-") {
		return nil, nil, 0, fmt.Errorf("reaching %q: a host's name does not begin with a dash", s.Host)
	}
	// A question that nobody sees would hang; a peer that is gone must be noticed.
	args := append([]string{"-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15"}, s.Options...)
	cmd := exec.CommandContext(ctx, "ssh", append(args, s.Host, "bash -c "+quote(script))...) //nolint:gosec // the user's host
	stdout, stderr, code, err = call(cmd, stdin)
	if err == nil && code == noAccess {
		err = fmt.Errorf("reaching %s: %s", s.Host, strings.TrimSpace(string(stderr)))
	}
	return stdout, stderr, code, err
}

func call(cmd *exec.Cmd, stdin []byte) (stdout, stderr []byte, code int, err error) {
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return out.Bytes(), errs.Bytes(), exit.ExitCode(), nil
	}
	if err != nil {
		err = fmt.Errorf("running a script with %s: %w", cmd.Args[0], err)
	}
	return out.Bytes(), errs.Bytes(), 0, err
}

// quote makes one word of a shell out of a text.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/python"
)

// ErrNoNode says that ParallelCluster cannot generate templates, which it does with the AWS CDK.
var ErrNoNode = errors.New("no node on PATH: ParallelCluster generates templates with it")

// Judge is one version of ParallelCluster in a process that runs. It may be used by several goroutines, and answers them
// one after the other. Judges of several versions may share an account.
type Judge struct {
	version string
	account *account.Account
	process *python.Process
	dir     string // for configurations, and for what stands in for node
	environ []string
	node    bool // there is a real node

	mu     sync.Mutex
	broken error // why there is no point in asking any more
}

// New starts a judge. ctx bounds the start; Close ends the judge.
func New(ctx context.Context, version string, acct *account.Account) (*Judge, error) {
	env, err := Environment(version)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "weft-judge-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for configurations: %w", err)
	}
	j := &Judge{version: version, account: acct, dir: dir}
	if err := j.start(ctx, env); err != nil {
		return nil, errors.Join(fmt.Errorf("starting ParallelCluster %s: %w", version, err), os.RemoveAll(dir))
	}
	return j, nil
}

func (j *Judge) start(ctx context.Context, env python.Environment) error {
	environ, err := j.environment()
	if err != nil {
		return err
	}
	j.environ = environ
	j.process, err = env.Start(ctx, python.Program{Source: sources, Package: "pcluster_judge"}, environ)
	if err != nil {
		return err
	}
	var ready struct {
		Ready string `json:"ready"`
	}
	line, err := j.process.Line(ctx)
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err == nil && ready.Ready != j.version {
		err = fmt.Errorf("the environment holds version %q", ready.Ready)
	}
	if err != nil {
		return errors.Join(err, j.process.Close())
	}
	return nil
}

// environment is what both the process and the command line run in.
func (j *Judge) environment() ([]string, error) {
	// The region is the configuration's own; this one is for what is asked before that is read.
	environ := j.account.Environ(os.Environ(), "us-east-1")
	environ = append(environ, "PCLUSTER_LOG_FILE="+filepath.Join(j.dir, "pcluster.log"))
	if _, err := exec.LookPath("node"); err == nil {
		j.node = true
		return environ, nil
	}
	return j.standInForNode(environ)
}

// standInForNode puts a node on PATH that knows its version only: even a dry run asks for it, and asks nothing more.
func (j *Judge) standInForNode(environ []string) ([]string, error) {
	script := []byte("#!/bin/sh\necho v20.0.0\n")
	if err := os.WriteFile(filepath.Join(j.dir, "node"), script, 0o700); err != nil { //nolint:gosec // a program
		return nil, fmt.Errorf("writing what stands in for node: %w", err)
	}
	return append(environ, "PATH="+os.Getenv("PATH")+string(os.PathListSeparator)+j.dir), nil
}

// Close ends the judge. It may be called more than once.
func (j *Judge) Close() error {
	err := j.process.Close()
	return errors.Join(err, os.RemoveAll(j.dir))
}

// Version is the version of ParallelCluster that judges.
func (j *Judge) Version() string { return j.version }

// ask sends a request and waits for its answer. An answer that did not come (ctx ended, the process died) leaves the
// judge broken, because the next line would be the answer to this request.
func (j *Judge) ask(ctx context.Context, request, answer any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return fmt.Errorf("the judge stopped: %w", j.broken)
	}
	if err := j.process.Send(line); err != nil {
		j.broken = err
		return err
	}
	line, err = j.process.Line(ctx)
	if err != nil {
		j.broken = err
		return err
	}
	return decode(line, answer)
}

func decode(line []byte, answer any) error {
	var reply struct {
		Answer  json.RawMessage `json:"answer"`
		Failure string          `json:"failure"`
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if reply.Failure != "" {
		return errors.New(reply.Failure)
	}
	if err := json.Unmarshal(reply.Answer, answer); err != nil {
		return fmt.Errorf("reading the answer %s: %w", reply.Answer, err)
	}
	return nil
}

// write puts a text into a file of its own for the time of a request.
func (j *Judge) write(text string) (path string, remove func(), err error) {
	f, err := os.CreateTemp(j.dir, "config-*.yaml")
	if err != nil {
		return "", nil, fmt.Errorf("writing the configuration: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", nil, fmt.Errorf("writing the configuration: %w", err)
	}
	return f.Name(), func() { _ = os.Remove(f.Name()) }, nil
}

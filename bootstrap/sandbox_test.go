package bootstrap_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
)

// shells that the scripts must run in: dash is sh on Ubuntu, bash on the others.
var shells = []string{"dash", "bash"}

// realTools are what the scripts take from the machine that runs the test; everything else they call is one of
// testdata/tools or is not there.
var realTools = []string{
	"awk", "bash", "cat", "chmod", "cmp", "cp", "cut", "date", "dirname", "env", "find", "grep", "gzip", "head", "ln", "mkdir", "mktemp", "mv",
	"paste", "printf", "readlink", "rm", "sed", "sh", "sha256sum", "sort", "tail", "tar", "timeout", "touch", "tr",
}

// alwaysTools answer on every sandboxed node.
var alwaysTools = []string{"uname", "modinfo", "systemctl", "sleep"}

// sandbox is a node of files: a root that the scripts take for /, and a PATH of its own.
type sandbox struct {
	t     *testing.T
	root  string
	bin   string
	tmp   string
	calls string
}

// needTool skips on a machine without a tool, and fails there in CI.
func needTool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing: %v", name, err)
	}
	t.Skipf("%s is missing: %v", name, err)
	return ""
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	dir := t.TempDir()
	s := &sandbox{
		t: t, root: filepath.Join(dir, "root"), bin: filepath.Join(dir, "bin"), tmp: filepath.Join(dir, "tmp"),
		calls: filepath.Join(dir, "calls"),
	}
	for _, d := range []string{s.root, s.bin, s.tmp} {
		require.NoError(t, os.Mkdir(d, 0o700))
	}
	for _, name := range realTools {
		require.NoError(t, os.Symlink(needTool(t, name), filepath.Join(s.bin, name)))
	}
	s.tools(alwaysTools...)
	return s
}

// asking are the tools whose calls are not worth a note: they only ask, and often.
var asking = []string{"uname", "modinfo", "dpkg-query", "rpm", "date"}

// tools puts stand-ins of testdata/tools on the PATH; each notes its calls.
func (s *sandbox) tools(names ...string) {
	s.t.Helper()
	for _, name := range names {
		source, err := filepath.Abs(filepath.Join("testdata", "tools", name))
		require.NoError(s.t, err)
		require.FileExists(s.t, source)
		note := fmt.Sprintf("echo \"%s $*\" >>'%s'\n", name, s.calls)
		if slices.Contains(asking, name) {
			note = ""
		}
		require.NoError(s.t, os.WriteFile(filepath.Join(s.bin, name), []byte("#!/bin/sh\n"+note+". '"+source+"'\n"), 0o700))
	}
}

func (s *sandbox) without(names ...string) {
	s.t.Helper()
	for _, name := range names {
		require.NoError(s.t, os.Remove(filepath.Join(s.bin, name)))
	}
}

func (s *sandbox) path(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

// write makes a file of one line.
func (s *sandbox) write(name, line string) {
	s.t.Helper()
	s.writeAll(name, line+"\n")
}

func (s *sandbox) writeAll(name, content string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(filepath.Dir(s.path(name)), 0o700))
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(content), 0o600))
}

func (s *sandbox) remove(name string) {
	s.t.Helper()
	require.NoError(s.t, os.RemoveAll(s.path(name)))
}

func (s *sandbox) link(name, target string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(filepath.Dir(s.path(name)), 0o700))
	require.NoError(s.t, os.Symlink(target, s.path(name)))
}

// result of one run.
type result struct {
	code           int
	stdout, stderr string
	calls          []string
}

// String is what goldens hold.
func (r result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "exit %d\n-- stdout --\n%s-- stderr --\n%s-- calls --\n", r.code, r.stdout, r.stderr)
	for _, c := range r.calls {
		b.WriteString(c + "\n")
	}
	return b.String()
}

// run runs a script in a shell, and holds it to leave nothing behind in its temporary directory.
func (s *sandbox) run(shell string, script bootstrap.Script, args ...string) result {
	s.t.Helper()
	file := filepath.Join(filepath.Dir(s.root), string(script.Name)+".sh")
	require.NoError(s.t, os.WriteFile(file, script.Content, 0o600))
	require.NoError(s.t, os.RemoveAll(s.calls))
	cmd := exec.CommandContext(context.Background(), needTool(s.t, shell), append([]string{file}, args...)...)
	cmd.Env = []string{"PATH=" + s.bin, "WEFT_ROOT=" + s.root, "TMPDIR=" + s.tmp}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	left, err := os.ReadDir(s.tmp)
	require.NoError(s.t, err)
	require.Empty(s.t, left, "a script leaves nothing in its temporary directory")
	return result{code: cmd.ProcessState.ExitCode(), stdout: s.scrub(stdout.String()), stderr: s.scrub(stderr.String()), calls: s.called()}
}

// called lists the calls of stand-ins.
func (s *sandbox) called() []string {
	content, err := os.ReadFile(s.calls)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(s.t, err)
	var out []string
	for line := range strings.Lines(string(content)) {
		out = append(out, s.scrub(strings.TrimSpace(line)))
	}
	return out
}

// madeSum is the checksum of an archive that the test made.
var madeSum = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// scrub takes names out of a text that no two runs share.
func (s *sandbox) scrub(text string) string {
	entry := s.tmp + "/weft."
	for {
		at := strings.Index(text, entry)
		if at < 0 {
			break
		}
		text = text[:at] + "$TMP" + text[at+len(entry)+6:]
	}
	text = strings.NewReplacer(s.tmp, "$TMP", s.root, "$ROOT").Replace(text)
	return madeSum.ReplaceAllString(text, "$$SHA256")
}

// inShells runs a test once in each shell.
func inShells(t *testing.T, test func(t *testing.T, shell string)) {
	t.Helper()
	for _, shell := range shells {
		t.Run(shell, func(t *testing.T) {
			needTool(t, shell)
			test(t, shell)
		})
	}
}

// requireInOrder holds calls to contain some, by their beginnings, in this order.
func requireInOrder(t *testing.T, calls, want []string) {
	t.Helper()
	rest := want
	for _, call := range calls {
		if len(rest) > 0 && strings.HasPrefix(call, rest[0]) {
			rest = rest[1:]
		}
	}
	require.Empty(t, rest, "calls: %q", calls)
}

// requireNone holds calls to contain none of some tools.
func requireNone(t *testing.T, calls, tools []string) {
	t.Helper()
	for _, call := range calls {
		name, _, _ := strings.Cut(call, " ")
		require.NotContains(t, tools, name, "calls: %q", calls)
	}
}

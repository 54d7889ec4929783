package bootstrap_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/bootstrap"
)

var names = []bootstrap.Name{bootstrap.GDRCopy, bootstrap.NodeCheck, bootstrap.NCCLEnv}

// hostile are values that a careless quoting runs.
var hostile = []string{
	"", "plain", "two words", "it's", "''", "'; touch owned; '", "$(touch owned)", "`touch owned`", "\\", "\\'", "a\nb", "\ntouch owned\n",
	"'\ntouch owned\n'", "${x:=y}", "*", "~", "-n", "a\\nb", "é", "\x00", "a\rb", "\xff\xfe", "EOF", "'\"'\"'", "!!", "a|b", "\u2028",
}

func FuzzRender(f *testing.F) {
	for _, v := range hostile {
		f.Add(v)
	}
	shell, err := exec.LookPath("dash")
	if err != nil {
		f.Skipf("dash is missing: %v", err)
	}
	f.Fuzz(func(t *testing.T, value string) {
		script := bootstrap.Render(bootstrap.GDRCopy, bootstrap.Expectation{GDRCopyMin: value, Install: bootstrap.Archive{URL: value, Version: "end"}})
		header, _, found := strings.Cut(string(script.Content), "\n\n# shellcheck")
		require.True(t, found)
		dir := t.TempDir()
		cmd := exec.CommandContext(context.Background(), shell, "-u", "-c", header+"\nprintf '%s\\001' \"$expect_gdrcopy_min\" \"$expect_gdrcopy_url\" \"$expect_gdrcopy_version\"")
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%q", out)
		require.Equal(t, []string{printable(value), printable(value), "end", ""}, strings.Split(string(out), "\x01"))
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left, "nothing of a value was run")
	})
}

// printable is what a script can hold of a value.
func printable(value string) string {
	var b strings.Builder
	for _, r := range value {
		if r == utf8.RuneError || r != '\n' && unicode.IsControl(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func TestScript(t *testing.T) {
	for _, name := range names {
		t.Run(string(name), func(t *testing.T) {
			s := bootstrap.Render(name, bootstrap.Expectation{})
			require.True(t, strings.HasPrefix(string(s.Content), "#!/bin/sh\n"))
			require.NotContains(t, string(s.Content), "\r", "dos2unix changes nothing, nor the checksum")
			sum := sha256.Sum256(s.Content)
			require.Equal(t, hex.EncodeToString(sum[:]), s.SHA256)
			require.Equal(t, "weft/"+string(name)+"-"+s.SHA256+".sh", s.Key())
			require.Equal(t, s, bootstrap.Render(name, bootstrap.Expectation{}), "equal expectations, equal script")
			require.NotEqual(t, s.SHA256, bootstrap.Render(name, bootstrap.Expectation{Mode: bootstrap.Report}).SHA256)
		})
	}
}

// Every part and every whole script is sound in each shell, and shellcheck finds nothing.
func TestScriptsAreSound(t *testing.T) {
	dir := t.TempDir()
	files, err := filepath.Glob("scripts/*.sh")
	require.NoError(t, err)
	require.Len(t, files, 6)
	for _, name := range names {
		file := filepath.Join(dir, string(name)+".sh")
		require.NoError(t, os.WriteFile(file, bootstrap.Render(name, bootstrap.Expectation{}).Content, 0o600))
		files = append(files, file)
	}
	// SC2317 takes functions that retry or optional call for unreachable.
	for _, check := range [][]string{{"dash", "-n"}, {"bash", "-n"}, {"shellcheck", "--exclude=SC2317"}} {
		t.Run(check[0], func(t *testing.T) {
			program := needTool(t, check[0])
			for _, file := range files {
				out, err := exec.CommandContext(context.Background(), program, append(check[1:], file)...).CombinedOutput()
				require.NoError(t, err, "%s", out)
			}
		})
	}
}

// An action writes to its own node alone: no path of a shared file system, no fetch to a fixed place.
func TestBOOT05NoSharedWrites(t *testing.T) {
	shared := []string{"/opt/slurm", "/opt/parallelcluster/shared", "/home", "/fsx", "/shared"}
	require.Contains(t, caseText(t, "BOOT-05.sh"), shared[0])
	for _, name := range names {
		content := string(bootstrap.Render(name, bootstrap.Expectation{}).Content)
		for _, line := range strings.Split(content, "\n") {
			for _, dir := range shared {
				if strings.Contains(line, dir) {
					require.Contains(t, line, "find ", "read only: %s", line)
				}
			}
		}
		require.Contains(t, content, "mktemp -d")
	}
}

// No script traces its commands: a trace shows bodies of functions that never ran, and people blame them.
func TestAMI07NoTraces(t *testing.T) {
	require.Contains(t, caseText(t, "AMI-07.log"), "+function err_exit")
	for _, name := range names {
		require.NotRegexp(t, `(?m)^\s*set\s+-\w*x`, string(bootstrap.Render(name, bootstrap.Expectation{}).Content))
	}
}

// What is installed comes from the pinned archive: no package is asked for by a name or version that the node
// happens to have.
func TestKRN06NoPinsFromTheHost(t *testing.T) {
	require.Contains(t, caseText(t, "KRN-06.log"), "Unable to locate package")
	installs := 0
	for _, name := range names {
		for _, line := range strings.Split(string(bootstrap.Render(name, bootstrap.Expectation{}).Content), "\n") {
			if strings.Contains(line, "install -y") {
				installs++
				require.Regexp(t, `install -y (--allow-downgrades )?\$\(packages\) ;;$`, line)
			}
		}
	}
	require.Equal(t, 2, installs)
}

// A script that is not the plan's does nothing.
func TestOwnChecksum(t *testing.T) {
	for _, name := range names {
		t.Run(string(name), func(t *testing.T) {
			s := newSandbox(t)
			s.efaInstalled(ubuntu)
			script := bootstrap.Render(name, bootstrap.Expectation{})
			other := script
			other.Content = append([]byte(nil), script.Content...)
			other.Content = append(other.Content, "# written over\n"...)
			got := s.run("dash", other, "--sha256", script.SHA256)
			require.Equal(t, 1, got.code)
			require.Contains(t, got.stderr, "FAIL boot/checksum got "+string(name)+" with SHA-256")
			require.Empty(t, got.calls)
			require.NoFileExists(t, s.path(envFile))
		})
	}
}

// Without room for its files an action says so; a node that only reports boots.
func TestNoTemporaryDirectory(t *testing.T) {
	for mode, code := range map[bootstrap.Mode]int{bootstrap.Enforce: 1, bootstrap.Report: 0} {
		s := newSandbox(t)
		s.boot(ubuntu)
		s.without("mktemp")
		got := s.run("dash", bootstrap.Render(bootstrap.GDRCopy, bootstrap.Expectation{Mode: mode}))
		require.Equal(t, code, got.code)
		require.Contains(t, got.stdout+got.stderr, "cannot make a directory")
	}
}

package python

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

// environment makes an environment without packages in a cache of its own.
func environment(t *testing.T) Environment {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	env := Environment{Name: "nothing", Version: "1", Requirements: "# nothing\n"}
	dir, err := env.Dir()
	require.NoError(t, err)
	err = env.Build(t.Context(), dir, nil)
	if errors.Is(err, ErrNoPython) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
	return env
}

func program(text string) Program {
	return Program{Package: "child", Source: fstest.MapFS{"child/__main__.py": {Data: []byte(text)}}}
}

const echo = `
import os, sys
print("ready", os.environ["GREETING"], flush=True)
for line in sys.stdin:
    if line == "die\n":
        sys.exit("that was it")
    print("you said", line.strip(), flush=True)
`

func TestProcess(t *testing.T) {
	env := environment(t)
	launch := func(t *testing.T, text string) *Process {
		t.Helper()
		p, err := env.Start(t.Context(), program(text), append(os.Environ(), "GREETING=hello"))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		return p
	}
	line := func(t *testing.T, p *Process) string {
		t.Helper()
		text, err := p.Line(t.Context())
		require.NoError(t, err)
		return string(text)
	}

	t.Run("answers until it is closed", func(t *testing.T) {
		p := launch(t, echo)
		require.Equal(t, "ready hello", line(t, p))
		require.NoError(t, p.Send([]byte("one")))
		require.NoError(t, p.Send([]byte("two")))
		require.Equal(t, "you said one", line(t, p))
		require.Equal(t, "you said two", line(t, p))
		require.NoError(t, p.Close())
		require.NoError(t, p.Close(), "closing twice is closing once")
		require.NoDirExists(t, p.dir)
		_, err := p.Line(t.Context())
		require.ErrorContains(t, err, "the program ended (exit status 0)")
	})
	t.Run("dies with a message", func(t *testing.T) {
		p := launch(t, echo)
		require.Equal(t, "ready hello", line(t, p))
		require.NoError(t, p.Send([]byte("die")))
		_, err := p.Line(t.Context())
		require.ErrorContains(t, err, "exit status 1")
		require.ErrorContains(t, err, "that was it")
	})
	t.Run("is not waited for any longer", func(t *testing.T) {
		p := launch(t, echo)
		require.Equal(t, "ready hello", line(t, p))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := p.Line(ctx)
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("is killed with its children when it does not end", func(t *testing.T) {
		p := launch(t, "import subprocess\nprint('stubborn', flush=True)\nsubprocess.run(['sleep', '1000'])\n")
		p.grace = time.Millisecond
		require.Equal(t, "stubborn", line(t, p))
		require.NoError(t, p.Close(), "waits until all that hold its output are gone")
	})
}

func TestNotBuilt(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	_, err := Environment{Name: "nothing"}.Start(t.Context(), program(""), nil)
	require.ErrorIs(t, err, ErrNotBuilt)
	require.ErrorContains(t, err, "go run ./offline/cmd/prepare nothing")
}

func TestBuildWithoutPython(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	require.ErrorIs(t, Environment{}.Build(t.Context(), t.TempDir(), nil), ErrNoPython)

	bin := t.TempDir()
	old := "#!/bin/sh\necho this one is too old >&2\nexit 1\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "python3"), []byte(old), 0o700))
	t.Setenv("PATH", bin)
	err := Environment{}.Build(t.Context(), t.TempDir(), nil)
	require.ErrorIs(t, err, ErrNoPython)
	require.ErrorContains(t, err, "this one is too old")
}

func TestKey(t *testing.T) {
	t.Parallel()
	one, two := Environment{Requirements: "a==1"}, Environment{Requirements: "a==2"}
	require.NotEqual(t, one.Key(), two.Key())
	require.Len(t, one.Key(), 12)
}

func TestTail(t *testing.T) {
	t.Parallel()
	var tail Tail
	for range 3 {
		n, err := tail.Write([]byte(strings.Repeat("x", tailSize)))
		require.NoError(t, err)
		require.Equal(t, tailSize, n)
	}
	_, err := tail.Write([]byte("end"))
	require.NoError(t, err)
	require.Len(t, tail.Bytes(), tailSize)
	require.Equal(t, "xend", string(tail.Bytes()[tailSize-4:]))
}

package run

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/verdict"
)

func TestLocal(t *testing.T) {
	t.Parallel()
	stdout, stderr, code, err := Local{Env: append(os.Environ(), "WORD=there")}.Run(t.Context(), `read -r x; echo "$x $WORD"; echo no >&2; exit 3`, []byte("hello\n"))
	require.NoError(t, err)
	require.Equal(t, "hello there\n", string(stdout))
	require.Equal(t, "no\n", string(stderr))
	require.Equal(t, 3, code)
}

// The ssh program gets the script as one word, and its own failures are no results.
func TestSSH(t *testing.T) {
	dir := t.TempDir()
	fake := "#!/bin/bash\nwhile [ $# -gt 2 ]; do shift; done\n[ \"$1\" != away ] || { echo 'Connection refused' >&2; exit 255; }\nexec bash -c \"$2\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(fake), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	stdout, _, code, err := SSH{Host: "ubuntu@head", Options: []string{"-p", "2222"}}.Run(t.Context(), `cat; echo "it's $((1+1))"; exit 4`, []byte("in "))
	require.NoError(t, err)
	require.Equal(t, "in it's 2\n", string(stdout))
	require.Equal(t, 4, code)

	_, _, _, err = SSH{Host: "away"}.Run(t.Context(), "true", nil)
	require.ErrorContains(t, err, "reaching away: Connection refused")
	_, _, _, err = SSH{Host: "-oProxyCommand=x"}.Run(t.Context(), "true", nil)
	require.ErrorContains(t, err, "does not begin with a dash")
}

// flaky fails some times before it answers.
type flaky struct {
	failures int
	code     int
}

func (f *flaky) Run(context.Context, string, []byte) (stdout, stderr []byte, code int, err error) {
	if f.failures > 0 {
		f.failures--
		return nil, nil, 0, errors.New("throttled")
	}
	return []byte("answer"), []byte("because"), f.code, nil
}

func at(e Exec) head {
	return head{exec: e, retry: func() backoff.BackOff { return &backoff.ZeroBackOff{} }}
}

func TestTroubleOnTheWayIsTriedAgain(t *testing.T) {
	t.Parallel()
	out, err := at(&flaky{failures: tries - 1}).call(t.Context(), nil, "runs")
	require.NoError(t, err)
	require.Equal(t, "answer", out)
	_, err = at(&flaky{failures: tries}).call(t.Context(), nil, "runs")
	require.ErrorContains(t, err, "throttled")
	_, err = at(&flaky{code: 1}).call(t.Context(), nil, "runs")
	require.ErrorContains(t, err, "exit code 1: because")
}

func TestSystemClock(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, SystemClock{}.Wait(ctx, time.Hour), context.Canceled)
	require.NoError(t, SystemClock{}.Wait(t.Context(), 0))
	require.WithinDuration(t, time.Now(), SystemClock{}.Now(), time.Minute)
}

func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o600}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := string(bytes.Repeat([]byte("x"), packedFrom))
	require.NoError(t, unpack(archive(t, map[string]string{"./a.log": "short", "facts/n.tsv": "cpus-per-rank\t24\n", "long.log": long}), dir, 1<<20))
	got, err := os.ReadFile(filepath.Join(dir, "a.log"))
	require.NoError(t, err)
	require.Equal(t, "short", string(got))
	f, err := os.Open(filepath.Join(dir, "long.log.gz"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	got, err = io.ReadAll(z)
	require.NoError(t, err)
	require.Equal(t, long, string(got))

	require.NoError(t, unpack(nil, t.TempDir(), 1), "a job without files")
	require.Error(t, unpack([]byte("no archive"), t.TempDir(), 1))
	require.Error(t, unpack(archive(t, map[string]string{"../outside": "x"}), t.TempDir(), 1<<20), "nothing is written outside")
}

func TestReadOutputs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "latency-train")
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("programs.tsv", "pingpong-0-1\t0\t1\ta,b\nbroken line\n")
	write("pingpong-0-1.log", "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n64      10      =10      1.2k        0.04s      0.03    1875.60       0.00\n")
	write("pingpong-2-3.log", "srun: error: Node failure on c\n")
	write("facts/a.tsv", "cpus-per-rank\t24\nefa-devices\t16\nlibfabric\t2.6.0amzn1.0\nnonsense\n")
	write("job.log", "weft: pingpong-0-1 on a,b\nsrun: unrecognized option '--container-image=x'\n")
	var j verdict.Job
	require.NoError(t, readOutputs(dir, &j))
	require.Len(t, j.Outputs, 2)
	require.Equal(t, []string{"a", "b"}, j.Outputs[0].Nodes)
	require.Equal(t, 1, j.Outputs[0].Round)
	require.Zero(t, *j.Outputs[0].ExitCode)
	require.NotNil(t, j.Outputs[0].Documents[0].Pingpong)
	require.Nil(t, j.Outputs[1].ExitCode, "the program that was under way when the node went")
	require.Equal(t, 24, j.Seen[0].CPUsPerRank)
	require.Equal(t, 16, *j.Seen[0].EFADevices)
	require.Equal(t, "2.6.0amzn1.0", j.Seen[0].Versions["libfabric"])
	require.Len(t, j.Said, 1)
	require.Equal(t, 2, j.Said[0].Line)
}

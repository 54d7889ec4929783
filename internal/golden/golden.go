// Package golden compares what a test made with a file that a person has read.
//
// `go test ./... -update` writes the files anew; the change is then reviewed like code. A test that owns a
// folder of goldens calls NoneUnused, so that a file which nothing makes any more fails it.
package golden

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

var (
	usedLock sync.Mutex
	used     = map[string]bool{}
)

// Check compares bytes with the file at a path, relative to the folder of the test's package.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	path = filepath.Clean(path)
	markUsed(path)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, got, 0o600))
		return
	}
	compare(t, path, got)
}

func compare(t testing.TB, path string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(path) //nolint:gosec // a test names its own files
	require.NoError(t, err, "run the test with -update to write the golden")
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-golden +got), -update writes it anew:\n%s", path, diff)
	}
}

// NoneUnused fails the test at its end if a folder holds a file with the given ending that no Check has read.
// Call it at the beginning of the test whose subtests make all goldens of that folder. A run that a pattern
// narrows to some subtests is not judged.
func NoneUnused(t *testing.T, dir, ending string) {
	t.Helper()
	if narrowed() {
		return
	}
	t.Cleanup(func() {
		for _, path := range unused(t, dir, ending) {
			t.Errorf("golden %s is unused: remove it", path)
		}
	})
}

func narrowed() bool {
	run, skip := flag.Lookup("test.run"), flag.Lookup("test.skip")
	return strings.Contains(run.Value.String(), "/") || skip.Value.String() != ""
}

func unused(t *testing.T, dir, ending string) []string {
	t.Helper()
	usedLock.Lock()
	defer usedLock.Unlock()
	var out []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ending) && !used[path] {
			out = append(out, path)
		}
		return err
	})
	require.NoError(t, err)
	return out
}

func markUsed(path string) {
	usedLock.Lock()
	defer usedLock.Unlock()
	used[path] = true
}

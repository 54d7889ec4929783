package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder is a test that may fail without failing the test around it.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.errors++ }

func TestCompareNamesADifference(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("text\n"), 0o600))

	same, other := &recorder{TB: t}, &recorder{TB: t}
	compare(same, path, []byte("text\n"))
	compare(other, path, []byte("another\n"))
	require.Zero(t, same.errors)
	require.Equal(t, 1, other.errors)
}

func TestUnusedNamesFilesThatNoCheckRead(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt", "c.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	markUsed(filepath.Join(dir, "a.txt"))
	require.Equal(t, []string{filepath.Join(dir, "b.txt")}, unused(t, dir, ".txt"))
}

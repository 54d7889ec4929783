package toolchain_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/standin"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// chain is a chain of an empty checkout and an empty cache.
func chain(t *testing.T) *toolchain.Chain {
	t.Helper()
	dir := t.TempDir()
	return &toolchain.Chain{
		Checkout: filepath.Join(dir, "checkout"), Cache: filepath.Join(dir, "cache"), Progress: toolchain.NewLines(&bytes.Buffer{}),
	}
}

// tool is a tool that is one file. It counts its builds.
func tool(builds *atomic.Int32, version string) toolchain.Tool {
	return toolchain.Tool{
		Name: "tool", Version: version, Doc: "a tool of a test",
		Build: func(_ context.Context, dir string, _ func(string)) error {
			builds.Add(1)
			return os.WriteFile(filepath.Join(dir, "tool"), []byte(version), 0o700)
		},
	}
}

func TestToolIsMadeOnce(t *testing.T) {
	var builds atomic.Int32
	c, one := chain(t), tool(&builds, "v1")
	_, found, err := c.Find(t.Context(), one)
	require.NoError(t, err)
	require.False(t, found)

	for range 2 {
		path, err := c.Make(t.Context(), one)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(c.Checkout, ".cache", "bin", "tool"), path)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "v1", string(content))
	}
	require.EqualValues(t, 1, builds.Load())

	second := *c
	second.Checkout = t.TempDir()
	path, err := second.Make(t.Context(), one)
	require.NoError(t, err)
	require.FileExists(t, path)
	require.EqualValues(t, 1, builds.Load(), "checkouts share the cache")
}

func TestNewVersionTakesThePlace(t *testing.T) {
	var builds atomic.Int32
	c := chain(t)
	for _, version := range []string{"v1", "v2", "v1"} {
		path, err := c.Make(t.Context(), tool(&builds, version))
		require.NoError(t, err)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, version, string(content))
	}
	require.EqualValues(t, 2, builds.Load())
}

func TestConcurrentMakersMakeItOnce(t *testing.T) {
	var builds atomic.Int32
	c := chain(t)
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() { _, errs[i] = c.Make(t.Context(), tool(&builds, "v1")) })
	}
	group.Wait()
	require.NoError(t, errors.Join(errs...))
	require.EqualValues(t, 1, builds.Load())
}

func TestFailedBuildIsBuiltAgain(t *testing.T) {
	var builds atomic.Int32
	c, broken := chain(t), tool(&builds, "v1")
	whole := broken.Build
	broken.Build = func(_ context.Context, dir string, _ func(string)) error {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "half"), nil, 0o600))
		return errors.New("no space left")
	}
	_, err := c.Make(t.Context(), broken)
	require.ErrorContains(t, err, "making tool: no space left")

	broken.Build = func(context.Context, string, func(string)) error { return nil }
	_, err = c.Make(t.Context(), broken)
	require.ErrorContains(t, err, "left no product")

	broken.Build = whole
	_, err = c.Make(t.Context(), broken)
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(c.Cache, "tool", "v1", "half"))
}

func TestFolderIsLinked(t *testing.T) {
	c := chain(t)
	path, err := c.Make(t.Context(), toolchain.Tool{
		Name: "venv", Version: "1", Product: ".",
		Build: func(_ context.Context, dir string, _ func(string)) error {
			return os.WriteFile(filepath.Join(dir, "python"), nil, 0o600)
		},
	})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(path, "python"))
}

func TestInstalledToolIsTaken(t *testing.T) {
	var builds atomic.Int32
	c, one := chain(t), tool(&builds, "v1")
	one.Installed = func(context.Context) (string, bool) { return "/usr/bin/tool", true }
	path, err := c.Make(t.Context(), one)
	require.NoError(t, err)
	require.Equal(t, "/usr/bin/tool", path)
	require.Zero(t, builds.Load())
}

func TestOldBuildsAreRemoved(t *testing.T) {
	var builds atomic.Int32
	c := chain(t)
	for _, version := range strings.Fields("v1 v2 v3 v4 v5 v6 v7 v8") {
		_, err := c.Make(t.Context(), tool(&builds, version))
		require.NoError(t, err)
	}
	left, err := filepath.Glob(filepath.Join(c.Cache, "tool", "*", "tool"))
	require.NoError(t, err)
	require.Len(t, left, 6)
	require.FileExists(t, filepath.Join(c.Cache, "tool", "v8", "tool"))
}

func TestProgressInLines(t *testing.T) {
	var out bytes.Buffer
	c := chain(t)
	c.Progress = toolchain.NewLines(&out)
	one := tool(new(atomic.Int32), "v1")
	one.Usual = 9 * time.Minute
	_, err := c.Make(t.Context(), one)
	require.NoError(t, err)
	require.Contains(t, out.String(), "tool v1: making it (a tool of a test), about 9 minutes when nothing is cached\n")
	require.Contains(t, out.String(), "tool: done in ")

	out.Reset()
	one.Version, one.Build = "v2", func(context.Context, string, func(string)) error { return errors.New("x") }
	_, err = c.Make(t.Context(), one)
	require.Error(t, err)
	require.Contains(t, out.String(), "tool: failed after ")
}

func TestCheckout(t *testing.T) {
	here, err := toolchain.Checkout(".")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(here, "go.mod"))
	_, err = toolchain.Checkout(t.TempDir())
	require.ErrorContains(t, err, "is in no checkout of "+toolchain.Module)
}

// What is known is what go.mod requires, and the stand-in says the version of the SDK that programs ask for.
func TestKnownTools(t *testing.T) {
	here, err := toolchain.Checkout(".")
	require.NoError(t, err)
	tools, err := toolchain.Known(t.Context(), here)
	require.NoError(t, err)
	versions := map[string]string{}
	for _, one := range tools {
		versions[one.Name] = one.Version
		require.NotEmpty(t, one.Doc, one.Name)
		require.NotZero(t, one.Usual, one.Name)
	}
	require.Equal(t, "v"+standin.Version, versions[toolchain.AWS])
	require.Equal(t, versions[toolchain.AWS], versions[toolchain.Schema])
	require.Equal(t, versions[toolchain.Pulumi], versions[toolchain.Language])
	require.Len(t, versions, len(tools), "names are unique")
}

func TestKeyFollowsTheSource(t *testing.T) {
	here, err := toolchain.Checkout(".")
	require.NoError(t, err)
	tools, err := toolchain.Known(t.Context(), here)
	require.NoError(t, err)
	keys := map[string]bool{}
	for _, one := range tools {
		first, err := one.Key(t.Context())
		require.NoError(t, err)
		again, err := one.Key(t.Context())
		require.NoError(t, err)
		require.Equal(t, first, again)
		require.NotContains(t, first, "/")
		keys[first] = true
	}
	require.Len(t, keys, len(tools))
}

func TestNeedMakesCheapTools(t *testing.T) {
	require.FileExists(t, toolchain.Need(t, toolchain.Schema))
	schema := toolchain.AWSSchema(t)
	require.Equal(t, standin.Version, schema.Version)
	require.Same(t, schema, toolchain.AWSSchema(t))
}

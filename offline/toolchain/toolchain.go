// Package toolchain finds or makes the pinned tools that tests and the demo run: Pulumi's CLI, its language host for Go,
// the stand-in for the AWS provider and that provider's schema.
//
// A tool is made once and kept in the user's cache (${XDG_CACHE_HOME:-~/.cache}/weft/TOOL/KEY), where all checkouts find
// it, and is linked into the checkout's .cache/bin. The key is a hash of what the tool is made of, or its version.
package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Tool is something that is made once and used often: a program, a file, a folder such as a Python environment.
type Tool struct {
	// Name is its name, in the cache and in .cache/bin.
	Name string
	// Version is shown to people. It is the key as well when there is no Key.
	Version string
	// Doc says in one line what it is for.
	Doc string
	// Usual is how long it takes to make on two cores when nothing is there.
	Usual time.Duration
	// Cheap says that a test may make it by itself.
	Cheap bool
	// Key gives what tells one make of the tool from another. It must not contain a slash.
	Key func(context.Context) (string, error)
	// Installed looks for one that the user has and that will do.
	Installed func(context.Context) (path string, ok bool)
	// Build makes the tool in dir, an empty folder in which it stays. say tells how it goes.
	Build func(ctx context.Context, dir string, say func(line string)) error
	// Product is the path of the tool in dir; empty: Name. "." is the folder itself.
	Product string
}

// Chain makes tools for one checkout.
type Chain struct {
	// Checkout is the folder that holds go.mod.
	Checkout string
	// Cache is the folder that holds a folder for each tool.
	Cache string
	// Progress shows what is going on.
	Progress Progress
}

// New returns the chain of the checkout around a folder, with the user's cache.
func New(dir string, progress Progress) (*Chain, error) {
	checkout, err := Checkout(dir)
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("finding the user's cache: %w", err)
	}
	return &Chain{Checkout: checkout, Cache: filepath.Join(cache, "weft"), Progress: progress}, nil
}

// Module is the path of the module whose checkout the tools are made for.
const Module = "github.com/weft-hpc/weft"

// Checkout finds the checkout around a folder.
func Checkout(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the checkout: %w", err)
	}
	for at := start; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod")) //nolint:gosec // a go.mod above the working folder
		if err == nil && strings.HasPrefix(string(text), "module "+Module+"\n") {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is in no checkout of %s", start, Module)
		}
	}
}

// Bin is the folder of the checkout that the tools are linked into.
func (c *Chain) Bin() string { return filepath.Join(c.Checkout, ".cache", "bin") }

// Find gives the path of a tool that is there already. An error is a failure to look, not the lack of the tool.
func (c *Chain) Find(ctx context.Context, t Tool) (path string, found bool, err error) {
	if t.Installed != nil {
		if path, ok := t.Installed(ctx); ok {
			return path, true, nil
		}
	}
	key, err := t.key(ctx)
	if err != nil {
		return "", false, err
	}
	dir := c.dir(t, key)
	if !complete(dir) {
		return "", false, nil
	}
	path, err = c.place(t, dir)
	return path, err == nil, err
}

// Make gives the path of a tool, and makes it when it is not there. Several processes may ask at the same time: one
// makes it, the others wait.
func (c *Chain) Make(ctx context.Context, t Tool) (string, error) {
	if path, found, err := c.Find(ctx, t); found || err != nil {
		return path, err
	}
	key, err := t.key(ctx)
	if err != nil {
		return "", err
	}
	dir := c.dir(t, key)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // a cache that others may read
		return "", fmt.Errorf("making the cache of %s: %w", t.Name, err)
	}
	unlock, err := lock(dir + ".lock")
	if err != nil {
		return "", fmt.Errorf("waiting for another maker of %s: %w", t.Name, err)
	}
	defer unlock()
	if !complete(dir) {
		if err := c.build(ctx, t, dir); err != nil {
			return "", fmt.Errorf("making %s: %w", t.Name, err)
		}
	}
	return c.place(t, dir)
}

// build makes a tool in its final folder, because Python environments cannot be moved. What tells a finished one from
// the rest of an interrupted build is the mark, which comes last.
func (c *Chain) build(ctx context.Context, t Tool, dir string) (err error) {
	task := c.Progress.Begin(t)
	defer func() { task.End(err) }()
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing an unfinished build: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a cache that others may read
		return fmt.Errorf("making its folder: %w", err)
	}
	if err := t.Build(ctx, dir, task.Say); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, t.product())); err != nil {
		return fmt.Errorf("the build left no product: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, mark), []byte(t.Version+"\n"), 0o600); err != nil {
		return fmt.Errorf("marking the build as finished: %w", err)
	}
	return prune(filepath.Dir(dir))
}

// mark is the file in a tool's folder that says that the build came to its end.
const mark = ".complete"

func complete(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, mark))
	return err == nil
}

func (t Tool) key(ctx context.Context) (string, error) {
	if t.Key == nil {
		return t.Version, nil
	}
	key, err := t.Key(ctx)
	if err != nil {
		return "", fmt.Errorf("finding out what %s is made of: %w", t.Name, err)
	}
	return key, nil
}

func (t Tool) product() string {
	if t.Product == "" {
		return t.Name
	}
	return t.Product
}

func (c *Chain) dir(t Tool, key string) string { return filepath.Join(c.Cache, t.Name, key) }

// place links a tool into the checkout. Programs are linked hard (or copied, between file systems): Pulumi looks for its
// language hosts in the folder that it really lies in, so a symbolic link would lead it into the cache.
func (c *Chain) place(t Tool, dir string) (string, error) {
	from, to := filepath.Join(dir, t.product()), filepath.Join(c.Bin(), t.Name)
	info, err := os.Stat(from)
	if err != nil {
		return "", fmt.Errorf("placing %s: %w", t.Name, err)
	}
	if there, err := os.Stat(to); err == nil && same(there, info) {
		return to, nil
	}
	if err := os.MkdirAll(c.Bin(), 0o755); err != nil { //nolint:gosec // a cache that others may read
		return "", fmt.Errorf("placing %s: %w", t.Name, err)
	}
	next := fmt.Sprintf("%s.%d", to, os.Getpid())
	if err := errors.Join(link(from, next, info), os.Rename(next, to)); err != nil {
		return "", errors.Join(fmt.Errorf("placing %s: %w", t.Name, err), os.RemoveAll(next))
	}
	return to, nil
}

// same tells whether two files are one, or copies of one (a copy keeps the time).
func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) || (!a.IsDir() && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()))
}

func link(from, to string, info os.FileInfo) error {
	if info.IsDir() {
		return os.Symlink(from, to)
	}
	if err := os.Link(from, to); err == nil {
		return nil
	}
	content, err := os.ReadFile(from) //nolint:gosec // a file of the cache
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, content, info.Mode().Perm()); err != nil { //nolint:gosec // a file of the checkout's cache
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// kept is how many makes of one tool stay in the cache: other checkouts, other branches.
const kept = 6

// prune removes the oldest makes of a tool. A checkout that has one of them linked keeps it.
func prune(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("looking for old builds: %w", err)
	}
	ages := map[string]time.Time{}
	var builds []string
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name(), mark))
		if err != nil {
			continue // a lock, or a build that goes on
		}
		ages[e.Name()] = info.ModTime()
		builds = append(builds, e.Name())
	}
	slices.SortFunc(builds, func(a, b string) int { return ages[b].Compare(ages[a]) })
	for _, old := range builds[min(kept, len(builds)):] {
		if err := os.RemoveAll(filepath.Join(dir, old)); err != nil {
			return fmt.Errorf("removing an old build: %w", err)
		}
	}
	return nil
}

// lock waits for a lock among processes. The kernel drops it when its holder dies.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a file of the cache
	if err != nil {
		return nil, fmt.Errorf("opening the lock: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("taking the lock: %w", err), f.Close())
	}
	return func() { _ = f.Close() }, nil // closing drops the lock, there is nothing else to lose
}

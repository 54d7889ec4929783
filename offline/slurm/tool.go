package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Packages are Debian's packages that bring what a lab runs.
func Packages() []string {
	return []string{"slurmctld", "slurmd", "slurm-client", "munge", "libfabric-bin"}
}

// Missing lists the programs that this machine lacks to run a lab.
func Missing() []string {
	return slices.DeleteFunc([]string{"slurmctld", "slurmd", "sbatch", "srun", "scontrol", "munged", "fi_pingpong"},
		func(name string) bool { return filepath.IsAbs(find(name)) })
}

// Need skips a test on a machine that can't run a lab, and fails it where CI is true: a skipped test proves nothing.
func Need(t testing.TB) {
	t.Helper()
	lack := Missing()
	switch {
	case len(lack) == 0:
	case os.Getenv("CI") == "true":
		t.Fatalf("not installed: %s; install Debian's packages %s", strings.Join(lack, ", "), strings.Join(Packages(), " "))
	default:
		t.Skipf("not installed: %s; install Debian's packages %s", strings.Join(lack, ", "), strings.Join(Packages(), " "))
	}
}

// Build compiles the program that stands in for the benchmarks into a folder and gives its path.
func Build(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "replay")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/weft-hpc/weft/offline/cmd/replay") //nolint:gosec // a package of this module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the stand-ins of benchmarks: %w: %s", err, out)
	}
	return path, nil
}

// searchPath is PATH with the folders of daemons, which ordinary users have not.
func searchPath() string { return os.Getenv("PATH") + ":/usr/sbin:/sbin" }

// find gives a program's absolute path, or its name when it is nowhere.
func find(name string) string {
	for _, dir := range filepath.SplitList(searchPath()) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return name
}

func userName() string {
	u, err := user.Current()
	if err != nil {
		return "root"
	}
	return u.Username
}

// link makes programs of a folder that are all one file, which acts by the name that it is called by.
func link(target, dir string, names []string) error {
	for _, name := range names {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("making %s: %w", name, err)
		}
	}
	return nil
}

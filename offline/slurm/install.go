package slurm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Installable reports that Install can do its work: the user is root on a system of Debian's family.
func Installable() bool {
	_, err := exec.LookPath("apt-get")
	return err == nil && os.Geteuid() == 0
}

// Install installs what a lab runs, from Debian's packages. say gets apt-get's lines. The lab needs none of the packages'
// services.
func Install(ctx context.Context, say func(line string)) error {
	if err := aptGet(ctx, say, "update"); err != nil {
		return err
	}
	return aptGet(ctx, say, append([]string{"install", "--yes", "--no-install-recommends"}, Packages()...)...)
}

func aptGet(ctx context.Context, say func(line string), args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", args...) //nolint:gosec // arguments of this package
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("reading apt-get's output: %w", err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting apt-get: %w", err)
	}
	last := ""
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		last = lines.Text()
		say(last)
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		return fmt.Errorf("apt-get %s: %w: %s", args[0], err, last)
	}
	return nil
}

package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// startMunge starts a munge daemon of the lab's own. It insists on nothing of the machine's: socket, key, log and seed lie in the lab.
func (l *Lab) startMunge(ctx context.Context) error {
	_, err := l.output(ctx, "munged", "--force", "--socket="+l.path("munge.sock"), "--key-file="+l.path("munge.key"),
		"--pid-file="+l.path("munged.pid"), "--log-file="+l.path("munged.log"), "--seed-file="+l.path("munge.seed"))
	return err
}

// StartNode starts a node's daemon.
func (l *Lab) StartNode(ctx context.Context, node string) error {
	if err := os.MkdirAll(l.path("spool."+node), 0o750); err != nil {
		return fmt.Errorf("making the node's folder: %w", err)
	}
	_, err := l.output(ctx, "slurmd", "-N", node, "-f", l.path("slurm.conf"))
	return err
}

// StopNode ends a node's daemon as a power cut would: nobody is told, and what ran on it is gone.
func (l *Lab) StopNode(node string) error { return l.kill("slurmd." + node + ".pid") }

// Reserve holds queue's nodes back as ParallelCluster does for a capacity block that has not started: a reservation named after it.
func (l *Lab) Reserve(ctx context.Context, reservation string, nodes []string) error {
	_, err := l.output(ctx, "scontrol", "create", "reservation", "ReservationName="+reservation, "Nodes="+strings.Join(nodes, ","),
		"StartTime=now", "Duration=infinite", "Users="+userName(), "Flags=maint")
	return err
}

// Release gives the nodes of a reservation to jobs: the block has started.
func (l *Lab) Release(ctx context.Context, reservation string) error {
	_, err := l.output(ctx, "scontrol", "delete", "ReservationName="+reservation)
	return err
}

// Drain takes a node out of service with a reason.
func (l *Lab) Drain(ctx context.Context, node, reason string) error {
	_, err := l.output(ctx, "scontrol", "update", "NodeName="+node, "State=DRAIN", "Reason="+reason)
	return err
}

// kill ends the process of a pid file and waits until it is gone. Without the file nothing runs.
func (l *Lab) kill(file string) error {
	data, err := os.ReadFile(l.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading a pid: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return fmt.Errorf("reading the pid in %s: %w", file, err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("ending process %d: %w", pid, err)
	}
	for range 200 {
		if gone(pid) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return os.RemoveAll(l.path(file))
}

// gone reports that a process has ended. One that its parent has not asked for yet is a zombie, with state Z behind its command's bracket.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " Z")
}

// Package slurm runs a real Slurm cluster of several nodes on this machine: Debian's slurmctld, and one slurmd for each node.
//
// The nodes claim the CPUs and GPUs of the instance type that they stand in for, so that what Slurm allocates, refuses and says is
// real. What their programs do is not: the folder of programs that a lab puts first on PATH holds stand-ins (package replay) for the
// benchmarks, for srun's container options, and for a libfabric with EFA devices. Nodes are named as ParallelCluster names them.
//
// Every lab has a folder, ports, a munge daemon and a key of its own: several labs run at the same time, and the machine's own Slurm,
// if it has one, is left alone.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/offline/slurm/replay"
)

// Options say what a lab looks like.
type Options struct {
	// Dir is the lab's folder. It must be short, because sockets lie in it (a path of a socket has 107 bytes at most); empty makes one
	// under the system's folder for temporary files, which Stop removes.
	Dir string
	// Queues of the cluster, at least one.
	Queues []Queue
	// Replay is the program that stands in for benchmarks: see Build.
	Replay string
	// DeadAfter is how long a node may be silent before Slurm calls it down; 0 takes 10 seconds, which is short for a machine under load.
	DeadAfter time.Duration
}

// Queue is one partition of equal nodes.
type Queue struct {
	Name  string
	Nodes []string // train-st-p5en-1, …
	CPUs  int      // that a node claims
	GPUs  int      // that a node claims
	// Scenario is what happens on these nodes.
	Scenario replay.Scenario
}

// Nodes names nodes as ParallelCluster names static ones: <queue>-st-<compute resource>-<number>.
func Nodes(queue, resource string, count int) []string {
	out := make([]string, count)
	for i := range out {
		out[i] = fmt.Sprintf("%s-st-%s-%d", queue, resource, i+1)
	}
	return out
}

// Lab is a running cluster.
type Lab struct {
	dir     string
	own     bool // the folder is the lab's own
	options Options
	ports   map[string]int
}

// Start makes a lab and waits until all its nodes are idle. Missing tells what the machine lacks for it.
func Start(ctx context.Context, o Options) (lab *Lab, err error) {
	if lack := Missing(); len(lack) > 0 {
		return nil, fmt.Errorf("starting Slurm: not installed: %s", strings.Join(lack, ", "))
	}
	lab = &Lab{dir: o.Dir, options: o}
	if lab.dir == "" {
		if lab.dir, err = os.MkdirTemp("", "weft-slurm-"); err != nil {
			return nil, fmt.Errorf("making the lab's folder: %w", err)
		}
		lab.own = true
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lab.Stop(context.WithoutCancel(ctx)))
		}
	}()
	if err := lab.prepare(); err != nil {
		return nil, err
	}
	return lab, lab.boot(ctx)
}

func (l *Lab) boot(ctx context.Context) error {
	if err := l.startMunge(ctx); err != nil {
		return err
	}
	if _, err := l.output(ctx, "slurmctld", "-c", "-f", l.path("slurm.conf")); err != nil {
		return err
	}
	for _, node := range l.Nodes() {
		if err := l.StartNode(ctx, node); err != nil {
			return err
		}
	}
	return l.await(ctx)
}

// await returns when every node is idle.
func (l *Lab) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		out, err := l.output(ctx, "sinfo", "--noheader", "--Node", "--format=%N %T")
		if err == nil && l.allIdle(out) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the lab's nodes: %w; sinfo says: %s", errors.Join(ctx.Err(), err), out)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (l *Lab) allIdle(sinfo string) bool {
	idle := map[string]bool{}
	for line := range strings.Lines(sinfo) {
		name, state, _ := strings.Cut(strings.TrimSpace(line), " ")
		idle[name] = state == "idle"
	}
	return !slices.ContainsFunc(l.Nodes(), func(n string) bool { return !idle[n] })
}

// Nodes lists all nodes, queue by queue.
func (l *Lab) Nodes() []string {
	var out []string
	for _, q := range l.options.Queues {
		out = append(out, q.Nodes...)
	}
	return out
}

// Dir is the lab's folder.
func (l *Lab) Dir() string { return l.dir }

// Home is a folder that stands for the shared home of the cluster's user.
func (l *Lab) Home() string { return l.path("home") }

// Variables are what a shell on the head node has of the lab: its programs first on PATH, its Slurm, its home.
func (l *Lab) Variables() map[string]string {
	return map[string]string{
		"PATH": l.path("bin") + ":" + searchPath(), "SLURM_CONF": l.path("slurm.conf"), "HOME": l.Home(), replay.Folder: l.dir,
	}
}

// Env is the environment of a shell on the head node: this process's, with the lab's variables.
func (l *Lab) Env() []string {
	own := l.Variables()
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return own[name] != "" || strings.HasPrefix(v, "SLURM_") || strings.HasPrefix(v, "SBATCH_")
	})
	for _, name := range slices.Sorted(maps.Keys(own)) {
		env = append(env, name+"="+own[name])
	}
	return env
}

// Stop ends the lab's daemons, each by its pid file, and removes the folder if the lab made it.
func (l *Lab) Stop(ctx context.Context) error {
	if fileExists(l.path("ctld.pid")) {
		// Jobs end first: a step that outlives its slurmd has nobody to report to.
		_, _ = l.output(ctx, "scancel", "--user="+userName())
	}
	errs := []error{l.kill("ctld.pid")}
	for _, node := range l.Nodes() {
		errs = append(errs, l.StopNode(node))
	}
	errs = append(errs, l.kill("munged.pid"))
	if l.own {
		errs = append(errs, os.RemoveAll(l.dir))
	}
	return errors.Join(errs...)
}

func (l *Lab) path(name string) string { return filepath.Join(l.dir, name) }

// output runs one of Slurm's programs on the lab.
func (l *Lab) output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, find(name), args...) //nolint:gosec // Slurm's own programs, named by this package
	cmd.Env = l.Env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("running %s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

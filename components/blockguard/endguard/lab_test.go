package endguard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/blockguard/endguard"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/slurm"
)

const (
	block      = "cr-0123456789abcdef0"
	lead       = 30 * time.Minute
	checkpoint = 10 * time.Minute
)

// answer stands in for the AWS command line: the end of the block is what the file says, and EC2 refuses without it.
const answer = `#!/bin/sh
case "$*" in
"ec2 describe-capacity-reservations --region us-east-2 --capacity-reservation-ids ` + block + ` --query CapacityReservations[0].EndDate --output text") ;;
*) echo "unexpected: $*" >&2; exit 2 ;;
esac
cat "$WEFT_ROOT/end" 2>/dev/null || { echo "An error occurred (UnauthorizedOperation)" >&2; exit 254; }
`

// head is the head node of a lab, with a guard on it.
type head struct {
	t      *testing.T
	lab    *slurm.Lab
	root   string
	script string
	now    time.Time // of the guard
	cut    time.Time // when the last job must be gone
	shell  string    // a pass runs with one shell, the next with the other
}

// newHead starts a lab whose queues train and spare have two nodes and one; train stands on the block.
func newHead(t *testing.T, change func(*plan.Guard)) *head {
	t.Helper()
	slurm.Need(t)
	root := t.TempDir() // removed after the lab has stopped
	lab, err := slurm.Start(t.Context(), slurm.Options{DeadAfter: time.Minute, Queues: []slurm.Queue{
		{Name: "train", Nodes: slurm.Nodes("train", "p5en", 2), CPUs: 16, GPUs: 8},
		{Name: "spare", Nodes: slurm.Nodes("spare", "g6e", 1), CPUs: 16, GPUs: 8},
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lab.Stop(context.WithoutCancel(t.Context()))) })
	h := &head{t: t, lab: lab, root: root, now: time.Now().Truncate(time.Second), shell: "dash"}
	h.install(change)
	return h
}

func (h *head) install(change func(*plan.Guard)) {
	h.t.Helper()
	g := plan.Guard{
		Enabled: true, CheckpointMinutes: int(checkpoint / time.Minute), Signal: "USR1", SignalTo: "steps",
		Blocks: []plan.GuardedBlock{{Key: block, Queues: []string{"train"}, InstancesGoAt: int(lead / time.Minute)}},
	}
	if change != nil {
		change(&g)
	}
	h.script = h.file("guard.sh", endguard.Spec{Region: "us-east-2", Guard: g}.Script().Content, 0o700)
	h.file("bin/aws", answer, 0o700)
}

func (h *head) file(name, text string, mode os.FileMode) string {
	h.t.Helper()
	path := filepath.Join(h.root, name)
	require.NoError(h.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(h.t, os.WriteFile(path, []byte(text), mode))
	return path
}

// cutIn has EC2 say that the block ends so that jobs must be gone after d.
func (h *head) cutIn(d time.Duration) {
	h.t.Helper()
	h.cut = h.now.Add(d)
	h.file("end", h.cut.Add(lead+plan.GuardMargin).UTC().Format("2006-01-02T15:04:05.000Z")+"\n", 0o600)
}

// try makes a pass and gives what it said and its exit code.
func (h *head) try(args ...string) (said string, code int) {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), h.shell, append([]string{h.script}, args...)...)
	h.shell = map[string]string{"dash": "bash", "bash": "dash"}[h.shell]
	cmd.Env = append(h.lab.Env(), "WEFT_ROOT="+h.root, fmt.Sprintf("WEFT_NOW=%d", h.now.Unix()))
	for i, v := range cmd.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			cmd.Env[i] = "PATH=" + filepath.Join(h.root, "bin") + ":" + path
		}
	}
	out, err := cmd.CombinedOutput()
	if exit := (&exec.ExitError{}); errors.As(err, &exit) {
		return string(out), exit.ExitCode()
	}
	require.NoError(h.t, err)
	return string(out), 0
}

// pass makes a pass, which must succeed.
func (h *head) pass(args ...string) string {
	h.t.Helper()
	said, code := h.try(args...)
	require.Zero(h.t, code, said)
	h.nodesAreLeft()
	return said
}

// settled makes a pass after the last one has had its effect. It must neither say nor change anything.
func (h *head) settled(args ...string) {
	h.t.Helper()
	before := h.sight()
	require.Empty(h.t, h.pass(args...), "a second pass")
	require.Equal(h.t, before, h.sight(), "a second pass changes nothing")
}

// sight is what a guard may change: queues, limits and places of jobs, and its own files.
func (h *head) sight() string {
	h.t.Helper()
	var out strings.Builder
	for _, queue := range []string{"train", "spare"} {
		fmt.Fprintln(&out, queue, h.queue(queue, "State"), h.queue(queue, "MaxTime"), h.queue(queue, "DefaultTime"), h.queue(queue, "Nodes"))
	}
	out.WriteString(h.slurm("squeue", "--noheader", "--states=PENDING,RUNNING", "--sort=i", "--format=%A %P %l") + "\n")
	files, err := filepath.Glob(filepath.Join(h.root, "var/lib/weft/guard/*"))
	require.NoError(h.t, err)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(h.t, err)
		if name := info.Name(); strings.HasSuffix(name, "Time") || strings.Contains(name, ".held") || strings.Contains(name, ".signalled") {
			fmt.Fprintf(&out, "%s %s\n", name, info.ModTime())
		}
	}
	return out.String()
}

// nodesAreLeft: ParallelCluster replaces nodes that are drained, and takes nodes in maintenance for a block that has not
// started.
func (h *head) nodesAreLeft() {
	h.t.Helper()
	require.NotRegexp(h.t, "(?i)drain|maint|resv|reserved|down|fail", h.slurm("sinfo", "--noheader", "--Node", "--format=%N %T"))
	require.Contains(h.t, h.slurm("scontrol", "show", "reservation"), "No reservations")
}

func (h *head) slurm(name string, args ...string) string {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), name, args...)
	cmd.Env, cmd.Dir = h.lab.Env(), h.root
	out, err := cmd.CombinedOutput()
	require.NoError(h.t, err, "%s %v: %s", name, args, out)
	return strings.TrimSpace(string(out))
}

// submit submits a script to a queue.
func (h *head) submit(script string, args ...string) string {
	h.t.Helper()
	file := h.file("job.sh", "#!/bin/bash\n"+script, 0o700)
	return h.slurm("sbatch", append(append([]string{"--parsable", "--output=job-%A.out", "--partition=train"}, args...), file)...)
}

const sleeps = "sleep 1000\n"

// field of a job, as scontrol shows it.
func (h *head) field(job, name string) string {
	h.t.Helper()
	return value(h.slurm("scontrol", "show", "job", "--oneliner", job), name)
}

// queue is a field of a queue.
func (h *head) queue(name, field string) string {
	h.t.Helper()
	return value(h.slurm("scontrol", "show", "partition", "--oneliner", name), field)
}

func value(line, name string) string {
	_, rest, _ := strings.Cut(" "+line, " "+name+"=")
	out, _, _ := strings.Cut(rest, " ")
	return out
}

// until waits for a field of a job.
func (h *head) until(job, name, want string) {
	h.t.Helper()
	h.wait(func() (string, bool) {
		got := h.field(job, name)
		return name + "=" + got, got == want
	}, "%s=%s of job %s", name, want, job)
}

// untilFile waits for a file with a text.
func (h *head) untilFile(name, want string) {
	h.t.Helper()
	h.wait(func() (string, bool) {
		data, err := os.ReadFile(filepath.Join(h.root, name))
		return fmt.Sprint(string(data), err), err == nil && strings.Contains(string(data), want)
	}, "%q in %s", want, name)
}

// wait looks until what is wanted is there.
func (h *head) wait(look func() (got string, there bool), format string, args ...any) {
	h.t.Helper()
	got, there := look()
	for limit := time.Now().Add(90 * time.Second); !there; got, there = look() {
		require.True(h.t, time.Now().Before(limit), "waiting for %s; there is %s", fmt.Sprintf(format, args...), got)
		time.Sleep(50 * time.Millisecond)
	}
}

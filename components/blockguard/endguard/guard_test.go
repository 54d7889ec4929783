package endguard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/plan"
)

// trains is a job whose program takes a checkpoint at the signal and ends; what it says goes to its output.
const trains = `srun bash -c 'trap "echo checkpoint written; exit 0" USR1; echo trains; for i in $(seq 1000); do sleep 0.2; done'
echo "srun ended with $?"
`

// counts is one that does not end at the signal.
const counts = `srun bash -c 'trap "echo got USR1" USR1; echo trains; for i in $(seq 1000); do sleep 0.2; done'
`

func TestJobThatWouldOutliveTheBlockWaitsOrIsShortened(t *testing.T) {
	t.Parallel()
	h := newHead(t, nil)
	h.cutIn(60*time.Minute + 30*time.Second)
	require.Empty(t, h.pass())
	require.Equal(t, "01:00:00", h.queue("train", "MaxTime"))
	require.Equal(t, "UNLIMITED", h.queue("spare", "MaxTime"))
	h.settled()

	long, open, short := h.submit(sleeps, "--time=120"), h.submit(sleeps), h.submit(sleeps, "--time=30")
	atLeast := h.submit(sleeps, "--time=120", "--time-min=10")
	h.until(open, "JobState", "RUNNING")
	h.until(short, "JobState", "RUNNING")
	h.until(atLeast, "JobState", "RUNNING")
	h.until(long, "Reason", "PartitionTimeLimit")
	require.Equal(t, "01:00:00", h.field(open, "TimeLimit"))
	require.Equal(t, "00:30:00", h.field(short, "TimeLimit"))

	t.Run("the limit shrinks as the end comes nearer", func(t *testing.T) {
		h.now = h.now.Add(20 * time.Minute)
		require.Empty(t, h.pass())
		require.Equal(t, "00:40:00", h.queue("train", "MaxTime"))
		require.Equal(t, "01:00:00", h.field(open, "TimeLimit"), "running jobs keep theirs")
		h.settled()
	})
	t.Run("a restart of Slurm takes it back, the next pass makes it again", func(t *testing.T) {
		h.slurm("scontrol", "reconfigure")
		require.Equal(t, "UNLIMITED", h.queue("train", "MaxTime"))
		require.Empty(t, h.pass())
		require.Equal(t, "00:40:00", h.queue("train", "MaxTime"))
	})
	t.Run("an extension moves it, and the jobs that it had shortened", func(t *testing.T) {
		h.cutIn(24*time.Hour + 40*time.Minute + 30*time.Second)
		said := h.pass()
		require.Contains(t, said, "block "+block+": ends at ")
		require.Equal(t, "1-00:40:00", h.queue("train", "MaxTime"))
		require.Equal(t, "1-01:00:00", h.field(open, "TimeLimit"))
		require.Equal(t, "00:30:00", h.field(short, "TimeLimit"), "its own")
		h.until(long, "JobState", "RUNNING")
		h.settled()
	})
	t.Run("off, the queue is as it was", func(t *testing.T) {
		require.Empty(t, h.pass("--off"))
		require.Equal(t, "UNLIMITED", h.queue("train", "MaxTime"))
		h.settled("--off")
	})
}

// Slurm has jobs without a limit wait where DefaultTime is above MaxTime.
func TestDefaultOfAQueueComesDownToWhatIsLeft(t *testing.T) {
	t.Parallel()
	h := newHead(t, nil)
	h.slurm("scontrol", "update", "PartitionName=train", "DefaultTime=120")
	h.cutIn(60*time.Minute + 30*time.Second)
	h.pass()
	require.Equal(t, "01:00:00", h.queue("train", "DefaultTime"))
	h.settled()
	h.now = h.now.Add(10 * time.Minute)
	h.pass()
	require.Equal(t, "00:50:00", h.queue("train", "DefaultTime"))
	job := h.submit(sleeps)
	h.until(job, "JobState", "RUNNING")
	require.Equal(t, "00:50:00", h.field(job, "TimeLimit"))
	h.cutIn(24 * time.Hour)
	h.pass()
	require.Equal(t, "02:00:00", h.queue("train", "DefaultTime"), "its own")
	h.pass("--off")
	require.Equal(t, "02:00:00", h.queue("train", "DefaultTime"))
	require.Equal(t, "UNLIMITED", h.queue("train", "MaxTime"))
}

func TestRunningJobTakesItsCheckpointBeforeTheNodesGo(t *testing.T) {
	t.Parallel()
	h := newHead(t, func(g *plan.Guard) { g.StopMinutes = 5 })
	h.cutIn(time.Hour)
	require.Empty(t, h.pass())
	job, stays, knows := h.submit(trains), h.submit(counts), h.submit(counts, "--time=20")
	for _, j := range []string{job, stays, knows} {
		h.untilFile("job-"+j+".out", "trains")
	}

	h.now = h.cut.Add(-checkpoint - 5*time.Minute)
	said := h.pass()
	require.Contains(t, said, "queue train: starts no more jobs")
	require.NotContains(t, said, "USR1")
	late := h.submit(sleeps, "--time=1")
	h.until(late, "Reason", "PartitionDown")
	h.settled()

	h.now = h.cut.Add(-checkpoint)
	said = h.pass()
	require.Contains(t, said, "job "+job+": SIGUSR1")
	h.untilFile("job-"+job+".out", "checkpoint written\n")
	h.untilFile("job-"+job+".out", "srun ended with 0\n")
	h.until(job, "JobState", "COMPLETED")
	h.untilFile("job-"+stays+".out", "got USR1")
	h.settled()

	h.now = h.cut
	said = h.pass()
	require.Contains(t, said, "job "+stays+": back in the queue")
	h.until(stays, "JobState", "PENDING")
	h.until(knows, "JobState", "PENDING")
	output, err := os.ReadFile(filepath.Join(h.root, "job-"+stays+".out"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(output), "got USR1"), "one signal")
	output, err = os.ReadFile(filepath.Join(h.root, "job-"+knows+".out"))
	require.NoError(t, err)
	require.NotContains(t, string(output), "got USR1", "its own limit ends it before")
	h.settled()

	t.Run("nothing runs when EC2 ends the instances", func(t *testing.T) {
		require.Empty(t, h.slurm("squeue", "--noheader", "--partition=train", "--states=RUNNING,COMPLETING"))
		for _, node := range []string{"train-st-p5en-1", "train-st-p5en-2"} {
			require.NoError(t, h.lab.StopNode(node))
		}
	})
}

func TestExtensionAfterTheSignalLetsJobsRunOn(t *testing.T) {
	t.Parallel()
	h := newHead(t, nil)
	h.cutIn(checkpoint)
	job := h.submit(counts)
	h.untilFile("job-"+job+".out", "trains")
	require.Contains(t, h.pass(), "job "+job+": SIGUSR1")
	require.Equal(t, "DOWN", h.queue("train", "State"))
	waits := h.submit(sleeps)
	h.until(waits, "Reason", "PartitionDown")

	h.cutIn(24 * time.Hour)
	require.Contains(t, h.pass(), "queue train: starts jobs again")
	require.Equal(t, "UP", h.queue("train", "State"))
	require.Equal(t, "RUNNING", h.field(job, "JobState"))
	h.until(waits, "JobState", "RUNNING")
	h.settled()

	h.now = h.cut.Add(-checkpoint)
	require.Contains(t, h.pass(), "job "+job+": SIGUSR1", "again, before the new end")
}

func TestJobsGoWhereTheConfigSays(t *testing.T) {
	t.Parallel()
	h := newHead(t, func(g *plan.Guard) { g.Requeue = "spare" })
	h.cutIn(30 * time.Minute)
	require.Empty(t, h.pass())
	open, once := h.submit(counts), h.submit(counts, "--no-requeue")
	self := h.submit(`trap 'scontrol requeue $SLURM_JOB_ID' USR1
echo trains; while :; do sleep 0.2; done
`)
	for _, j := range []string{open, once, self} {
		h.untilFile("job-"+j+".out", "trains")
	}
	h.install(func(g *plan.Guard) { g.Requeue, g.SignalTo = "spare", "all" })
	h.now = h.cut.Add(-checkpoint)
	said, code := h.try()
	require.Zero(t, code, said)
	h.until(self, "JobState", "PENDING")
	more, code := h.try()
	require.Zero(t, code, more)
	require.Contains(t, said+more, "job "+self+": waits in queue spare")

	t.Run("what the signal did not end goes at the end", func(t *testing.T) {
		job := h.submit(counts, "--partition=spare")
		h.untilFile("job-"+job+".out", "trains")
		h.now = h.cut
		said, code := h.try()
		require.Zero(t, code, said)
		require.Equal(t, "RUNNING", h.field(job, "JobState"), "jobs elsewhere are left alone")
	})
	for _, j := range []string{open, once} {
		require.NotEqual(t, "RUNNING", h.field(j, "JobState"))
	}
	require.Equal(t, "spare", h.field(self, "Partition"))
	require.Equal(t, "UNLIMITED", h.field(self, "TimeLimit"), "the guard's limit stays behind")
}

func TestEndOfWhatMayRunAgainAndWhatMayNot(t *testing.T) {
	t.Parallel()
	h := newHead(t, func(g *plan.Guard) { g.Requeue = "spare" })
	h.cutIn(5 * time.Minute)
	again, once := h.submit(counts, "--time=240"), h.submit(counts, "--no-requeue")
	for _, j := range []string{again, once} {
		h.untilFile("job-"+j+".out", "trains")
	}
	h.pass()
	h.now = h.cut
	said := h.pass()
	require.Contains(t, said, "job "+again+": back in the queue\n")
	require.Contains(t, said, "job "+once+": ended, since it may not run again")
	h.until(once, "JobState", "CANCELLED")
	h.until(again, "JobState", "PENDING")
	require.Contains(t, said+h.pass(), "job "+again+": waits in queue spare\n")
	h.settled()
	require.Equal(t, "04:00:00", h.field(again, "TimeLimit"), "its own limit")
	h.slurm("scontrol", "update", "JobId="+again, "StartTime=now")
	h.until(again, "JobState", "RUNNING")
	require.Equal(t, "spare-st-g6e-1", h.field(again, "NodeList"))
}

func TestOthersHandOnAQueueStands(t *testing.T) {
	t.Parallel()
	h := newHead(t, nil)
	h.slurm("scontrol", "update", "PartitionName=train", "MaxTime=30")
	h.cutIn(time.Hour)
	h.pass()
	require.Equal(t, "00:30:00", h.queue("train", "MaxTime"), "a shorter limit of the queue's own")
	h.now = h.cut.Add(-20*time.Minute + time.Second)
	h.pass()
	require.Equal(t, "00:19:00", h.queue("train", "MaxTime"))
	h.cutIn(24 * time.Hour)
	h.pass()
	require.Equal(t, "00:30:00", h.queue("train", "MaxTime"))

	for _, state := range []string{"INACTIVE", "DOWN", "DRAIN"} {
		h.slurm("scontrol", "update", "PartitionName=train", "State="+state)
		h.cutIn(time.Minute)
		h.pass()
		require.Equal(t, state, h.queue("train", "State"))
		h.cutIn(24 * time.Hour)
		h.pass()
		require.Equal(t, state, h.queue("train", "State"), "not the guard's to open")
		h.settled()
	}
	h.pass("--off")
	require.Equal(t, "00:30:00", h.queue("train", "MaxTime"))
}

func TestEndThatNobodyTells(t *testing.T) {
	t.Parallel()
	h := newHead(t, nil)
	said, code := h.try()
	require.NotZero(t, code)
	require.Contains(t, said, "EC2 does not tell its end: An error occurred (UnauthorizedOperation)")
	require.Contains(t, said, "nobody knows its end: nothing is held back")
	require.Equal(t, "UP", h.queue("train", "State"))

	t.Run("the event's", func(t *testing.T) {
		h.cut = h.now.Add(time.Hour)
		said, code := h.try("--end", block, h.cut.Add(lead+plan.GuardMargin).UTC().Format(time.RFC3339))
		require.NotZero(t, code, said)
		require.Equal(t, "01:00:00", h.queue("train", "MaxTime"))
		said, _ = h.try("--end", block, "$(touch here)")
		require.Contains(t, said, "this is no time")
		require.Equal(t, "01:00:00", h.queue("train", "MaxTime"), "the last that was known")
	})
	t.Run("the plan's", func(t *testing.T) {
		_, code := h.try("--off")
		require.Zero(t, code)
		require.NoError(t, os.RemoveAll(filepath.Join(h.root, "var")))
		h.install(func(g *plan.Guard) {
			g.Blocks[0].End = h.now.Add(2*time.Hour + lead + plan.GuardMargin).Format(time.RFC3339)
		})
		_, code = h.try()
		require.NotZero(t, code)
		require.Equal(t, "02:00:00", h.queue("train", "MaxTime"))
	})
	t.Run("EC2's goes first", func(t *testing.T) {
		h.cutIn(3 * time.Hour)
		h.pass("--end", block, h.now.UTC().Format(time.RFC3339))
		require.Equal(t, "03:00:00", h.queue("train", "MaxTime"))
	})
}

func TestBlockThatEC2HasForgotten(t *testing.T) {
	t.Parallel()
	h := newHead(t, nil)
	h.cutIn(0)
	h.pass()
	require.NoError(t, os.Remove(filepath.Join(h.root, "end")))
	h.now = h.cut.Add(24 * time.Hour)
	require.Empty(t, h.pass())
	require.Equal(t, "DOWN", h.queue("train", "State"), "until there is another block")
}

func TestBlockThatTheClusterNoLongerHas(t *testing.T) {
	t.Parallel()
	h := newHead(t, nil)
	const fleet = "etc/parallelcluster/slurm_plugin/fleet-config.json"
	h.file(fleet, `{"train": {"train": {"CapacityType": "capacity-block", "CapacityReservationId": "`+block+`"}}}`, 0o600)
	h.cutIn(time.Minute)
	h.pass()
	require.Equal(t, "DOWN", h.queue("train", "State"))
	h.file(fleet, `{"train": {"train": {"CapacityType": "on-demand"}}}`, 0o600)
	require.Contains(t, h.pass(), "the cluster's configuration does not name it any more")
	require.Equal(t, "UP", h.queue("train", "State"))
	require.Equal(t, "UNLIMITED", h.queue("train", "MaxTime"))
	h.settled()
}

func TestQueueOfTwoKindsOfNodes(t *testing.T) {
	t.Parallel()
	h := newHead(t, nil)
	h.slurm("scontrol", "create", "PartitionName=all", "Nodes=train-st-p5en-[1-2],spare-st-g6e-1")
	job := h.submit(counts, "--partition=all", "--nodelist=train-st-p5en-1")
	other := h.submit(counts, "--partition=all", "--nodelist=spare-st-g6e-1")
	for _, j := range []string{job, other} {
		h.untilFile("job-"+j+".out", "trains")
	}
	h.cutIn(checkpoint)
	said := h.pass()
	require.Contains(t, said, "queues all have nodes of the block too")
	require.Contains(t, said, "job "+job+": SIGUSR1")
	require.NotContains(t, said, "job "+other+":")
	require.Equal(t, "UP", h.queue("all", "State"))
	h.settled()
}

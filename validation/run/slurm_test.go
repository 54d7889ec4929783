package run

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/validation/verdict"
)

func FuzzReadSight(f *testing.F) {
	f.Add("job\thost-train\tJobId=1 JobState=RUNNING Reason=None NodeList=a-[1-2] ExitCode=0:0\nnode\ta-1|train|idle|none\nreservation\tReservationName=pcluster-cr-1 Nodes=a-[1-2]\ndone\tpassed\n")
	f.Add("job\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readSight(text)
		if err == nil && len(s.jobs) > strings.Count(text, "\n")+1 {
			t.Fatalf("%d jobs in %q", len(s.jobs), text)
		}
	})
}

func TestReadSight(t *testing.T) {
	t.Parallel()
	s, err := readSight("job\thost-train\tJobId=7 JobName=weft JobState=NODE_FAIL Reason=NodeDown Dependency=(null) ExitCode=0:15 StartTime=2026-11-30T23:59:00 EndTime=2026-12-01T00:01:30 NodeList=train-st-p5en-[1-2] BatchHost=train-st-p5en-1\n" +
		"job\tlatency-train\tJobId=8 JobState=PENDING Reason=ReqNodeNotAvail, May be reserved for other job Dependency=(null) ExitCode=0:0 NodeList=(null)\n" +
		"node\ttrain-st-p5en-1|train|idle|none\nnode\ttrain-st-p5en-2|train|down*|Not responding\n" +
		"reservation\tReservationName=pcluster-cr-0aa StartTime=2026-11-30T00:00:00 Nodes=train-st-p5en-[1-2] NodeCnt=2\n")
	require.NoError(t, err)
	j := s.jobs["host-train"]
	require.Equal(t, verdict.NodeFail, j.state)
	require.True(t, j.ended())
	require.Equal(t, []string{"train-st-p5en-1", "train-st-p5en-2"}, j.nodes)
	require.Equal(t, 150*time.Second, j.end.Sub(j.start))
	waiting := s.jobs["latency-train"]
	require.Equal(t, "ReqNodeNotAvail, May be reserved for other job", waiting.reason)
	require.Nil(t, waiting.code)
	require.False(t, s.nodes[0].away())
	require.True(t, s.nodes[1].away())
	require.Equal(t, "down*: Not responding", s.nodes[1].why())
	require.Equal(t, []reservation{{"pcluster-cr-0aa", []string{"train-st-p5en-1", "train-st-p5en-2"}}}, s.reservations)

	_, err = readSight("job\tno state\n")
	require.Error(t, err)
}

func TestPauses(t *testing.T) {
	t.Parallel()
	r := &Runner{Poll: 3 * time.Second}
	var got []time.Duration
	pause := time.Duration(0)
	for _, changed := range []bool{false, false, false, false, true, false} {
		pause = r.next(pause, changed)
		got = append(got, pause)
	}
	require.Equal(t, []time.Duration{
		time.Second, 1500 * time.Millisecond, 2250 * time.Millisecond, 3 * time.Second, time.Second, 1500 * time.Millisecond,
	}, got)
	require.Equal(t, 200*time.Millisecond, (&Runner{Poll: 200 * time.Millisecond}).next(0, true), "a hurry stays one")
}

package boot_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/parse/boot"
	"github.com/weft-hpc/weft/validation/parse/line"
)

func read(t testing.TB, text string) *boot.Parser {
	t.Helper()
	p := boot.New("a")
	r := line.New(strings.NewReader(text))
	for r.Next() {
		p.Line(r.Line())
	}
	require.NoError(t, r.Err())
	return p
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                       nil,
		"hello\nworld\n":         nil,
		"# nThread 1 nGpus 1\n":  nil,
		"srun: error: n1: x\n":   {boot.Slurm},
		"0: srun: error: n1: x":  {boot.Slurm},
		"slurmstepd: error: x\n": {boot.Slurm},
		"slurmstepd-n1: error: *** JOB 4 CANCELLED ***\n":                    {boot.Slurm},
		"torch.distributed.elastic.multiprocessing.errors.ChildFailedError:": {boot.TorchRun},
		"Stdout: weft: FAIL node/memlock got 64 want unlimited do set it\n":  {boot.NodeCheck, boot.NodeBoot},
		`{"fact":"efa","devices":16}` + "\n":                                 {boot.NodeCheck},
		"2026-11-30 10:00:00 ip-10-0-0-1 cloud-init[1234]: hello\n":          {boot.NodeBoot},
		"modprobe: FATAL: Module nvidia not found\n":                         {boot.NodeBoot},
		"srun: x\nmodprobe: x\n":                                             {boot.Slurm, boot.NodeBoot},
	} {
		require.Equal(t, want, read(t, text).Kinds(), text)
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	task := "srun: error: train-st-p5en-1: task 3: Exited with exit code 7\n"
	torch := "  exitcode  : 1 (pid: 2)\nRoot Cause (first observed failure):\n[0]:\n  exitcode  : -9 (pid: 4407)\n"
	for text, want := range map[string]int{
		"rc=0\n":        0,
		"rc=124\n\n":    124,
		task:            7,
		torch:           -9,
		torch + task:    7,
		task + "rc=3\n": 3,
		"srun: error: n1: tasks 0-3,5: Exited with exit code 2\n": 2,
		fmt.Sprintf(boot.ExitFormat, 5) + "\n":                    5,
	} {
		got := read(t, text).ExitCode()
		require.NotNil(t, got, text)
		require.Equal(t, want, *got, text)
	}
	for _, text := range []string{"", "rc=\n", "rc=x\n", "rc=9999999999999999999\n", "rc=1", "rc=1\nmore\n", "  exitcode  : 1 (pid: 2)\n", "srun: error: n1: task 0: Exited with exit code 1"} {
		require.Nil(t, read(t, text).ExitCode(), text)
	}
}

func TestFixturesTellTheirExitCode(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../testdata/nccl-two-host/*.txt")
	require.NoError(t, err)
	told := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		last := string(lines[len(lines)-1])
		if !strings.HasPrefix(last, "rc=") {
			continue
		}
		told++
		got := read(t, string(text)).ExitCode()
		require.NotNil(t, got, name)
		require.Equal(t, last, fmt.Sprintf(boot.ExitFormat, *got), name)
	}
	require.Greater(t, told, 50)
}

func TestChecksOfANode(t *testing.T) {
	t.Parallel()
	const fail = "weft: FAIL node/efa-count got 7 EFA devices want 8 do look at the interfaces"
	text := "Stdout: " + fail + "\nStderr: " + fail + "\nweft: WARN node/memlock got 64 want unlimited do set it\n" +
		"1: " + fail + "\nweft: FAIL node/nonsense got 1 want 2 do 3\nweft: FAIL node/memlock got 64 wa\nweft: ok\nweft: FAIL node/memlock got 64 want unlimited do set"
	got := read(t, text).Findings()
	require.Equal(t, diag.List{
		{Rule: diag.NodeEFACount, Level: diag.Error, Place: diag.Place{File: "a", Line: 1}, Got: "7 EFA devices", Want: "8", Hint: "look at the interfaces"},
		{Rule: diag.NodeMemlock, Level: diag.Warn, Place: diag.Place{File: "a", Line: 3}, Got: "64", Want: "unlimited", Hint: "set it"},
		{Rule: diag.NodeEFACount, Level: diag.Error, Place: diag.Place{File: "a", Line: 4, Resource: "1"}, Got: "7 EFA devices", Want: "8", Hint: "look at the interfaces"},
	}, got[:3])
	require.Len(t, got, 6)
	for _, f := range got[3:] {
		require.Equal(t, diag.FileUnreadable, f.Rule)
	}
}

func TestChecksAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "weft: FAIL node/memlock got %d want unlimited do set it\n", i)
	}
	require.Len(t, read(t, b.String()).Findings(), 4096)
}

func FuzzParser(f *testing.F) {
	f.Add([]byte("srun: error: n1: task 3: Exited with exit code 7\nRoot Cause (first observed failure):\n  exitcode  : -9 (pid: 4407)\nweft: FAIL x\nrc=1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p := read(t, string(text))
		require.LessOrEqual(t, len(p.Kinds()), 4)
		if c := p.ExitCode(); c != nil {
			require.Contains(t, string(text), fmt.Sprint(max(*c, -*c)))
		}
	})
}

// BOOT-07: a head node that waits for static nodes is told from one whose script hangs.
func TestWaitForStaticNodes(t *testing.T) {
	t.Parallel()
	const (
		waits = "[2026-11-30T10:00:00+00:00] INFO: Waiting for static fleet capacity provisioning\n"
		ready = "[2026-11-30T10:20:00+00:00] INFO: Static fleet capacity is ready\n"
		hangs = "[2026-11-30T10:00:00+00:00] INFO: Processing execute[fetch_and_run]\n"
	)
	for name, tt := range map[string]struct {
		text, want string
	}{
		"it waits":              {strings.Repeat(waits, 119), "warn a:119 the head node has waited 29m45s for its static nodes; its own scripts are over"},
		"until the stack fails": {strings.Repeat(waits, 120), "error a:120 the head node has waited 30m0s for its static nodes; its own scripts are over"},
		"they came":             {strings.Repeat(waits, 200) + ready, ""},
		"an update waits anew":  {strings.Repeat(waits, 200) + ready + waits, "warn a:202 the head node has waited 15s for its static nodes; its own scripts are over"},
		"a script hangs":        {hangs, ""},
		"none":                  {"", ""},
	} {
		p := read(t, tt.text)
		got := ""
		for _, f := range p.Findings() {
			got += fmt.Sprintf("%s %s:%d %s", f.Level, f.Place.File, f.Place.Line, f.Got)
			require.Equal(t, diag.JobNode, f.Rule)
		}
		require.Equal(t, tt.want, got, name)
		if strings.Contains(tt.text, "fleet") {
			require.Equal(t, []string{boot.NodeBoot}, p.Kinds(), name)
		}
	}
}

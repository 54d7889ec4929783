package endguard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/components/blockguard/endguard"
	"github.com/weft-hpc/weft/fabric/plan"
)

// run runs the document as Systems Manager does: parameters put in, as a script.
func (h *head) run(s endguard.Spec, parameters map[string]string) (said string, code int) {
	h.t.Helper()
	text := commands(h.t, s)
	for name, p := range parsed(h.t, s).Parameters {
		value, given := parameters[name]
		if !given {
			value = p.Default
		}
		text = strings.ReplaceAll(text, "{{ "+name+" }}", value)
	}
	h.script = h.file("document.sh", text, 0o700)
	return h.try()
}

// calls are what the document asked of the system since the last look.
func (h *head) calls() []string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.root, "calls"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(h.t, err)
	require.NoError(h.t, os.Remove(filepath.Join(h.root, "calls")))
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// TestDocument: what the document leaves on a head node, run again, changed by hand, run by events, turned off.
func TestDocument(t *testing.T) {
	t.Parallel()
	h := newHead(t, nil)
	require.NoError(t, os.Remove(h.script))
	h.file("bin/systemctl", "#!/bin/sh\necho \"systemctl $*\" >>\"$WEFT_ROOT/calls\"\n", 0o700)
	h.file("bin/sudo", "#!/bin/sh\necho \"sudo $*\" >>\"$WEFT_ROOT/calls\"\n", 0o700)
	h.cutIn(time.Hour)
	s := endguard.Spec{
		Region: "us-east-2", User: "ubuntu", Delivered: "weft-run 'it'",
		Guard: plan.Guard{
			Enabled: true, CheckpointMinutes: 15, Signal: "USR1", SignalTo: "steps",
			Blocks: []plan.GuardedBlock{{Key: block, Queues: []string{"train"}, InstancesGoAt: 30}},
		},
	}
	said, code := h.run(s, nil)
	require.Zero(t, code, said)
	require.Empty(t, said)
	guard := filepath.Join(h.root, "opt/weft/guard/guard.sh")
	require.Equal(t, s.Script().Content, text(t, guard))
	require.Equal(t, []string{"systemctl daemon-reload", "systemctl enable --now weft-guard.timer"}, h.calls())
	require.Contains(t, text(t, filepath.Join(h.root, "etc/systemd/system/weft-guard.service")), "ExecStart=/opt/weft/guard/guard.sh\n")
	require.Contains(t, text(t, filepath.Join(h.root, "etc/systemd/system/weft-guard.timer")), "OnCalendar=*-*-* *:*:00\n")
	require.Equal(t, "01:00:00", h.queue("train", "MaxTime"), "the first pass")

	t.Run("again", func(t *testing.T) {
		said, code := h.run(s, map[string]string{"Revision": s.Revision()})
		require.Zero(t, code)
		require.Empty(t, said)
		require.Equal(t, []string{"systemctl enable --now weft-guard.timer"}, h.calls())
	})
	t.Run("what somebody changed is put back", func(t *testing.T) {
		require.NoError(t, os.WriteFile(guard, []byte("#!/bin/sh\n"), 0o600))
		_, code := h.run(s, nil)
		require.Zero(t, code)
		require.Equal(t, s.Script().Content, text(t, guard))
		require.NotEmpty(t, h.calls())
	})
	t.Run("the warning, while EC2 does not answer", func(t *testing.T) {
		require.NoError(t, os.Remove(filepath.Join(h.root, "end")))
		end := h.now.Add(40 * time.Minute).UTC().Format(time.RFC3339)
		said, code := h.run(s, map[string]string{"Action": endguard.ActionRun, "Reservation": block, "End": end})
		require.Equal(t, 1, code, "it is told")
		require.Contains(t, said, "EC2 does not tell its end")
		require.Equal(t, "DOWN", h.queue("train", "State"))
		require.NotContains(t, strings.Join(h.calls(), "\n"), "sudo")
	})
	t.Run("delivered", func(t *testing.T) {
		h.cutIn(24 * time.Hour)
		_, code := h.run(s, map[string]string{"Action": endguard.ActionDelivered, "Reservation": block, "End": h.cut.UTC().Format(time.RFC3339)})
		require.Zero(t, code)
		require.Equal(t, "UP", h.queue("train", "State"))
		require.Contains(t, h.calls(), "sudo -H -u ubuntu bash -lc weft-run 'it'")
	})
	t.Run("a script that was cut short is not left to run", func(t *testing.T) {
		broken := strings.Replace(commands(t, s), "sha256='", "sha256='0", 1)
		h.script = h.file("document.sh", broken, 0o700)
		said, code := h.try()
		require.NotZero(t, code)
		require.Contains(t, said, "is not the script of the deployment")
		require.Equal(t, s.Script().Content, text(t, guard))
		h.calls()
	})
	t.Run("turned off", func(t *testing.T) {
		s.Guard.Enabled = false
		for range 2 {
			said, code := h.run(s, nil)
			require.Zero(t, code, said)
		}
		require.Equal(t, []string{"systemctl disable --now weft-guard.timer", "systemctl daemon-reload"}, h.calls())
		require.NoFileExists(t, guard)
		require.Equal(t, "UNLIMITED", h.queue("train", "MaxTime"))
	})
}

func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

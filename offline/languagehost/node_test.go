package languagehost_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/languagehost"
)

// TestNodeRunsAPackInItsFolder: the pack's program gets the engine's arguments, and its folder behind them.
func TestNodeRunsAPackInItsFolder(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	pack := t.TempDir()
	_, _, err := languagehost.Node{}.Prepare(t.Context(), languagehost.Source{Dir: pack}, nil)
	require.ErrorContains(t, err, "packages of the policy pack")

	runner := filepath.Join(pack, "node_modules", "@pulumi", "pulumi", "cmd", "run-policy-pack")
	require.NoError(t, os.MkdirAll(runner, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(runner, "index.js"), []byte("console.log(process.argv.slice(2).join(), process.cwd())"), 0o600))
	command, done, err := languagehost.Node{}.Prepare(t.Context(), languagehost.Source{Dir: pack}, nil)
	require.NoError(t, err)
	defer done()
	out, err := exec.Command(command[0], append(command[1:], "127.0.0.1:1")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "127.0.0.1:1,"+pack+" "+pack+"\n", string(out))
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// command finds calls of weft in a text.
var command = regexp.MustCompile(`weft check[^\n]*`)

// ciScripts are the shell lines of the examples for CI, with what they need from their service.
func ciScripts(t *testing.T) map[string]string {
	t.Helper()
	var action struct {
		Runs struct {
			Steps []struct {
				ID  string `yaml:"id"`
				Run string `yaml:"run"`
			} `yaml:"steps"`
		} `yaml:"runs"`
	}
	readYAML(t, "../../examples/ci/github-action/action.yml", &action)
	var gitlab map[string]struct {
		Script []string `yaml:"script"`
	}
	readYAML(t, "../../examples/ci/gitlab/weft.gitlab-ci.yml", &gitlab)
	out := map[string]string{}
	for _, s := range action.Runs.Steps {
		if s.ID == "check" {
			out["GitHub"] = s.Run
		}
	}
	out["GitLab"] = strings.Join(gitlab["weft"].Script[1:], "\n")
	return out
}

func readYAML(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, v))
}

// The examples for CI run as their services run them, with a weft that answers as the real one does: a finding fails the
// job after its report is written, a file that is not there fails it too.
func TestExamplesForCI(t *testing.T) {
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	for service, script := range ciScripts(t) {
		require.Regexp(t, command, script, service)
		for _, c := range []struct {
			file string
			code int
		}{{"good.yaml", exitClean}, {"bad.yaml", exitFindings}, {"none.yaml", exitFailed}} {
			t.Run(service+"/"+c.file, func(t *testing.T) {
				folder := t.TempDir()
				report := filepath.Join(folder, "weft.xml")
				stub := "#!/bin/bash\ncase \"$*\" in *good*) echo fine;; *bad*) echo finding; exit 1;; *) exit 2;; esac\n"
				require.NoError(t, os.WriteFile(filepath.Join(folder, "weft"), []byte(stub), 0o700))
				run := exec.CommandContext(t.Context(), bash, "-eo", "pipefail", "-c", script)
				run.Dir = folder
				run.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "FILES="+c.file, "WEFT_FILES="+c.file, "WEFT_OPTIONS=", "PCLUSTER=3.16.1",
					"BASELINE=", "SARIF="+report, "GITHUB_OUTPUT="+filepath.Join(folder, "output"))
				out, _ := run.CombinedOutput()
				require.Equal(t, c.code, run.ProcessState.ExitCode(), "%s", out)
				require.FileExists(t, report)
			})
		}
	}
}

func TestPreCommitHook(t *testing.T) {
	var hooks []map[string]any
	readYAML(t, "../../.pre-commit-hooks.yaml", &hooks)
	require.Len(t, hooks, 1)
	require.Equal(t, "weft check", hooks[0]["entry"])
	files := regexp.MustCompile(hooks[0]["files"].(string))
	require.True(t, files.MatchString("clusters/pcluster-prod.yaml"))
	require.False(t, files.MatchString("values.yaml"))
}

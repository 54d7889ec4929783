package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/offline/standin"
)

// environment is what the plugin would be started with.
func environment(t *testing.T, files map[string]string) (env func(string) string, dir string) {
	t.Helper()
	dir = t.TempDir()
	values := map[string]string{}
	for name, content := range files {
		values[name] = filepath.Join(dir, name)
		if content != "" {
			require.NoError(t, os.WriteFile(values[name], []byte(content), 0o600))
		}
	}
	return func(name string) string { return values[name] }, dir
}

func TestAccountFromTheEnvironment(t *testing.T) {
	env, dir := environment(t, map[string]string{
		"STANDIN_SCHEMA": `{"version": "1", "resources": {"aws:ec2/vpc:Vpc": {"inputs": {}, "outputs": {"arn": "string!"}}}}`,
		"STANDIN_DATA":   "region: eu-north-1\n",
		"STANDIN_WORLD":  "",
		"STANDIN_LOG":    "",
	})
	s, err := account(env)
	require.NoError(t, err)
	_, outputs, err := s.Create(t.Context(), urn.New("dev", "weft", "", "aws:ec2/vpc:Vpc", "vpc"), property.Map{})
	require.NoError(t, err)
	require.Contains(t, outputs.Get("arn").AsString(), ":eu-north-1:")
	world, err := standin.NewFile(filepath.Join(dir, "STANDIN_WORLD")).View()
	require.NoError(t, err)
	require.Equal(t, 1, world.Len())
	log, err := os.ReadFile(filepath.Join(dir, "STANDIN_LOG"))
	require.NoError(t, err)
	require.Contains(t, string(log), `"op":"create"`)
}

func TestAccountOfAnEmptyEnvironment(t *testing.T) {
	_, err := account(func(string) string { return "" })
	require.NoError(t, err)
}

func TestUnreadableEnvironment(t *testing.T) {
	for name, content := range map[string]string{"STANDIN_SCHEMA": "{", "STANDIN_DATA": "fault: []"} {
		t.Run(name, func(t *testing.T) {
			env, _ := environment(t, map[string]string{name: content})
			_, err := account(env)
			require.ErrorContains(t, err, name)
		})
	}
	_, err := account(func(name string) string {
		if name == "STANDIN_LOG" {
			return t.TempDir()
		}
		return ""
	})
	require.ErrorContains(t, err, "opening the call log")
}

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	logger(&out)(standin.Call{Op: "delete", Type: "T", ID: "1", Error: "no"})
	require.JSONEq(t, `{"op": "delete", "type": "T", "id": "1", "error": "no"}`, out.String())
}

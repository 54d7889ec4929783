package languagehost

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Node runs policy packs of Node.js, whose packages lie in the pack's own node_modules. It serves comparisons with such packs: programs and
// plugins of Node.js are left to Pulumi's own host.
type Node struct{}

// Executable finds node.
func (Node) Executable(ctx context.Context) (path, version string, err error) {
	if path, err = exec.LookPath("node"); err != nil {
		return "", "", fmt.Errorf("finding node: %w", err)
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", "", fmt.Errorf("asking node for its version: %w", err)
	}
	return path, strings.TrimSpace(string(out)), nil
}

// Install fetches packages.
func (Node) Install() []string { return []string{"npm", "install", "--no-audit", "--no-fund"} }

// Prepare names the program of Pulumi's package that runs a policy pack.
func (Node) Prepare(_ context.Context, s Source, _ func(string)) (command []string, done func(), err error) {
	runner := filepath.Join(s.Dir, "node_modules", "@pulumi", "pulumi", "cmd", "run-policy-pack")
	if _, err := os.Stat(runner); err != nil {
		return nil, nil, fmt.Errorf("looking for the packages of the policy pack: %w", err)
	}
	// The engine's arguments come behind the command, and the pack's folder, where the pack is run, behind them.
	const script = `runner=$1 folder=$2; shift 2; cd "$folder" && exec node "$runner" "$@" "$folder"`
	return []string{"sh", "-c", script, "sh", runner, s.Dir}, func() {}, nil
}

package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Agent is what stands behind an instance for Systems Manager: its commands run on this machine, as processes of the account,
// which Load and Close end with everything that they started.
//
// A script runs as root's shell does on an instance: in a home of its own, with Env less its HOME. A login shell, and a shell
// of another user through sudo, have all of Env.
type Agent struct {
	// Command runs a script, whose path comes after it. Empty: /bin/sh -c, as on an instance.
	Command []string `json:"command,omitempty"`
	// Env is added to this process's environment, less what that says about AWS.
	Env map[string]string `json:"env,omitempty"`
	// Folder in which scripts run; empty: root's home.
	Folder string `json:"folder,omitempty"`
	// Offline says that no command reaches the instance: it stays pending, and times out by the account's clock.
	Offline bool `json:"offline,omitempty"`
}

// PutAgent gives an instance an agent, in place of one that it has.
func (a *Account) PutAgent(ctx context.Context, instance string, agent Agent) error {
	if err := a.post(ctx, "/weft/agents", map[string]any{"instance": instance, "agent": agent}); err != nil {
		return fmt.Errorf("putting an agent on %s: %w", instance, err)
	}
	return nil
}

// HeadNodeID is the instance id of the head node of a Cluster.
func HeadNodeID(cluster string) string {
	sum := sha256.Sum256([]byte(cluster))
	return "i-" + hex.EncodeToString(sum[:])[:17]
}

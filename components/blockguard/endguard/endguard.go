// Package endguard renders what brings jobs to the end of a capacity block: the script that the head node runs every
// minute, the Systems Manager document that puts it there, and the rules of EventBridge that start it at once.
//
// It is pure: equal plans give equal texts.
package endguard

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/plan"
)

//go:embed scripts/*.sh
var sources embed.FS

// Spec is what the guard of one cluster does.
type Spec struct {
	Region string
	// User who logs in on the head node; Delivered runs as this user.
	User  string
	Guard plan.Guard
	// Reservations by the key of their block, for blocks that are bought in the same stack; others are their own key.
	Reservations map[string]string
	// Delivered is a shell command for the head node that runs when a block starts, after the guard's own pass; empty
	// for none.
	Delivered string
}

// Script is the guard as the head node runs it.
type Script struct {
	Content string
	SHA256  string // of the content, 64 hex digits in lower case
}

// seconds of a minute, in which Slurm's clock and the script count.
const seconds = int(time.Minute / time.Second)

// Script renders the guard.
func (s Spec) Script() Script {
	g := s.Guard
	content := "#!/bin/sh\n# weft: the guard of this cluster's capacity blocks, rendered from its plan.\n" + variables(
		variable{"region", s.Region},
		variable{"checkpoint", fmt.Sprint(g.CheckpointMinutes * seconds)},
		variable{"stop", fmt.Sprint(g.StopMinutes * seconds)},
		variable{"signal", g.Signal},
		variable{"signal_to", map[string]string{"steps": "", "batch": "--batch", "all": "--full"}[g.SignalTo]},
		variable{"requeue", g.Requeue},
		variable{"blocks", s.blocks()},
	) + "\n" + source("guard")
	sum := sha256.Sum256([]byte(content))
	return Script{Content: content, SHA256: hex.EncodeToString(sum[:])}
}

// blocks writes a line for each block: reservation|queues|seconds in which EC2 ends instances|planned end.
func (s Spec) blocks() string {
	var lines []string
	for _, b := range s.Guard.Blocks {
		end := ""
		if at, err := time.Parse(time.RFC3339, b.End); err == nil {
			end = fmt.Sprint(at.Unix())
		}
		lines = append(lines, strings.Join([]string{s.reservation(b), strings.Join(b.Queues, ","), fmt.Sprint(b.InstancesGoAt * seconds), end}, "|"))
	}
	return strings.Join(lines, "\n")
}

func (s Spec) reservation(b plan.GuardedBlock) string {
	if id := s.Reservations[b.Key]; id != "" {
		return id
	}
	return b.Key
}

// reservations lists the blocks' reservations, sorted.
func (s Spec) reservations() []string {
	var out []string
	for _, b := range s.Guard.Blocks {
		out = append(out, s.reservation(b))
	}
	slices.Sort(out)
	return out
}

// installer is what the document runs. Words in double braces are the document's parameters.
func (s Spec) installer() string {
	script := s.Script()
	return "#!/bin/sh\n# weft, revision {{ Revision }}\n" +
		"action='{{ Action }}'\nreservation='{{ Reservation }}'\nend='{{ End }}'\n" + variables(
		variable{"enabled", map[bool]string{true: "1", false: "0"}[s.Guard.Enabled]},
		variable{"sha256", script.SHA256},
		variable{"user", s.User},
		variable{"delivered", s.Delivered},
	) + "guard() {\n    cat <<'WEFT_GUARD'\n" + script.Content + "WEFT_GUARD\n}\n\n" + source("install")
}

// Revision changes with everything that the document does.
func (s Spec) Revision() string {
	sum := sha256.Sum256([]byte(s.installer()))
	return hex.EncodeToString(sum[:])
}

// parameter of a Systems Manager document.
type parameter struct {
	Type          string   `json:"type"`
	Description   string   `json:"description"`
	Default       string   `json:"default"`
	AllowedValues []string `json:"allowedValues,omitempty"`
	Pattern       string   `json:"allowedPattern,omitempty"`
}

// The actions of the document.
const (
	ActionRun       = "run"       // puts the guard on the head node and makes one pass
	ActionDelivered = "delivered" // the same, and runs what waits for the block
)

// Document is the Systems Manager document, as JSON. A line of the script is an element of its own, so that a preview
// shows what changes.
func (s Spec) Document() (string, error) {
	document := map[string]any{
		"schemaVersion": "2.2",
		"description":   "weft: brings jobs to the end of a capacity block",
		"parameters": map[string]parameter{
			"Action":      {Type: "String", Description: "What to do", Default: ActionRun, AllowedValues: []string{ActionRun, ActionDelivered}},
			"Reservation": {Type: "String", Description: "Reservation of an event", Pattern: "^(cr-[0-9a-f]{8,17})?$"},
			"End":         {Type: "String", Description: "End of the block, as an event says", Pattern: "^[0-9A-Za-z:. +-]{0,40}$"},
			"Revision":    {Type: "String", Description: "SHA-256 of what runs, so that a change of it runs again", Pattern: "^[0-9a-f]{0,64}$"},
		},
		"mainSteps": []any{map[string]any{
			"action": "aws:runShellScript", "name": "guard",
			"precondition": map[string]any{"StringEquals": []string{"platformType", "Linux"}},
			"inputs":       map[string]any{"timeoutSeconds": "900", "runCommand": strings.Split(strings.TrimSuffix(s.installer(), "\n"), "\n")},
		}},
	}
	return compact(document)
}

// compact writes JSON without HTML's escapes.
func compact(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("writing JSON: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func source(name string) string {
	text, err := sources.ReadFile("scripts/" + name + ".sh")
	if err != nil { // an embedded file
		panic(err)
	}
	return string(text)
}

type variable struct{ name, value string }

// variables sets variables of a POSIX shell.
func variables(list ...variable) string {
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, "%s='%s'\n", v.name, strings.ReplaceAll(v.value, "'", `'\''`))
	}
	return b.String()
}

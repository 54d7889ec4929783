package endguard_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/components/blockguard/endguard"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/internal/golden"
)

// spec of two blocks: one adopted, one bought in the same stack, with a stated end.
func spec() endguard.Spec {
	return endguard.Spec{
		Region: "us-east-2", User: "ubuntu", Delivered: `echo "it's here"`,
		Reservations: map[string]string{"cb-0fffffffffffffff1": "cr-0fffffffffffffff1"},
		Guard: plan.Guard{
			Enabled: true, CheckpointMinutes: 20, StopMinutes: 5, Signal: "TERM", SignalTo: "all", Requeue: "spare",
			Blocks: []plan.GuardedBlock{
				{Key: "cr-0123456789abcdef0", Queues: []string{"train", "dev"}, InstancesGoAt: 30},
				{Key: "cb-0fffffffffffffff1", Queues: []string{"ultra"}, InstancesGoAt: 60, End: "2026-12-08T11:30:00Z"},
			},
		},
	}
}

func TestScript(t *testing.T) {
	golden.NoneUnused(t, "testdata", ".sh")
	script := spec().Script()
	golden.Check(t, "testdata/two-blocks.sh", []byte(script.Content))
	require.Equal(t, script, spec().Script())
	require.NotContains(t, script.Content, "{{", "Systems Manager would take it for a parameter")

	other := spec()
	other.Guard.Blocks[0].InstancesGoAt = 60
	require.NotEqual(t, script.SHA256, other.Script().SHA256)
	require.NotEqual(t, spec().Revision(), other.Revision())
}

// What runs on the head node is a script of the POSIX shell: Debian's dash and the others' bash read it alike.
func TestScriptsAreSound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "guard.sh")
	for name, text := range map[string]string{"guard": spec().Script().Content, "document": commands(t, spec())} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		for _, check := range [][]string{{"dash", "-n"}, {"bash", "--posix", "-n"}, {"shellcheck", "--shell=sh", "--exclude=SC2034,SC2194"}} {
			out, err := exec.Command(check[0], append(check[1:], file)...).CombinedOutput()
			require.NoError(t, err, "%s %s: %s", name, check[0], out)
		}
	}
}

type document struct {
	SchemaVersion string
	Parameters    map[string]struct {
		Default, AllowedPattern string
		AllowedValues           []string
	}
	MainSteps []struct {
		Action string
		Inputs struct {
			RunCommand     []string
			TimeoutSeconds string
		}
	}
}

func parsed(t *testing.T, s endguard.Spec) document {
	t.Helper()
	text, err := s.Document()
	require.NoError(t, err)
	require.Less(t, len(text), 64<<10, "Systems Manager takes documents of 64 KB")
	var d document
	require.NoError(t, json.Unmarshal([]byte(text), &d))
	return d
}

func commands(t *testing.T, s endguard.Spec) string {
	t.Helper()
	d := parsed(t, s)
	require.Len(t, d.MainSteps, 1)
	return strings.Join(d.MainSteps[0].Inputs.RunCommand, "\n") + "\n"
}

// A value that Systems Manager lets through can't leave its quotes: the document writes it between single ones.
func TestParametersOfTheDocument(t *testing.T) {
	d := parsed(t, spec())
	require.Equal(t, "2.2", d.SchemaVersion)
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`\{\{ (\w+) \}\}`).FindAllStringSubmatch(commands(t, spec()), -1) {
		used[m[1]] = true
	}
	require.Len(t, used, len(d.Parameters))
	for name, p := range d.Parameters {
		require.True(t, used[name], "%s is used", name)
		if len(p.AllowedValues) > 0 {
			require.Contains(t, p.AllowedValues, p.Default)
			continue
		}
		pattern := regexp.MustCompile(p.AllowedPattern)
		require.True(t, pattern.MatchString(p.Default), name)
		for _, evil := range []string{"'", "cr-0123456789abcdef0'; reboot; '", "$(reboot)", "`reboot`", "a\nb"} {
			require.False(t, pattern.MatchString(evil), "%s takes %q", name, evil)
		}
	}
	for value, is := range map[string]bool{"2026-12-08T11:30:00.000Z": true, "2026-12-08 11:30:00+00:00": true, "Tue Dec 8 11:30:00 UTC 2026": true, "x'": false} {
		require.Equal(t, is, regexp.MustCompile(d.Parameters["End"].AllowedPattern).MatchString(value), value)
	}
}

func TestPatternMatchesBothNamesOfAnEvent(t *testing.T) {
	for event, want := range map[endguard.Event][]string{
		endguard.Delivered: {"Capacity Block Delivered", "Capacity Block Reservation Delivered"},
		endguard.Warning:   {"Capacity Block Expiration Warning", "Capacity Block Reservation Expiration Warning"},
	} {
		text, err := spec().Pattern(event)
		require.NoError(t, err)
		var got struct {
			Source     []string            `json:"source"`
			DetailType []string            `json:"detail-type"`
			Detail     map[string][]string `json:"detail"`
		}
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, []string{"aws.ec2"}, got.Source)
		require.Equal(t, want, got.DetailType)
		require.Equal(t, map[string][]string{"capacity-reservation-id": {"cr-0123456789abcdef0", "cr-0fffffffffffffff1"}}, got.Detail)
	}
}

// EventBridge puts JSON strings where the names of the template stand.
func TestTargetMakesParametersOfAnEvent(t *testing.T) {
	d := parsed(t, spec())
	for _, event := range []endguard.Event{endguard.Delivered, endguard.Warning} {
		text := endguard.InputTemplate(event)
		for name := range endguard.InputPaths() {
			require.Contains(t, text, "<"+name+">")
			text = strings.ReplaceAll(text, "<"+name+">", `"value"`)
		}
		var got map[string][]string
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		for name, values := range got {
			require.Contains(t, d.Parameters, name)
			require.Len(t, values, 1)
		}
		require.Contains(t, d.Parameters["Action"].AllowedValues, got["Action"][0])
	}
}

func TestPoliciesGiveTheLeast(t *testing.T) {
	text, err := endguard.SendPolicy("arn:aws-us-gov:ssm:us-gov-west-1:123456789012:document/weft-guard", "i-0123456789abcdef0")
	require.NoError(t, err)
	require.JSONEq(t, `{"Version": "2012-10-17", "Statement": [{"Sid": "RunTheGuard", "Effect": "Allow", "Action": "ssm:SendCommand", "Resource": [
		"arn:aws-us-gov:ssm:us-gov-west-1:123456789012:document/weft-guard",
		"arn:aws-us-gov:ec2:us-gov-west-1:123456789012:instance/i-0123456789abcdef0"]}]}`, text)
	for _, wrong := range []string{"", "weft-guard", "arn:aws:s3:::bucket"} {
		_, err := endguard.SendPolicy(wrong, "i-0")
		require.ErrorContains(t, err, "not the ARN of a Systems Manager document")
	}
	trust, err := endguard.TrustPolicy("arn:aws:events:us-east-2:123456789012:rule/a")
	require.NoError(t, err)
	require.JSONEq(t, `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",
		"Principal": {"Service": "events.amazonaws.com"},
		"Condition": {"ArnEquals": {"aws:SourceArn": ["arn:aws:events:us-east-2:123456789012:rule/a"]}}}]}`, trust)
}

func TestPermissionsAreActions(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range append(endguard.Deployment(), endguard.HeadNode()) {
		require.NotEmpty(t, p.For)
		for _, action := range p.Actions {
			require.Regexp(t, `^(ec2|events|iam|ssm):[A-Z][A-Za-z]+$`, action)
			require.False(t, seen[action], "%s twice", action)
			seen[action] = true
		}
	}
}

// Whatever a command is, the document's shell gets it as one word.
func TestDeliveredIsOneWord(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := spec()
		s.Delivered = rapid.StringMatching(`[ -~]{0,40}`).Draw(rt, "command")
		_, rest, _ := strings.Cut(commands(t, s), "\ndelivered=")
		line, _, _ := strings.Cut(rest, "\n")
		out, err := exec.Command("dash", "-c", "printf %s "+line).Output()
		require.NoError(rt, err)
		require.Equal(rt, s.Delivered, string(out))
	})
}

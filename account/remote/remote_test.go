package remote_test

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/remote"
)

// manager runs commands on this machine with the bounds of Systems Manager.
type manager struct {
	t        *testing.T
	answers  map[string]*ssm.GetCommandInvocationOutput
	asked    map[string]int
	longest  int
	status   types.CommandInvocationStatus // that commands end with; empty: their own
	commands int
	calls    []string // IAM actions, in the order of the calls
}

func newManager(t *testing.T) *manager {
	t.Helper()
	return &manager{t: t, answers: map[string]*ssm.GetCommandInvocationOutput{}, asked: map[string]int{}}
}

func (m *manager) SendCommand(ctx context.Context, in *ssm.SendCommandInput, _ ...func(*ssm.Options)) (*ssm.SendCommandOutput, error) {
	require.Equal(m.t, []string{"i-0aa"}, in.InstanceIds)
	require.Equal(m.t, remote.Document, *in.DocumentName)
	m.calls = append(m.calls, "ssm:SendCommand")
	text := strings.Join(in.Parameters["commands"], "\n")
	m.longest = max(m.longest, len(text))
	m.commands++
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", text)
	cmd.Stdout, cmd.Stderr = &out, &errs
	answer := &ssm.GetCommandInvocationOutput{Status: types.CommandInvocationStatusSuccess}
	if err := cmd.Run(); err != nil {
		answer.Status = types.CommandInvocationStatusFailed
	}
	if m.status != "" {
		answer.Status = m.status
	}
	answer.StandardOutputContent, answer.StandardErrorContent = aws.String(cut(out.String())), aws.String(cut(errs.String()))
	id := string(rune('a'+len(m.answers)%26)) + strings.Repeat("x", len(m.answers))
	m.answers[id] = answer
	return &ssm.SendCommandOutput{Command: &types.Command{CommandId: &id}}, nil
}

// cut is Systems Manager's bound on what it gives back.
func cut(text string) string { return text[:min(len(text), 24000)] }

func (m *manager) GetCommandInvocation(_ context.Context, in *ssm.GetCommandInvocationInput, _ ...func(*ssm.Options)) (*ssm.GetCommandInvocationOutput, error) {
	m.asked[*in.CommandId]++
	m.calls = append(m.calls, "ssm:GetCommandInvocation")
	switch m.asked[*in.CommandId] {
	case 1:
		return nil, &types.InvocationDoesNotExist{}
	case 2:
		return &ssm.GetCommandInvocationOutput{Status: types.CommandInvocationStatusInProgress}, nil
	}
	return m.answers[*in.CommandId], nil
}

func instance(m *manager) *remote.Instance {
	return &remote.Instance{API: m, ID: "i-0aa", Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
}

func TestRun(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	stdout, stderr, code, err := instance(m).Run(t.Context(), `read -r line; echo "it's $line"; echo more >&2; exit 7`, []byte("input\n"))
	require.NoError(t, err)
	require.Equal(t, "it's input\n", string(stdout))
	require.Equal(t, "more\n", string(stderr))
	require.Equal(t, 7, code)
}

// What is larger than a command or its answer travels in pieces, in both directions, byte by byte the same.
func TestLargeInputAndOutput(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	data := make([]byte, 300_000)
	state := uint32(1)
	for i := range data {
		state = state*1664525 + 1013904223
		data[i] = byte(state >> 24)
	}
	stdout, _, code, err := instance(m).Run(t.Context(), "cat", data)
	require.NoError(t, err)
	require.Zero(t, code)
	require.True(t, bytes.Equal(data, stdout))
	require.Less(t, m.longest, 32000)
	require.Greater(t, m.commands, 20)
}

func TestCommandThatDoesNotArrive(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	m.status = types.CommandInvocationStatusTimedOut
	_, _, _, err := instance(m).Run(t.Context(), "true", nil)
	require.ErrorContains(t, err, "TimedOut")
}

func TestUserIsAName(t *testing.T) {
	t.Parallel()
	i := instance(newManager(t))
	i.User = "root; reboot"
	_, _, _, err := i.Run(t.Context(), "true", nil)
	require.ErrorContains(t, err, "no user's name")
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m := newManager(t)
	i := instance(m)
	i.Wait = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	_, _, _, err := i.Run(ctx, "true", nil)
	require.True(t, errors.Is(err, context.Canceled))
}

// The listed IAM actions are those of the calls that are made.
func TestActions(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	_, _, _, err := instance(m).Run(t.Context(), "true", nil)
	require.NoError(t, err)
	slices.Sort(m.calls)
	require.Equal(t, remote.Actions(), slices.Compact(m.calls))
}

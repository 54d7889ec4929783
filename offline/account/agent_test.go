package account_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/remote"
	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

const instance = "i-0aa"

func commander(a *account.Account) *ssm.Client {
	return ssm.New(ssm.Options{
		Region: region, BaseEndpoint: aws.String(a.Endpoint()), Credentials: aws.CredentialsProviderFunc(credentials),
	})
}

func TestAgents(t *testing.T) {
	t.Parallel()
	a := judgetest.Account(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *account.Account)
	}{
		{"statuses", commandStatuses},
		{"long output", longOutput},
		{"cancel", cancelled},
		{"no delivery", notDelivered},
		{"detached", detached},
		{"remote", remoteScripts},
		{"refused", commandsRefused},
		{"documents", ownDocuments},
		{"several instances", severalInstances},
	} {
		t.Run(test.name, func(t *testing.T) {
			home := t.TempDir()
			require.NoError(t, a.Load(t.Context(), account.World{Region: region, Now: now, Agents: map[string]account.Agent{
				instance:  {Command: []string{"bash"}, Env: map[string]string{"HOME": home, "GREETING": "it's $me", "PATH": os.Getenv("PATH") + ":" + home}},
				"i-0bb":   {},
				"i-0lost": {Offline: true},
			}}))
			test.run(t, a)
		})
	}
}

func shell(instance, script string) *ssm.SendCommandInput {
	return &ssm.SendCommandInput{
		DocumentName: aws.String("AWS-RunShellScript"), InstanceIds: []string{instance},
		Parameters: map[string][]string{"commands": strings.Split(script, "\n")},
	}
}

func sent(t *testing.T, c *ssm.Client, in *ssm.SendCommandInput) string {
	t.Helper()
	out, err := c.SendCommand(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, types.CommandStatusPending, out.Command.Status)
	return *out.Command.CommandId
}

// until asks for an invocation until it has a status, or has ended.
func until(t *testing.T, c *ssm.Client, id string, status types.CommandInvocationStatus) *ssm.GetCommandInvocationOutput {
	t.Helper()
	for {
		out, err := c.GetCommandInvocation(t.Context(), &ssm.GetCommandInvocationInput{CommandId: &id, InstanceId: aws.String(instance)})
		require.NoError(t, err)
		going := out.Status == types.CommandInvocationStatusPending || out.Status == types.CommandInvocationStatusInProgress
		if out.Status == status || !going {
			return out
		}
	}
}

func ended(t *testing.T, c *ssm.Client, in *ssm.SendCommandInput) *ssm.GetCommandInvocationOutput {
	t.Helper()
	return until(t, c, sent(t, c, in), "")
}

func commandStatuses(t *testing.T, a *account.Account) {
	t.Helper()
	c := commander(a)
	for name, test := range map[string]struct {
		script         string
		limit          string
		status         types.CommandInvocationStatus
		code           int32
		stdout, stderr string
	}{
		"success":       {"echo hello\necho $GREETING", "", types.CommandInvocationStatusSuccess, 0, "hello\nit's $me\n", ""},
		"failure":       {"echo no >&2\nexit 7", "", types.CommandInvocationStatusFailed, 7, "", "no\n"},
		"a signal":      {"kill -TERM $$", "", types.CommandInvocationStatusFailed, 143, "", ""},
		"no input":      {"cat", "", types.CommandInvocationStatusSuccess, 0, "", ""},
		"the last word": {"false\ntrue", "", types.CommandInvocationStatusSuccess, 0, "", ""},
		"too slow":      {"echo begun\nsleep 1000", "1", types.CommandInvocationStatusTimedOut, 137, "begun\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := shell(instance, test.script)
			if test.limit != "" {
				in.Parameters["executionTimeout"] = []string{test.limit}
			}
			out := ended(t, c, in)
			require.Equal(t, test.status, out.Status)
			require.Equal(t, test.code, out.ResponseCode)
			require.Equal(t, test.stdout, aws.ToString(out.StandardOutputContent))
			require.Equal(t, test.stderr, aws.ToString(out.StandardErrorContent))
		})
	}
}

func longOutput(t *testing.T, a *account.Account) {
	t.Helper()
	c := commander(a)
	id := sent(t, c, shell(instance, "head -c 30000 /dev/zero | tr '\\0' o\nhead -c 30000 /dev/zero | tr '\\0' e >&2"))
	out := until(t, c, id, "")
	require.Len(t, *out.StandardOutputContent, 24000)
	require.True(t, strings.HasSuffix(*out.StandardOutputContent, "oo--output truncated--"))
	require.Len(t, *out.StandardErrorContent, 8000)
	for details, plugins := range map[bool]int{true: 1, false: 0} {
		list, err := c.ListCommandInvocations(t.Context(), &ssm.ListCommandInvocationsInput{CommandId: &id, Details: details})
		require.NoError(t, err)
		require.Len(t, list.CommandInvocations, 1)
		require.Len(t, list.CommandInvocations[0].CommandPlugins, plugins)
		if details {
			require.Len(t, *list.CommandInvocations[0].CommandPlugins[0].Output, 2500)
		}
	}
}

func cancelled(t *testing.T, a *account.Account) {
	t.Helper()
	c := commander(a)
	id := sent(t, c, shell(instance, "echo begun\nsleep 1000"))
	require.Equal(t, types.CommandInvocationStatusInProgress, until(t, c, id, types.CommandInvocationStatusInProgress).Status)
	_, err := c.CancelCommand(t.Context(), &ssm.CancelCommandInput{CommandId: &id})
	require.NoError(t, err)
	require.Equal(t, types.CommandInvocationStatusCancelled, until(t, c, id, "").Status)
	list, err := c.ListCommands(t.Context(), &ssm.ListCommandsInput{CommandId: &id})
	require.NoError(t, err)
	require.Equal(t, types.CommandStatusCancelled, list.Commands[0].Status)
}

func notDelivered(t *testing.T, a *account.Account) {
	t.Helper()
	c := commander(a)
	in := shell("i-0lost", "true")
	in.TimeoutSeconds = aws.Int32(60)
	id := sent(t, c, in)
	get := func() *ssm.GetCommandInvocationOutput {
		out, err := c.GetCommandInvocation(t.Context(), &ssm.GetCommandInvocationInput{CommandId: &id, InstanceId: aws.String("i-0lost")})
		require.NoError(t, err)
		return out
	}
	require.Equal(t, types.CommandInvocationStatusPending, get().Status)
	require.EqualValues(t, -1, get().ResponseCode)
	_, err := a.Advance(t.Context(), time.Minute)
	require.NoError(t, err)
	require.Equal(t, types.CommandInvocationStatusTimedOut, get().Status)
	require.Equal(t, "DeliveryTimedOut", *get().StatusDetails)

	known, err := c.DescribeInstanceInformation(t.Context(), &ssm.DescribeInstanceInformationInput{
		Filters: []types.InstanceInformationStringFilter{{Key: aws.String("InstanceIds"), Values: []string{"i-0lost"}}},
	})
	require.NoError(t, err)
	require.Equal(t, types.PingStatusConnectionLost, known.InstanceInformationList[0].PingStatus)
}

// A runner that leaves its command goes on after it, and ends with the account.
func detached(t *testing.T, a *account.Account) {
	t.Helper()
	c := commander(a)
	mark := filepath.Join(t.TempDir(), "mark")
	pid := func(script string) int {
		out := ended(t, c, shell(instance, script))
		require.Equal(t, types.CommandInvocationStatusSuccess, out.Status, aws.ToString(out.StandardErrorContent))
		number, err := strconv.Atoi(strings.TrimSpace(*out.StandardOutputContent))
		require.NoError(t, err)
		return number
	}
	first := pid("setsid sleep 1000 >/dev/null 2>&1 </dev/null &\necho $!")
	second := pid("nohup bash -c 'sleep 1000' >/dev/null 2>&1 </dev/null &\necho $!")
	third := pid(fmt.Sprintf("(setsid bash -c 'echo $$ >%[1]s; exec sleep 1000' >/dev/null 2>&1 &)\nuntil [ -s %[1]s ]; do :; done\ncat %[1]s", mark))
	for _, p := range []int{first, second, third} {
		require.NoError(t, syscall.Kill(p, 0), "it goes on")
	}
	require.NoError(t, a.Load(t.Context(), account.World{Region: region}))
	for _, p := range []int{first, second, third} {
		require.True(t, gone(p), "it has ended with its world")
	}

	other := judgetest.Account(t)
	require.NoError(t, other.Load(t.Context(), account.World{Region: region, Agents: map[string]account.Agent{instance: {}}}))
	c = commander(other)
	last := pid("setsid sleep 1000 >/dev/null 2>&1 </dev/null &\necho $!")
	require.NoError(t, other.Close())
	require.True(t, gone(last), "it has ended with the account")
}

// gone reports that a process has ended; a zombie has, too.
func gone(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || bytes.Contains(stat, []byte(") Z "))
}

// Scripts of package remote run through the account as they do on a head node.
func remoteScripts(t *testing.T, a *account.Account) {
	t.Helper()
	data := bytes.Repeat([]byte("0123456789abcdef\x00\n'\"$"), 5000)
	for _, user := range []string{"", "ubuntu"} {
		head := &remote.Instance{API: commander(a), ID: instance, User: user, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
		stdout, stderr, code, err := head.Run(t.Context(), `read -r line; echo "$GREETING: $line in $HOME"; echo more >&2; exit 7`, []byte("input\n"))
		require.NoError(t, err)
		require.Equal(t, 7, code)
		require.Regexp(t, `^it's \$me: input in .*/TestAgents.*\n$`, string(stdout), "a login shell has the agent's environment")
		require.Equal(t, "more\n", string(stderr))
		stdout, _, _, err = head.Run(t.Context(), "cat", data)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, stdout), "long input and output travel in pieces")
	}
	_, _, _, err := (&remote.Instance{API: commander(a), ID: "i-0none"}).Run(t.Context(), "true", nil)
	refused(t, err, "InvalidInstanceId")
}

func commandsRefused(t *testing.T, a *account.Account) {
	t.Helper()
	c := commander(a)
	loadedInstance := func() string {
		w := world()
		w.Agents = map[string]account.Agent{}
		loaded(t, a, w)
		out, err := client(a).RunInstances(t.Context(), &ec2.RunInstancesInput{
			MinCount: aws.Int32(1), MaxCount: aws.Int32(1), InstanceType: "m6i.2xlarge",
			ImageId: aws.String(account.ImageID("mine")), SubnetId: aws.String("subnet-public"),
		})
		require.NoError(t, err)
		return *out.Instances[0].InstanceId
	}
	id := loadedInstance()
	require.NoError(t, a.PutAgent(t.Context(), id, account.Agent{}))
	for name, test := range map[string]struct {
		change func(*ssm.SendCommandInput)
		code   string
	}{
		"an instance without an agent": {func(in *ssm.SendCommandInput) { in.InstanceIds = []string{"i-0none"} }, "InvalidInstanceId"},
		"an unknown document":          {func(in *ssm.SendCommandInput) { in.DocumentName = aws.String("AWS-RunPython") }, "InvalidDocument"},
		"no commands":                  {func(in *ssm.SendCommandInput) { in.Parameters = nil }, "InvalidParameters"},
		"an unknown parameter":         {func(in *ssm.SendCommandInput) { in.Parameters["command"] = []string{"true"} }, "InvalidParameters"},
		"no time":                      {func(in *ssm.SendCommandInput) { in.Parameters["executionTimeout"] = []string{"soon"} }, "InvalidParameters"},
		"one twice":                    {func(in *ssm.SendCommandInput) { in.InstanceIds = []string{id, id} }, "DuplicateInstanceId"},
		"nobody":                       {func(in *ssm.SendCommandInput) { in.InstanceIds = nil }, "ValidationException"},
	} {
		t.Run(name, func(t *testing.T) {
			in := shell(id, "true")
			test.change(in)
			_, err := c.SendCommand(t.Context(), in)
			refused(t, err, test.code)
		})
	}
	command := sent(t, c, shell(id, "true"))
	_, err := c.GetCommandInvocation(t.Context(), &ssm.GetCommandInvocationInput{CommandId: &command, InstanceId: aws.String("i-0none")})
	refused(t, err, "InvocationDoesNotExist")
	_, err = c.CancelCommand(t.Context(), &ssm.CancelCommandInput{CommandId: aws.String("00000000-0000-0000-0000-000000000000")})
	refused(t, err, "InvalidCommandId")
	_, err = client(a).TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{id}})
	require.NoError(t, err)
	_, err = c.SendCommand(t.Context(), shell(id, "true"))
	refused(t, err, "InvalidInstanceId")
}

const guardDocument = `{
  "schemaVersion": "2.2",
  "parameters": {
    "warning": {"type": "String", "allowedPattern": "^[a-z ]+$"},
    "lines": {"type": "StringList", "default": ["echo one", "echo two"]}
  },
  "mainSteps": [
    {"action": "aws:runShellScript", "name": "say", "inputs": {"runCommand": ["echo {{ warning }}", "{{lines}}"], "timeoutSeconds": "60"}}
  ]
}`

func ownDocuments(t *testing.T, a *account.Account) {
	t.Helper()
	c := commander(a)
	_, err := c.CreateDocument(t.Context(), &ssm.CreateDocumentInput{
		Name: aws.String("weft-end-guard"), Content: aws.String(guardDocument), DocumentType: types.DocumentTypeCommand, DocumentFormat: types.DocumentFormatJson,
	})
	require.NoError(t, err)
	in := &ssm.SendCommandInput{
		DocumentName: aws.String("weft-end-guard"), InstanceIds: []string{instance}, Parameters: map[string][]string{"warning": {"the end"}},
	}
	out := ended(t, c, in)
	require.Equal(t, types.CommandInvocationStatusSuccess, out.Status)
	require.Equal(t, "the end\none\ntwo\n", *out.StandardOutputContent)
	for name, parameters := range map[string]map[string][]string{
		"a missing one":           {},
		"one against the pattern": {"warning": {"rm -rf /"}},
		"an unknown one":          {"warning": {"the end"}, "more": {"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			in.Parameters = parameters
			_, err := c.SendCommand(t.Context(), in)
			refused(t, err, "InvalidParameters")
		})
	}
}

func severalInstances(t *testing.T, a *account.Account) {
	t.Helper()
	c := commander(a)
	in := shell(instance, "true")
	in.InstanceIds, in.Targets = nil, []types.Target{{Key: aws.String("InstanceIds"), Values: []string{instance, "i-0bb"}}}
	id := sent(t, c, in)
	until(t, c, id, "")
	list, err := c.ListCommandInvocations(t.Context(), &ssm.ListCommandInvocationsInput{CommandId: &id, MaxResults: aws.Int32(1)})
	require.NoError(t, err)
	require.Len(t, list.CommandInvocations, 1)
	require.NotNil(t, list.NextToken)
	list, err = c.ListCommandInvocations(t.Context(), &ssm.ListCommandInvocationsInput{CommandId: &id, InstanceId: aws.String("i-0bb")})
	require.NoError(t, err)
	require.Len(t, list.CommandInvocations, 1)
	require.Equal(t, "i-0bb", *list.CommandInvocations[0].InstanceId)
}

// Package remote runs shell scripts on an instance through Systems Manager, without an open port or a key.
//
// Run Command takes a script's text and gives back at most 24,000 characters of what it wrote. What is larger travels in pieces: the
// script and its input to a folder of the instance, what it wrote back from there.
package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"
)

// API is what of Systems Manager's client is used.
type API interface {
	SendCommand(ctx context.Context, in *ssm.SendCommandInput, options ...func(*ssm.Options)) (*ssm.SendCommandOutput, error)
	GetCommandInvocation(ctx context.Context, in *ssm.GetCommandInvocationInput, options ...func(*ssm.Options)) (*ssm.GetCommandInvocationOutput, error)
}

// Document is the Systems Manager document that runs the scripts. It is AWS's own.
const Document = "AWS-RunShellScript"

// Actions lists the IAM actions that running scripts needs, sorted.
func Actions() []string { return []string{"ssm:GetCommandInvocation", "ssm:SendCommand"} }

// Instance runs scripts on one instance, as one of its users.
type Instance struct {
	API API
	ID  string // i-…
	// User whose login shell runs the scripts; empty is root.
	User string
	// Wait returns after d, or when ctx ends with its error; nil is the machine's clock.
	Wait func(ctx context.Context, d time.Duration) error
}

const (
	// pieceUp is how many characters of a payload go with one command. Systems Manager takes some tens of thousands in all parameters.
	pieceUp = 24000
	// pieceDown is how many bytes come back with one: as base64 they stay below 24,000 characters with the line before them.
	pieceDown = 17000
	// firstPause and longestPause bound the time between two looks at a command that has not ended. Most end at once.
	firstPause, longestPause = 250 * time.Millisecond, 2 * time.Second
	// allowed is how long a command may run, in seconds.
	allowed = 3600
)

// Run runs a script with bash, with stdin as its input, and gives what it wrote, whole, and its exit code. An error is for a script that
// could not be run or whose end is not known.
func (i *Instance) Run(ctx context.Context, script string, stdin []byte) (stdout, stderr []byte, code int, err error) {
	if i.User != "" && strings.ContainsFunc(i.User, notUser) {
		return nil, nil, 0, fmt.Errorf("running a script on %s: %q is no user's name", i.ID, i.User)
	}
	token := make([]byte, 12)
	if _, err := rand.Read(token); err != nil {
		return nil, nil, 0, fmt.Errorf("naming a call: %w", err)
	}
	c := call{Instance: i, dir: "/tmp/weft-" + hex.EncodeToString(token)}
	stdout, stderr, code, err = c.run(ctx, script, stdin)
	if err != nil {
		err = fmt.Errorf("running a script on %s through Systems Manager: %w", i.ID, err)
	}
	return stdout, stderr, code, err
}

func notUser(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// call is one script on its way.
type call struct {
	*Instance
	dir string // on the instance
}

func (c call) run(ctx context.Context, script string, stdin []byte) (stdout, stderr []byte, code int, err error) {
	up, err := pack(script, stdin)
	if err != nil {
		return nil, nil, 0, err
	}
	for len(up) > pieceUp {
		if _, err := c.command(ctx, c.append(up[:pieceUp])); err != nil {
			return nil, nil, 0, err
		}
		up = up[pieceUp:]
	}
	first, err := c.command(ctx, c.append(up)+c.start()+c.piece(0))
	if err != nil {
		return nil, nil, 0, err
	}
	code, size, body, err := head(first)
	if err != nil {
		return nil, nil, 0, err
	}
	for len(body) < size {
		more, err := c.command(ctx, c.piece(len(body)))
		if err != nil {
			return nil, nil, 0, err
		}
		data, err := decode(more)
		if err != nil || len(data) == 0 {
			return nil, nil, 0, errors.Join(errors.New("a part of the output is missing"), err)
		}
		body = append(body, data...)
	}
	if _, err := c.command(ctx, "rm -rf "+c.dir+"\n"); err != nil {
		return nil, nil, 0, err
	}
	stdout, stderr, err = unpack(body)
	return stdout, stderr, code, err
}

// append adds a piece of the payload to the file of this call.
func (c call) append(piece string) string {
	return fmt.Sprintf("umask 077; mkdir -p %[1]s && printf %%s %[2]s >>%[1]s/up\n", c.dir, piece)
}

// start unpacks the payload and runs the script, unless that was done: a command may be delivered twice.
func (c call) start() string {
	shell := "bash -l"
	if c.User != "" {
		shell = "sudo -H -u " + c.User + " bash -l"
	}
	return fmt.Sprintf(`cd %s || exit 1
if [ ! -e down ]; then
  base64 -d up | gunzip >all && size=$(head -n 1 all) && tail -n +2 all >rest || exit 1
  head -c "$size" rest >script; tail -c +$((size + 1)) rest >stdin
  chmod 644 script
  %s -c "$(cat script)" <stdin >out 2>err
  echo $? >code
  { wc -c <out; cat out err; } | gzip -c | base64 -w0 >down.new && mv down.new down
fi
echo "$(cat code) $(base64 -d down | wc -c)"
`, c.dir, shell)
}

// piece prints a part of the packed output.
func (c call) piece(from int) string {
	return fmt.Sprintf("base64 -d %s/down | tail -c +%d | head -c %d | base64 -w0\n", c.dir, from+1, pieceDown)
}

// command runs commands as root and gives what they wrote.
func (c call) command(ctx context.Context, commands string) (string, error) {
	sent, err := c.API.SendCommand(ctx, &ssm.SendCommandInput{
		DocumentName: aws.String(Document), InstanceIds: []string{c.ID}, Comment: aws.String("weft validation"),
		Parameters: map[string][]string{"commands": {commands}, "executionTimeout": {strconv.Itoa(allowed)}},
	})
	if err != nil {
		return "", fmt.Errorf("sending a command: %w", err)
	}
	return c.await(ctx, aws.ToString(sent.Command.CommandId))
}

func (c call) await(ctx context.Context, id string) (string, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		out, err := c.API.GetCommandInvocation(ctx, &ssm.GetCommandInvocationInput{CommandId: &id, InstanceId: &c.ID})
		var unknown *types.InvocationDoesNotExist
		switch {
		case errors.As(err, &unknown): // for a moment after SendCommand
		case err != nil:
			return "", fmt.Errorf("asking for a command's end: %w", err)
		case out.Status == types.CommandInvocationStatusSuccess:
			return aws.ToString(out.StandardOutputContent), nil
		case out.Status != types.CommandInvocationStatusPending && out.Status != types.CommandInvocationStatusInProgress && out.Status != types.CommandInvocationStatusDelayed:
			return "", fmt.Errorf("the command ended as %s (%s): %s", out.Status, aws.ToString(out.StatusDetails), strings.TrimSpace(aws.ToString(out.StandardErrorContent)))
		}
		if err := c.pause(ctx, pause); err != nil {
			return "", err
		}
	}
}

func (c call) pause(ctx context.Context, d time.Duration) error {
	if c.Wait != nil {
		return c.Wait(ctx, d)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// pack puts script and input into one text: the script's size, the script, the input.
func pack(script string, stdin []byte) (string, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := fmt.Fprintf(z, "%d\n%s", len(script), script)
	if err == nil {
		_, err = z.Write(stdin)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return "", fmt.Errorf("packing the script: %w", err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// head reads the first answer: a line with exit code and size, then the first piece.
func head(text string) (code, size int, body []byte, err error) {
	line, rest, ok := strings.Cut(text, "\n")
	if n, err := fmt.Sscan(line, &code, &size); !ok || n != 2 || err != nil {
		return 0, 0, nil, fmt.Errorf("the answer begins with %q", line)
	}
	body, err = decode(rest)
	return code, size, body, err
}

func decode(text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("reading a piece of the output: %w", err)
	}
	return data, nil
}

// unpack tells what a script wrote to each of its outputs.
func unpack(body []byte) (stdout, stderr []byte, err error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, nil, fmt.Errorf("unpacking the output: %w", err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		return nil, nil, fmt.Errorf("unpacking the output: %w", err)
	}
	line, rest, _ := bytes.Cut(all, []byte("\n"))
	size, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil || size > len(rest) {
		return nil, nil, fmt.Errorf("the output begins with %q", line)
	}
	return rest[:size], rest[size:], nil
}

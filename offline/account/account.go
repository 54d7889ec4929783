package account

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-hpc/weft/offline/python"
)

// ID is the id of the account.
const ID = "123456789012"

// credentials are made up; the account takes any.
const credentials = "offline"

// Account is a running account. It may be used by several goroutines; a Load replaces the world under all of them.
type Account struct {
	process  *python.Process
	endpoint string
	client   *http.Client
}

// Call is one call of AWS that the account answered.
type Call struct {
	Service string `json:"service"` // as the request's signature names it, such as ec2
	// Action is the operation; for S3 and other services whose requests name none, method, path and query keys.
	Action string `json:"action"`
	Status int    `json:"status"` // of HTTP, as the account answered; 0 where a fault let it answer nothing
	Error  string `json:"error"`  // AWS's error code, empty when there was none
	DryRun bool   `json:"dryRun"`
	// Fault that struck the call, empty when there was none. A fault after the call was carried out leaves Status and Error
	// as the account would have answered.
	Fault FaultKind `json:"fault"`
}

// Start starts an account that holds nothing. ctx bounds the start; Close ends the account.
func Start(ctx context.Context) (*Account, error) {
	process, err := Environment().Start(ctx, python.Program{Source: sources, Package: "emulator"}, withoutAWS(os.Environ()))
	if err != nil {
		return nil, fmt.Errorf("starting an account: %w", err)
	}
	port, err := readPort(ctx, process)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for the account: %w", err), process.Close())
	}
	// The address is an IP address because an S3 client would put a bucket's name before a host name.
	return &Account{process: process, endpoint: "http://127.0.0.1:" + strconv.Itoa(port), client: &http.Client{}}, nil
}

func readPort(ctx context.Context, process *python.Process) (int, error) {
	line, err := process.Line(ctx)
	if err != nil {
		return 0, err
	}
	var ready struct {
		Port int `json:"port"`
	}
	if err := json.Unmarshal(line, &ready); err != nil {
		return 0, fmt.Errorf("reading its first line %q: %w", line, err)
	}
	return ready.Port, nil
}

// Close ends the account. It may be called more than once.
func (a *Account) Close() error { return a.process.Close() }

// Endpoint is the address of every service of the account.
func (a *Account) Endpoint() string { return a.endpoint }

// Env is what a program with an AWS SDK needs in its environment to talk to the account and to nothing else.
func (a *Account) Env(region string) []string {
	return []string{
		"AWS_ENDPOINT_URL=" + a.endpoint,
		"AWS_ACCESS_KEY_ID=" + credentials,
		"AWS_SECRET_ACCESS_KEY=" + credentials,
		"AWS_REGION=" + region,
		"AWS_DEFAULT_REGION=" + region,
		"AWS_EC2_METADATA_DISABLED=true",
		"AWS_CONFIG_FILE=" + os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull,
	}
}

// Environ is base without what it says about AWS (keys, profiles, endpoints), and with Env.
func (a *Account) Environ(base []string, region string) []string {
	return append(withoutAWS(base), a.Env(region)...)
}

func withoutAWS(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "AWS_") })
}

// Load replaces what the account holds and forgets its recorded calls. A world that does not fit together (a subnet of a
// VPC that is not there) is an error that names the item; the account is then empty.
func (a *Account) Load(ctx context.Context, world World) error {
	if err := a.post(ctx, "/weft/world", world); err != nil {
		return fmt.Errorf("loading a world: %w", err)
	}
	return nil
}

// Put adds a cluster that runs, in place of one that has its name.
func (a *Account) Put(ctx context.Context, cluster Cluster) error {
	if err := a.post(ctx, "/weft/clusters", cluster); err != nil {
		return fmt.Errorf("putting the cluster %s: %w", cluster.Name, err)
	}
	return nil
}

// Calls are the calls since the last Load, oldest first.
func (a *Account) Calls(ctx context.Context) ([]Call, error) {
	var calls []Call
	if err := a.get(ctx, "/weft/calls", &calls); err != nil {
		return nil, fmt.Errorf("reading the recorded calls: %w", err)
	}
	return calls, nil
}

func (a *Account) post(ctx context.Context, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("writing it as JSON: %w", err)
	}
	_, err = a.do(ctx, http.MethodPost, path, text)
	return err
}

func (a *Account) do(ctx context.Context, method, path string, body []byte) (answer []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, a.endpoint+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking the account: %w", err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	answer, err = io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, refusal(response.StatusCode, answer)
	}
	return answer, nil
}

func refusal(status int, answer []byte) error {
	var given struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(answer, &given); err != nil || given.Error == "" {
		return fmt.Errorf("HTTP status %d", status)
	}
	return errors.New(given.Error)
}

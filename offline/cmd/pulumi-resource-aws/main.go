// Command pulumi-resource-aws stands in for Pulumi's AWS provider plugin where there is neither that plugin nor an AWS
// account. The environment says what account it shows:
//
//	STANDIN_SCHEMA  the SDK's schema as JSON, from offline/cmd/awsschema; without it inputs are not checked
//	STANDIN_WORLD   the JSON file that holds what exists; without it, everything is gone with the process
//	STANDIN_DATA    a YAML file: answers, more types, faults (standin.Data)
//	STANDIN_LOG     a file that gets a line of JSON for each call (standin.Call)
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	pulumiprovider "github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"

	"github.com/weft-hpc/weft/offline/awsschema"
	"github.com/weft-hpc/weft/offline/standin"
	"github.com/weft-hpc/weft/offline/standin/provider"
)

func main() {
	err := pulumiprovider.MainContext(context.Background(), "aws",
		func(*pulumiprovider.HostClient) (pulumirpc.ResourceProviderServer, error) {
			account, err := account(os.Getenv)
			if err != nil {
				return nil, err
			}
			return plugin.NewProviderServer(provider.New(account)), nil
		})
	if err != nil {
		fmt.Fprintln(os.Stderr, "pulumi-resource-aws (stand-in):", err)
		os.Exit(2)
	}
}

// account makes the stand-in that the environment asks for.
func account(env func(string) string) (*standin.StandIn, error) {
	options := standin.Options{Die: func() { os.Exit(3) }}
	var err error
	if path := env("STANDIN_SCHEMA"); path != "" {
		if options.Schema, err = awsschema.Load(path); err != nil {
			return nil, err
		}
	}
	if path := env("STANDIN_DATA"); path != "" {
		if options.Data, err = standin.LoadData(path); err != nil {
			return nil, err
		}
	}
	if path := env("STANDIN_WORLD"); path != "" {
		options.Store = standin.NewFile(path)
	}
	if path := env("STANDIN_LOG"); path != "" {
		log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // the user names the file
		if err != nil {
			return nil, fmt.Errorf("opening the call log: %w", err)
		}
		options.Log = logger(log)
	}
	return standin.New(options)
}

// logger writes calls as lines of JSON. A call is not refused because it cannot be logged.
func logger(w io.Writer) func(standin.Call) {
	var mu sync.Mutex
	lines := json.NewEncoder(w)
	return func(c standin.Call) {
		mu.Lock()
		defer mu.Unlock()
		_ = lines.Encode(c)
	}
}

// Package provider is the Pulumi plugin weft: it serves weft's components to programs in every Pulumi language, and owns
// the resources that AWS's provider cannot give.
//
// The types and their properties stand in schema.json, which is made of the Go types here: go generate
// ./components/provider. Programs in Go call the components themselves and need the plugin for its own resources only
// (packages components/validation and components/capacityblock).
package provider

import (
	"context"
	_ "embed"
	"fmt"

	pulumiprovider "github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/components/provider/validator"
)

//go:generate go run ./internal/schemagen

// Name of the plugin and its package; Version of both.
const (
	Name    = "weft"
	Version = "0.1.0"
)

// Schema is the plugin's package schema, as JSON.
//
//go:embed schema.json
var Schema []byte

// Options of the plugin.
type Options struct {
	// Runner runs validations.
	Runner validator.Runner
	// Purchases of capacity blocks; the zero value buys in AWS.
	Purchases purchaser.Options
}

// Plugin is the plugin's own resources without a wire, for an engine in the same process. It shows nothing of what goes on.
func Plugin(o Options) plugin.Provider { return newDispatcher(o.own(screen{})) }

// own are the resources that the plugin owns.
func (o Options) own(s screen) map[tokens.Type]custom {
	return map[tokens.Type]custom{validator.Token: validator.New(o.Runner, s), purchaser.Token: purchaser.New(o.Purchases, s)}
}

// Main serves the plugin until the engine has no more use for it. It reads the command line, as the engine gives it.
func Main(ctx context.Context, o Options) error {
	err := pulumiprovider.MainContext(ctx, Name, func(host *pulumiprovider.HostClient) (pulumirpc.ResourceProviderServer, error) {
		return newServer(host, o), nil
	})
	if err != nil {
		return fmt.Errorf("serving the plugin %s: %w", Name, err)
	}
	return nil
}

// server is the plugin on the wire. Components are constructed as the wire has them, everything else in property values.
type server struct {
	pulumirpc.ResourceProviderServer

	host *pulumiprovider.HostClient
}

func newServer(host *pulumiprovider.HostClient, o Options) *server {
	return &server{ResourceProviderServer: plugin.NewProviderServer(newDispatcher(o.own(screen{host}))), host: host}
}

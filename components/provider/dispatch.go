package provider

import (
	"context"
	"fmt"

	"github.com/blang/semver"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

// custom is a resource of the plugin's own.
type custom interface {
	Check(ctx context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error)
	Diff(ctx context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error)
	Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error)
	Read(ctx context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error)
	Update(ctx context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error)
	Delete(ctx context.Context, r plugin.DeleteRequest) (plugin.DeleteResponse, error)
}

// dispatcher leads the engine's calls to the resources that they are about, and ends them when the engine cancels.
type dispatcher struct {
	plugin.UnimplementedProvider

	resources map[tokens.Type]custom
	stop      context.Context
	cancel    context.CancelFunc
}

func newDispatcher(resources map[tokens.Type]custom) *dispatcher {
	d := &dispatcher{resources: resources}
	d.stop, d.cancel = context.WithCancel(context.Background())
	return d
}

// of gives the resource of a type, with a context that ends when the engine cancels.
func (d *dispatcher) of(call context.Context, typ tokens.Type) (custom, context.Context, func(), error) {
	r, ok := d.resources[typ]
	if !ok {
		return nil, nil, nil, fmt.Errorf("the plugin %s %s has no resource %s", Name, Version, typ)
	}
	ctx, cancel := context.WithCancel(call)
	release := context.AfterFunc(d.stop, cancel)
	return r, ctx, func() { release(); cancel() }, nil
}

// Handshake says that values may come with their marks. The constructed components take them as they are.
func (d *dispatcher) Handshake(context.Context, plugin.ProviderHandshakeRequest) (*plugin.ProviderHandshakeResponse, error) {
	return &plugin.ProviderHandshakeResponse{AcceptSecrets: true, AcceptResources: true, AcceptOutputs: true}, nil
}

// GetPluginInfo says the plugin's version.
func (d *dispatcher) GetPluginInfo(context.Context) (plugin.PluginInfo, error) {
	version, err := semver.Parse(Version)
	if err != nil {
		return plugin.PluginInfo{}, fmt.Errorf("the version of the plugin: %w", err)
	}
	return plugin.PluginInfo{Version: &version}, nil
}

// GetSchema gives the package schema.
func (d *dispatcher) GetSchema(context.Context, plugin.GetSchemaRequest) (plugin.GetSchemaResponse, error) {
	return plugin.GetSchemaResponse{Schema: Schema}, nil
}

// CheckConfig takes the configuration as it is: the plugin has none of its own.
func (d *dispatcher) CheckConfig(_ context.Context, r plugin.CheckConfigRequest) (plugin.CheckConfigResponse, error) {
	return plugin.CheckConfigResponse{Properties: r.News}, nil
}

// DiffConfig never replaces the provider.
func (d *dispatcher) DiffConfig(context.Context, plugin.DiffConfigRequest) (plugin.DiffConfigResponse, error) {
	return plugin.DiffConfigResponse{Changes: plugin.DiffNone}, nil
}

// Configure has nothing to keep.
func (d *dispatcher) Configure(context.Context, plugin.ConfigureRequest) (plugin.ConfigureResponse, error) {
	return plugin.ConfigureResponse{}, nil
}

// SignalCancellation ends the calls that are under way.
func (d *dispatcher) SignalCancellation(context.Context) error {
	d.cancel()
	return nil
}

// Close has nothing to let go of.
func (d *dispatcher) Close() error { return nil }

// Attach is for an engine that did not start the plugin itself.
func (d *dispatcher) Attach(string) error { return nil }

// call leads one call to its resource.
func call[Q, A any](
	ctx context.Context, d *dispatcher, typ tokens.Type, request Q, method func(custom, context.Context, Q) (A, error),
) (A, error) {
	r, ctx, done, err := d.of(ctx, typ)
	if err != nil {
		var none A
		return none, err
	}
	defer done()
	return method(r, ctx, request)
}

func (d *dispatcher) Check(ctx context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	return call(ctx, d, r.URN.Type(), r, custom.Check)
}

func (d *dispatcher) Diff(ctx context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	return call(ctx, d, r.URN.Type(), r, custom.Diff)
}

func (d *dispatcher) Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	return call(ctx, d, r.URN.Type(), r, custom.Create)
}

func (d *dispatcher) Read(ctx context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	return call(ctx, d, r.URN.Type(), r, custom.Read)
}

func (d *dispatcher) Update(ctx context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	return call(ctx, d, r.URN.Type(), r, custom.Update)
}

func (d *dispatcher) Delete(ctx context.Context, r plugin.DeleteRequest) (plugin.DeleteResponse, error) {
	return call(ctx, d, r.URN.Type(), r, custom.Delete)
}
